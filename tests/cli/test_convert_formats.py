"""Every format of `convert`, of every kind of object, read back by other people's readers."""
import json
import struct

import h5py
import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, EXISTS, SOURCE, USAGE, expect
from vtkmodules.util.numpy_support import vtk_to_numpy

SPACING = 0.02
POOL_3D = {
    "rtsim": 1,
    "dim": 3,
    "time": {"fps": 100, "steps_per_frame": 5, "frames": 3},
    "objects": [
        {"name": "water", "kind": "particles", "spacing": SPACING,
         "fill": {"box": {"min": [0, 0, 0], "max": [0.08, 0.12, 0.08]}}},
        {"name": "tank", "kind": "boundary",
         "shape": {"box": {"min": [0, 0, 0], "max": [0.2, 0.2, 0.08]}, "inside": True}},
    ],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"], "substeps": 8}],
    "output": [{"object": "water", "format": "hdf5"}, {"object": "tank", "format": "hdf5"}],
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of each kind, made once: nothing below writes into them."""
    from conftest import Bench

    bench = Bench(tmp_path_factory.mktemp("runs"))
    bench.scene(base=POOL_3D)
    expect(bench("run", "pool/scene.json", "-o", "water", "--quiet"), DONE)
    bench.scene()
    expect(bench("run", "pool/scene.json", "-o", "plane", "--quiet"), DONE)
    for name, config in {"cloth": "cloth_implicit", "jelly": "xpbd", "torn": "mass_spring", "lines": "verlet",
                         "bodies": "rigid", "smoke": "smoke", "waves": "shallow_water"}.items():
        expect(bench("run", SOURCE / f"configs/{config}/tiny.json", "-o", name, "--quiet"), DONE)
    return bench.folder


class Source:
    """What a run's own frames hold, by h5py."""

    def __init__(self, folder):
        lines = [json.loads(line) for line in (folder / "frames.jsonl").read_text().splitlines()]
        self.lines = [line for line in lines if line["files"]]
        self.folder = folder

    def objects(self, line):
        for file in line["files"]:
            if file["path"].endswith(".hdf"):
                with h5py.File(self.folder / file["path"]) as f:
                    yield f.attrs["object"].decode(), f

    @property
    def times(self):
        return [line["time"] for line in self.lines]


RUNS = ["water", "plane", "cloth", "jelly", "torn", "lines", "bodies", "smoke", "waves"]


def convert(rtsim, runs, name, to, *args):
    expect(rtsim("convert", runs / name, "-o", f"{name}_{to}", "--to", to, *args), DONE)
    return rtsim.folder / f"{name}_{to}"


def columns_of(f):
    """Of a frame: name and values as they lie, grids flattened, vectors of the plane without z."""
    group = f["rtsim"] if f.attrs["kind"] == b"bodies" else f["VTKHDF/PointData"]
    for name, d in group.items():
        values = d[...]
        components = int(d.attrs.get("components", values.shape[-1] if values.ndim in (2, 4) else 1))
        rows = int(np.prod(values.shape[:3])) if values.ndim >= 3 else len(values)
        values = values.reshape(rows, -1)[:, :components]
        yield name, values


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


@pytest.mark.parametrize("name", ["smoke", "waves", "water", "plane"])
def test_volumes_of_particles_grids_and_height_fields(rtsim, runs, name):
    vdb = pytest.importorskip("pyopenvdb")
    out, source = convert(rtsim, runs, name, "vdb"), Source(runs / name)
    for obj, f in source.objects(source.lines[-1]):
        if f.attrs["kind"] == b"boundary":
            continue
        grids, metadata = vdb.readAll(str(out / f"cache/{obj}/{obj}.{source.lines[-1]['frame']:06d}.vdb"))
        assert metadata["time"] == source.times[-1] and len(grids) >= 1


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


def test_columns_can_be_chosen(rtsim, runs):
    out = convert(rtsim, runs, "water", "npz", "--columns", "density", "--objects", "water", "--frames", "0")
    names = set(np.load(out / "cache/water/water.000000.npz"))
    assert names == {"position", "id", "density", "spacing", "time", "step", "frame"}
    bad = rtsim("convert", runs / "water", "-o", "no", "--to", "npz", "--columns", "densty")
    assert 'did you mean "density"?' in expect(bad, BAD_INPUT).stderr
    assert "none to choose" in expect(
        rtsim("convert", runs / "water", "-o", "no", "--to", "hdf5", "--columns", "density"), USAGE).stderr
    assert not (rtsim.folder / "no").exists()


def test_what_a_format_cannot_hold_is_said_first(rtsim, runs):
    for name, to, text in (("smoke", "obj_pc2", "is of kind grid, which obj_pc2 does not hold"),
                           ("cloth", "vdb", "which vdb does not hold; these do: points, vtk"),
                           ("smoke", "gltf", "does not hold"), ("lines", "stl", "edges"), ("torn", "gltf", "joined otherwise"),
                           ("torn", "obj_pc2", "joined otherwise")):
        assert text in expect(rtsim("convert", runs / name, "-o", "no", "--to", to), BAD_INPUT).stderr
    assert not (rtsim.folder / "no").exists()


def test_json_for_scripts(rtsim, runs):
    said = json.loads(expect(rtsim("convert", runs / "cloth", "-o", "out", "--to", "csv", "--json"), DONE).stdout)
    files = list((rtsim.folder / "out/cache").rglob("*.csv"))
    assert said == {"output": "out", "frames_before": 0, "frames": len(rtsim.frames("out")),
                    "files": len(files), "bytes": sum(f.stat().st_size for f in files)}


def test_help_lists_the_formats(rtsim):
    text = rtsim("convert", "--help").stdout
    for name in ("vdb", "obj_pc2", "gltf", "hdf5", "npz", "csv", "vtk", "stl", "points"):
        assert f"\n  {name}" in text


@pytest.mark.parametrize("to", ["npz", "obj_pc2", "hdf5", "gltf"])
def test_a_conversion_goes_on_where_it_was_cut_off(rtsim, runs, to):
    whole = convert(rtsim, runs, "cloth", to)
    args = ["convert", runs / "cloth", "-o", "parts", "--to", to]
    expect(rtsim(*args), DONE)
    parts = rtsim.folder / "parts"
    # As if it had been killed after its second frame.
    log = (parts / "frames.jsonl").read_bytes().splitlines(keepends=True)
    (parts / "frames.jsonl").write_bytes(b"".join(log[:2]) + b'{"frame":')
    marker = json.loads((parts / "convert.json").read_text())
    (parts / "convert.json").write_text(json.dumps({**marker, "complete": False}))
    for file in parts.rglob("*.pc2"):
        file.rename(str(file) + ".part")
    (parts / "cache/rest.tmp").write_text("half of it")
    expect(rtsim(*args), DONE)
    for file in whole.rglob("*"):
        if file.is_file() and file.name not in ("convert.json", ".lock"):
            assert (parts / file.relative_to(whole)).read_bytes() == file.read_bytes(), file
    assert not list(parts.rglob("*.tmp")) and not list(parts.rglob("*.part"))
    assert json.loads((parts / "convert.json").read_text())["complete"]
    again = json.loads(expect(rtsim(*args, "--json"), DONE).stdout)
    assert again["frames"] == 0 and again["frames_before"] == len(log)


def test_other_options_are_refused(rtsim, runs):
    args = ["convert", runs / "cloth", "-o", "out", "--to"]
    expect(rtsim(*args, "npz"), DONE)
    before = (rtsim.folder / "out/frames.jsonl").read_bytes()
    for other in (["csv"], ["npz", "--frames", "1:"], ["npz", "--columns", "velocity"]):
        refused = expect(rtsim(*args, *other), EXISTS)
        assert "another conversion" in refused.stderr and "--overwrite" in refused.stderr
    assert (rtsim.folder / "out/frames.jsonl").read_bytes() == before
    expect(rtsim(*args, "csv", "--overwrite"), DONE)
    assert not list((rtsim.folder / "out").rglob("*.npz"))
