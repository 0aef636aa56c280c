"""Frames of a grid, written by a real run, read by h5py, VTK and OpenVDB."""
import json
import os
import subprocess

import h5py
import numpy as np
import pytest

CELLS = (12, 8, 6)
SPACING = 0.1
LOW = (-0.2, 0.3, 1.0)
SPEED = 0.5
PERIODIC = {"type": "periodic"}


def scene(dim):
    """Vortices at the start, whose velocity is known in every cell, round a box that stands still."""
    high = [low + n * SPACING for low, n in zip(LOW, CELLS)]
    faces = {f"{axis}_{side}": PERIODIC for axis in "xyz"[:dim] for side in ("min", "max")}
    files = [{"object": "air", "format": "hdf5"}] + [{"object": "air", "format": "vdb"}] * (dim == 3)
    box = {"min": [0.3, 0.5, 1.2][:dim], "max": [0.5, 0.7, 1.4][:dim]}
    return {
        "rtsim": 1,
        "dim": dim,
        "time": {"dt": 0.01, "steps_per_frame": 2, "frames": 1},
        "objects": [
            {"name": "air", "kind": "grid", "spacing": SPACING, "min": LOW[:dim], "max": high[:dim]},
            {"name": "block", "kind": "boundary", "shape": {"box": box}},
        ],
        "stages": [{"type": "lbm", "grid": "air", "boundary": ["block"], "kinematic_viscosity": 0.1,
                    "vortices": {"speed": SPEED}, **faces}],
        "output": files,
    }


def run_scene(dim, folder):
    (folder / "scene.json").write_text(json.dumps(scene(dim)))
    out = folder / "run"
    subprocess.run([os.environ["RTSIM"], "run", str(folder / "scene.json"), "-o", str(out), "--quiet"],
                   check=True)
    return out


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    return run_scene(3, tmp_path_factory.mktemp("space"))


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    return run_scene(2, tmp_path_factory.mktemp("plane"))


def frame(run, index, extension="hdf"):
    return str(run / "cache" / "air" / f"air.{index:06d}.{extension}")


def velocity_at_start(points):
    """u = U cos kx sin ky, v = -U kx / ky sin kx cos ky, one wave along each axis; 0 in the block."""
    kx, ky = (2 * np.pi / (n * SPACING) for n in CELLS[:2])
    x, y = kx * (points[..., 0] - LOW[0]), ky * (points[..., 1] - LOW[1])
    u = np.zeros(points.shape)
    u[..., 0] = SPEED * np.cos(x) * np.sin(y)
    u[..., 1] = -SPEED * kx / ky * np.sin(x) * np.cos(y)
    inside = (abs(points[..., 0] - 0.4) < 0.1) & (abs(points[..., 1] - 0.6) < 0.1)
    if (points[..., 2] != 0).any():
        inside &= abs(points[..., 2] - 1.3) < 0.1
    u[inside] = 0
    return u


def centres(dim):
    k, j, i = np.meshgrid(*[np.arange(n) for n in reversed(CELLS)], indexing="ij")
    x = np.stack([LOW[a] + (c + 0.5) * SPACING for a, c in enumerate((i, j, k))], axis=-1)
    if dim == 2:
        x = x[0]
        x[..., 2] = 0
    return x


def vtk_output(file):
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    assert reader.CanReadFile(file)
    reader.SetFileName(file)
    reader.Update()
    return reader.GetOutput()


def arrays(output):
    from vtkmodules.util.numpy_support import vtk_to_numpy

    data = output.GetPointData()
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


def test_h5py_reads_an_image_with_its_place_and_units(space):
    with h5py.File(frame(space, 0)) as f:
        assert f.attrs["kind"] == b"grid" and f.attrs["object"] == b"air"
        assert tuple(f.attrs["cells"]) == CELLS and tuple(f.attrs["low"]) == pytest.approx(LOW)
        assert f["VTKHDF"].attrs["Type"] == b"ImageData"
        data = f["VTKHDF/PointData"]
        assert sorted(data) == ["pressure", "velocity"]
        assert data["velocity"].attrs["units"] == b"m/s" and data["pressure"].attrs["units"] == b"Pa"
        assert data["velocity"].shape == (*reversed(CELLS), 3)
        assert data["velocity"][...] == pytest.approx(velocity_at_start(centres(3)), abs=1e-6)


def test_the_fluid_has_moved_by_the_next_frame(space):
    with h5py.File(frame(space, 0)) as a, h5py.File(frame(space, 1)) as b:
        u, v = a["VTKHDF/PointData/velocity"][...], b["VTKHDF/PointData/velocity"][...]
        assert b.attrs["step"] == 2 and b.attrs["time"] == pytest.approx(0.02)
    assert 1e-4 < abs(v - u).max() < SPEED
    still = (velocity_at_start(centres(3)) == 0).all(axis=-1)
    assert still.sum() == 8 and (v[still] == 0).all()


def test_vtk_reads_an_image_whose_points_are_the_centres_of_cells(space):
    for index in range(2):
        image = vtk_output(frame(space, index))
        assert image.GetDimensions() == CELLS
        assert image.GetSpacing() == pytest.approx((SPACING,) * 3)
        points = np.array([image.GetPoint(k) for k in range(image.GetNumberOfPoints())])
        assert points == pytest.approx(centres(3).reshape(-1, 3), abs=1e-9)
        with h5py.File(frame(space, index)) as f:
            for name, values in arrays(image).items():
                stored = f["VTKHDF/PointData/" + name][...]
                assert np.array_equal(values, stored.reshape(values.shape))


def test_vtk_reads_the_plane_as_quads_between_the_centres(plane):
    grid = vtk_output(frame(plane, 0))
    assert grid.GetNumberOfPoints() == CELLS[0] * CELLS[1]
    assert grid.GetNumberOfCells() == (CELLS[0] - 1) * (CELLS[1] - 1)
    assert {grid.GetCellType(k) for k in range(grid.GetNumberOfCells())} == {9}  # quads
    from vtkmodules.util.numpy_support import vtk_to_numpy
    points = vtk_to_numpy(grid.GetPoints().GetData())
    assert points == pytest.approx(centres(2).reshape(-1, 3), abs=1e-6)
    exact = velocity_at_start(centres(2)).reshape(-1, 3)
    assert arrays(grid)["velocity"] == pytest.approx(exact, abs=1e-6)
    for k in range(grid.GetNumberOfCells()):
        sides = [np.array(grid.GetPoint(grid.GetCell(k).GetPointId(corner))) for corner in range(4)]
        assert np.cross(sides[1] - sides[0], sides[2] - sides[0])[2] > 0  # counter-clockwise


def test_pyopenvdb_reads_a_volume_for_each_column(space):
    vdb = pytest.importorskip("pyopenvdb")
    grids, metadata = vdb.readAll(frame(space, 0, "vdb"))
    assert metadata["frame"] == 0 and metadata["object"] == "air"
    grids = {g.name: g for g in grids}
    assert sorted(grids) == ["pressure", "velocity"]
    velocity = grids["velocity"].getConstAccessor()
    exact = velocity_at_start(centres(3))
    for k, j, i in np.ndindex(*reversed(CELLS)):
        assert velocity.getValue((i, j, k)) == pytest.approx(tuple(exact[k, j, i]), abs=1e-6)
    assert velocity.getValue((-1, 0, 0)) == (0, 0, 0) and velocity.getValue((CELLS[0], 0, 0)) == (0, 0, 0)
    for grid in grids.values():
        assert grid.transform.voxelSize() == pytest.approx((SPACING,) * 3)
        assert grid.transform.indexToWorld((3, 2, 1)) == pytest.approx(tuple(centres(3)[1, 2, 3]))
    with h5py.File(frame(space, 0)) as f:
        stored = f["VTKHDF/PointData/pressure"][...]
    pressure = grids["pressure"].getConstAccessor()
    assert pressure.getValue((3, 2, 1)) == pytest.approx(float(stored[1, 2, 3]), rel=1e-6)
