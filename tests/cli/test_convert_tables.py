"""Formats of `convert` that hold rows and columns, of every kind of object, read back by NumPy and others."""
import json

import h5py
import numpy as np
import pytest
from conftest import BAD_INPUT, USAGE, expect
from converted_runs import RUNS, Source, columns_of, convert, make_runs
from vtkmodules.util.numpy_support import vtk_to_numpy

runs = pytest.fixture(scope="module")(make_runs)


@pytest.mark.parametrize("name", RUNS)
def test_numpy_reads_every_column(rtsim, runs, name):
    out, source = convert(rtsim, runs, name, "npz"), Source(runs / name)
    for line in source.lines:
        for obj, f in source.objects(line):
            arrays = np.load(out / f"cache/{obj}/{obj}.{line['frame']:06d}.npz")
            assert arrays["time"] == line["time"] and arrays["step"] == line["step"]
            for column, values in columns_of(f):
                assert arrays[column].dtype == values.dtype
                assert np.array_equal(arrays[column].reshape(values.shape), values), column
            if f.attrs["kind"] in (b"particles", b"mesh"):
                dim = f.attrs["dim"]
                assert np.array_equal(arrays["position"], f["VTKHDF/Points"][:, :dim])
            if f.attrs["kind"] == b"mesh":
                assert np.array_equal(arrays["cells"].ravel(), f["VTKHDF/Connectivity"][...])
            if f.attrs["kind"] == b"bodies":
                assert np.array_equal(arrays["surface_points"], f["VTKHDF/Points"][...])


@pytest.mark.parametrize("name", RUNS)
def test_csv_has_a_line_for_each_row(rtsim, runs, name):
    out, source = convert(rtsim, runs, name, "csv", "--frames", "0"), Source(runs / name)
    for obj, f in source.objects(source.lines[0]):
        file = out / f"cache/{obj}/{obj}.000000.csv"
        header = file.read_text().splitlines()[0].split(",")
        table = np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2)
        assert "position.x [m]" in header
        for column, values in columns_of(f):
            where = [k for k, h in enumerate(header) if h.split(" ")[0].split(".")[0] == column]
            # The shortest decimals that read back the same.
            assert np.array_equal(table[:, where].astype(values.dtype), values), column


@pytest.mark.parametrize("name", RUNS)
def test_points_are_the_rows(rtsim, runs, name):
    from vtkmodules.vtkIOPLY import vtkPLYReader

    out, source = convert(rtsim, runs, name, "points", "--frames", "0"), Source(runs / name)
    for obj, f in source.objects(source.lines[0]):
        path = out / f"cache/{obj}/{obj}.000000.ply"
        reader = vtkPLYReader()
        reader.SetFileName(str(path))
        reader.Update()
        points = vtk_to_numpy(reader.GetOutput().GetPoints().GetData())
        if f.attrs["kind"] in (b"particles", b"mesh"):
            assert np.array_equal(points, f["VTKHDF/Points"][...])
        # The columns, by the header's own types.
        head, rows = path.read_bytes().split(b"end_header\n", 1)
        types = {"float": "<f4", "double": "<f8", "int": "<i4", "uint": "<u4", "uchar": "u1"}
        fields = [line.split()[1:] for line in head.decode().splitlines() if line.startswith("property")]
        table = np.frombuffer(rows, dtype=[(n, types[t]) for t, n in fields])
        for column, values in columns_of(f):
            if column == "position":
                continue
            names = [n for _, n in fields if n == column or n.startswith(column + "_") and len(n) == len(column) + 2]
            read = np.stack([table[n] for n in names], axis=1)
            assert np.array_equal(read, values), column


@pytest.mark.parametrize("name", RUNS)
def test_one_hdf5_holds_all_frames_as_they_were(rtsim, runs, name):
    out, source = convert(rtsim, runs, name, "hdf5"), Source(runs / name)
    with h5py.File(out / "cache/frames.h5") as packed:
        for line in source.lines:
            for obj, f in source.objects(line):
                copy = packed[f"{obj}/{line['frame']:06d}"]
                assert dict(copy.attrs).keys() == dict(f.attrs).keys()

                def same(path, item):
                    if isinstance(item, h5py.Dataset):
                        assert np.array_equal(copy[path][...], item[...])
                        assert copy[path].chunks == item.chunks and copy[path].fletcher32 == item.fletcher32
                        if item.chunks:  # not packed anew: the very bytes
                            assert copy[path].id.get_storage_size() == item.id.get_storage_size()
                            zero = (0,) * item.ndim
                            assert copy[path].id.read_direct_chunk(zero) == item.id.read_direct_chunk(zero)

                f.visititems(same)
                assert list(packed[f"{obj}/time"]) == source.times
    said = json.loads((out / "convert.json").read_text())
    assert said["complete"] and said["files"][0]["path"] == "cache/frames.h5"
    assert said["files"][0]["bytes"] == (out / "cache/frames.h5").stat().st_size


def test_columns_can_be_chosen(rtsim, runs):
    out = convert(rtsim, runs, "water", "npz", "--columns", "density", "--objects", "water", "--frames", "0")
    names = set(np.load(out / "cache/water/water.000000.npz"))
    assert names == {"position", "id", "density", "spacing", "time", "step", "frame"}
    bad = rtsim("convert", runs / "water", "-o", "no", "--to", "npz", "--columns", "densty")
    assert 'did you mean "density"?' in expect(bad, BAD_INPUT).stderr
    assert "none to choose" in expect(
        rtsim("convert", runs / "water", "-o", "no", "--to", "hdf5", "--columns", "density"), USAGE).stderr
    assert not (rtsim.folder / "no").exists()
