"""Emitters and drains whose mesh follows frames: "deformation" beside their "motion"."""
import json

import h5py
import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, expect
from test_deformation import BALL, TRIANGLES, refused, run, write_frames, write_obj

POUR = {"type": "emit", "fluid": "water", "velocity": [0, -2, 0], "max_particles": 20000,
        "shape": {"mesh": {"file": "ball_000.obj"}}}
WAY = {"deformation": {"frames": "ball_###.obj", "fps": 50}}
WATER = {"type": "wcsph", "fluid": "water", "max_speed": 4, "substeps": 12}
TIME = {"dt": 2e-3, "steps_per_frame": 5, "frames": 8}


def scene_of(*stages):
    return {"rtsim": 1, "dim": 3, "time": TIME,
            "objects": [{"name": "water", "kind": "particles", "spacing": 0.025}],
            "stages": list(stages), "output": [{"object": "water", "format": "hdf5"}], "checkpoint_every": 1}


def rows(rtsim, out, frame):
    """By id: places and velocities."""
    with h5py.File(rtsim.folder / out / f"cache/water/water.{frame:06}.hdf") as f:
        data = f["VTKHDF/PointData"]
        order = np.argsort(data["id"][...])
        return f["VTKHDF/Points"][...][order], data["velocity"][...][order]


PATTERNS = [{"pattern": "layers"}, {"pattern": "random", "per_second": 4000},
            {"pattern": "fill", "schedule": [{"start": 0.003, "stop": 0.01}, {"start": 0.05}]}]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p["pattern"])
def test_a_shift_by_frames_is_a_shift_by_motion(rtsim, pattern):
    """1 m/s and 0.5 m/s, to what a float rounds. No solver is needed: what leaves stays where it left."""
    write_frames(rtsim, "ball", [BALL + [0.02 * k, 0.01 * k, 0] for k in range(5)])
    run(rtsim, scene_of({**POUR, **pattern, **WAY}), "frames")
    run(rtsim, scene_of({**POUR, **pattern, "motion": {"velocity": [1, 0.5, 0]}}), "motion")
    for frame in range(9):
        (x, v), (y, u) = rows(rtsim, "frames", frame), rows(rtsim, "motion", frame)
        assert x.shape == y.shape
        if len(x):
            assert np.abs(x - y).max() < 1e-6 and np.abs(v - u).max() < 1e-6, frame
    assert len(x) > 300


def same_when_resumed(rtsim, scene):
    """Whatever the threads. The last row of the series."""
    run(rtsim, scene, "whole", "--threads", "2")
    run(rtsim, scene, "out", "--threads", "1", "--set", "/time/frames=3")
    expect(rtsim("resume", "out", "--quiet", "--threads", "1", "--set", "/time/frames=8"), DONE)
    for file in ("frames.jsonl", "series.csv"):  # the first has the checksums of all frames
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()
    names, *_, last = (line.split(",") for line in (rtsim.folder / "whole/series.csv").read_text().splitlines())
    return dict(zip((n.split(" [")[0] for n in names), map(float, last)))


SWELLING = [r * (BALL - [0.25, 0.2, 0.25]) + [0.25, 0.2 - 0.03 * k, 0.25] for k, r in enumerate((1, 1.3, 1.2, 1.7, 1.6))]


@pytest.mark.parametrize("pattern", PATTERNS[:2], ids=lambda p: p["pattern"])
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(rtsim, pattern):
    """A ball that swells, sinks and turns pours water."""
    write_frames(rtsim, "ball", SWELLING)
    last = same_when_resumed(rtsim, scene_of(
        {**POUR, **pattern, **WAY, "motion": {"spin": 3, "centre": [0.25, 0.2, 0.25]}}, WATER))
    assert last["emit.water.emitted"] > 300
    manifest = json.loads((rtsim.folder / "whole/run.json").read_text())
    assert {a["path"].rsplit("/")[-1] for a in manifest["assets"]} == {f"ball_00{k}.obj" for k in range(5)}
    expect(rtsim("verify", "whole"), DONE)


def test_a_drain_that_swells_takes_what_it_reaches(rtsim):
    """Out of a block at rest: after each step none is left inside, and all beyond what it has reached is there."""
    write_frames(rtsim, "ball", [r * (BALL - [0.25, 0.2, 0.25]) + [0.25, 0.2, 0.25] for r in (0.5, 1, 1.5, 2, 2)])
    block = {"type": "emit", "fluid": "water", "velocity": [0, 0, 0], "pattern": "fill", "max_particles": 20000,
             "shape": {"box": {"min": [0, 0, 0], "max": [0.5, 0.4, 0.5]}}, "schedule": [{"start": 0}]}
    last = same_when_resumed(rtsim, scene_of(block, {"type": "remove", "fluid": "water", "shape": POUR["shape"], **WAY}))
    taken = 0
    for frame in range(1, 9):
        x, _ = rows(rtsim, "whole", frame)
        from_middle = np.linalg.norm(x - [0.25, 0.2, 0.25], axis=1)
        radius = 0.1 * min(0.5 + 0.5 * frame / 2, 2)  # of the corners; faces lie 0.7 % within
        assert from_middle.min() > 0.99 * radius
        taken = 20 * 16 * 20 - len(x)
        everywhere = np.stack(np.meshgrid(*(np.arange(n) * 0.025 + 0.0125 for n in (20, 16, 20))), -1).reshape(-1, 3)
        distance = np.linalg.norm(everywhere - [0.25, 0.2, 0.25], axis=1)
        assert (distance < 0.99 * radius).sum() <= taken <= (distance < radius).sum()
    assert last["remove.water.removed"] == taken > 1000


@pytest.mark.parametrize("stage", [POUR, {k: POUR[k] for k in ("fluid", "shape")} | {"type": "remove"}],
                         ids=["emit", "remove"])
def test_bad_frames_are_told_with_their_file(rtsim, stage):
    first = [] if stage is POUR else [POUR]
    scene = scene_of(*first, {**stage, **json.loads(json.dumps(WAY))})
    here = f"/stages/{len(first)}"
    write_frames(rtsim, "ball", [BALL] * 4)
    (rtsim.folder / "pool/ball_002.obj").unlink()
    refused(rtsim, scene, here + "/deformation/frames", "ball_002.obj is missing")
    write_obj(rtsim.folder / "pool/ball_002.obj", BALL, TRIANGLES[1:])
    refused(rtsim, scene, here, "ball_002.obj", "1279 triangles")
    write_obj(rtsim.folder / "pool/ball_002.obj", BALL, [TRIANGLES[1], TRIANGLES[0], *TRIANGLES[2:]])
    refused(rtsim, scene, here, "ball_002.obj", "its triangle 1 joins other corners")
    (rtsim.folder / "pool/ball_002.obj").write_text("v 0 0 0\nv 1 0\n")
    refused(rtsim, scene, here, "ball_002.obj:2")
    write_obj(rtsim.folder / "pool/ball_002.obj", BALL, TRIANGLES)
    expect(rtsim("check", "pool/scene.json"), DONE)
    scene["stages"][-1]["shape"] = {"sphere": {"centre": [0, 0, 0], "radius": 0.1}}
    refused(rtsim, scene, here + "/deformation", "must be one")


def test_a_shape_that_nothing_can_leave_is_refused(rtsim):
    write_frames(rtsim, "ball", [0.01 * BALL] * 2)
    for pattern in ({"pattern": "random", "per_second": 100}, {"pattern": "fill"}):
        refused(rtsim, scene_of({**POUR, **pattern, **WAY}), "/stages/0", "none of its frames holds a lattice point")
    write_frames(rtsim, "ball", [1e5 * BALL] * 2)
    refused(rtsim, scene_of({**POUR, **WAY}), "/stages/0", "would have 6.4e+11 particles")
    write_frames(rtsim, "ball", [BALL] * 2)
    inside_out = {**POUR["shape"], "inside": True}
    for pattern in ({}, {"pattern": "random", "per_second": 100}, {"pattern": "fill"}):
        refused(rtsim, scene_of({**POUR, **pattern, **WAY, "shape": inside_out}), "/stages/0")
    write_frames(rtsim, "ball", [BALL] * 2, TRIANGLES[1:])
    refused(rtsim, scene_of({**POUR, **WAY}), "/stages/0", "not closed")
    rtsim.write("pool/scene.json", json.dumps(scene_of({**POUR, **WAY})).replace('"dim": 3', '"dim": 2'))
    expect(rtsim("check", "pool/scene.json"), BAD_INPUT)
