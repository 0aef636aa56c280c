"""Frames of bodies, read by h5py and VTK."""
import json
import os
import subprocess

import h5py
import numpy as np
import pytest
import vtk

CUBE = {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "transform": {"translate": [0, 5, 0], "axis": [1, 2, 3], "angle": 40}}
BALL = {"sphere": {"centre": [5, 5, 5], "radius": 0.5}}
SQUARE = {"box": {"min": [0, 0], "max": [2, 1]}, "transform": {"translate": [0, 5], "angle": 30}}
DENT = {"polygon": {"points": [[3, 0], [6, 0], [6, 3], [5, 1]]}}


def rtsim(folder, *arguments):
    return subprocess.run([os.environ["RTSIM"], *arguments], cwd=folder, capture_output=True, text=True)


def run(folder, dim, bodies, output):
    text = {"rtsim": 1, "dim": dim, "time": {"dt": 0.01, "frames": 2},
            "objects": [{"name": "b", "kind": "bodies", "density": 2, "bodies": bodies}],
            "stages": [{"type": "rigid", "bodies": "b"}], "output": output}
    (folder / "scene.json").write_text(json.dumps(text))
    done = rtsim(folder, "run", "scene.json", "-o", "run", "--quiet")
    assert done.returncode == 0, done.stderr
    return folder / "run/cache/b"


def read(file):
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(file))
    reader.Update()
    return reader.GetOutput()


def sizes(grid, array):
    """Volume (area) of what each body's triangles enclose (cover)."""
    points = np.array([grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())])
    total = {}
    for c in range(grid.GetNumberOfCells()):
        assert grid.GetCellType(c) == vtk.VTK_TRIANGLE
        ids = grid.GetCell(c).GetPointIds()
        x = points[[ids.GetId(k) for k in range(3)]]
        body = int(grid.GetCellData().GetArray("body").GetTuple1(c))
        flat = np.cross(x[1] - x[0], x[2] - x[0])[2] / 2
        total[body] = total.get(body, 0) + (flat if array == "area" else np.dot(x[0], np.cross(x[1], x[2])) / 6)
    return total


def test_bodies_in_space_are_closed_surfaces_where_they_are(tmp_path):
    output = [{"object": "b"}, {"object": "b", "format": "surface", "files": ["ply", "obj"]}]
    copies = {"shape": BALL, "array": {"count": [2, 1, 1], "step": [3, 0, 0]}, "angular_velocity": [0, 1, 0]}
    cache = run(tmp_path, 3, [{"shape": CUBE, "velocity": [1, 0, 0]}, copies], output)
    first, last = read(cache / "b.000000.hdf"), read(cache / "b.000002.hdf")
    volume = sizes(last, "volume")
    assert volume[0] == pytest.approx(1, rel=1e-5)
    assert volume[1] == pytest.approx(np.pi / 6, rel=0.03) and volume[2] == pytest.approx(volume[1], rel=1e-4)
    assert last.GetPoint(0)[0] - first.GetPoint(0)[0] == pytest.approx(0.02, abs=1e-5)
    with h5py.File(cache / "b.000002.hdf") as f:
        assert f.attrs["kind"] == b"bodies"
        table = f["rtsim"]
        assert table["position"].shape == (3, 3) and table["orientation"].shape == (3, 4)
        assert table["mass"][0] == pytest.approx(2) and table["mass"].attrs["units"] == b"kg"
        assert list(table["shape"][...]) == [0, 1, 1]
        assert table["position"][2, 0] - table["position"][1, 0] == pytest.approx(3)
        assert f["VTKHDF/Points"].attrs["units"] == b"m"
    ply = (cache / "b.surface.000002.ply").read_bytes()
    assert b"element vertex %d\n" % last.GetNumberOfPoints() in ply
    done = rtsim(tmp_path, "convert", "run", "-o", "out", "--to", "ply")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/cache/b/b.surface.000002.ply").read_bytes() == ply
    refused = rtsim(tmp_path, "convert", "run", "-o", "sdf", "--to", "sdf")
    assert refused.returncode == 3 and "has triangles" in refused.stderr


def test_bodies_in_the_plane_are_their_areas(tmp_path):
    cache = run(tmp_path, 2, [{"shape": SQUARE}, {"shape": DENT, "angular_velocity": [2]}], [{"object": "b"}])
    area = sizes(read(cache / "b.000002.hdf"), "area")
    assert area == pytest.approx({0: 2, 1: 3}, rel=1e-5)
    with h5py.File(cache / "b.000002.hdf") as f:
        assert f["rtsim/position"].shape == (2, 2)
        angle = np.arctan2(*f["rtsim/orientation"][0][::-1])
        assert angle == pytest.approx(np.radians(30), abs=1e-6)
        assert f["rtsim/angular_velocity"][1] == pytest.approx(2)


def test_wrong_bodies_are_told_at_their_places(tmp_path):
    bodies = [{"shape": CUBE, "mass": 1, "density": 2}, {"shape": BALL, "angular_velocity": [1]},
              {"shape": {"plane": {}}}, {"shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 1e-6]}}}]
    text = {"rtsim": 1, "time": {"dt": 0.01, "frames": 2}, "stages": [{"type": "rigid", "bodies": "b"}],
            "objects": [{"name": "b", "kind": "bodies", "density": 2, "bodies": bodies}]}
    (tmp_path / "scene.json").write_text(json.dumps(text))
    done = rtsim(tmp_path, "check", "scene.json")
    assert done.returncode == 3
    assert "/objects/0/bodies/0/mass: give \"density\" or \"mass\", not both" in done.stderr
    assert "/objects/0/bodies/1/angular_velocity: must be three numbers" in done.stderr
    text["objects"][0]["bodies"] = bodies[2:]
    (tmp_path / "scene.json").write_text(json.dumps(text))
    done = rtsim(tmp_path, "run", "scene.json", "-o", "run")
    assert done.returncode == 3
    assert "/objects/0/bodies/0: a body is a box" in done.stderr
    assert "/objects/0/bodies/1: is 1e-06 times as thick as it is long" in done.stderr


def test_wrong_materials_are_told_at_their_places(tmp_path):
    bodies = [{"shape": BALL, "material": {"friction": 0.5, "static_friction": 0.4}},
              {"shape": BALL, "material": {"static_friction": 0.4}},
              {"shape": BALL, "material": {"friction": 0.4, "friction_along": 0.1}},
              {"shape": BALL, "material": {"friction_along": 0.1, "friction_axis": [1, 0, 0]}},
              {"shape": BALL, "material": {"restitution": 1.5, "grip": 1}}]
    text = {"rtsim": 1, "time": {"dt": 0.01, "frames": 2},
            "stages": [{"type": "rigid", "bodies": "b", "boundary": ["ground"]}],
            "objects": [{"name": "b", "kind": "bodies", "density": 2, "bodies": bodies, "material": {"friction": 1}},
                        {"name": "ground", "kind": "boundary", "shape": {"plane": {}}, "material": {"friction": -1}}]}
    (tmp_path / "scene.json").write_text(json.dumps(text))
    done = rtsim(tmp_path, "check", "scene.json")
    assert done.returncode == 3
    at = "/objects/0/bodies"
    for line in (f"{at}/0/material/static_friction: must not be below \"friction\"",
                 f"{at}/1/material/static_friction: needs a \"friction\" beside it",
                 f"{at}/2/material/friction_axis: missing or zero",
                 f"{at}/3/material/friction_along: needs a \"friction\" above 0 beside it",
                 f"{at}/4/material/restitution: ", f"{at}/4/material/grip: unknown key",
                 "/objects/0/material: is for kind \"boundary\"", "/objects/1/material/friction: "):
        assert line in done.stderr


@pytest.mark.parametrize("dim", [2, 3])
def test_points_of_contact_bear_the_weight(tmp_path, dim):
    box = {"min": [-0.5, 0, -0.5][:dim], "max": [0.5, 1, 0.5][:dim]}
    text = {"rtsim": 1, "dim": dim, "time": {"fps": 60, "frames": 120},
            "objects": [{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{"shape": {"box": box}}]},
                        {"name": "ground", "kind": "boundary", "shape": {"plane": {}}}],
            "stages": [{"type": "rigid", "bodies": "b", "boundary": ["ground"]}],
            "output": [{"object": "b", "every": 60}]}
    (tmp_path / "scene.json").write_text(json.dumps(text))
    done = rtsim(tmp_path, "run", "scene.json", "-o", "run", "--quiet")
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "run/cache/b/b.000120.hdf") as f:
        touches = f["touches"]
        points = 2 * (dim - 1)
        assert touches["bodies"][...].tolist() == [[0, -1]] * points
        assert touches["force"].attrs["units"] == b"N"
        # On the ground, which is the second.
        force = touches["force"][...]
        assert force.sum(axis=0)[:2] == pytest.approx([0, -9810], rel=1e-3, abs=1)
        assert touches["normal"][...][:, 1] == pytest.approx([-1] * points)
        assert sorted(touches["position"][...][:, 0]) == pytest.approx([-0.5] * (dim - 1) + [0.5] * (dim - 1), abs=1e-3)
        assert np.abs(touches["position"][...][:, 1]).max() < 1e-3
        assert touches["separation"][...].max() < 0 and touches["separation"][...].min() > -1e-3
    with h5py.File(tmp_path / "run/cache/b/b.000000.hdf") as f:
        assert f["touches/position"].shape == (0, dim)
    text["output"][0]["columns"] = ["velocity"]
    (tmp_path / "scene.json").write_text(json.dumps(text))
    assert rtsim(tmp_path, "run", "scene.json", "-o", "less", "--quiet").returncode == 0
    with h5py.File(tmp_path / "less/cache/b/b.000120.hdf") as f:
        assert "touches" not in f


GRAVITY = np.array([0, -9.81, -3])


def block(x, y, z, angle, height=1, **more):
    turned = {"axis": [0, 0, 1], "angle": -angle, "translate": [0, 0, 0]}
    return {"shape": {"box": {"min": [x - 0.5, y, z], "max": [x + 0.5, y + height, z + 1]}, "transform": turned}, **more}


def run_on_a_slope(folder, threads):
    """Two cubes, one on the other, are pushed up a slope and along a wall; a third slides down freely."""
    angle = 20
    down = np.array([np.cos(np.radians(angle)), -np.sin(np.radians(angle)), 0])
    bodies = [block(0, 0, 0, angle, velocity=list(-0.1 * down)), block(0, 1, 0, angle, velocity=list(-0.1 * down)),
              block(5, 0, 0, angle)]
    pusher = {"name": "pusher", "kind": "boundary", "motion": {"velocity": list(-0.1 * down)},
              **block(1, 0, 0, angle, 3)}
    normal = [-down[1], down[0], 0]
    text = {"rtsim": 1, "dim": 3, "gravity": list(GRAVITY), "time": {"dt": 1 / 60, "frames": 60},
            "objects": [{"name": "b", "kind": "bodies", "density": 1000, "bodies": bodies},
                        {"name": "wall", "kind": "boundary", "shape": {"plane": {"normal": [0, 0, 1]}}},
                        {"name": "slope", "kind": "boundary", "shape": {"plane": {"normal": normal}}}, pusher],
            "stages": [{"type": "rigid", "bodies": "b", "boundary": ["wall", "slope", "pusher"], "friction": 0.1}],
            "output": [{"object": "b"}]}
    (folder / "scene.json").write_text(json.dumps(text))
    done = rtsim(folder, "run", "scene.json", "-o", f"run{threads}", "--quiet", "--threads", str(threads))
    assert done.returncode == 0, done.stderr
    return folder / f"run{threads}/cache/b"


def forces_on(touches, bodies):
    total = np.zeros((bodies, 3))
    for (first, second), force in zip(touches["bodies"][...], touches["force"][...]):
        assert first >= 0  # a body, since it moves
        total[first] -= force
        if second >= 0:
            total[second] += force
    return total


def test_forces_of_contacts_sum_to_what_moves_the_bodies(tmp_path):
    cache = run_on_a_slope(tmp_path, 1)
    with h5py.File(cache / "b.000059.hdf") as before, h5py.File(cache / "b.000060.hdf") as f:
        acceleration = (f["rtsim/velocity"][...] - before["rtsim/velocity"][...]) * 60
        assert {tuple(p) for p in f["touches/bodies"][...].tolist()} == {
            (0, -1), (0, -2), (0, -3), (0, 1), (1, -1), (1, -3), (2, -1), (2, -2)}
        total = forces_on(f["touches"], 3)
        mass = 1000
        for body in range(3):
            assert total[body] == pytest.approx(mass * (acceleration[body] - GRAVITY), abs=0.01 * mass * 9.81)
        # Along the wall and the slope by Coulomb's friction on both.
        angle = np.radians(20)
        free = 9.81 * np.sin(angle) - 0.1 * (9.81 * np.cos(angle) + 3)
        assert acceleration[2] @ [np.cos(angle), -np.sin(angle), 0] == pytest.approx(free, rel=0.01)
        assert np.linalg.norm(f["touches/normal"][...], axis=1) == pytest.approx(1)
        threads = run_on_a_slope(tmp_path, 4)
        with h5py.File(threads / "b.000060.hdf") as other:
            for name in f["touches"]:
                assert np.array_equal(f["touches"][name][...], other["touches"][name][...])


def test_what_sleeps_is_not_among_the_points_of_contact(tmp_path):
    text = {"rtsim": 1, "time": {"fps": 60, "frames": 60},
            "objects": [{"name": "b", "kind": "bodies", "density": 1000, "bodies": [block(0, 0, 0, 0)]},
                        {"name": "ground", "kind": "boundary", "shape": {"plane": {}}}],
            "stages": [{"type": "rigid", "bodies": "b", "boundary": ["ground"], "sleep_after": 0.5}],
            "output": [{"object": "b", "every": 20}]}
    (tmp_path / "scene.json").write_text(json.dumps(text))
    done = rtsim(tmp_path, "run", "scene.json", "-o", "run", "--quiet")
    assert done.returncode == 0, done.stderr
    for frame, points in ((20, 4), (60, 0)):
        with h5py.File(tmp_path / f"run/cache/b/b.{frame:06d}.hdf") as f:
            assert f["touches/force"].shape == (points, 3)
