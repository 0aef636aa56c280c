"""Explaining, running, and how a run may end."""
import json
import pathlib
import re

import pytest
from conftest import BAD_INPUT, DIFFERENT, DIVERGED, DONE, EXISTS, IO, NO_DEVICE, expect, stop


def test_explain_counts_rows_steps_memory_and_frames(rtsim):
    rtsim.scene()
    j = json.loads(expect(rtsim("explain", "pool/scene.json", "--json"), DONE).stdout)
    assert j["time"]["dt"] == 1e-4
    assert j["time"]["steps"] == 20
    assert j["time"]["frames"] == 3
    water = next(t for t in j["tables"] if t["name"] == "water")
    assert water["rows"] == 400
    position = next(c for c in water["columns"] if c["name"] == "position")
    assert (position["unit"], position["role"], position["bytes_per_row"]) == ("m", "state", 8)
    assert [s["name"] for s in j["stages"]] == ["wcsph"]
    assert j["stages"][0]["stable_dt"] > 0
    assert 0 < j["memory"]["built"] < j["memory"]["machine"]
    assert j["cache"]["queue_bytes"] == 3 * j["cache"]["frame_bytes"] > 0
    text = expect(rtsim("explain", "pool/scene.json"), DONE).stdout
    for words in ("20 steps", "3 frames", "water: 400 rows", "wcsph fluid=water boundary=tank"):
        assert words in text, text
    assert rtsim.files() == ["pool", "pool/scene.json"]


def test_check_tells_scripts_which_scenes_are_good(rtsim):
    rtsim.scene(name="good.json")
    rtsim.scene({"/stages/0/stifness": 1, "/gravty": [0, 0]}, name="bad.json")
    found = json.loads(expect(rtsim("check", "good.json", "bad.json", "--json"), BAD_INPUT).stdout)
    assert [(f["scene"], f["good"]) for f in found] == [("good.json", True), ("bad.json", False)]
    assert len(found[1]["problems"]) == 2 and "stifness" in " ".join(found[1]["problems"])


def test_run_writes_the_default_folder_and_keeps_stdout_clean(rtsim):
    rtsim.scene()
    result = expect(rtsim("run", "pool/scene.json"), DONE)
    assert result.stdout == ""
    assert "frame 2/2" in result.stderr
    assert [f["frame"] for f in rtsim.frames("runs/pool-scene")] == [0, 1, 2]
    m = rtsim.manifest("runs/pool-scene")
    assert (m["status"], m["exit_code"], m["steps"], m["frames"]) == ("done", 0, 20, 3)
    assert m["command_line"][1:] == ["run", "pool/scene.json"]
    header = (rtsim.folder / "runs/pool-scene/series.csv").read_text().splitlines()[0]
    assert header.startswith("step,time [s],wcsph.water.kinetic_energy [J],")


def test_quiet_is_quiet(rtsim):
    rtsim.scene()
    result = expect(rtsim("run", "pool/scene.json", "--quiet"), DONE)
    assert (result.stdout, result.stderr) == ("", "")


def test_progress_is_plain_lines_without_a_terminal(rtsim):
    rtsim.scene()
    err = expect(rtsim("run", "pool/scene.json"), DONE).stderr
    assert "\r" not in err and "\x1b" not in err


def test_set_threads_and_output_are_taken(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "a b", "--set", "/time/frames=1", "--set",
                 "/stages/0/kinematic_viscosity=0.01", "--threads", "2", "--device", "cpu", "--quiet"), DONE)
    assert len(rtsim.frames("a b")) == 2
    resolved = json.loads((rtsim.folder / "a b/scene.resolved.json").read_text())
    assert resolved["stages"][0]["kinematic_viscosity"] == 0.01
    assert rtsim.manifest("a b")["threads"] == 2


def test_thread_counts_give_the_same_bytes(rtsim):
    rtsim.scene()
    for n in (1, 2, 5):
        expect(rtsim("run", "pool/scene.json", "-o", f"t{n}", "--threads", n, "--quiet"), DONE)
    for file in ("frames.jsonl", "series.csv"):
        assert len({(rtsim.folder / f"t{n}" / file).read_bytes() for n in (1, 2, 5)}) == 1, file


def test_profile_writes_times_by_label(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--profile"), DONE)
    profile = (rtsim.folder / "out/profile.json").read_text()
    assert "wcsph." in profile
    launches = sum(label["launches"] for label in json.loads(profile)["labels"])
    trace = json.loads((rtsim.folder / "out/trace.json").read_text())
    assert len(trace["traceEvents"]) == launches
    assert trace["otherData"] == {"events_left_out": 0}


def expectation(**more):
    return {"value": "wcsph.water.mass", "at": "final", "equals": 160, "source": "0.4 m x 0.4 m x 1000 kg/m^2", **more}


def test_expect_passes_and_fails_by_its_exit_code(rtsim):
    rtsim.scene({"/expect": [expectation(rel=1e-6)]})
    result = expect(rtsim("run", "pool/scene.json", "-o", "a", "--expect", "--quiet"), DONE)
    assert result.stdout.startswith("pass  value wcsph.water.mass")
    assert json.loads((rtsim.folder / "a/expect.json").read_text())[0]["passed"]

    rtsim.scene({"/expect": [expectation(rel=1e-6), expectation(equals=100, rel=0.5)]})
    result = expect(rtsim("run", "pool/scene.json", "-o", "b", "--expect", "--quiet"), DIFFERENT)
    assert "FAIL  value wcsph.water.mass" in result.stdout and "pass" in result.stdout
    assert rtsim.manifest("b")["status"] == "done"


def test_expect_without_a_block_is_refused_before_the_run(rtsim):
    rtsim.scene()
    assert '"expect" block' in expect(rtsim("run", "pool/scene.json", "-o", "a", "--expect"), BAD_INPUT).stderr
    assert rtsim.files() == ["pool", "pool/scene.json"]


@pytest.mark.parametrize("spacing, format", [(0.02, "hdf5"), (0.003, "hdf5"), (0.02, "vdb")])
def test_explain_tells_the_memory_that_a_run_takes(rtsim, spacing, format):
    """To a factor: what a machine's libraries take differs, and frames that wait are as many as the disk is slow."""
    changes = ["--set", f"/objects/0/spacing={spacing}", "--set", f"/output/0/format={format}"]
    process = rtsim.endless("--quiet", *changes)
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    stop(process)
    took = 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])
    told = json.loads(expect(rtsim("explain", "pool/scene.json", "--json", *changes), DONE).stdout)["memory"]["total"]
    assert 0.7 * took < told < 1.4 * took, (told / 1e6, took / 1e6)


@pytest.mark.skipif(pathlib.Path("/dev/nvidia0").exists(), reason="this machine has a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:3"])
def test_a_device_that_is_not_there_is_7(rtsim, device):
    rtsim.scene()
    assert "--device cpu" in expect(rtsim("run", "pool/scene.json", "--device", device), NO_DEVICE).stderr
    assert rtsim.files() == ["pool", "pool/scene.json"]


def test_a_run_that_diverges_keeps_its_frames_and_says_what_to_do(rtsim):
    # Explicit viscosity amplifies by about dt nu / spacing^2 = 10^5 a step.
    rtsim.scene({"/time/dt": 1e-3, "/time/steps_per_frame": 1, "/time/frames": 50,
                 "/stages/0/kinematic_viscosity": 1e5})
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), DIVERGED).stderr
    message = err[err.index("step "):]
    for words in (r"step \d+ \(t = ", "wcsph", "water", r"not finite|over [0-9.]+ m/s", "substeps", r"[Ll]ast good frame"):
        assert re.search(words, message), (words, err)
    m = rtsim.manifest("out")
    assert (m["status"], m["exit_code"]) == ("diverged", DIVERGED)
    assert rtsim.frames("out")
    expect(rtsim("verify", "out"), DONE)


def test_a_folder_that_cannot_be_made_is_an_io_error(rtsim):
    rtsim.scene()
    rtsim.write("file", "not a folder")
    result = rtsim("run", "pool/scene.json", "-o", "file/out")
    assert result.returncode in (EXISTS, IO), result.stderr
    assert "file" in result.stderr


def closed_box(wall_at, thin):
    """A wall that comes in from the left, and maybe one of a cell that stands."""
    objects = [{"name": "air", "kind": "grid", "spacing": 0.05, "min": [0, 0], "max": [1, 1]},
               {"name": "w", "kind": "boundary", "shape": {"box": {"min": [-1, -1], "max": [wall_at, 2]}},
                "motion": {"velocity": [0.5, 0]}},
               {"name": "sheet", "kind": "boundary",
                "shape": {"box": {"min": [0.7, 0.2], "max": [0.75 if thin else 0.8, 0.8]}}}]
    return {"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {"dt": 0.01, "steps_per_frame": 50, "frames": 1},
            "objects": objects, "stages": [{"type": "smoke", "grid": "air", "boundary": ["w", "sheet"]}],
            "output": [{"object": "air", "format": "hdf5"}]}


def test_a_wall_that_enters_a_closed_box_is_told_with_all_else_and_each_once(rtsim):
    for wall_at, thin in ((-0.1, False), (-0.3, True), (0.13, True)):
        rtsim.scene(base=closed_box(wall_at, thin))
        told = expect(rtsim("run", "pool/scene.json", "-o", "out", "--overwrite"), DONE).stderr
        assert told.count("of its volume into a closed region of 'air'") == (wall_at > -0.2)
        assert told.count("are one cell thick") == thin
        assert "does not feel it" not in told
