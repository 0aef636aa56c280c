"""Boundaries that deform: "deformation": { "frames": "ball_###.obj", ... }, by an animation or by another run."""
import copy
import json
import shutil
import sys

import h5py
import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, SOURCE, expect, long_case

sys.path.insert(0, str(SOURCE / "scripts"))
from make_breathing_ball import icosphere, write_obj  # noqa: E402

UNIT, TRIANGLES = icosphere(3)
UNIT = np.array(UNIT)


def write_frames(rtsim, name, frames, triangles=TRIANGLES):
    (rtsim.folder / "pool").mkdir(exist_ok=True)
    for k, corners in enumerate(frames):
        write_obj(rtsim.folder / f"pool/{name}_{k:03}.obj", corners, triangles, 12)


def ball_in(water_stage, more, time, ball, spacing=0.04, room=(0.5, 0.5, 0.5)):
    """Water in a closed tank about a ball at 0.25, 0.2, 0.25."""
    grid = [] if "grid" not in water_stage else [
        {"name": "room", "kind": "grid", "spacing": 0.05, "min": [0, 0, 0], "max": list(room)}]
    box = {"box": {"min": [0, 0, 0], "max": [0.5, 0.4, 0.5]}}
    tank = [] if grid else [{"name": "tank", "kind": "boundary",
                             "shape": {"box": {"min": [0, 0, 0], "max": list(room)}, "inside": True}}]
    names = [o["name"] for o in tank] + ["ball"]
    return {
        "rtsim": 1, "dim": 3, "time": time,
        "objects": [{"name": "water", "kind": "particles", "spacing": spacing,
                     "fill": {"difference": [box, {"mesh": {"file": "ball_000.obj"}}]}},
                    *tank, *grid,
                    {"name": "ball", "kind": "boundary", "shape": {"mesh": {"file": "ball_000.obj"}}, **ball}],
        "stages": [{"fluid": "water", "boundary": names, **water_stage}],
        "output": [{"object": "water", "format": "hdf5"}, *more]}


def run(rtsim, scene, out, *args):
    rtsim.write("pool/scene.json", json.dumps(scene))
    return expect(rtsim("run", "pool/scene.json", "-o", out, "--quiet", *args), DONE)


def column(rtsim, run, frame, name="position", of="water"):
    with h5py.File(rtsim.folder / run / f"cache/{of}/{of}.{frame:06}.hdf") as f:
        return np.array(f["VTKHDF/Points"] if name == "position" else f["VTKHDF/PointData"][name])


BALL = 0.1 * UNIT + [0.25, 0.2, 0.25]
SHORT = {"dt": 1e-3, "steps_per_frame": 5, "frames": 4}
WAY = {"deformation": {"frames": "ball_###.obj", "fps": 50}}


def test_a_shift_by_frames_is_a_shift_by_motion(rtsim):
    """With the samples of the walls, to what a float rounds."""
    write_frames(rtsim, "ball", [BALL, BALL + [0.004, 0.002, 0]])
    wcsph = {"type": "wcsph", "substeps": 4}
    more = [{"object": "ball", "format": "hdf5"}]
    run(rtsim, ball_in(wcsph, more, SHORT, WAY), "frames")
    run(rtsim, ball_in(wcsph, more, SHORT, {"motion": {"keyframes": [
        {"time": 0}, {"time": 0.02, "translate": [0.004, 0.002, 0]}]}}), "motion")
    for frame in range(5):
        for what, close in (("position", 2e-6), ("velocity", 2e-6)):
            a, b = (column(rtsim, r, frame, what, "ball") for r in ("frames", "motion"))
            assert np.abs(a - b).max() < close * max(1, np.abs(b).max()), (frame, what)
    a, b = column(rtsim, "frames", 1), column(rtsim, "motion", 1)
    assert np.abs(a - b).max() < 1e-5


def slab(low, high):
    """Corners of a box, and its triangles, outwards."""
    corners = np.array([[(low, high)[k >> a & 1][a] for a in range(3)] for k in range(8)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


@pytest.mark.parametrize("stage", [{"type": "wcsph", "max_speed": 2}, {"type": "dfsph"}], ids=["wcsph", "dfsph"])
def test_a_floor_longer_than_a_periodic_box_rises(rtsim, stage):
    """What of its samples lies beyond the box is left out, and those that stay are where they belong."""
    floor, triangles = slab([-0.3, -0.2, -0.3], [0.7, 0, 0.7])
    write_frames(rtsim, "floor", [floor, floor + [0, 0.01, 0]], triangles)
    for name, moves in (("frames", {"deformation": {"frames": "floor_###.obj", "fps": 50}}),
                        ("motion", {"motion": {"keyframes": [{"time": 0}, {"time": 0.02, "translate": [0, 0.01, 0]}]}})):
        run(rtsim, {
            "rtsim": 1, "dim": 3, "time": SHORT,
            "objects": [{"name": "water", "kind": "particles", "spacing": 0.05,
                         "fill": {"box": {"min": [0, 0, 0], "max": [0.4, 0.2, 0.4]}}},
                        {"name": "floor", "kind": "boundary", "shape": {"mesh": {"file": "floor_000.obj"}}, **moves}],
            "stages": [{**stage, "fluid": "water", "boundary": ["floor"],
                        "periodic": {"min": [0, -1, 0], "max": [0.4, 1, 0.4], "axes": ["x", "z"]}}],
            "output": [{"object": "water", "format": "hdf5"}, {"object": "floor", "format": "hdf5"}]}, name)
    for frame in range(5):
        samples = [column(rtsim, r, frame, of="floor") for r in ("frames", "motion")]
        assert samples[0].shape == samples[1].shape and np.abs(samples[0] - samples[1]).max() < 2e-6
    # Until the floor stops, where keyframes have no velocity any more.
    assert np.abs(column(rtsim, "frames", 3) - column(rtsim, "motion", 3)).max() < 1e-5


def test_a_turn_by_frames_is_a_turn_by_keyframes(rtsim):
    """Corners move on chords between frames, so samples are where keyframes have them at every frame, with the
    velocity of the chord: half of the frame's angle off, that is, angle / 2 times the speed of the surface, which the
    samples have half a spacing inside, too, as they keep their distance from it."""
    angle = 0.02
    turned = [BALL]
    for k in range(1, 5):
        c, s = np.cos(k * angle), np.sin(k * angle)
        turned.append((BALL - [0.25, 0.2, 0.25]) @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]) + [0.25, 0.2, 0.25])
    write_frames(rtsim, "ball", turned)
    more = [{"object": "ball", "format": "hdf5"}]
    stage = {"type": "wcsph", "substeps": 4}
    time = {"dt": 5e-3, "steps_per_frame": 1, "frames": 4}
    run(rtsim, ball_in(stage, more, time, {"deformation": {"frames": "ball_###.obj", "fps": 200}}), "frames")
    spin = {"spin": 200 * angle, "spin_axis": [0, 1, 0], "centre": [0.25, 0.2, 0.25]}
    run(rtsim, ball_in(stage, more, time, {"motion": spin}), "motion")
    for frame in range(5):
        a, b = (column(rtsim, r, frame, "position", "ball") for r in ("frames", "motion"))
        assert np.abs(a - b).max() < 1e-6, frame
        if frame:
            u, v = (column(rtsim, r, frame, "velocity", "ball") for r in ("frames", "motion"))
            assert np.abs(u - v).max() < 1.02 * angle / 2 * 200 * angle * 0.1


# The height of a closed tank's water by its centre of mass z, once it lies level:
# A H^2 / 2 = V z + (volume of the ball) (height of the ball).
def level(z, volume, ball, height, area=0.25):
    return np.sqrt(2 * (volume * z + ball * height) / area)


@pytest.mark.parametrize("stage, spacing, close", [
    ({"type": "flip", "grid": "room", "keep_volume": True}, 0.025, 0.1),
    pytest.param({"type": "dfsph", "substeps": 2, "kinematic_viscosity": 0.02}, 0.025, 0.1, marks=long_case(3))])
def test_a_ball_that_swells_lifts_the_water_by_its_volume(rtsim, stage, spacing, close):
    """dH = dV / A, within a tenth of a spacing of the grid or of the particles."""
    radii = 0.1, 0.1, 0.14
    write_frames(rtsim, "ball", [r * UNIT + [0.25, 0.2, 0.25] for r in radii])
    time = {"dt": 5e-3, "steps_per_frame": 20, "frames": 20}
    scene = ball_in(stage, [], time, {"deformation": {"frames": "ball_###.obj", "fps": 2}}, spacing, (0.5, 0.6, 0.5))
    scene["objects"][-1]["shape"]["mesh"]["file"] = "ball_002.obj"  # the largest, for the samples' sake
    run(rtsim, scene, "run")

    def volume(r):
        p = r * UNIT
        t = np.array(TRIANGLES)
        return np.einsum("ij,ij", p[t[:, 0]], np.cross(p[t[:, 1]], p[t[:, 2]])) / 6

    small, large = volume(0.1), volume(0.14)
    water = 0.25 * 0.4 - small
    at_rest = np.mean([column(rtsim, "run", f)[:, 1].mean() for f in range(2, 6)])
    lifted = np.mean([column(rtsim, "run", f)[:, 1].mean() for f in range(12, 21)])
    rise = level(lifted, water, large, 0.2) - level(at_rest, water, small, 0.2)
    print("rise", rise, "of", (large - small) / 0.25)
    assert abs(rise - (large - small) / 0.25) < close * 0.05
    x = column(rtsim, "run", 20)
    nearest = np.linalg.norm(x - [0.25, 0.2, 0.25], axis=1).min()
    print("nearest", nearest)
    # A grid has distances linear between its nodes, h^2 / 8 times their Laplacian 2 / r off, of faces 0.7 mm within r.
    assert nearest > 0.14 - 0.05 ** 2 / (4 * 0.14) - 7e-4


def test_a_resumed_run_is_the_same(rtsim):
    write_frames(rtsim, "ball", [BALL, BALL * 1.01, BALL * 1.02])
    scene = ball_in({"type": "flip", "grid": "room"}, [], SHORT, {"deformation": {"frames": "ball_###.obj", "fps": 100}})
    run(rtsim, scene, "whole", "--threads", 1)
    scene["time"]["frames"] = 2
    run(rtsim, scene, "half", "--threads", 2)
    expect(rtsim("resume", "half", "--set", "/time/frames=4", "--quiet"), DONE)
    assert np.array_equal(column(rtsim, "whole", 4), column(rtsim, "half", 4))
    manifest = json.loads((rtsim.folder / "whole/run.json").read_text())
    assert sum("ball_00" in a["path"] for a in manifest["assets"]) == 3
    expect(rtsim("verify", "whole"), DONE)


@pytest.mark.parametrize("stage, key", [("xpbd", {}), ("cloth_implicit", {})])
def test_cloth_rides_on_a_plate_of_another_run_that_rises(rtsim, stage, key):
    """Points that lie on it are carried along: the plate is a mesh of frames that rise by 1 m/s."""
    plate = np.array([[x, y, z] for y in (-0.1, 0) for z in (-0.5, 0.5) for x in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    write_frames(rtsim, "ball", [plate, plate, plate + [0, 0.5, 0]], triangles)
    scene = {
        "rtsim": 1, "dim": 3, "time": {"dt": 5e-3, "steps_per_frame": 10, "frames": 16},
        "objects": [
            {"name": "cloth", "kind": "mesh", "density": 0.3,
             "mesh": {"sheet": {"corner": [-0.15, 0.02, -0.15], "u": [0.3, 0, 0], "v": [0, 0, 0.3], "cells": [6, 6]}}},
            {"name": "ball", "kind": "boundary", "shape": {"mesh": {"file": "ball_000.obj"}},
             "deformation": {"frames": "ball_###.obj", "fps": 2}}],
        "stages": [{"type": stage, "mesh": "cloth", "boundary": ["ball"], "thickness": 0.01, **key}],
        "output": [{"object": "cloth", "format": "hdf5"}]}
    run(rtsim, scene, "run")
    assert np.abs(column(rtsim, "run", 9, of="cloth")[:, 1] - 0.01).max() < 1e-3
    rising = column(rtsim, "run", 16, of="cloth")[:, 1]
    assert np.abs(rising - 0.31).max() < 2e-3
    assert np.abs(column(rtsim, "run", 16, "velocity", "cloth")[:, 1] - 1).max() < 2e-2


def test_the_cloth_of_one_run_is_a_wall_of_the_next(rtsim):
    expect(rtsim("run", SOURCE / "configs/xpbd/jelly.json", "-o", "jelly", "--quiet", "--set", "/time/frames=4",
                 "--set", "/output=[{\"object\": \"jelly\"}]"), DONE)
    expect(rtsim("convert", "jelly", "-o", "frames", "--to", "ply"), DONE)
    pool = rtsim.folder / "pool"
    shutil.copytree(rtsim.folder / "frames/cache/jelly", pool)
    scene = ball_in({"type": "wcsph", "substeps": 4}, [], SHORT, {})
    scene["objects"][0]["fill"] = {"box": {"min": [2, 0, 2], "max": [2.2, 0.2, 2.2]}}
    scene["objects"][1]["shape"]["box"] = {"min": [-0.5, -0.5, -0.5], "max": [2.5, 2.5, 2.5]}
    scene["objects"][2].update({"shape": {"mesh": {"file": "jelly.surface.000000.ply"}},
                                "deformation": {"frames": "jelly.surface.######.ply", "fps": 50}})
    rtsim.write("pool/scene.json", json.dumps(scene))
    result = expect(rtsim("explain", "pool/scene.json"), DONE)
    assert "5 frames, jelly.surface.000000.ply to jelly.surface.000004.ply, 0.02 s apart from 0 to 0.08 s" in result.stdout


def refused(rtsim, scene, *texts):
    rtsim.write("pool/scene.json", json.dumps(scene))
    result = expect(rtsim("run", "pool/scene.json", "-o", "never", "--quiet"), BAD_INPUT)
    for text in texts:
        assert text in result.stderr, result.stderr
    assert not (rtsim.folder / "never").exists()


def test_bad_frames_are_told_with_their_file(rtsim):
    scene = copy.deepcopy(ball_in({"type": "wcsph"}, [], SHORT, WAY))
    frames = "/objects/2/deformation/frames"
    write_frames(rtsim, "ball", [BALL] * 4)
    (rtsim.folder / "pool/ball_002.obj").unlink()
    refused(rtsim, scene, frames, "ball_002.obj is missing")
    write_obj(rtsim.folder / "pool/ball_002.obj", BALL, TRIANGLES[1:])
    refused(rtsim, scene, frames, "ball_002.obj", "1279 triangles")
    write_obj(rtsim.folder / "pool/ball_002.obj", BALL, [TRIANGLES[1], TRIANGLES[0], *TRIANGLES[2:]])
    refused(rtsim, scene, frames, "ball_002.obj", "its triangle 1 joins other corners")
    write_obj(rtsim.folder / "pool/ball_002.obj", -BALL, TRIANGLES)
    refused(rtsim, scene, frames, "ball_002.obj", "inside out")
    (rtsim.folder / "pool/ball_002.obj").write_text("v 0 0 0\nv 1 0\n")
    refused(rtsim, scene, frames, "ball_002.obj:2")
    scene["objects"][2]["deformation"]["frames"] = "bird_###.obj"
    refused(rtsim, scene, frames, "bird_###.obj: no file fits")
    scene["objects"][2]["deformation"]["frames"] = "ball.obj"
    refused(rtsim, scene, frames, "one run of #")
    del scene["objects"][2]["deformation"]["fps"]
    refused(rtsim, scene, "/objects/2/deformation/fps", "missing")
    scene["objects"][2].update({"shape": {"sphere": {"centre": [0, 0, 0], "radius": 0.1}}, **WAY})
    refused(rtsim, scene, "/objects/2/deformation", "must be one")


@pytest.mark.parametrize("stage", [
    {"type": "rigid", "bodies": "bodies", "boundary": ["ball"]},
    {"type": "lbm", "grid": "room", "boundary": ["ball"]},
    {"type": "wcsph", "fluid": "water", "boundary": ["ball"], "boundary_method": "volume_map"},
    {"type": "xpbd", "mesh": "cloth", "boundary": ["ball"], "touch": "faces"}])
def test_who_cannot_take_it_says_so(rtsim, stage):
    write_frames(rtsim, "ball", [BALL, BALL])
    objects = {
        "bodies": {"kind": "bodies", "density": 1000, "bodies": [
            {"name": "b", "shape": {"sphere": {"centre": [0, 1, 0], "radius": 0.1}}}]},
        "room": {"kind": "grid", "spacing": 0.05, "min": [0, 0, 0], "max": [0.5, 0.5, 0.5]},
        "water": {"kind": "particles", "spacing": 0.04, "fill": {"box": {"min": [0, 0.6, 0], "max": [0.2, 0.8, 0.2]}}},
        "cloth": {"kind": "mesh", "density": 0.3, "mesh": {"sheet": {
            "corner": [0, 1, 0], "u": [0.3, 0, 0], "v": [0, 0, 0.3], "cells": [2, 2]}}}}
    name = next(n for n in objects if n in stage.values())
    scene = {"rtsim": 1, "dim": 3, "time": SHORT,
             "objects": [{"name": name, **objects[name]},
                         {"name": "ball", "kind": "boundary", "shape": {"mesh": {"file": "ball_000.obj"}}, **WAY}],
             "stages": [stage]}
    refused(rtsim, scene, "/stages/0", "'ball' deforms")
