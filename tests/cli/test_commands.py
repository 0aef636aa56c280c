"""Every command, flag and exit code."""
import json
import pathlib
import re
import resource
import subprocess

import pytest
from conftest import BAD_INPUT, DIFFERENT, DIVERGED, DONE, EXISTS, IO, NO_DEVICE, RTSIM, SOURCE, USAGE, expect

COMMANDS = ["run", "resume", "check", "explain", "list", "describe", "schema", "manual", "info", "verify", "convert",
            "compare", "plot", "render", "report", "sweep", "bench", "man", "completion"]


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
    def worked():  # by what ended [s]: unlike the clock, the same on a busy machine
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times = []
    for _ in range(5):
        begin = worked()
        expect(rtsim("--version"), DONE)
        times.append(worked() - begin)
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


def follow(schema, node):
    return schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node


def test_schema_of_sweeps_has_every_key_of_the_manual_and_of_the_documentation(rtsim):
    schema = json.loads(expect(rtsim("schema", "--sweep"), DONE).stdout)
    assert set(schema["required"]) == {"rtsim_sweep", "scene", "axes"}
    assert set(schema["properties"]) == {"$schema", "rtsim_sweep", "scene", "axes", "where", "case_name"}
    entry = follow(schema, schema["properties"]["axes"]["items"])
    alone = [one["required"] for one in entry["oneOf"]]
    assert alone == [["set"], ["zip"], ["random"], ["latin_hypercube"]] and "required" not in entry
    entry = entry["properties"]
    assert follow(schema, entry["zip"]["items"])["required"] == ["set"]
    assert entry["set"]["anyOf"][0]["type"] == "string" and entry["set"]["anyOf"][1]["type"] == "array"
    assert "items" not in entry["values"]  # of any kind
    assert entry["spacing"]["enum"] == ["linear", "log"]
    assert {"zip", "random", "latin_hypercube", "from", "to", "step", "count", "name"} < set(entry)
    drawn = follow(schema, follow(schema, entry["random"])["properties"]["axes"]["items"])
    assert drawn["required"] == ["set"]
    drawn = drawn["properties"]
    assert drawn["distribution"]["enum"] == ["uniform", "log_uniform", "normal"]
    assert drawn["deviation"]["exclusiveMinimum"] == 0
    out = rtsim("manual").stdout
    sweeps = out[out.index("## sweep file"):]
    for key in (*entry, *drawn):
        assert f"| `{key}` |" in sweeps


def test_manual_is_markdown_that_knows_the_stage(rtsim):
    out = expect(rtsim("manual"), DONE).stdout
    assert re.search(r"^#+ .*wcsph", out, re.M)
    assert "kinematic_viscosity" in out


@pytest.mark.parametrize("args", [["list"], ["manual"], ["--help"], ["--version"], ["check", "pool/scene.json"],
                                  ["explain", "pool/scene.json", "--json"]], ids=" ".join)
def test_output_that_cannot_be_written_is_74(rtsim, args):
    rtsim.scene()
    with open("/dev/full", "w") as full:
        result = subprocess.run([RTSIM, *args], cwd=rtsim.folder, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == IO
    assert result.stderr.startswith("rtsim: cannot write to standard output: ")
    assert result.stderr.count("\n") == 1


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


def test_bench_times_the_writers_beside_a_plain_write(rtsim):
    result = rtsim("bench", "writers", "--threads", "1", "--json")
    assert result.returncode == 0, result.stderr
    writers = {w["writer"]: w for w in json.loads(result.stdout)["writers"]}
    assert set(writers) == {"plain", "hdf5", "vdb"}
    assert all(w["megabytes_per_second"] > 0 for w in writers.values())
    assert writers["hdf5"]["file_megabytes"] < writers["plain"]["file_megabytes"]
