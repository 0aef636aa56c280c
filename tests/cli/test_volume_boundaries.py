"""Boundaries whose volume follows .vdb frames: their triangles, and so their samples, are others in each."""
import json

import h5py
import numpy as np
import pytest
import pyopenvdb as vdb
from conftest import DONE, expect, long_case
from test_deformation import UNIT, column, refused, run, write_frames
from test_deforming_sources import same_when_resumed
from test_volumes import level_set, write

CENTRE, RADIUS, VOXEL = np.array([0.25, 0.2, 0.25]), 0.1, 0.01
SPEED = np.array([0.4, 0.2, 0])  # [m/s]
WAY = {"deformation": {"frames": "ball_###.vdb", "fps": 50}}
BALL = {"sphere": {"centre": list(CENTRE), "radius": RADIUS}}
VOLUME = {"volume": {"file": "ball_000.vdb"}}
ROOM = {"name": "room", "kind": "grid", "spacing": 0.025, "min": [0, 0, 0], "max": [0.5, 0.5, 0.5]}


def write_shift(rtsim, frames=6, fps=50, **more):
    for k in range(frames):
        write(rtsim, f"ball_{k:03}.vdb", level_set(centre=CENTRE + k / fps * SPEED, **more))


def scene_of(stages, objects, ball, time, output):
    return {"rtsim": 1, "dim": 3, "time": time,
            "objects": [*objects, {"name": "ball", "kind": "boundary", **ball}],
            "stages": stages, "output": [{"object": o, "format": "hdf5"} for o in output]}


def water(spacing=0.025, solid=BALL, height=0.4):
    return {"name": "water", "kind": "particles", "spacing": spacing,
            "fill": {"difference": [{"box": {"min": [0, 0, 0], "max": [0.5, height, 0.5]}}, solid]}}


WIDE_ROOM = {**ROOM, "spacing": 0.05}
TANK = {"name": "tank", "kind": "boundary",
        "shape": {"box": {"min": [0, 0, 0], "max": [0.5, 0.6, 0.5]}, "inside": True}}
TIME = {"dt": 2e-3, "steps_per_frame": 10, "frames": 4}
BY_FRAMES, BY_MOTION = {"shape": VOLUME, **WAY}, {"shape": BALL, "motion": {"velocity": list(SPEED)}}


def series(rtsim, out, name):
    names, *lines = ((rtsim.folder / out / "series.csv").read_text().splitlines())
    k = [n.split(" [")[0] for n in names.split(",")].index(name)
    return np.array([float(line.split(",")[k]) for line in lines])


def both(rtsim, stages, objects, output, time=TIME):
    write_shift(rtsim)
    for out, ball in (("frames", BY_FRAMES), ("motion", BY_MOTION)):
        run(rtsim, scene_of(stages, objects, ball, time, output), out)


@long_case(3)
def test_smoke_flows_around_volumes_as_around_meshes(rtsim):
    """The finer the voxels, the nearer to the flow by frames of a mesh of the same ball: with each halving the
    difference is less than half of that before. Between a mesh by frames and a sphere by motion lie a tenth, of how
    either meets the grid: so near is a ball of ten voxels in radius."""
    write_frames(rtsim, "mesh", [RADIUS * UNIT + CENTRE + k / 50 * SPEED for k in range(6)])
    smoke = [{"type": "smoke", "grid": "room", "boundary": ["ball"]}]
    balls = {"motion": BY_MOTION,
             "mesh": {"shape": {"mesh": {"file": "mesh_000.obj"}},
                      "deformation": {"frames": "mesh_###.obj", "fps": 50}}}

    def flow(out, ball):
        run(rtsim, scene_of(smoke, [ROOM], ball, TIME, ["room"]), out)
        velocity = []
        for frame in range(1, 5):
            with h5py.File(rtsim.folder / out / f"cache/room/room.{frame:06}.hdf") as f:
                velocity.append(np.array(f["VTKHDF/PointData/velocity"]))
        return velocity

    def apart(one, other):
        return max(np.sqrt(((u - v)**2).mean() / (v**2).mean()) for u, v in zip(one, other))
    motion, mesh = (flow(out, ball) for out, ball in balls.items())
    volumes = []
    for voxel in (0.02, 0.01, 0.005):
        write_shift(rtsim, voxel=voxel)
        volumes.append(flow(f"volume_{voxel}", BY_FRAMES))
    differences = [apart(v, mesh) for v in volumes]
    print(differences, apart(volumes[1], motion), apart(mesh, motion))
    for coarse, fine in zip(differences, differences[1:]):
        assert fine < coarse / 2
    assert apart(volumes[1], motion) < apart(mesh, motion)


def test_flip_is_pushed_by_a_shifted_ball_as_by_a_sphere(rtsim):
    both(rtsim, [{"type": "flip", "grid": "room", "fluid": "water", "boundary": ["ball"]}],
         [WIDE_ROOM, water()], ["water"])
    for frame in range(1, 5):
        a, b = (column(rtsim, r, frame) for r in ("frames", "motion"))
        assert len(a) == len(b)
        assert np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) < VOXEL / 10
        out = np.linalg.norm(a - CENTRE - 0.02 * frame * SPEED, axis=1).min()
        # Grids have distances linear between nodes, within h^2 / (4 R), and the surface lies a voxel's square within.
        assert out > RADIUS - 0.05**2 / (4 * RADIUS) - VOXEL**2 / RADIUS, out


@pytest.mark.parametrize("stage", [
    pytest.param({"type": "flip", "grid": "room", "keep_volume": True}, id="flip"),
    pytest.param({"type": "dfsph", "substeps": 2, "kinematic_viscosity": 0.02}, marks=long_case(4), id="dfsph")])
def test_a_ball_that_swells_lifts_the_water_by_its_volume(rtsim, stage):
    """dH = dV / A, within a tenth of a cell; samples of each frame leave no gaps where the surface grows."""
    for k in range(11):
        write(rtsim, f"ball_{k:03}.vdb", level_set(radius=RADIUS + 0.004 * k))
    flip = stage["type"] == "flip"
    room = {**WIDE_ROOM, "max": [0.5, 0.6, 0.5]}
    scene = scene_of([{**stage, "fluid": "water", "boundary": ["ball"] if flip else ["tank", "ball"]}],
                     [room if flip else TANK, water()],
                     {"shape": VOLUME, "deformation": {"frames": "ball_###.vdb", "fps": 20, "start": 0.5}},
                     {"dt": 5e-3, "steps_per_frame": 20, "frames": 20}, ["water"])
    run(rtsim, scene, "run")
    small, large = (4 / 3 * np.pi * r**3 for r in (0.1, 0.14))

    def level(frames, ball):  # of the water's centre of mass z: A H^2 / 2 = V z + (volume of the ball) (its height)
        z = np.mean([column(rtsim, "run", f)[:, 1].mean() for f in frames])
        return np.sqrt(2 * ((0.1 - small) * z + ball * CENTRE[1]) / 0.25)
    rise = level(range(12, 21), large) - level(range(2, 6), small)
    nearest = np.linalg.norm(column(rtsim, "run", 20) - CENTRE, axis=1).min()
    print("rise", rise, "of", (large - small) / 0.25, "nearest", nearest)
    assert abs(rise - (large - small) / 0.25) < 0.1 * 0.05
    assert nearest > 0.14 - 0.05**2 / (4 * 0.14) - VOXEL**2 / 0.14


@pytest.mark.parametrize("stage", [{"type": "wcsph", "substeps": 4, "max_speed": 4}, {"type": "dfsph"},
                                   {"type": "pcisph"}, {"type": "iisph"}, {"type": "pbf"}], ids=lambda s: s["type"])
def test_particles_are_pushed_by_a_shifted_ball_as_by_a_sphere(rtsim, stage):
    both(rtsim, [{**stage, "fluid": "water", "boundary": ["tank", "ball"], "boundary_forces": True}],
         [water(), TANK], ["water", "ball"])
    x = column(rtsim, "frames", 4)
    assert len(x) == len(column(rtsim, "motion", 4))
    out = np.linalg.norm(x - CENTRE - 0.08 * SPEED, axis=1).min()
    assert out > RADIUS - 0.25 * 0.025, out
    a, b = (series(rtsim, r, f"{stage['type']}.ball.force.y") for r in ("frames", "motion"))
    print(stage, "force", a.mean(), b.mean(), np.abs(a).max(), np.abs(b).max())
    assert abs(a.mean() - b.mean()) < VOXEL / RADIUS * b.mean()
    for frame in range(5):
        p = column(rtsim, "frames", frame, of="ball")
        r = np.linalg.norm(p - CENTRE - 0.02 * frame * SPEED, axis=1)
        assert np.abs(r - (RADIUS - 0.0125)).max() < 0.5 * VOXEL, frame
        u = column(rtsim, "frames", frame, "velocity", "ball")
        if frame:
            assert np.abs(u.mean(axis=0) - SPEED).max() < 0.02


@pytest.mark.parametrize("stage", ["xpbd", pytest.param("cloth_implicit", marks=long_case(5))])
def test_cloth_is_lifted_by_a_shifted_ball_as_by_a_sphere(rtsim, stage):
    sheet = {"name": "cloth", "kind": "mesh", "density": 0.3, "mesh": {"sheet": {
        "corner": [0.1, 0.31, 0.1], "u": [0.3, 0, 0], "v": [0, 0, 0.3], "cells": [12, 12]}}}
    both(rtsim, [{"type": stage, "mesh": "cloth", "boundary": ["ball"], "thickness": 0.01}], [sheet], ["cloth"])
    for frame in range(1, 5):
        a, b = (column(rtsim, r, frame, of="cloth") for r in ("frames", "motion"))
        assert np.sqrt(((a - b)**2).sum(-1).mean()) < VOXEL, frame
        out = np.linalg.norm(a - CENTRE - 0.02 * frame * SPEED, axis=1).min()
        assert out > RADIUS - VOXEL**2 / RADIUS, out


def parting(k, last):
    """Two balls about one centre, drawn apart: their smooth union, of which a neck is left that then tears."""
    n = np.stack(np.meshgrid(np.arange(60), np.arange(30), np.arange(30), indexing="ij"), -1) * VOXEL
    half = 0.13 * k / last
    d = [np.linalg.norm(n - [0.3 + s * half, 0.15, 0.15], axis=-1) - 0.07 for s in (-1, 1)]
    blend = 0.03
    h = np.clip(0.5 + (d[1] - d[0]) / (2 * blend), 0, 1)
    d = np.clip(d[1] + h * (d[0] - d[1]) - blend * h * (1 - h), -3 * VOXEL, 3 * VOXEL)
    grid = vdb.FloatGrid(3 * VOXEL)
    grid.copyFromArray(d.astype(np.float32))
    grid.transform = vdb.createLinearTransform(VOXEL)
    grid.gridClass, grid.name = vdb.GridClass.LEVEL_SET, "surface"
    return grid


@pytest.mark.parametrize("stage", [
    pytest.param({"type": "flip", "grid": "room"}, marks=long_case(0), id="flip"),
    pytest.param({"type": "dfsph"}, marks=long_case(1), id="dfsph"),
    pytest.param({"type": "wcsph", "substeps": 5, "max_speed": 4}, marks=long_case(2), id="wcsph")])
def test_a_ball_that_parts_in_two_leaves_no_particle_inside(rtsim, stage):
    for k in range(14):
        write(rtsim, f"ball_{k:03}.vdb", parting(k, 13))
    room = {**ROOM, "min": [0, 0, 0], "max": [0.6, 0.5, 0.3]}
    tank = {**TANK, "shape": {"box": {"min": [0, 0, 0], "max": [0.6, 0.5, 0.3]}, "inside": True}}
    liquid = {"name": "water", "kind": "particles", "spacing": 0.02, "fill": {"difference": [
        {"box": {"min": [0, 0, 0], "max": [0.6, 0.3, 0.3]}}, VOLUME]}}
    flip = stage["type"] == "flip"
    if flip:
        room["spacing"] = 0.02
        liquid["spacing"] = 0.01
    scene = scene_of([{**stage, "fluid": "water", "boundary": ["ball"] if flip else ["tank", "ball"]}],
                     [room if flip else tank, liquid],
                     {"shape": VOLUME, "deformation": {"frames": "ball_###.vdb", "fps": 25}},
                     {"dt": 2e-3, "steps_per_frame": 20, "frames": 14}, ["water"])
    run(rtsim, scene, "out")
    first = len(column(rtsim, "out", 0))
    for frame in range(15):
        x = column(rtsim, "out", frame)
        assert len(x) == first
        half = 0.13 * min(frame, 13) / 13
        deep = min(np.linalg.norm(x - [0.3 + s * half, 0.15, 0.15], axis=1).min() for s in (-1, 1)) - 0.07
        print(frame, deep)
        assert deep > -0.5 * VOXEL, frame


BODY = {"name": "cube", "kind": "bodies", "density": 500, "bodies": [
    {"name": "cube", "shape": {"box": {"min": [0.35, 0.3, 0.2], "max": [0.45, 0.4, 0.3]}}}]}
SHEET = {"name": "cloth", "kind": "mesh", "density": 0.3, "mesh": {"sheet": {
    "corner": [0.1, 0.31, 0.1], "u": [0.3, 0, 0], "v": [0, 0, 0.3], "cells": [6, 6]}}}
AMONG_BODIES = [{"type": "dfsph", "fluid": "water", "boundary": ["ball", "tank", "cube"], "pressure_boundaries": "all"},
                {"type": "couple", "fluid": "water", "solid": "cube"}, {"type": "rigid", "bodies": "cube"}]


@pytest.mark.parametrize("fps", [50, 100])  # stopped within a frame, and where one begins
@pytest.mark.parametrize("stages, objects, shown", [
    ([{"type": "flip", "grid": "room", "fluid": "water", "boundary": ["ball"]}], [WIDE_ROOM, water()], "water"),
    ([{"type": "smoke", "grid": "room", "boundary": ["ball"]}], [ROOM], "room"),
    (AMONG_BODIES, [water(0.04, {"box": {"min": [0.1, 0, 0.1], "max": [0.5, 0.6, 0.4]}}), TANK, BODY], "water"),
    ([{"type": "xpbd", "mesh": "cloth", "boundary": ["ball"], "thickness": 0.01}], [SHEET], "cloth")],
    ids=["flip", "smoke", "dfsph", "xpbd"])
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(rtsim, stages, objects, shown, fps):
    for k, (r, way) in enumerate(zip((1, 1.05, 1.03, 1.1, 1.12, 1.1), (0, 1, 2, 2, 1, 0))):
        write(rtsim, f"ball_{k:03}.vdb", level_set(radius=r * RADIUS, centre=CENTRE + 0.01 * way, voxel=0.02))
    time = {"dt": 2e-3, "steps_per_frame": 5, "frames": 8}
    scene = scene_of(stages, objects, {"shape": VOLUME, "deformation": {"frames": "ball_###.vdb", "fps": fps},
                                       "motion": {"spin": 1, "centre": list(CENTRE)}}, time, [shown])
    scene["checkpoint_every"] = 1
    same_when_resumed(rtsim, scene)
    expect(rtsim("verify", "whole"), DONE)


def test_what_is_told_and_refused(rtsim):
    write_shift(rtsim, 4, voxel=0.02)
    scene = scene_of([{"type": "wcsph", "fluid": "water", "boundary": ["tank", "ball"], "max_speed": 4}],
                     [water(0.05), TANK], BY_FRAMES, TIME, ["water"])
    rtsim.write("pool/scene.json", json.dumps(scene))
    told = expect(rtsim("explain", "pool/scene.json"), DONE).stdout
    assert "'ball' deforms: 4 frames, ball_000.vdb to ball_003.vdb, 0.02 s apart from 0 to 0.06 s" in told
    expect(rtsim("check", "pool/scene.json"), DONE)
    frames = "/objects/2/deformation/frames"
    whole = (rtsim.folder / "pool/ball_001.vdb").read_bytes()
    (rtsim.folder / "pool/ball_001.vdb").write_bytes(whole[:len(whole) // 2])
    refused(rtsim, scene, frames, "ball_001.vdb: ", "write it again")
    write(rtsim, "ball_001.vdb", level_set("other"), level_set("another"))
    refused(rtsim, scene, frames, "ball_001.vdb: has several grids")
    (rtsim.folder / "pool/ball_001.vdb").unlink()
    refused(rtsim, scene, frames, "ball_001.vdb is missing")
    write(rtsim, "ball_001.vdb", level_set(centre=CENTRE, radius=0.21))
    periodic = {"min": [0, 0, 0], "max": [0.4, 0.6, 0.5], "axes": ["x"]}
    above = {**water(0.05), "fill": {"box": {"min": [0, 0.5, 0], "max": [0.4, 0.6, 0.5]}}}
    ball = scene["objects"][-1]
    refused(rtsim, {**scene, "objects": [above, ball], "output": [],
                    "stages": [{**scene["stages"][0], "boundary": ["ball"], "periodic": periodic}]},
            "/stages/0", "'ball' is longer than the periodic box in frame 2")
    for stage, meets in (({"type": "rigid", "bodies": "cube"}, BODY),
                         ({"type": "xpbd", "mesh": "cloth", "touch": "faces"}, SHEET)):
        refused(rtsim, {**scene, "objects": [meets, ball], "stages": [{**stage, "boundary": ["ball"]}], "output": []},
                "/stages/0", "'ball' deforms")
