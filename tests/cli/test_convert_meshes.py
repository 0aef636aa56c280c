"""Formats of `convert` that hold geometry, read back by VTK or by the words of their specification."""
import json
import struct

import numpy as np
import pytest
from conftest import DONE, expect
from converted_runs import RUNS, Source, columns_of, convert, make_runs
from vtkmodules.util.numpy_support import vtk_to_numpy

runs = pytest.fixture(scope="module")(make_runs)


def vtk_file(path):
    from vtkmodules.vtkIOLegacy import vtkDataSetReader

    reader = vtkDataSetReader()
    reader.SetFileName(str(path))
    reader.ReadAllScalarsOn()
    reader.Update()
    return reader.GetOutput()


@pytest.mark.parametrize("name", RUNS)
def test_vtk_reads_geometry_columns_and_time(rtsim, runs, name):
    out, source = convert(rtsim, runs, name, "vtk"), Source(runs / name)
    line = source.lines[-1]
    for obj, f in source.objects(line):
        data = vtk_file(out / f"cache/{obj}/{obj}.{line['frame']:06d}.vtk")
        assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == line["time"]
        if "Points" in f["VTKHDF"]:
            assert np.array_equal(vtk_to_numpy(data.GetPoints().GetData()), f["VTKHDF/Points"][...])
            assert data.GetNumberOfCells() == len(f["VTKHDF/Types"])
        else:
            assert data.GetBounds()[::2] == pytest.approx(f["VTKHDF"].attrs["Origin"])
        bodies = f.attrs["kind"] == b"bodies"
        found = data.GetCellData() if bodies else data.GetPointData()
        for column, values in columns_of(f):
            if bodies:
                values = values[f["VTKHDF/CellData/body"][...]]
            read = vtk_to_numpy(found.GetArray(column)).reshape(len(values), -1)
            assert np.array_equal(read[:, : values.shape[1]], values), column
            assert not read[:, values.shape[1]:].any()
    times = json.loads((out / f"cache/{obj}.vtk.series").read_text())["files"]
    assert [t["time"] for t in times] == source.times
    assert (out / "cache" / times[0]["name"]).exists()


@pytest.mark.parametrize("name", ["water", "plane", "cloth", "jelly", "torn", "lines"])
def test_vtu_reads_as_vtk_does(rtsim, runs, name):
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

    out, source = convert(rtsim, runs, name, "vtu"), Source(runs / name)
    line = source.lines[-1]
    for obj, f in source.objects(line):
        if f.attrs["kind"] not in (b"particles", b"mesh"):
            continue
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(out / f"cache/{obj}/{obj}.{line['frame']:06d}.vtu"))
        reader.Update()
        data = reader.GetOutput()
        assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == line["time"]
        assert np.array_equal(vtk_to_numpy(data.GetPoints().GetData()), f["VTKHDF/Points"][...])
        assert np.array_equal(vtk_to_numpy(data.GetCells().GetConnectivityArray()), f["VTKHDF/Connectivity"][...])
        assert np.array_equal(vtk_to_numpy(data.GetCells().GetOffsetsArray()), f["VTKHDF/Offsets"][...])
        assert np.array_equal(vtk_to_numpy(data.GetCellTypesArray()), f["VTKHDF/Types"][...])
        for column, values in columns_of(f):
            read = vtk_to_numpy(data.GetPointData().GetArray(column)).reshape(len(values), -1)
            assert np.array_equal(read[:, : values.shape[1]], values), column
    times = json.loads((out / f"cache/{obj}.vtu.series").read_text())["files"] if obj != "tank" else []
    assert not times or [t["time"] for t in times] == source.times


def read_pc2(path):
    raw = path.read_bytes()
    name, version, points, start, rate, samples = struct.unpack("<12siiffi", raw[:32])
    assert (name, version, start, rate) == (b"POINTCACHE2\0", 1, 0, 1)
    return np.frombuffer(raw[32:], "<f4").reshape(samples, points, 3)


def by_id(f):
    x = f["VTKHDF/Points"][...]
    return x[np.argsort(f["VTKHDF/PointData/id"][...])] if f.attrs["kind"] == b"particles" else x


@pytest.mark.parametrize("name", ["water", "plane", "jelly", "lines", "bodies", "waves"])
def test_pc2_plays_the_points_of_the_obj(rtsim, runs, name):
    from vtkmodules.vtkIOGeometry import vtkOBJReader

    out, source = convert(rtsim, runs, name, "obj_pc2"), Source(runs / name)
    for k, line in enumerate(source.lines):
        for obj, f in source.objects(line):
            cache = read_pc2(out / f"cache/{obj}/{obj}.pc2")
            assert len(cache) == len(source.times)
            if f.attrs["kind"] != b"boundary":
                assert np.array_equal(cache[k], by_id(f).astype("f4"))
            if k == 0:
                text = (out / f"cache/{obj}/{obj}.obj").read_text()
                points = np.array([line.split()[1:] for line in text.splitlines() if line.startswith("v ")], "f4")
                assert np.array_equal(points, cache[0])
            if f.attrs["kind"] in (b"bodies", b"mesh") and "f " in text:
                reader = vtkOBJReader()
                reader.SetFileName(str(out / f"cache/{obj}/{obj}.obj"))
                reader.Update()
                assert reader.GetOutput().GetNumberOfCells() > 0
                assert reader.GetOutput().GetNumberOfPoints() == cache.shape[1]


class Glb:
    """By the words of the glTF 2.0 specification alone."""

    def __init__(self, path):
        raw = path.read_bytes()
        magic, version, length = struct.unpack("<4sII", raw[:12])
        assert (magic, version, length) == (b"glTF", 2, len(raw))
        n, kind = struct.unpack("<I4s", raw[12:20])
        assert kind == b"JSON"
        self.json = json.loads(raw[20:20 + n])
        size, kind = struct.unpack("<I4s", raw[20 + n:28 + n])
        assert kind == b"BIN\0" and 28 + n + size == len(raw)
        self.bytes = raw[28 + n:]

    def array(self, k):
        a = self.json["accessors"][k]
        view = self.json["bufferViews"][a["bufferView"]]
        at = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        wide = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[a["componentType"]]
        flat = np.frombuffer(self.bytes, kind, a["count"] * wide, at)
        return flat.reshape(-1, wide) if wide > 1 else flat

    def channel(self, node, path):
        (animation,) = self.json["animations"]
        (c,) = [c for c in animation["channels"] if c["target"] == {"node": node, "path": path}]
        s = animation["samplers"][c["sampler"]]
        return self.array(s["input"]), self.array(s["output"])


def rotate(q, v):
    u, w = q[:3], q[3]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


@pytest.mark.parametrize("name", ["cloth", "waves", "lines", "water"])
def test_gltf_morphs_into_every_frame(rtsim, runs, name):
    out, source = convert(rtsim, runs, name, "gltf"), Source(runs / name)
    glb = Glb(out / "cache/scene.glb")
    for n, node in enumerate(glb.json["nodes"]):
        (primitive,) = glb.json["meshes"][node["mesh"]]["primitives"]
        base = glb.array(primitive["attributes"]["POSITION"])
        targets = [glb.array(t["POSITION"]) for t in primitive["targets"]]
        times, weights = glb.channel(n, "weights")
        assert times == pytest.approx(source.times)
        weights = weights.reshape(len(times), len(targets))
        for k, line in enumerate(source.lines):
            shown = base + sum(w * t for w, t in zip(weights[k], targets))
            for obj, f in source.objects(line):
                if obj == node["name"] and f.attrs["kind"] != b"boundary":
                    # A sum of two floats: half a unit in the last place of a metre or so.
                    assert np.abs(shown - by_id(f)).max() < 1e-6


def test_gltf_moves_bodies_as_nodes(rtsim, runs):
    out, source = convert(rtsim, runs, "bodies", "gltf"), Source(runs / "bodies")
    glb = Glb(out / "cache/scene.glb")
    for k, line in enumerate(source.lines):
        for obj, f in source.objects(line):
            points, corners = f["VTKHDF/Points"][...], f["VTKHDF/Connectivity"][...].reshape(-1, 3)
            owner = f["VTKHDF/CellData/body"][...]
            for n, node in enumerate(glb.json["nodes"]):
                name, body = node["name"].rsplit(".", 1)
                if name != obj:
                    continue
                (primitive,) = glb.json["meshes"][node["mesh"]]["primitives"]
                local = glb.array(primitive["attributes"]["POSITION"])[glb.array(primitive["indices"])]
                times, x = glb.channel(n, "translation")
                _, q = glb.channel(n, "rotation")
                assert times == pytest.approx(source.times)
                shown = rotate(q[k].astype(float), local) + x[k]
                # Floats of metres, turned back and forth.
                assert np.abs(shown - points[corners[owner == int(body)]].reshape(-1, 3)).max() < 1e-5


@pytest.mark.parametrize("name", ["water", "cloth", "bodies", "waves"])
def test_stl_has_the_triangles_of_the_ply(rtsim, runs, name):
    from vtkmodules.vtkIOGeometry import vtkSTLReader
    from vtkmodules.vtkIOPLY import vtkPLYReader

    expect(rtsim("convert", runs / name, "-o", "out", "--to", "stl,ply", "--frames", "0"), DONE)
    stls = list((rtsim.folder / "out/cache").rglob("*.surface.000000.stl"))
    assert stls
    for path in stls:
        def read(reader, file):
            reader.SetFileName(str(file))
            reader.Update()
            return reader.GetOutput()

        stl, ply = read(vtkSTLReader(), path), read(vtkPLYReader(), path.with_suffix(".ply"))
        assert stl.GetNumberOfCells() == ply.GetNumberOfCells() > 0
        assert stl.GetBounds() == ply.GetBounds()


@pytest.mark.parametrize("name", ["smoke", "waves", "water", "plane"])
def test_volumes_of_particles_grids_and_height_fields(rtsim, runs, name):
    vdb = pytest.importorskip("pyopenvdb")
    out, source = convert(rtsim, runs, name, "vdb"), Source(runs / name)
    for obj, f in source.objects(source.lines[-1]):
        if f.attrs["kind"] == b"boundary":
            continue
        grids, metadata = vdb.readAll(str(out / f"cache/{obj}/{obj}.{source.lines[-1]['frame']:06d}.vdb"))
        assert metadata["time"] == source.times[-1] and len(grids) >= 1
