"""Boundaries whose volume follows .vdb frames: their triangles, and so their samples, are others in each."""
import json

import h5py
import numpy as np
import pytest
import pyopenvdb as vdb
from conftest import DONE, expect
from test_deformation import column, refused, run
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


def test_smoke_flows_around_a_shifted_ball(rtsim):
    """As around a sphere that moves: its surface is D^2 / (8 R) within at most, D = 9 mm a frame, and a voxel's
    (VOXEL / R)^2 of its volume. What it displaces goes as its radius to the third."""
    both(rtsim, [{"type": "smoke", "grid": "room", "boundary": ["ball"]}], [ROOM], ["room"])

    def flow(out, frame):
        with h5py.File(rtsim.folder / out / f"cache/room/room.{frame:06}.hdf") as f:
            return np.array(f["VTKHDF/CellData/velocity"])
    for frame in range(1, 5):
        a, b = flow("frames", frame), flow("motion", frame)
        assert np.sqrt((b**2).sum(-1).mean()) > 0.02
        assert np.sqrt(((a - b)**2).mean()) < 0.06 * np.sqrt((b**2).mean()), frame


def test_flip_is_pushed_by_a_shifted_ball_as_by_a_sphere(rtsim):
    both(rtsim, [{"type": "flip", "grid": "room", "fluid": "water", "boundary": ["ball"]}], [ROOM, water()], ["water"])
    for frame in range(1, 5):
        a, b = (column(rtsim, r, frame) for r in ("frames", "motion"))
        assert len(a) == len(b)
        moved = np.linalg.norm(b - column(rtsim, "motion", 0), axis=1)
        assert np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) < 0.02 * moved.mean()
        out = np.linalg.norm(a - CENTRE - 0.02 * frame * SPEED, axis=1).min()
        # Grids have distances linear between nodes, within h^2 / (4 R), and the surface D^2 / (8 R) and a voxel's.
        assert out > RADIUS - 0.025**2 / (4 * RADIUS) - VOXEL**2 / RADIUS, out


@pytest.mark.parametrize("stage", [{"type": "wcsph", "substeps": 4, "max_speed": 4}, {"type": "dfsph"},
                                   {"type": "pcisph"}, {"type": "iisph"}, {"type": "pbf"}], ids=lambda s: s["type"])
def test_particles_are_pushed_by_a_shifted_ball_as_by_a_sphere(rtsim, stage):
    both(rtsim, [{**stage, "fluid": "water", "boundary": ["tank", "ball"], "boundary_forces": True}],
         [water(), TANK], ["water", "ball"])
    x = column(rtsim, "frames", 4)
    assert len(x) == len(column(rtsim, "motion", 4))
    out = np.linalg.norm(x - CENTRE - 0.08 * SPEED, axis=1).min()
    assert out > RADIUS - 0.25 * 0.025, out
    name = f"{stage['type']}.ball.force.y"
    a, b = series(rtsim, "frames", name), series(rtsim, "motion", name)
    print(stage, "force", a.mean(), b.mean(), a.std(), b.std())
    for frame in range(5):
        p = column(rtsim, "frames", frame, of="ball")
        r = np.linalg.norm(p - CENTRE - 0.02 * frame * SPEED, axis=1)
        assert np.abs(r - (RADIUS - 0.0125)).max() < 0.5 * VOXEL, frame
        u = column(rtsim, "frames", frame, "velocity", "ball")
        if frame:
            assert np.abs(u.mean(axis=0) - SPEED).max() < 0.02


@pytest.mark.parametrize("stage", ["xpbd", "cloth_implicit"])
def test_cloth_is_lifted_by_a_shifted_ball_as_by_a_sphere(rtsim, stage):
    sheet = {"name": "cloth", "kind": "mesh", "density": 0.3, "mesh": {"sheet": {
        "corner": [0.1, 0.31, 0.1], "u": [0.3, 0, 0], "v": [0, 0, 0.3], "cells": [12, 12]}}}
    both(rtsim, [{"type": stage, "mesh": "cloth", "boundary": ["ball"], "thickness": 0.01}], [sheet], ["cloth"])
    for frame in range(1, 5):
        a, b = (column(rtsim, r, frame, of="cloth") for r in ("frames", "motion"))
        assert np.abs(a - b).max() < VOXEL, frame
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


@pytest.mark.parametrize("stage", [{"type": "flip", "grid": "room"}, {"type": "dfsph"},
                                   {"type": "wcsph", "substeps": 5, "max_speed": 4}], ids=lambda s: s["type"])
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
    ([{"type": "flip", "grid": "room", "fluid": "water", "boundary": ["ball"]}], [ROOM, water(0.05)], "water"),
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
    write(rtsim, "ball_001.vdb", level_set(centre=CENTRE, radius=0.2))
    periodic = {"min": [0, 0, 0], "max": [0.35, 0.6, 0.5], "axes": ["x"]}
    narrow = {**scene, "objects": [water(0.05, {"box": {"min": [0.1, 0, 0], "max": [0.5, 0.5, 0.5]}}), *scene["objects"][1:]],
              "stages": [{**scene["stages"][0], "boundary": ["ball"], "periodic": periodic}]}
    refused(rtsim, narrow, "/stages/0", "'ball'", "longer than the periodic box")
    for stage in ({"type": "rigid", "bodies": "cube"}, {"type": "xpbd", "mesh": "cloth", "touch": "faces"}):
        rest = {**scene, "objects": [BODY, SHEET, scene["objects"][-1]], "stages": [{**stage, "boundary": ["ball"]}],
                "output": []}
        refused(rtsim, rest, "/stages/0", "'ball' deforms")
