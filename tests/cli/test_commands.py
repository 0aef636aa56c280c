"""What the program says of itself. Usage errors leave with 2, name the culprit and write nothing."""
import json
import re
import resource
import subprocess

import pytest
from conftest import DONE, IO, RTSIM, USAGE, expect

COMMANDS = ["new", "run", "resume", "branch", "foam", "wait", "check", "explain", "list", "describe", "schema", "manual", "info",
            "verify", "convert", "compare", "plot", "render", "report", "sweep", "bench", "version", "man", "completion"]


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
    assert all(s["summary"] and s["source"] for s in stages)
    assert all(1 <= len(s["limits"]) <= 3 for s in stages)


def test_describe_gives_parameters_with_units_ranges_and_defaults(rtsim):
    out = expect(rtsim("describe", "wcsph"), DONE).stdout
    for text in ("kinematic_viscosity", "m^2/s", "1e-06", "Becker"):
        assert text in out, text
    parameters = expect(rtsim("describe", "wcsph", "--json"), DONE).stdout
    assert "kinematic_viscosity" in parameters
    told = json.loads(parameters)
    assert told["page"] == "docs/particle_fluids.md" and f"\nMore: {told['page']}\n" in out
    assert all(f"\n- {limit}\n" in out for limit in told["limits"])


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
