"""Sweeps as a person runs them: a file, cases in folders, tables and pictures of the whole."""
import csv
import io
import json
import shutil

import h5py
import matplotlib.image
import pytest
from conftest import BAD_INPUT, DIFFERENT, DONE, EXISTS, IO, USAGE, expect

# An oscillator: the spring pulls a mass from 1.5 m towards 1 m.
SPRING = {
    "rtsim": 1, "dim": 3, "gravity": [0, 0, 0],
    "time": {"dt": 0.01, "steps_per_frame": 5, "frames": 4},
    "objects": [{"name": "bob", "kind": "mesh", "vertex_mass": 1,
                 "mesh": {"line": {"from": [0, 0, 0], "to": [1, 0, 0], "segments": 1}}}],
    "stages": [{"type": "attach", "mesh": "bob", "points": [0]},
               {"type": "mass_spring", "mesh": "bob", "stiffness": 10}],
    "output": [{"object": "bob"}],
}
STIFFNESS = {"set": "/stages/1/stiffness", "values": [10, 40, 90]}
GRAVITY = {"name": "g", "set": "/gravity/0", "from": 1, "to": 2, "step": 0.5}


def sweep_file(rtsim, axes, name="sweep.json", **more):
    rtsim.scene(base=SPRING, name="spring.json")
    return rtsim.write(name, json.dumps({"rtsim_sweep": 1, "scene": "spring.json", "axes": axes, **more}, indent=1))


def cases(rtsim, *args):
    return json.loads(expect(rtsim("sweep", "sweep.json", "--dry-run", "--json", *args), DONE).stdout)


def states(rtsim, folder="out"):
    status = json.loads(expect(rtsim("sweep", "status", folder, "--json"), DONE).stdout)
    return {c["name"]: c["state"] for c in status["cases"]}


@pytest.fixture
def swept(rtsim):
    """Three stiffnesses by three gravities, done."""
    sweep_file(rtsim, [STIFFNESS, GRAVITY])
    expect(rtsim("sweep", "sweep.json", "-o", "out", "--quiet"), DONE)
    return rtsim


def test_status_and_report_tell_what_cases_were_warned_of(rtsim):
    # A spring of two masses of 1 kg is stable below dt = 2 / sqrt(2 stiffness): 0.0067 s for the second.
    sweep_file(rtsim, [{"set": "/stages/1/integrator", "values": ["symplectic_euler"]},
                       {"set": "/stages/1/stiffness", "values": [10, 45000]}])
    expect(rtsim("sweep", "sweep.json", "-o", "out", "--quiet"), DONE)
    found = json.loads(expect(rtsim("sweep", "status", "out", "--json"), DONE).stdout)["cases"]
    assert found[0]["warnings"] == [] and found[1]["state"] == "done"
    (warning,) = found[1]["warnings"]
    assert "dt 0.01 s is above the" in warning
    soft, stiff = expect(rtsim("sweep", "status", "out"), DONE).stdout.splitlines()[1:3]
    assert "warning" not in soft and f"warning: {warning}" in stiff
    expect(rtsim("report", "out", "-o", "out.html", "--pictures", 0), DONE)
    assert ">Warnings<" in (rtsim.folder / "out.html").read_text()


def test_grids_zips_draws_and_conditions_make_their_cases(rtsim):
    sweep_file(rtsim, [STIFFNESS, GRAVITY], where=["stiffness < 50 || g == 2"])
    found = [tuple(c["parameters"].values()) for c in cases(rtsim)]
    assert found == [(10, 1), (10, 1.5), (10, 2), (40, 1), (40, 1.5), (40, 2), (90, 2)]
    sweep_file(rtsim, [{"zip": [STIFFNESS, GRAVITY]}], **{"$schema": "sweep.schema.json"})
    assert [tuple(c["parameters"].values()) for c in cases(rtsim)] == [(10, 1), (40, 1.5), (90, 2)]
    drawn = {"count": 5, "seed": 3, "axes": [
        {"set": "/stages/1/stiffness", "from": 10, "to": 1000, "distribution": "log_uniform"},
        {"set": "/seed", "from": 1, "to": 6, "whole": True}]}
    sweep_file(rtsim, [{"random": drawn}])
    first = cases(rtsim)
    assert all(10 <= c["parameters"]["stiffness"] <= 1000 and c["parameters"]["seed"] in range(1, 7) for c in first)
    sweep_file(rtsim, [{"random": {**drawn, "count": 9}}])
    assert cases(rtsim)[:5] == first
    sweep_file(rtsim, [{"latin_hypercube": drawn}])
    assert len({c["name"] for c in cases(rtsim)}) == 5


def test_all_mistakes_are_reported_at_their_places(rtsim):
    sweep_file(rtsim, [{"set": "stages", "values": []},
                       {"set": "/gravity/0", "from": 1, "to": 2, "step": -1},
                       {"set": "/gravity/1", "values": [1], "valeus": [2]},
                       {"zip": [{"set": "/seed", "values": 3}]}], where="x")
    err = expect(rtsim("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr
    assert "sweep.json:6:4: /axes/0/set: must be a JSON pointer" in err
    assert "/axes/0/values: must hold at least one value" in err
    assert "/axes/1/step: leads from 1 away from 2" in err
    assert "/axes/2/valeus: unknown key; did you mean \"values\"?" in err
    assert "/axes/3/zip/0/values: must be a list of values, got 3" in err
    assert "/where: must be a list of texts" in err
    sweep_file(rtsim, [{"set": "/gravity/1", "values": [1, 1.0]}, {"set": "/seed", "values": [1, 1]}])
    assert "two cases are called" in expect(rtsim("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr
    for axis, mistake in [
            ({"zip": []}, "/axes/0/zip: must hold at least one axis"),
            ({"random": {"count": 2, "axes": [{"set": "/seed", "from": 1.2, "to": 1.8, "whole": True}]}},
             "/axes/0/random/axes/0/whole: there is no whole number from 1.2 to 1.8"),
            ({**GRAVITY, "name": "case"}, "no axis may be called \"case\"")]:
        sweep_file(rtsim, [axis])
        assert mistake in expect(rtsim("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr
    for name, mistake in [("-{g}", "is no name of a folder"), (250 * "n" + "{stiffness}_{g}", "at most 255")]:
        sweep_file(rtsim, [STIFFNESS, GRAVITY], case_name=name)
        assert mistake in expect(rtsim("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr
    sweep_file(rtsim, [GRAVITY], where=["h > 1"])
    assert "/where/0: there is no axis \"h\"" in expect(rtsim("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr
    assert not (rtsim.folder / "out").exists()


def test_a_value_that_no_scene_takes_is_reported_where_it_stands(rtsim):
    sweep_file(rtsim, [{"set": "/stages/1/stiffness", "values": [10, -5]}, GRAVITY])
    err = expect(rtsim("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr
    assert err.count("\n") == 1 and "/axes/0/values/1: sets /stages/1/stiffness=-5: must be" in err
    sweep_file(rtsim, [{"set": "/stages/7/stiffness", "values": [10]}])
    assert "there is no /stages/7" in expect(rtsim("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr


def test_each_case_has_its_own_scene_and_cache(swept):
    folder = swept.folder / "out/cases/stiffness=40_g=1.5"
    case = json.loads((folder / "case.json").read_text())
    assert case["parameters"] == {"stiffness": 40, "g": 1.5}
    scene = json.loads((folder / "scene.json").read_text())
    assert scene["stages"][1]["stiffness"] == 40 and scene["gravity"][0] == 1.5
    expect(swept("verify", folder / "run"), DONE)
    # The same as the scene by itself.
    expect(swept("run", "spring.json", "-o", "alone", "--quiet", "--set", "/stages/1/stiffness=40",
                 "--set", "/gravity/0=1.5"), DONE)
    assert (swept.folder / "alone/series.csv").read_bytes() == (folder / "run/series.csv").read_bytes()


def test_a_sweep_that_grows_runs_only_what_is_new(swept):
    before = {p: p.stat().st_mtime_ns for p in (swept.folder / "out/cases").glob("*/run/run.json")}
    sweep_file(swept, [{**STIFFNESS, "values": [10, 40, 90, 160]}, GRAVITY])
    expect(swept("sweep", "sweep.json", "-o", "out", "--quiet"), DONE)
    assert len(states(swept)) == 12 and set(states(swept).values()) == {"done"}
    assert all(p.stat().st_mtime_ns == t for p, t in before.items())


def test_a_changed_base_is_refused_but_for_its_end(swept):
    swept.scene({"/stages/1/damping": 0.5}, base=SPRING, name="spring.json")
    err = expect(swept("sweep", "sweep.json", "-o", "out"), BAD_INPUT).stderr
    assert "has changed since case stiffness=10_g=1 ran" in err and "another folder" in err
    swept.scene({"/time/frames": 6}, base=SPRING, name="spring.json")
    expect(swept("sweep", "sweep.json", "-o", "out", "--quiet"), DONE)
    assert len(swept.frames("out/cases/stiffness=10_g=1/run")) == 7


def test_gather_makes_one_table_of_parameters_and_series(swept):
    out = expect(swept("sweep", "gather", "out", "--series", "mass_spring.bob.kinetic_energy"), DONE).stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 9 and rows[4]["stiffness"] == "40" and rows[4]["g"] == "1.5"
    with open(swept.folder / "out/cases" / rows[4]["case"] / "run/series.csv") as file:
        series = [float(r["mass_spring.bob.kinetic_energy [J]"]) for r in csv.DictReader(file)]
    name = "mass_spring.bob.kinetic_energy:{} [J]"
    assert float(rows[4][name.format("last")]) == series[-1]
    assert float(rows[4][name.format("max")]) == max(series)
    assert float(rows[4][name.format("min")]) == min(series)
    assert float(rows[4][name.format("mean")]) == pytest.approx(sum(series) / len(series), rel=1e-14)
    expect(swept("sweep", "gather", "out", "-o", "all.h5", "--values", "max"), DONE)
    with h5py.File(swept.folder / "all.h5") as file:
        assert list(file["stiffness"]) == [10] * 3 + [40] * 3 + [90] * 3
        assert file["case"][4] == b"stiffness=40_g=1.5"
        assert file["total.kinetic_energy:max"].attrs["units"] == b"J"
    assert json.loads(swept("sweep", "gather", "out", "--json").stdout)[4]["g"] == 1.5
    assert ".csv or a .h5" in expect(swept("sweep", "gather", "out", "-o", "all.txt"), USAGE).stderr
    none = expect(swept("sweep", "gather", "out", "--series", "heat", "-o", "none.csv"), BAD_INPUT)
    assert "fits heat" in none.stderr and not (swept.folder / "none.csv").exists()
    assert 'did you mean "status"?' in expect(swept("sweep", "stats", "out"), USAGE).stderr


def test_commands_of_runs_say_where_the_runs_of_a_sweep_are(swept):
    for command in (["info"], ["plot", "-o", "a.png"], ["render", "-o", "a.png"], ["convert", "-o", "a", "--to", "vtk"]):
        told = expect(swept(command[0], "out", *command[1:]), BAD_INPUT).stderr
        assert "out is a sweep: its runs are the folders out/cases/*/run" in told
    drawn = json.loads(expect(swept("sweep", "plot", "out", "-o", "new/a.svg", "--json"), DONE).stdout)
    assert drawn["bytes"] == (swept.folder / "new/a.svg").stat().st_size


def test_parameters_may_be_called_as_columns_of_a_table(rtsim):
    sweep_file(rtsim, [{"zip": [{"set": "/time/frames", "values": [1, 2]},
                                {"name": "state", "set": "/gravity/0", "values": [5, 6]}]}])
    expect(rtsim("sweep", "sweep.json", "-o", "out", "--quiet"), DONE)
    rows = json.loads(expect(rtsim("sweep", "gather", "out", "--json"), DONE).stdout)
    assert [(r["frames"], r["state"], r["run.frames"], r["run.state"]) for r in rows] == [
        (1, 5, 2, "done"), (2, 6, 3, "done")]
    expect(rtsim("sweep", "gather", "out", "-o", "all.h5"), DONE)


def test_a_folder_that_cannot_be_made_is_74(swept):
    shutil.rmtree(swept.folder / "out/cases")
    swept.write("out/cases", "in the way")
    assert "out/cases" in expect(swept("sweep", "sweep.json", "-o", "out", "--quiet"), IO).stderr


def test_gather_names_the_command_that_goes_on(swept):
    case = swept.folder / "out/cases/stiffness=40_g=2/run/run.json"
    before = case.read_text()
    case.write_text(before.replace('"status": "done"', '"status": "interrupted"'))
    err = expect(swept("sweep", "gather", "out"), DIFFERENT).stderr
    assert "(1 interrupted); `rtsim sweep rerun out` goes on with them" in err
    case.write_text(before.replace('"status": "done"', '"status": "failed"'))
    assert "`rtsim sweep rerun out --failed`" in expect(swept("sweep", "gather", "out"), DIFFERENT).stderr
    case.write_text(before)


def test_gather_fails_while_a_case_is_not_done(swept):
    (swept.folder / "out/cases/stiffness=40_g=2/run/run.json").unlink()
    err = expect(swept("sweep", "gather", "out", "-o", "t.csv"), DIFFERENT).stderr
    assert "8 of 9 cases are done (1 waiting)" in err and "--partial" in err
    assert not (swept.folder / "t.csv").exists()
    expect(swept("sweep", "gather", "out", "-o", "t.csv", "--partial"), DONE)
    assert len((swept.folder / "t.csv").read_text().splitlines()) == 10


def test_plots_over_a_parameter_and_over_time(swept):
    expect(swept("sweep", "plot", "out", "-o", "a.png", "--over", "stiffness", "--value", "max",
                 "--series", "total.kinetic_energy", "--log-over"), DONE)
    expect(swept("sweep", "plot", "out", "-o", "b.png", "--series", "total.kinetic_energy"), DONE)
    for name in ("a.png", "b.png"):
        picture = matplotlib.image.imread(swept.folder / name)
        blue = abs(picture[..., :3] - (0.0, 0.45, 0.70)).max(axis=-1) < 0.02
        assert blue.sum() > 50
    assert "did you mean" in expect(swept("sweep", "plot", "out", "-o", "c.png", "--over", "stifness"), USAGE).stderr


def test_what_diverges_is_reported_and_the_others_run(rtsim):
    # The explicit step is unstable above 4 / dt^2 = 40,000 N/m.
    sweep_file(rtsim, [{"set": "/stages/1/stiffness", "values": [10, 1e9]},
                       {"set": "/stages/1/integrator", "values": ["velocity_verlet"]},
                       {"set": "/time/frames", "values": [40]}, GRAVITY])
    expect(rtsim("sweep", "sweep.json", "-o", "out", "--quiet"), DIFFERENT)
    found = states(rtsim)
    assert sorted(found.values()) == ["diverged"] * 3 + ["done"] * 3
    # Again: they are left alone; on demand they run again.
    again = expect(rtsim("sweep", "sweep.json", "-o", "out", "--quiet"), DIFFERENT)
    assert "3 cases failed before" in again.stderr
    bad = next(name for name, state in found.items() if state == "diverged")
    attempts = rtsim.folder / "out/cases" / bad / "attempts.jsonl"
    assert len(attempts.read_text().splitlines()) == 1
    expect(rtsim("sweep", "rerun", "out", "--failed", "--quiet"), DIFFERENT)
    assert len(attempts.read_text().splitlines()) == 2


def test_commands_are_lines_for_a_shell(rtsim):
    sweep_file(rtsim, [STIFFNESS], name="my sweep.json")
    expect(rtsim("sweep", "my sweep.json", "-o", "a folder", "--executor", "commands"), DONE)
    import subprocess
    script = rtsim.folder / "a folder/commands.txt"
    assert len(script.read_text().splitlines()) == 3
    assert set(states(rtsim, "a folder").values()) == {"waiting"}
    subprocess.run(["sh", "-e", script], check=True, cwd="/")
    assert set(states(rtsim, "a folder").values()) == {"done"}


def test_folders_that_are_none_and_commands_that_lack_something(rtsim):
    sweep_file(rtsim, [STIFFNESS])
    rtsim.write("other/file.txt", "mine")
    assert "holds no sweep" in expect(rtsim("sweep", "sweep.json", "-o", "other"), EXISTS).stderr
    assert "holds no sweep" in expect(rtsim("sweep", "status", "other"), BAD_INPUT).stderr
    assert "-o DIR" in expect(rtsim("sweep", "sweep.json"), USAGE).stderr
    assert "rtsim sweep status --help" in expect(rtsim("sweep", "status", "x", "--jsn"), USAGE).stderr
    assert "Slurm" in rtsim("sweep", "--help").stdout
