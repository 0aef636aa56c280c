"""Emitters and drains whose volume follows .vdb frames."""
import json

import numpy as np
import pytest
from conftest import DONE, expect, long_case
from test_deforming_sources import PATTERNS, WATER, rows, same_when_resumed, scene_of
from test_deformation import refused, run
from test_volumes import CENTRE, RADIUS, level_set, write

POUR = {"type": "emit", "fluid": "water", "velocity": [0, -2, 0], "max_particles": 20000,
        "shape": {"volume": {"file": "ball_000.vdb"}}}
WAY = {"deformation": {"frames": "ball_###.vdb", "fps": 50}}


def write_frames(rtsim, radii, centres, voxel=0.01):
    for k, (r, c) in enumerate(zip(radii, centres)):
        write(rtsim, f"ball_{k:03}.vdb", level_set(voxel=voxel, radius=r, centre=c))


def shifted(n, step=(0.02, 0.01, 0)):
    return [CENTRE + k * np.array(step) for k in range(n)]


@pytest.mark.parametrize("pattern", PATTERNS[:2], ids=lambda p: p["pattern"])
def test_a_shift_by_frames_is_a_shift_by_motion(rtsim, pattern):
    """Midway the ball is thinner by D^2 / (8 R), D = 0.022 m a frame: 0.6 mm, and as far is what left off its way. Of
    the velocity the blend sees 1.1 m/s, but where it grows thinner, by D / (2 R) of that at most across the way."""
    write_frames(rtsim, [RADIUS] * 5, shifted(5))
    run(rtsim, scene_of({**POUR, **pattern, **WAY}), "frames")
    run(rtsim, scene_of({**POUR, **pattern, "motion": {"velocity": [1, 0.5, 0]}}), "motion")
    for frame in range(1, 9):
        (x, v), (y, u) = rows(rtsim, "frames", frame), rows(rtsim, "motion", frame)
        assert len(x) == pytest.approx(len(y), rel=0.05)
        assert np.abs(x.mean(axis=0) - y.mean(axis=0)).max() < 1.5e-3, frame
        assert np.abs(v.mean(axis=0) - u.mean(axis=0)).max() < 0.03, frame
        assert np.abs(v - u.mean(axis=0)).max() < 0.2, frame
    assert len(x) > 300


def test_a_swelling_ball_pours_with_the_velocity_of_its_inside(rtsim):
    """At a rate of 1 / s about its middle, exact but for what triangles cut off."""
    write_frames(rtsim, [RADIUS, 1.1 * RADIUS], [CENTRE] * 2)
    scene = scene_of({**POUR, **PATTERNS[1], "deformation": {"frames": "ball_###.vdb", "fps": 10}})
    run(rtsim, scene, "out", "--set", "/time/frames=1")
    x, v = rows(rtsim, "out", 1)
    own = v - [0, -2, 0]
    left = x - v * 5e-3  # roughly where they left from: within the ball
    assert len(x) > 30 and np.linalg.norm(left - CENTRE, axis=1).max() < 1.2 * RADIUS
    # Places lie in cells whose middles are inside: half a diagonal further out at most.
    assert np.linalg.norm(own, axis=1).max() < 1.02 * (RADIUS + 0.0125 * 3**0.5)
    assert np.corrcoef((own.ravel(), (left - CENTRE).ravel()))[0, 1] > 0.9


@pytest.mark.parametrize("pattern", [pytest.param(p, marks=long_case(3 + k), id=p["pattern"])
                                     for k, p in enumerate(PATTERNS[:2])])
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(rtsim, pattern):
    write_frames(rtsim, RADIUS * np.array([1, 1.3, 1.2, 1.7, 1.6]), shifted(5, (0, -0.03, 0)), voxel=0.02)
    last = same_when_resumed(rtsim, scene_of(
        {**POUR, **pattern, **WAY, "motion": {"spin": 3, "centre": list(CENTRE)}}, WATER))
    assert last["emit.water.emitted"] > 300
    manifest = json.loads((rtsim.folder / "whole/run.json").read_text())
    assert {a["path"].rsplit("/")[-1] for a in manifest["assets"]} == {f"ball_00{k}.vdb" for k in range(5)}
    expect(rtsim("verify", "whole"), DONE)


def test_a_drain_that_swells_takes_what_it_reaches(rtsim):
    """Midway between two balls about one middle the blend is a ball of the mean radius."""
    radii = RADIUS * np.array([0.5, 1, 1.5, 2, 2])
    write_frames(rtsim, radii, [CENTRE] * 5)
    block = {"type": "emit", "fluid": "water", "velocity": [0, 0, 0], "pattern": "fill", "max_particles": 20000,
             "shape": {"box": {"min": [0, 0, 0], "max": [0.5, 0.4, 0.5]}}, "schedule": [{"start": 0}]}
    run(rtsim, scene_of(block, {"type": "remove", "fluid": "water", "shape": POUR["shape"], **WAY}), "whole")
    for frame in range(1, 9):
        x, _ = rows(rtsim, "whole", frame)
        radius = np.interp(0.01 * frame, 0.02 * np.arange(5), radii)
        everywhere = np.stack(np.meshgrid(*(np.arange(n) * 0.025 + 0.0125 for n in (20, 16, 20))), -1).reshape(-1, 3)
        distance = np.linalg.norm(everywhere - CENTRE, axis=1)
        taken = 20 * 16 * 20 - len(x)
        assert np.linalg.norm(x - CENTRE, axis=1).min() > radius - 1e-3
        assert (distance < radius - 1e-3).sum() <= taken <= (distance < radius + 1e-5).sum()


@long_case(2)
def test_frames_too_far_apart_are_told(rtsim):
    """A ball of 0.1 m that is shifted by its width and more is nowhere in between."""
    write_frames(rtsim, [RADIUS] * 2, shifted(2, (0.25, 0, 0)))
    rtsim.write("pool/scene.json", json.dumps(scene_of({**POUR, **WAY})))
    result = expect(rtsim("run", "pool/scene.json", "-o", "out"), DONE)
    assert "from frame ball_000.vdb to ball_001.vdb parts move by up to 0.25" in result.stderr, result.stderr
    write_frames(rtsim, [RADIUS] * 2, shifted(2, (0.1, 0, 0)))
    result = expect(rtsim("run", "pool/scene.json", "-o", "near"), DONE)
    assert "parts move" not in result.stderr


def test_bad_frames_are_told_with_their_file(rtsim):
    write_frames(rtsim, [RADIUS] * 4, shifted(4), voxel=0.02)
    scene = scene_of({**POUR, **WAY})
    whole = (rtsim.folder / "pool/ball_001.vdb").read_bytes()
    (rtsim.folder / "pool/ball_001.vdb").write_bytes(whole[:len(whole) // 2])
    refused(rtsim, scene, "/stages/0", "ball_001.vdb: ", "write it again")
    write(rtsim, "ball_001.vdb", level_set("other"), level_set("another"))
    refused(rtsim, scene, "/stages/0", "ball_001.vdb: has several grids")
    (rtsim.folder / "pool/ball_001.vdb").unlink()
    refused(rtsim, scene, "/stages/0/deformation/frames", "ball_001.vdb is missing")
