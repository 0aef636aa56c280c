"""Frames of columns of water, read by h5py and VTK."""
import csv

import h5py
import numpy as np
import pytest
import vtk
from vtk.util.numpy_support import vtk_to_numpy

from conftest import SOURCE

NX, NZ = 40, 24


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    import os
    import subprocess
    out = tmp_path_factory.mktemp("heights") / "run"
    subprocess.run([os.environ["RTSIM"], "run", str(SOURCE / "configs/shallow_water/tiny.json"), "-o", str(out),
                    "--quiet"], check=True)
    return out


def frame(run, index):
    return str(run / "cache" / "water" / f"water.{index:06d}.hdf")


def test_h5py_reads_columns_that_stand_on_the_bed(run):
    with h5py.File(frame(run, 2)) as f:
        assert f.attrs["kind"] == b"height_field"
        data = f["VTKHDF"]
        points, columns = data["Points"][...], {n: c[...] for n, c in data["PointData"].items()}
        assert {n: data["PointData"][n].attrs["units"] for n in ("bed", "depth", "discharge_x", "velocity")} == {
            "bed": b"m", "depth": b"m", "discharge_x": b"m^2/s", "velocity": b"m/s"}
    assert points.shape == (NX * NZ, 3)
    np.testing.assert_allclose(points[:, 1], columns["bed"] + columns["depth"], atol=1e-6)
    assert columns["depth"].min() >= 0
    deep = columns["depth"] > 0.01
    # Computed for this frame, not left over from the start.
    np.testing.assert_allclose(columns["velocity"][deep, 0], columns["discharge_x"][deep] / columns["depth"][deep],
                               rtol=1e-5, atol=1e-6)
    assert np.abs(columns["velocity"]).max() > 0.5


def test_vtk_reads_one_sheet_of_quads_and_its_volume(run):
    reader = vtk.vtkHDFReader()
    reader.SetFileName(frame(run, 2))
    reader.Update()
    sheet = reader.GetOutput()
    assert sheet.GetNumberOfCells() == (NX - 1) * (NZ - 1)
    assert {sheet.GetCellType(c) for c in range(sheet.GetNumberOfCells())} == {vtk.VTK_QUAD}
    bounds = sheet.GetBounds()
    assert bounds[:2] == pytest.approx((0.025, 1.975)) and bounds[4:] == pytest.approx((0.025, 1.175))
    surface = vtk.vtkGeometryFilter()
    surface.SetInputData(sheet)
    normals = vtk.vtkPolyDataNormals()
    normals.SetInputConnection(surface.GetOutputPort())
    normals.SplittingOff()
    normals.ConsistencyOff()
    normals.Update()
    assert vtk_to_numpy(normals.GetOutput().GetPointData().GetNormals())[:, 1].min() > 0  # all face up
    depth = vtk_to_numpy(sheet.GetPointData().GetArray("depth")).astype(float)
    with open(run / "series.csv") as f:
        last = list(csv.DictReader(f))[-1]
    assert 1000 * 0.05**2 * depth.sum() == pytest.approx(float(last["shallow_water.water.mass [kg]"]), rel=1e-6)


def test_pyopenvdb_reads_the_water_as_fog_and_as_a_level_set(tmp_path_factory):
    import os
    import subprocess
    vdb = pytest.importorskip("pyopenvdb")
    folder = tmp_path_factory.mktemp("volume")
    scene = (SOURCE / "configs/shallow_water/tiny.json").read_text()
    (folder / "scene.json").write_text(
        scene.replace('"output": [', '"output": [ { "object": "water", "format": "vdb", "voxel": 0.05 },'))
    subprocess.run([os.environ["RTSIM"], "run", str(folder / "scene.json"), "-o", str(folder / "run"), "--quiet"],
                   check=True)
    grids, metadata = vdb.readAll(str(folder / "run/cache/water/water.000002.vdb"))
    assert metadata["kind"] == "height_field"
    grids = {g.name: g for g in grids}
    assert sorted(grids) == ["density", "surface", "velocity"]
    with h5py.File(frame(folder / "run", 2)) as f:
        points = f["VTKHDF/Points"][...]
        columns = {n: c[...] for n, c in f["VTKHDF/PointData"].items()}
    volume = columns["depth"].sum() * 0.05**2
    assert sum(v["value"] for v in grids["density"].citerOnValues()) * 0.05**3 == pytest.approx(volume, rel=1e-5)
    # A column of still deep water: its level set is 0 at its surface, and below 0 under it.
    c = int(np.argmax(np.where(columns["depth"] > 0.2, -np.linalg.norm(columns["velocity"], axis=1), -np.inf)))
    x, y, z = points[c]
    assert grids["density"].transform.indexToWorld((c % NX, 0, c // NX)) == pytest.approx((x, 0, z), abs=1e-6)
    surface = grids["surface"].getConstAccessor()
    below, above = int(np.floor(y / 0.05)), int(np.floor(y / 0.05)) + 1
    low, high = (surface.getValue((c % NX, j, c // NX)) for j in (below, above))
    assert low <= 0 < high
    assert (below + low / (low - high)) * 0.05 == pytest.approx(y, abs=1e-4)
    velocity = grids["velocity"].getConstAccessor().getValue((c % NX, below, c // NX))
    assert velocity == pytest.approx(tuple(columns["velocity"][c]), abs=1e-5)
