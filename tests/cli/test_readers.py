"""Frames of a real run, read by other people's readers: h5py, VTK and OpenVDB."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

FRAMES = 3
SPACING = 0.02
SCENE = {
    "rtsim": 1,
    "dim": 3,
    "time": {"fps": 100, "steps_per_frame": 5, "frames": FRAMES - 1},
    "objects": [
        {"name": "water", "kind": "particles", "spacing": SPACING,
         "fill": {"box": {"min": [0, 0, 0], "max": [0.16, 0.24, 0.12]}}},
        {"name": "tank", "kind": "boundary",
         "shape": {"box": {"min": [0, 0, 0], "max": [0.4, 0.4, 0.12]}, "inside": True}},
    ],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"], "substeps": 8}],
    "output": [{"object": "water", "format": "hdf5"}, {"object": "water", "format": "vdb"}],
}
ROWS = 8 * 12 * 6


def run_scene(scene, folder):
    file = folder / "scene.json"
    file.write_text(json.dumps(scene))
    out = folder / "run"
    subprocess.run([os.environ["RTSIM"], "run", str(file), "-o", str(out), "--quiet"], check=True)
    return out


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return run_scene(SCENE, tmp_path_factory.mktemp("readers"))


@pytest.fixture(scope="module")
def flat_run(tmp_path_factory):
    """The same in the plane, with columns chosen and rounded."""
    scene = json.loads(json.dumps(SCENE))
    scene["dim"] = 2
    scene["objects"][0]["fill"]["box"] = {"min": [0, 0], "max": [0.16, 0.24]}
    scene["objects"][1]["shape"]["box"] = {"min": [0, 0], "max": [0.4, 0.4]}
    scene["output"] = [{"object": "water", "format": "hdf5", "columns": ["velocity", "density"],
                        "bits": 10}]
    return run_scene(scene, tmp_path_factory.mktemp("flat"))


def frame(run, index, extension="hdf"):
    return str(run / "cache" / "water" / f"water.{index:06d}.{extension}")


def test_planes_that_are_stored_are_read_by_h5py_and_by_convert_alike(tmp_path):
    scene = json.loads(json.dumps(SCENE))
    scene["objects"][0]["fill"]["box"]["max"] = [0.4, 0.4, 0.4]
    scene["objects"][1]["shape"]["box"]["max"] = [0.8, 0.8, 0.4]
    scene["output"] = [{"object": "water", "format": "hdf5"}]
    run = run_scene(scene, tmp_path)
    subprocess.run([os.environ["RTSIM"], "convert", str(run), "-o", str(tmp_path / "npz"), "--to", "npz"], check=True)
    with h5py.File(frame(run, 2)) as f, np.load(tmp_path / "npz/cache/water/water.000002.npz") as ours:
        velocity = f["VTKHDF/PointData/velocity"]
        packed = velocity.id.read_direct_chunk((0, 0))[1]
        assert packed[:3] == b"\x78\x01\x00"  # zlib's header, and a stored block that is not the last
        for name in ("velocity", "density", "id"):
            assert np.array_equal(f["VTKHDF/PointData"][name][:], ours[name])
        assert np.array_equal(f["VTKHDF/Points"][:], ours["position"])


def test_h5py_reads_rows_columns_types_and_units(run):
    with h5py.File(frame(run, 2)) as f:
        assert f.attrs["format"] == b"rtsim-frame"
        assert f.attrs["frame"] == 2 and f.attrs["step"] == 10
        assert f.attrs["time"] == pytest.approx(0.02)
        assert f.attrs["object"] == b"water" and f.attrs["kind"] == b"particles"
        data = f["VTKHDF"]
        assert data["Points"].shape == (ROWS, 3)
        units = {name: column.attrs["units"] for name, column in data["PointData"].items()}
        assert data["Points"].attrs["units"] == b"m"
        assert units["velocity"] == b"m/s"
        assert units["density"] == b"kg/m^3"
        assert units["pressure"] == b"Pa"
        assert data["PointData/id"].dtype == np.uint32
        assert len(np.unique(data["PointData/id"])) == ROWS
        for column in data["PointData"].values():
            assert np.isfinite(column[...]).all()


def test_h5py_reports_a_flipped_byte(run, tmp_path):
    """Chunks are compressed by us, and their checksums must be the library's."""
    copy = tmp_path / "flipped.hdf"
    shutil.copy(frame(run, 1), copy)
    with h5py.File(copy) as f:
        chunk = f["VTKHDF/PointData/density"].id.get_chunk_info(0)
    content = bytearray(copy.read_bytes())
    content[chunk.byte_offset + chunk.size // 2] ^= 1
    copy.write_bytes(content)
    with h5py.File(copy) as f, pytest.raises(OSError, match="Fletcher32"):
        f["VTKHDF/PointData/density"][...]


def test_vtk_reads_the_series_with_its_times(run):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    series = json.loads((run / "cache" / "water.hdf.series").read_text())
    assert series["file-series-version"] == "1.0"
    assert [f["time"] for f in series["files"]] == pytest.approx([0, 0.01, 0.02])
    for entry in series["files"]:
        file = str(run / "cache" / entry["name"])
        reader = vtkHDFReader()
        assert reader.CanReadFile(file)
        reader.SetFileName(file)
        reader.Update()
        grid = reader.GetOutput()
        assert grid.GetNumberOfPoints() == ROWS
        assert grid.GetNumberOfCells() == 1
        data = grid.GetPointData()
        with h5py.File(file) as f:
            assert np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), f["VTKHDF/Points"])
            for name, column in f["VTKHDF/PointData"].items():
                assert np.array_equal(vtk_to_numpy(data.GetArray(name)), column)


def test_columns_can_be_chosen_and_rounded_and_the_plane_gets_z(flat_run):
    with h5py.File(frame(flat_run, 2)) as f:
        data = f["VTKHDF"]
        assert sorted(data["PointData"]) == ["density", "velocity"]
        assert data["Points"].shape[1] == 3 and (data["Points"][:, 2] == 0).all()
        assert data["PointData/velocity"].shape[1] == 3
        assert data["PointData/density"].attrs["units"] == b"kg/m^2"
        mantissa = data["PointData/density"][...].astype(np.float32).view(np.uint32) & 0x7FFFFF
        assert (mantissa & ((1 << 13) - 1) == 0).all()


def test_pyopenvdb_reads_fog_and_level_set(run):
    vdb = pytest.importorskip("pyopenvdb")
    grids, metadata = vdb.readAll(frame(run, 1, "vdb"))
    assert metadata["frame"] == 1 and metadata["time"] == pytest.approx(0.01)
    grids = {g.name: g for g in grids}
    assert sorted(grids) == ["density", "surface"]
    density, surface = grids["density"], grids["surface"]
    assert density.gridClass == "fog volume" and surface.gridClass == "level set"
    assert density.transform.voxelSize() == pytest.approx((SPACING,) * 3)
    # One voxel's volume for each particle.
    assert sum(v.value * v.count for v in density.citerOnValues()) == pytest.approx(ROWS, rel=1e-5)
    middle = density.transform.worldToIndexCellCentered((0.08, 0.1, 0.06))
    assert surface.getConstAccessor().getValue(middle) < 0
    assert surface.getConstAccessor().getValue((100, 100, 100)) > 0


def test_openvdbs_own_tool_lists_both_grids(run):
    if not shutil.which("vdb_print"):
        pytest.skip("vdb_print (libopenvdb-tools) is not installed")
    text = subprocess.run(["vdb_print", "-m", frame(run, 1, "vdb")], check=True,
                          capture_output=True, text=True).stdout
    assert "density" in text and "surface" in text
    assert "class: level set" in text and "class: fog volume" in text and "units: m" in text


def test_two_runs_of_a_scene_write_the_same_bytes(run, tmp_path):
    again = run_scene(SCENE, tmp_path)
    assert (again / "frames.jsonl").read_bytes() == (run / "frames.jsonl").read_bytes()
    for index in range(FRAMES):
        for extension in ("hdf", "vdb"):
            assert Path(frame(again, index, extension)).read_bytes() == Path(
                frame(run, index, extension)).read_bytes()
