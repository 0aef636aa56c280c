"""Particles that come and go: frames of every length, a budget that runs out, and going on."""
import json
import math

import h5py
import numpy as np
import pytest
import vtk
from conftest import BAD_INPUT, DONE, INTERRUPTED, expect

# A nozzle that draws back as fast as it pours lays a bar at rest, and a plane that follows eats it:
# no solver is needed. A layer of 5 leaves every 10 ms, from the second frame on.
BAR = {
    "rtsim": 1,
    "dim": 2,
    "time": {"dt": 0.004, "steps_per_frame": 10, "frames": 6},
    "objects": [{"name": "water", "kind": "particles", "spacing": 0.02}],
    "stages": [
        {"type": "emit", "fluid": "water", "velocity": [2, 0], "max_particles": 90,
         "shape": {"box": {"min": [0, 0], "max": [0.1, 0.1]}}, "schedule": [{"start": 0.05}],
         "motion": {"velocity": [-2, 0]}},
        {"type": "remove", "fluid": "water", "shape": {"plane": {"point": [0.1, 0], "normal": [-1, 0]}},
         "motion": {"velocity": [-2, 0]}},
    ],
    "output": [{"object": "water", "format": "hdf5"}, {"object": "water", "format": "vdb"}],
    "checkpoint_every": 1,
}
# The same without the plane: the budget runs out after 18 layers.
FULL = dict(BAR, stages=BAR["stages"][:1])


def points(rtsim, run, frame):
    with h5py.File(rtsim.folder / run / f"cache/water/water.{frame:06d}.hdf") as f:
        return f["VTKHDF/Points"][...], f["VTKHDF/PointData/id"][...]


def series(rtsim, run):
    lines = (rtsim.folder / run / "series.csv").read_text().splitlines()
    names = [name.split(" [")[0] for name in lines[0].split(",")]
    return {name: [float(line.split(",")[k]) for line in lines[1:]] for k, name in enumerate(names)}


def test_numpy_reads_a_frame_without_rows(rtsim):
    rtsim.scene({"/time/frames": 1}, base=FULL)
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    expect(rtsim("convert", "out", "-o", "npz", "--to", "npz"), DONE)
    arrays = np.load(rtsim.folder / "npz/cache/water/water.000000.npz")
    assert arrays["position"].shape == (0, 2) and arrays["id"].shape == (0,)


def test_frames_have_the_rows_of_their_time_and_may_be_empty(rtsim):
    rtsim.scene(base=FULL)
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    expect(rtsim("verify", "out"), DONE)
    for frame, layers in enumerate([0, 0, 3, 7, 11, 15, 18]):  # ceil((t - 0.05) / 0.01), at most 18
        x, ids = points(rtsim, "out", frame)
        assert x.shape == (5 * layers, 3)
        assert sorted(ids) == list(range(5 * layers))
        reader = vtk.vtkHDFReader()
        reader.SetFileName(str(rtsim.folder / f"out/cache/water/water.{frame:06d}.hdf"))
        reader.Update()
        assert reader.GetOutput().GetNumberOfPoints() == 5 * layers
        along = np.unique(np.round(x[:, 0], 6))
        assert len(along) == layers
        assert np.diff(along) == pytest.approx(0.02, abs=1e-6)


def test_a_budget_that_runs_out_is_said_once_and_counted(rtsim):
    rtsim.scene(base=FULL)
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), DONE).stderr
    assert err.count("warning:") == 1
    assert "stage 'emit': 'water' has the 90 particles of \"max_particles\"" in err
    log = [json.loads(line) for line in (rtsim.folder / "out/log.jsonl").read_text().splitlines()]
    assert sum(entry["event"] == "warning" for entry in log) == 1
    s = series(rtsim, "out")
    all_layers = math.ceil(round((0.24 - 0.05) / 0.01, 6))
    assert s["emit.water.emitted"][-1] == 90
    assert s["emit.water.refused"][-1] == 5 * all_layers - 90


@pytest.mark.parametrize("scene", [BAR, FULL], ids=["bar", "full"])
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(rtsim, scene):
    rtsim.scene(base=scene)
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet", "--threads", "2"), DONE)
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet", "--set", "/time/frames=1"), DONE)
    expect(rtsim("resume", "out", "--quiet", "--set", "/time/frames=3"), DONE)
    expect(rtsim("resume", "out", "--quiet", "--set", "/time/frames=6"), DONE)
    for file in ("frames.jsonl", "series.csv"):  # the first has the checksums of all frames
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()
    expect(rtsim("verify", "out"), DONE)
    last = series(rtsim, "out")
    assert last["emit.water.emitted"][-1] > 0
    if scene is BAR:
        assert last["remove.water.removed"][-1] > 0


def test_explain_counts_the_room_that_is_reserved(rtsim):
    rtsim.scene({"/stages/0/max_particles": 1000000}, base=BAR)
    j = json.loads(expect(rtsim("explain", "pool/scene.json", "--json"), DONE).stdout)
    water = next(t for t in j["tables"] if t["name"] == "water")
    assert (water["rows"], water["capacity"]) == (0, 1000000)
    assert water["bytes"] >= 1000000 * 20  # position, velocity, id
    assert j["memory"]["estimated"] >= 1000000 * 20
    assert j["memory"]["built"] >= 1000000 * 20
    assert "0 rows, room for 1000000" in expect(rtsim("explain", "pool/scene.json"), DONE).stdout


def test_particles_that_nothing_fills_or_emits_are_a_mistake(rtsim):
    rtsim.scene({"/stages/0": BAR["stages"][1], "/stages/1": dict(BAR["stages"][1], name="other")}, base=BAR)
    err = expect(rtsim("check", "pool/scene.json"), BAD_INPUT).stderr
    assert "/objects/0/fill: missing, and no stage emits these particles" in err


# A fountain into a basin: what solvers must cope with. It starts with no row at all, has rows come
# each few steps, and go over the rim.
FOUNTAIN = {
    "rtsim": 1,
    "dim": 2,
    "time": {"fps": 100, "steps_per_frame": 10, "frames": 20},
    "objects": [
        {"name": "water", "kind": "particles", "spacing": 0.02},
        {"name": "basin", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1, 0.4]}, "inside": True}}],
    "stages": [
        {"type": "emit", "fluid": "water", "velocity": [2, 0], "max_particles": 200,
         "shape": {"box": {"min": [0.1, 0.2], "max": [0.2, 0.3]}}},
        {"type": "wcsph", "fluid": "water", "boundary": ["basin"], "substeps": 8, "max_speed": 4},
        {"type": "remove", "fluid": "water", "outside": True,
         "shape": {"box": {"min": [-1, 0.1], "max": [2, 1]}}}],
    "output": [{"object": "water", "format": "hdf5"}],
}


SOLVERS = {"wcsph": {"substeps": 8, "max_speed": 4}, "sph_mueller": {"substeps": 4, "stiffness": 100},
           "dfsph": {}, "iisph": {}, "pcisph": {}, "pbf": {}, "sph_bodin": {}, "sph_clavet": {}}


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_copes_with_rows_that_come_and_go(rtsim, solver):
    stage = {"type": solver, "fluid": "water", "boundary": ["basin"], **SOLVERS[solver]}
    rtsim.scene({"/stages/1": stage}, base=FOUNTAIN)
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet", "--threads", "2"), DONE)
    s = series(rtsim, "whole")
    emitted, removed = s["emit.water.emitted"], s["remove.water.removed"]
    rows = [e - r for e, r in zip(emitted, removed)]
    assert emitted[-1] == 5 * 20 and removed[-1] > 0
    mass = s[f"{solver}.water.mass"]
    assert mass[-1] == pytest.approx(1000 * 0.02 ** 2 * rows[-1], rel=1e-6)
    # Nothing pushes harder than a fall of 0.2 s: sqrt(2^2 + (9.81 * 0.2)^2) = 2.80 m/s. Three solvers
    # also pull thin fluid together, from rest density on: those are asked for rows and bytes alone.
    if solver not in ("sph_mueller", "sph_bodin", "sph_clavet"):
        assert max(s[f"{solver}.water.max_speed"]) < 2.81
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet", "--threads", "1", "--set", "/time/frames=9"), DONE)
    expect(rtsim("resume", "out", "--quiet", "--set", "/time/frames=20", "--threads", "1"), DONE)
    for file in ("frames.jsonl", "series.csv"):
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()


def test_what_leads_rows_after_others_went_finds_the_same_when_resumed(rtsim):
    """A guide changes velocities before the solver's step: what went after its last one is known by then, resumed or not."""
    box = {"box": {"min": [-1, 0.1], "max": [1, 0.2]}}
    rtsim.write("pool/scene.json", json.dumps({
        "rtsim": 1, "dim": 2, "time": {"dt": 2e-3, "steps_per_frame": 1, "frames": 60},
        "objects": [{"name": "water", "kind": "particles", "spacing": 0.02}],
        "stages": [{"type": "emit", "fluid": "water", "velocity": [0, -2], "max_particles": 2000,
                    "shape": {"box": {"min": [-0.1, 0.3], "max": [0.1, 0.4]}}, "motion": {"spin": 6, "centre": [0, 0.35]}},
                   {"type": "wcsph", "fluid": "water", "max_speed": 4, "substeps": 12},
                   {"type": "remove", "fluid": "water", "shape": box}],
        "output": [{"object": "water", "format": "hdf5"}], "checkpoint_every": 1}))
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet"), DONE)
    gone = series(rtsim, "whole")["remove.water.removed"]
    went = next(i for i in range(1, len(gone)) if gone[i] > gone[i - 1] > 0)
    for stop in (went, went + 1):
        out = f"out{stop}"
        expect(rtsim("run", "pool/scene.json", "-o", out, "--quiet", "--set", f"/time/frames={stop}"), DONE)
        expect(rtsim("resume", out, "--quiet", "--set", "/time/frames=60"), DONE)
        assert (rtsim.folder / out / "frames.jsonl").read_bytes() == (rtsim.folder / "whole/frames.jsonl").read_bytes()


def test_a_time_limit_leaves_a_checkpoint_with_the_rows_of_its_step(rtsim):
    endless = dict(BAR, stages=[dict(BAR["stages"][0], max_particles=5000000), BAR["stages"][1]])
    rtsim.scene({"/time/frames": 1000000}, base=endless)
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet", "--time-limit", "3s",
                 "--ignore-free-space"), INTERRUPTED)
    frames = rtsim.manifest("out")["steps"] // 10 + 2
    expect(rtsim("resume", "out", "--quiet", "--set", f"/time/frames={frames}"), DONE)
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet", "--set", f"/time/frames={frames}"), DONE)
    for file in ("frames.jsonl", "series.csv"):
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()
