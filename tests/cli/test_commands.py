"""Every command, flag and exit code."""
import json
import os
import pathlib
import re
import signal
import time

import pytest
from conftest import POOL, RTSIM, SOURCE, stop

DONE, INTERNAL, USAGE, BAD_INPUT, DIVERGED, DIFFERENT, EXISTS, NO_DEVICE = range(8)
IO, INTERRUPTED = 74, 75
COMMANDS = ["run", "resume", "check", "explain", "list", "describe", "schema", "manual", "info", "verify", "bench"]


def expect(result, code):
    assert result.returncode == code, f"{result.args}\n{result.stdout}\n{result.stderr}"
    return result


# Asking for what there is.

def test_version_states_the_facts_of_the_build(rtsim):
    out = expect(rtsim("--version"), DONE).stdout
    assert re.match(r"rtsim \d+\.\d+\.\d+\n", out)
    for fact in ("commit", "compiler", "flags", "precision", "cuda"):
        assert re.search(rf"^{fact} +\S", out, re.M) or fact == "flags", fact


def test_help_names_every_command(rtsim):
    out = expect(rtsim("--help"), DONE).stdout
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", out, re.M), command
        assert "Usage: rtsim " + command in expect(rtsim(command, "--help"), DONE).stdout


def test_it_starts_at_once(rtsim):
    times = []
    for _ in range(5):
        begin = time.monotonic()
        expect(rtsim("--version"), DONE)
        times.append(time.monotonic() - begin)
    assert min(times) < 0.2


def test_list_has_a_line_a_stage_and_the_same_as_json(rtsim):
    lines = expect(rtsim("list"), DONE).stdout.splitlines()
    stages = json.loads(expect(rtsim("list", "--json"), DONE).stdout)
    assert [line.split()[0] for line in lines] == [s["name"] for s in stages]
    assert "wcsph" in [s["name"] for s in stages]
    assert all(s["summary"] and s["source"] and s["limits"] for s in stages)


def test_describe_gives_parameters_with_units_ranges_and_defaults(rtsim):
    out = expect(rtsim("describe", "wcsph"), DONE).stdout
    for text in ("kinematic_viscosity", "m^2/s", "1e-06", "Becker"):
        assert text in out, text
    parameters = expect(rtsim("describe", "wcsph", "--json"), DONE).stdout
    assert "kinematic_viscosity" in parameters
    json.loads(parameters)


def test_describe_of_an_unknown_type_offers_the_nearest(rtsim):
    result = expect(rtsim("describe", "wcshp"), USAGE)
    assert 'did you mean "wcsph"?' in result.stderr
    assert result.stdout == ""


def test_schema_is_json_schema_that_knows_the_stage(rtsim):
    schema = json.loads(expect(rtsim("schema"), DONE).stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "kinematic_viscosity" in json.dumps(schema)


def test_manual_is_markdown_that_knows_the_stage(rtsim):
    out = expect(rtsim("manual"), DONE).stdout
    assert re.search(r"^#+ .*wcsph", out, re.M)
    assert "kinematic_viscosity" in out


# Usage errors: exit 2, the culprit by name, nothing written.

@pytest.mark.parametrize("args, text", [
    ([], "subcommand"),
    (["rnu", "s.json"], 'no command "rnu"; did you mean "run"?'),
    (["--versoin"], 'no option --versoin; did you mean "--version"?'),
    (["run"], "SCENE"),
    (["run", "--frams", "3", "pool/scene.json"], "no option --frams"),
    (["run", "pool/scene.json", "--thread", "2"], 'no option --thread; did you mean "--threads"?'),
    (["run", "pool/scene.json", "more.json"], "more.json"),
    (["run", "pool/scene.json", "--threads", "0"], "--threads"),
    (["run", "pool/scene.json", "--threads", "-1"], "--threads"),
    (["run", "pool/scene.json", "--threads", "two"], "--threads"),
    (["run", "pool/scene.json", "--set"], "--set"),
    (["run", "pool/scene.json", "--time-limit", "soon"], '"soon" is not a duration'),
    (["run", "pool/scene.json", "--time-limit", "1x"], '"1x" is not a duration'),
    (["run", "pool/scene.json", "--time-limit", "-5"], '"-5" is not a duration'),
    (["run", "pool/scene.json", "--resume=maybe"], "--resume=maybe"),
    (["run", "pool/scene.json", "--device", "gpu"], "gpu"),
    (["run", "pool/scene.json", "--device", "cuda:x"], "cuda:x"),
    (["resume", "out", "--set", "/gravity=[0,0,0]"], "/time/frames"),
    (["bench", "nothing"], 'no bench case "nothing"'),
])
def test_usage_errors_name_the_culprit(rtsim, args, text):
    rtsim.scene()
    before = rtsim.files()
    result = expect(rtsim(*args), USAGE)
    assert text in result.stderr
    assert result.stdout == ""
    assert rtsim.files() == before


# Bad input: exit 3, file:line:column and pointer, a remedy, nothing written.

def mesh(rtsim, name, text):
    rtsim.write(f"pool/{name}", text)
    box = {"min": [0, 0, 0], "max": [0.4, 0.4, 0.4]}
    return {
        "/dim": 3,
        "/objects/0/fill": {"box": box},
        "/objects/1/shape": {"box": {"min": [0, 0, 0], "max": [0.8, 0.8, 0.8]}, "inside": True},
        "/objects/2": {"name": "rock", "kind": "boundary", "shape": {"mesh": {"file": name}}},
        "/stages/0/boundary": ["tank", "rock"],
    }


OPEN_MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def fill_with_mesh(rtsim, name, text):
    rtsim.write(f"pool/{name}", text)
    return {"/dim": 3, "/objects/0/fill": {"mesh": {"file": name}},
            "/objects/1/shape": {"box": {"min": [0, 0, 0], "max": [0.8, 0.8, 0.8]}, "inside": True}}


BAD_SCENES = {
    "unknown key": (lambda r: {"/stages/0/kinematic_viscosty": 1}, "/stages/0/kinematic_viscosty",
                    'did you mean "kinematic_viscosity"?'),
    "unknown top-level key": (lambda r: {"/tme": 1}, "/tme", 'did you mean "time"?'),
    "wrong type": (lambda r: {"/stages/0/kinematic_viscosity": "thin"}, "/stages/0/kinematic_viscosity", "number"),
    "wrong type of a role": (lambda r: {"/stages/0/fluid": 3}, "/stages/0/fluid", ""),
    "out of range": (lambda r: {"/stages/0/kinematic_viscosity": -1}, "/stages/0/kinematic_viscosity", "0"),
    "spacing of zero": (lambda r: {"/objects/0/spacing": 0}, "/objects/0/spacing", "0"),
    "missing key": (lambda r: {"/stages/0/fluid": None}, "/stages/0/fluid", "missing"),
    "unknown stage type": (lambda r: {"/stages/0/type": "wcshp"}, "/stages/0/type", 'did you mean "wcsph"?'),
    "unknown object": (lambda r: {"/stages/0/fluid": "watr"}, "/stages/0/fluid", 'did you mean "water"?'),
    "object of another kind": (lambda r: {"/stages/0/fluid": "tank"}, "/stages/0/fluid", "particles"),
    "object that no stage uses": (lambda r: {"/stages/0/boundary": []}, "/objects/1", "tank"),
    "output of nothing": (lambda r: {"/output/0/object": "wine"}, "/output/0/object", "wine"),
    "column that is not there": (lambda r: {"/output/0/columns": ["presure"]}, "/output/0", "presure"),
    "duration of broken frames": (lambda r: {"/time/frames": None, "/time/duration": 0.0025}, "/time/duration",
                                  "0.002"),
    "both ends": (lambda r: {"/time/duration": 0.002}, "/time", "frames"),
    "more than the machine": (lambda r: {"/objects/0/spacing": 1e-6}, "/objects", "larger spacing"),
    "particles in a wall": (lambda r: {"/objects/0/fill": {"box": {"min": [-0.1, 0], "max": [0.4, 0.4]}}},
                            "/objects/0/fill", "tank"),
    "mesh that is missing": (lambda r: {**mesh(r, "x.obj", ""), "/objects/2/shape/mesh/file": "no.obj"},
                             "/objects/2/shape", "no.obj"),
    "empty mesh": (lambda r: mesh(r, "empty.obj", "# nothing\n"), "/objects/2/shape", "empty.obj"),
    "mesh that is not finite": (lambda r: mesh(r, "nan.obj", OPEN_MESH.replace("v 1 0 0", "v nan 0 0")),
                                "/objects/2/shape", "nan.obj"),
    "mesh cut off": (lambda r: mesh(r, "cut.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n"), "/objects/2/shape", "cut.obj"),
    "fill that is not closed": (lambda r: fill_with_mesh(r, "open.obj", OPEN_MESH), "/objects/0/fill", "closed"),
}


@pytest.mark.parametrize("command", ["run", "check", "explain"])
@pytest.mark.parametrize("case", BAD_SCENES)
def test_bad_scenes_are_refused_with_their_place(rtsim, case, command):
    changes, pointer, text = BAD_SCENES[case]
    rtsim.scene(changes(rtsim))
    before = rtsim.files()
    result = expect(rtsim(command, "pool/scene.json"), BAD_INPUT)
    lines = re.findall(r"^(.*scene\.json):(\d+):(\d+): (/\S*): (.*)$", result.stderr, re.M)
    assert lines, result.stderr
    assert any(found.startswith(pointer) and text in message for *_, found, message in lines), result.stderr
    text_lines = (rtsim.folder / "pool/scene.json").read_text().splitlines()
    assert all(1 <= int(line) <= len(text_lines) for _, line, *_ in lines)
    assert result.stdout == ""
    assert rtsim.files() == before


@pytest.mark.parametrize("text, place, words", [
    ('{\n  "rtsim": 1,\n  "dim": \n}\n', r"scene\.json:4:1:", "JSON|expected|value"),
    ('{\n  "rtsim": 1,\n  "dim": 2,\n  "dim": 3\n}\n', r"scene\.json:4:3: /dim:", "twice|duplicate"),
    ("", r"scene\.json:1:1:", ""),
    ("[1, 2]\n", r"scene\.json:1:1:", "object"),
])
def test_broken_json_is_refused_with_its_place(rtsim, text, place, words):
    rtsim.write("pool/scene.json", text)
    before = rtsim.files()
    result = expect(rtsim("run", "pool/scene.json"), BAD_INPUT)
    assert re.search(place, result.stderr), result.stderr
    assert re.search(words, result.stderr), result.stderr
    assert rtsim.files() == before


def test_a_scene_that_is_missing_is_bad_input(rtsim):
    assert "no/such.json" in expect(rtsim("run", "no/such.json"), BAD_INPUT).stderr
    assert rtsim.files() == []


def test_all_problems_are_reported_at_once(rtsim):
    rtsim.scene({"/stages/0/kinematic_viscosity": -1, "/stages/0/suport": 2, "/objects/0/spacing": "fine",
                 "/output/0/every": 0})
    err = expect(rtsim("check", "pool/scene.json"), BAD_INPUT).stderr
    for pointer in ("/stages/0/kinematic_viscosity", "/stages/0/suport", "/objects/0/spacing", "/output/0/every"):
        assert f" {pointer}: " in err, err


def test_check_reports_every_scene_and_calls_good_ones_good(rtsim):
    rtsim.scene(name="a/scene.json")
    rtsim.scene({"/stages/0/support": 99}, name="b/scene.json")
    rtsim.scene({"/dim": 4}, name="c/scene.json")
    result = expect(rtsim("check", "a/scene.json", "b/scene.json", "c/scene.json"), BAD_INPUT)
    assert "a/scene.json: good" in result.stdout
    assert "b/scene.json:" in result.stderr and "c/scene.json:" in result.stderr
    expect(rtsim("check", "a/scene.json"), DONE)


@pytest.mark.parametrize("override, text", [
    ("/stages/0/kinematic_viscosity=-1", "/stages/0/kinematic_viscosity"),
    ("/stages/0/kinematic_viscosty=1", 'did you mean "kinematic_viscosity"?'),
    ("/stages/7/support=2", "/stages/7"),
    ("support=2", "support=2"),
    ("/stages/0/support", "/stages/0/support"),
])
def test_overrides_are_checked_like_the_scene(rtsim, override, text):
    rtsim.scene()
    before = rtsim.files()
    result = rtsim("run", "pool/scene.json", "--set", override)
    assert result.returncode in (USAGE, BAD_INPUT)
    assert text in result.stderr
    assert rtsim.files() == before


# Explaining and running.

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
    json.loads(profile)


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


# Folders that are taken.

def test_a_folder_with_a_run_is_refused_and_the_ways_out_are_named(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    before = (rtsim.folder / "out/run.json").read_bytes()
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), EXISTS).stderr
    assert "--resume" in err and "--overwrite" in err
    assert (rtsim.folder / "out/run.json").read_bytes() == before
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--overwrite", "--set", "/time/frames=1"), DONE)
    assert len(rtsim.frames("out")) == 2


def test_a_folder_with_other_files_is_left_alone(rtsim):
    rtsim.scene()
    rtsim.write("thesis/chapter1.tex", "years of work")
    for more in ([], ["--overwrite"], ["--resume=auto"]):
        expect(rtsim("run", "pool/scene.json", "-o", "thesis", *more), EXISTS)
    assert (rtsim.folder / "thesis/chapter1.tex").read_text() == "years of work"


def test_a_folder_in_use_is_refused_whatever_the_flags(rtsim):
    process = rtsim.endless()
    try:
        for more in ([], ["--overwrite"], ["--resume"], ["--resume=auto"]):
            expect(rtsim("run", "pool/scene.json", "-o", "out", *more), EXISTS)
        expect(rtsim("resume", "out"), EXISTS)
    finally:
        code, *_ = stop(process)
    assert code == INTERRUPTED


# Stopping and going on.

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_write_a_checkpoint_and_leave_with_75(rtsim, number):
    code, out, err = stop(rtsim.endless(), number)
    assert code == INTERRUPTED, err
    assert out == ""
    assert "rtsim resume out" in err
    m = rtsim.manifest("out")
    assert (m["status"], m["exit_code"]) == ("interrupted", INTERRUPTED)
    expect(rtsim("verify", "out"), DONE)

    end = m["steps"] // 10 + 3
    expect(rtsim("resume", "out", "--set", f"/time/frames={end}", "--quiet"), DONE)
    assert [f["frame"] for f in rtsim.frames("out")] == list(range(end + 1))
    m = rtsim.manifest("out")
    assert (m["status"], m["steps"], len(m["restarts"])) == ("done", 10 * end, 1)
    expect(rtsim("verify", "out"), DONE)

    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--set", f"/time/frames={end}", "--quiet"), DONE)
    for file in ("frames.jsonl", "series.csv"):
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()


def test_a_time_limit_interrupts_too_and_resume_auto_goes_on(rtsim):
    rtsim.scene({"/time/frames": 1000000})
    begin = time.monotonic()
    args = ["run", "pool/scene.json", "-o", "out", "--quiet", "--time-limit", "3s", "--resume=auto"]
    expect(rtsim(*args), INTERRUPTED)
    assert time.monotonic() - begin < 10
    steps = rtsim.manifest("out")["steps"]
    assert steps > 0
    expect(rtsim(*args), INTERRUPTED)
    assert rtsim.manifest("out")["steps"] > steps
    assert len(rtsim.manifest("out")["restarts"]) == 1


def test_resume_without_a_checkpoint_is_an_error_but_auto_starts(rtsim):
    rtsim.scene()
    result = rtsim("run", "pool/scene.json", "-o", "out", "--resume")
    assert result.returncode not in (DONE, INTERNAL)
    assert "--resume=auto" in result.stderr
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--resume=auto"), DONE)
    assert len(rtsim.frames("out")) == 3


def test_resume_of_a_finished_run_says_so(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    before = (rtsim.folder / "out/series.csv").read_bytes()
    for args in (["resume", "out"], ["run", "pool/scene.json", "-o", "out", "--resume"]):
        result = expect(rtsim(*args), DONE)
        assert re.search("finished|done|complete", result.stderr), result.stderr
    assert (rtsim.folder / "out/series.csv").read_bytes() == before


def test_resume_of_a_changed_scene_is_refused(rtsim):
    rtsim.scene()
    stop(rtsim.endless("--quiet"))
    before = len(rtsim.frames("out"))
    result = rtsim("run", "pool/scene.json", "-o", "out", "--resume", "--set", "/time/frames=1000000", "--set",
                   "/stages/0/kinematic_viscosity=0.5")
    assert result.returncode not in (DONE, INTERNAL, INTERRUPTED), result.stderr
    assert "scene" in result.stderr
    assert len(rtsim.frames("out")) == before


def test_resume_of_no_run_names_the_folder(rtsim):
    result = rtsim("resume", "nowhere")
    assert result.returncode not in (DONE, INTERNAL)
    assert "nowhere" in result.stderr
    assert rtsim.files() == []


# Devices.

@pytest.mark.skipif(pathlib.Path("/dev/nvidia0").exists(), reason="this machine has a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:3"])
def test_a_device_that_is_not_there_is_7(rtsim, device):
    rtsim.scene()
    assert "--device cpu" in expect(rtsim("run", "pool/scene.json", "--device", device), NO_DEVICE).stderr
    assert rtsim.files() == ["pool", "pool/scene.json"]


# Failing on the way.

def test_a_run_that_diverges_keeps_its_frames_and_says_what_to_do(rtsim):
    # Explicit viscosity amplifies by about dt nu / spacing^2 = 10^5 a step.
    rtsim.scene({"/time/dt": 1e-3, "/time/steps_per_frame": 1, "/time/frames": 50,
                 "/stages/0/kinematic_viscosity": 1e5})
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), DIVERGED).stderr
    message = err[err.index("step "):]
    for words in (r"step \d+ \(t = ", "wcsph", "water", "not finite|sound speed", "substeps", r"[Ll]ast good frame"):
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


# Reading runs.

def test_info_tells_status_frames_and_provenance(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    text = expect(rtsim("info", "out"), DONE).stdout
    for words in ("status   done", "frames   3", "frame 2, step 20", "scene.json", "threads"):
        assert words in text, text
    j = json.loads(expect(rtsim("info", "out", "--json"), DONE).stdout)
    assert (j["status"], j["frames_committed"], j["steps"]) == ("done", 3, 20)
    assert j["time"] == pytest.approx(0.002)
    assert j["bytes"] == sum(f["bytes"] for frame in rtsim.frames("out") for f in frame["files"])
    assert expect(rtsim("info", "nowhere"), IO).stdout == ""


def test_verify_is_0_for_whole_runs_and_5_for_damage(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    j = json.loads(expect(rtsim("verify", "out", "--json"), DONE).stdout)
    assert (j["frames"], j["problems"]) == (3, [])
    assert "all whole" in expect(rtsim("verify", "out"), DONE).stdout

    frame = rtsim.folder / "out" / rtsim.frames("out")[1]["files"][0]["path"]
    data = bytearray(frame.read_bytes())
    data[len(data) // 2] ^= 1
    frame.write_bytes(data)
    assert frame.name in expect(rtsim("verify", "out"), DIFFERENT).stdout
    frame.unlink()
    assert frame.name in expect(rtsim("verify", "out", "--json"), DIFFERENT).stdout
    expect(rtsim("verify", "nowhere"), IO)


# Timing.

def test_bench_times_a_case_and_the_machine(rtsim):
    rtsim.scene()
    rtsim.write("bench.json", json.dumps({
        "scene": "pool/scene.json", "steps": 3, "warmup": 1,
        "cases": [{"name": "small"}, {"name": "large", "set": ["/objects/0/spacing=0.01"]}]}))
    out = expect(rtsim("bench", "bench.json", "--threads", "1,2", "--json", "-o", "bench-out.json"), DONE).stdout
    j = json.loads(out)
    assert json.loads((rtsim.folder / "bench-out.json").read_text()) == j
    assert [(r["case"], r["threads"], r["rows"]) for r in j["results"]] == [
        ("bench/small", 1, 400), ("bench/small", 2, 400), ("bench/large", 1, 1600), ("bench/large", 2, 1600)]
    for r in j["results"]:
        assert r["ns_per_row_step"] * r["million_rows_per_second"] == pytest.approx(1000)
        assert 0 < r["neighbour_share"] < 1
        assert r["bytes_per_row"] > 0
        assert sum(l["share"] for l in r["labels"]) == pytest.approx(1)
    assert [m["threads"] for m in j["machine"]] == [1, 2]
    assert all(m["triad_gb_per_second"] > 0.1 and m["empty_launch_us"] > 0 for m in j["machine"])
    table = expect(rtsim("bench", "bench.json", "--threads", "1"), DONE).stdout
    assert "empty launch" in table and "bench/large" in table


def test_bench_knows_the_cases_of_the_repository(rtsim):
    err = expect(rtsim("bench", "wcsp"), USAGE).stderr
    assert 'did you mean "wcsph"?' in err and "wcsph/100k" in err


# The scenes that come with the program.

SCENES = sorted(p for p in (SOURCE / "configs").rglob("*.json") if p.parent.name not in ("bench", "configs"))


@pytest.mark.parametrize("scene", SCENES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_shipped_scenes_are_good(rtsim, scene):
    expect(rtsim("check", scene), DONE)


@pytest.mark.parametrize("scene", [s for s in SCENES if s.name == "tiny.json"], ids=lambda p: p.parent.name)
def test_tiny_scenes_run_and_verify(rtsim, scene):
    expect(rtsim("run", scene, "-o", "out", "--quiet"), DONE)
    expect(rtsim("verify", "out"), DONE)
