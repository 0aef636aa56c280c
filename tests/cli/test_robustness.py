"""Scenes that ask too much of a particle fluid, as whole runs: each comes to its end with every particle
and finite numbers, or stops with the exit code and a message that says what to change."""
import json
import resource
import subprocess

import h5py
import numpy as np
import pytest

from conftest import BAD_INPUT, DIVERGED, DONE, POOL, RTSIM, expect

SOLVERS = {"wcsph": {"substeps": 6}, "sph_mueller": {"substeps": 4}, "dfsph": {}, "iisph": {}, "pcisph": {},
           "sph_bodin": {}, "pbf": {}, "sph_clavet": {}}
SPACING = 0.05
WIDTH, HEIGHT = 0.8, 1.0


@pytest.fixture(params=SOLVERS)
def solver(request):
    return request.param


def scene(solver, low=(0, 0), high=(0.4, 0.5), dt=0.002, steps=100, objects=(), **stage):
    """Water in a tank of 16 x 20 spacings. Further boundaries keep it in as well."""
    return {
        "rtsim": 1,
        "dim": 2,
        "time": {"dt": dt, "steps_per_frame": steps // 5, "frames": 5},
        "objects": [
            {"name": "water", "kind": "particles", "spacing": SPACING, "fill": {"box": {"min": low, "max": high}}},
            {"name": "tank", "kind": "boundary",
             "shape": {"box": {"min": [0, 0], "max": [WIDTH, HEIGHT]}, "inside": True}},
            *objects],
        "stages": [{"type": solver, "fluid": "water", "boundary": ["tank", *(o["name"] for o in objects)],
                    **SOLVERS[solver], **stage}],
        "output": [{"object": "water", "format": "hdf5"}],
    }


def frames(rtsim):
    """Positions of all frames that were written."""
    for line in (rtsim.folder / "out/frames.jsonl").read_text().splitlines():
        with h5py.File(rtsim.folder / "out" / json.loads(line)["files"][0]["path"]) as f:
            data = f["VTKHDF"]
            assert all(np.isfinite(column[...]).all() for column in data["PointData"].values())
            yield data["Points"][...]


def run(rtsim, base, rows, codes=(DONE,)):
    """Runs it, and says whether it came to the end. No frame lacks a row or has one that is not finite."""
    rtsim.scene(base=base)
    result = rtsim("run", "pool/scene.json", "-o", "out", "--quiet", "--threads", "1")
    assert result.returncode in codes, result.stderr
    written = list(frames(rtsim))
    assert [len(x) for x in written] == [rows] * len(written)
    assert all(np.isfinite(x).all() for x in written)
    if result.returncode == DONE:
        assert len(written) == 6
        return True
    if written:
        assert ('try "substeps": ' in result.stderr or "more substeps" in result.stderr) and "Last good frame: " in result.stderr
    else:
        assert "in the state the run begins with: check " in result.stderr
    assert f"stage '{base['stages'][0]['type']}'" in result.stderr
    return False


def out_of_tank(rtsim):
    """How far the row that is furthest out is beyond the planes of the tank [m]."""
    last = list(frames(rtsim))[-1]
    return max(-last[:, :2].min(), last[:, 0].max() - WIDTH)


def test_a_fluid_that_begins_inside_a_wall_is_refused(rtsim, solver):
    block = {"name": "block", "kind": "boundary", "shape": {"box": {"min": [0.3, 0], "max": [0.6, 0.3]}}}
    rtsim.scene(base=scene(solver, objects=[block]))
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), BAD_INPUT).stderr
    assert "12 of 80 particles start inside 'block'; take its shape away" in err
    assert not (rtsim.folder / "out").exists()


def test_a_fluid_that_begins_inside_a_soft_body_is_refused(rtsim):
    rtsim.write("pool/scene.json", json.dumps({
        "rtsim": 1, "dim": 3, "time": {"dt": 1e-3, "frames": 1},
        "objects": [{"name": "water", "kind": "particles", "spacing": 0.05,
                     "fill": {"box": {"min": [0, 0, 0], "max": [0.5, 0.5, 0.5]}}},
                    {"name": "block", "kind": "mesh", "density": 500,
                     "mesh": {"block": {"min": [0.2, 0.2, 0.2], "max": [0.3, 0.4, 0.3], "cells": [2, 4, 2]}}}],
        "stages": [{"type": "dfsph", "fluid": "water", "boundary": ["block"]},
                   {"type": "couple", "fluid": "water", "solid": "block"},
                   {"type": "fem", "mesh": "block", "youngs_modulus": 1e5}],
        "output": [{"object": "water"}]}))
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), BAD_INPUT).stderr
    assert "/objects/1/mesh: 16 of 1000 particles of 'water' start inside 'block', which is solid to them" in err
    assert not (rtsim.folder / "out").exists()


def test_a_fluid_that_touches_a_wall_too_closely_is_pushed_off(rtsim, solver):
    # The wall's samples are a quarter of a spacing from the first rows, in place of a whole one.
    block = {"name": "block", "kind": "boundary", "shape": {"box": {"min": [0.376, 0], "max": [0.6, 0.7]}}}
    # Filled so, pcisph may make a hundred times its energy, and is stopped.
    ends = run(rtsim, scene(solver, high=(0.4, 0.5), objects=[block]), 80,
               (DONE, DIVERGED) if solver == "pcisph" else (DONE,))
    assert not ends or out_of_tank(rtsim) < 0.25 * SPACING


def test_a_wall_that_closes_squeezes_the_fluid_up_or_says_what_to_change(rtsim, solver):
    press = {"name": "press", "kind": "boundary", "shape": {"box": {"min": [0.85, 0], "max": [1.0, 1.0]}},
             "motion": {"velocity": [-1, 0]}}
    assert run(rtsim, scene(solver, high=(0.8, 0.4), steps=200, objects=[press]), 128)


def test_a_wall_that_leaves_no_room_loses_no_particle_silently(rtsim, solver):
    lid = {"name": "lid", "kind": "boundary", "shape": {"box": {"min": [0.001, 0.5], "max": [0.799, 0.7]}},
           "motion": {"velocity": [0, -1]}}
    run(rtsim, scene(solver, high=(0.8, 0.5), steps=150, objects=[lid]), 160, (DONE, DIVERGED))


@pytest.mark.parametrize("density", [1e-3, 1e9])
def test_a_density_a_million_times_off_changes_nothing(rtsim, solver, density):
    # Of one kinematic viscosity: the only one that is given as a dynamic one.
    viscosity = {"dynamic_viscosity": 1e-4 * density} if solver == "sph_mueller" else {}
    assert run(rtsim, scene(solver, rest_density=density, **viscosity), 80)
    assert out_of_tank(rtsim) < 0.25 * SPACING


@pytest.mark.parametrize("times", [1e-6, 1e6])
def test_particles_a_million_times_too_light_or_heavy(rtsim, solver, times):
    run(rtsim, scene(solver, particle_mass=times * 1000 * SPACING**2), 80, (DONE, DIVERGED))


def test_a_step_ten_times_too_long(rtsim, solver):
    # What makes a hundred times the energy that there was ends, with a remedy.
    run(rtsim, scene(solver, dt=0.02), 80, (DONE, DIVERGED))


def test_one_particle_falls_and_stays(rtsim, solver):
    assert run(rtsim, scene(solver, low=(0.2, 0.2), high=(0.25, 0.25), steps=250), 1)
    assert out_of_tank(rtsim) < 0.25 * SPACING


def test_a_fluid_without_particles_is_refused_and_an_emptied_one_runs_on(rtsim, solver):
    rtsim.scene(base=scene(solver, high=(0.01, 0.01)))
    err = expect(rtsim("check", "pool/scene.json"), BAD_INPUT).stderr
    assert "no lattice point of spacing 0.05 m lies inside" in err
    drained = scene(solver)
    drained["stages"].append({"type": "remove", "fluid": "water", "shape": {"plane": {"point": [0, 2], "normal": [0, 1]}}})
    rtsim.scene(base=drained)
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    assert [len(x) for x in frames(rtsim)] == [80, 0, 0, 0, 0, 0]


def test_two_thousand_walls_are_checked_in_seconds(rtsim):
    """2000 took 50 s: all pairs of roles were gone through, and for each of them all names copied."""
    walls = [{"name": f"b{i}", "kind": "boundary",
              "shape": {"box": {"min": [1 + 0.5 * i, 0], "max": [1.4 + 0.5 * i, 0.1]}}} for i in range(2000)]
    rtsim.scene({"/objects": [POOL["objects"][0], *walls], "/stages/0/boundary": [w["name"] for w in walls]})
    expect(rtsim("check", "pool/scene.json", timeout=20), DONE)


def test_a_scene_that_is_wrong_throughout_takes_little_memory(rtsim):
    """800,000 took 2.3 GB."""
    rtsim.write("scene.json", '{"rtsim":1,"dim":2,"time":{"dt":1e-4,"frames":1},"objects":[' +
                ",".join(["{}"] * 200_000) + '],"stages":[]}')
    limited = subprocess.run([RTSIM, "check", "scene.json"], cwd=rtsim.folder, capture_output=True, text=True, timeout=60,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (250 << 20, 250 << 20)))
    assert limited.returncode == BAD_INPUT, limited.stderr
    assert "/objects: 200000 elements, with problems throughout the first 1000; the rest was not read" in limited.stderr


def test_a_floor_with_too_many_samples_is_refused_unless_nobody_needs_them(rtsim):
    floor = {"name": "floor", "kind": "boundary", "shape": {"box": {"min": [-9e5, -9e5], "max": [9e5, 0]}}}
    pool = scene("wcsph", low=(0.1, 0.1), objects=[floor])
    rtsim.scene(base=pool)
    assert "'floor' would have" in expect(rtsim("run", "pool/scene.json", "-o", "out"), BAD_INPUT).stderr
    pool["objects"][1] = {"name": "room", "kind": "grid", "spacing": 2 * SPACING, "min": [0, -0.5], "max": [0.8, 1]}
    pool["stages"] = [{"type": "flip", "fluid": "water", "grid": "room", "boundary": ["floor"]}]
    rtsim.scene(base=pool)
    expect(rtsim("run", "pool/scene.json", "-o", "out"), DONE)
