"""Surfaces of a real run, from `run` itself and from `convert`, read by other people's readers."""
import json

import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, EXISTS, IO, USAGE, expect

SPACING = 0.02
POOL_3D = {
    "rtsim": 1,
    "dim": 3,
    "time": {"fps": 100, "steps_per_frame": 5, "frames": 3},
    "objects": [
        {"name": "water", "kind": "particles", "spacing": SPACING,
         "fill": {"box": {"min": [0, 0, 0], "max": [0.16, 0.24, 0.12]}}},
        {"name": "tank", "kind": "boundary",
         "shape": {"box": {"min": [0, 0, 0], "max": [0.4, 0.4, 0.12]}, "inside": True}},
    ],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"], "substeps": 8}],
    "output": [{"object": "water", "format": "hdf5"}, {"object": "tank", "format": "hdf5"},
               {"object": "water", "format": "surface", "files": ["ply", "obj", "sdf"]}],
}
VOLUME = 0.16 * 0.24 * 0.12


@pytest.fixture
def run(rtsim):
    rtsim.scene(base=POOL_3D)
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)
    return rtsim


def surface(folder, frame, ending):
    return folder / "cache/water" / f"water.surface.{frame:06d}.{ending}"


def mesh(reader, file):
    reader.SetFileName(str(file))
    reader.Update()
    return reader.GetOutput()


def enclosed(polydata):
    from vtkmodules.vtkFiltersCore import vtkMassProperties

    mass = vtkMassProperties()
    mass.SetInputData(polydata)
    return mass.GetVolume()


def open_edges(polydata):
    from vtkmodules.vtkFiltersCore import vtkFeatureEdges

    edges = vtkFeatureEdges()
    edges.SetInputData(polydata)
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.BoundaryEdgesOn()
    edges.NonManifoldEdgesOn()
    edges.Update()
    return edges.GetOutput().GetNumberOfCells()


def test_vtk_reads_a_closed_surface_of_the_waters_volume(run):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOGeometry import vtkOBJReader
    from vtkmodules.vtkIOPLY import vtkPLYReader

    folder = run.folder / "run"
    for frame in range(4):
        ply = mesh(vtkPLYReader(), surface(folder, frame, "ply"))
        obj = mesh(vtkOBJReader(), surface(folder, frame, "obj"))
        assert ply.GetNumberOfCells() == obj.GetNumberOfCells() > 500
        points = vtk_to_numpy(ply.GetPoints().GetData())
        assert np.array_equal(points, vtk_to_numpy(obj.GetPoints().GetData()))
        assert open_edges(ply) == 0
        # Six spacings thick: its rounded edges and a tenth of a spacing on its faces are 10 % of it.
        assert enclosed(ply) == pytest.approx(VOLUME, rel=0.1)
        assert points.min() > -SPACING and points[:, 0].max() < 0.4 + SPACING


def test_pyopenvdb_reads_the_level_set(run):
    vdb = pytest.importorskip("pyopenvdb")
    grids, metadata = vdb.readAll(str(surface(run.folder / "run", 2, "vdb")))
    assert metadata["frame"] == 2 and metadata["time"] == pytest.approx(0.02)
    (grid,) = grids
    assert grid.name == "surface" and grid.gridClass == "level set"
    assert grid.transform.voxelSize() == pytest.approx((SPACING / 2,) * 3)
    values = grid.getConstAccessor()

    def at(x, y, z):
        return values.getValue(grid.transform.worldToIndexCellCentered((x, y, z)))

    assert at(0.08, 0.1, 0.06) < 0 < at(0.3, 0.3, 0.06)
    # A step of a voxel through the wall z = 0 is a step of a voxel in distance.
    assert at(0.08, 0.1, 0) - at(0.08, 0.1, SPACING / 2) == pytest.approx(SPACING / 2, rel=0.1)


def test_verify_and_the_commit_know_the_surfaces(run):
    expect(run("verify", "run"), DONE)
    paths = [f["path"] for f in run.frames("run")[1]["files"]]
    assert [p.split(".", 1)[1] for p in paths if "surface" in p] == [
        "surface.000001.ply", "surface.000001.obj", "surface.000001.vdb"]
    surface(run.folder / "run", 1, "obj").write_text("v 0 0 0\n")
    assert "water.surface.000001.obj" in run("verify", "run").stdout


def test_a_resumed_run_ends_with_the_same_surfaces(run):
    expect(run("run", "pool/scene.json", "-o", "short", "--quiet", "--set", "/time/frames=1"), DONE)
    surface(run.folder / "short", 3, "ply").write_bytes(b"half of one that was never committed")
    expect(run("resume", "short", "--quiet", "--set", "/time/frames=3"), DONE)
    assert (run.folder / "short/frames.jsonl").read_bytes() == (run.folder / "run/frames.jsonl").read_bytes()
    expect(run("verify", "short"), DONE)


def test_convert_gives_the_bytes_of_the_run_for_any_number_of_jobs(run):
    for jobs in (1, 2):
        expect(run("convert", "run", "-o", f"out{jobs}", "--to", "ply,obj,sdf", "-j", jobs), DONE)
        for frame in range(4):
            for ending in ("ply", "obj", "vdb"):
                assert surface(run.folder / f"out{jobs}", frame, ending).read_bytes() == surface(
                    run.folder / "run", frame, ending).read_bytes()
    said = json.loads((run.folder / "out1/convert.json").read_text())
    assert said["identity"] == run.manifest("run")["identity"]
    assert said["output"]["voxels_per_spacing"] == 2
    assert (run.folder / "out1/frames.jsonl").read_bytes() == (run.folder / "out2/frames.jsonl").read_bytes()


def test_convert_takes_the_parameters_of_an_output(run):
    fine = {"/output/2": {"object": "water", "format": "surface", "voxels_per_spacing": 3, "smoothing": 0.5}}
    run.scene(fine, base=POOL_3D)
    expect(run("run", "pool/scene.json", "-o", "fine", "--quiet"), DONE)
    expect(run("convert", "fine", "-o", "out", "--to", "ply", "--frames", "1::2",
               "--set", "/voxels_per_spacing=3", "--set", "/smoothing=0.5"), DONE)
    assert [f["frame"] for f in run.frames("out")] == [1, 3]
    for frame in (1, 3):
        assert surface(run.folder / "out", frame, "ply").read_bytes() == surface(
            run.folder / "fine", frame, "ply").read_bytes()


def test_convert_to_vdb_gives_what_an_output_would(run):
    run.scene({"/output/2": {"object": "water", "format": "vdb", "half": True}}, base=POOL_3D)
    expect(run("run", "pool/scene.json", "-o", "fog", "--quiet"), DONE)
    expect(run("convert", "fog", "-o", "out", "--to", "vdb", "--set", "/half=true"), DONE)
    for frame in range(4):
        name = f"cache/water/water.{frame:06d}.vdb"
        assert (run.folder / "out" / name).read_bytes() == (run.folder / "fog" / name).read_bytes()


def test_a_running_run_can_be_converted(rtsim):
    process = rtsim.endless()
    try:
        expect(rtsim("convert", "out", "-o", "volumes", "--to", "vdb", "--frames", "0:2"), DONE)
    finally:
        process.kill()
        process.wait()
    assert [f["frame"] for f in rtsim.frames("volumes")] == [0, 1]


BAD = {
    "no format": ([], USAGE, "--to"),
    "unknown format": (["--to", "parquet"], USAGE, "obj_pc2"),
    "a format misspelt": (["--to", "npy"], USAGE, 'did you mean "npz"?'),
    "parameters of a format that has none": (["--to", "npz", "--set", "/half=true"], USAGE, "no parameters"),
    "volumes and surfaces at once": (["--to", "vdb,ply"], USAGE, "vdb"),
    "a format set": (["--to", "ply", "--set", "/format=hdf5"], USAGE, "--to"),
    "no range": (["--to", "ply", "--frames", "a:b"], USAGE, "FIRST:END:STEP"),
    "no jobs": (["--to", "ply", "-j", "0"], USAGE, "jobs"),
    "format twice": (["--to", "ply,ply"], BAD_INPUT, "twice"),
    "unknown parameter": (["--to", "ply", "--set", "/smothing=1"], BAD_INPUT, 'did you mean "smoothing"?'),
    "parameter out of range": (["--to", "ply", "--set", "/smoothing=2"], BAD_INPUT, "between 0 and 1"),
    "unknown object": (["--to", "ply", "--objects", "watr"], BAD_INPUT, 'did you mean "water"?'),
    "a wall": (["--to", "ply", "--objects", "water,tank"], BAD_INPUT, "'tank' consists of no particles"),
    "frames that are not there": (["--to", "ply", "--frames", "70:"], BAD_INPUT, "none of the frames"),
}


def test_bad_requests_write_nothing(run):
    before = run.files()
    for name, (args, code, text) in BAD.items():
        result = run("convert", "run", "-o", "out", *args)
        assert result.returncode == code and text in result.stderr, (name, result.returncode, result.stderr)
        assert run.files() == before, name


def test_what_is_no_run_is_bad_input(rtsim):
    assert "nowhere: no such run" in expect(rtsim("convert", "nowhere", "-o", "out", "--to", "ply"), BAD_INPUT).stderr


def test_output_that_exists_is_left_alone(run):
    convert = ["convert", "run", "-o", "out", "--to", "ply", "--frames", "0"]
    run.write("out/mine.txt", "keep")
    assert "left alone" in expect(run(*convert, "--overwrite"), EXISTS).stderr
    (run.folder / "out/mine.txt").unlink()
    expect(run(*convert), DONE)
    assert "--overwrite" in expect(run(*convert, "--set", "/voxels_per_spacing=1"), EXISTS).stderr
    expect(run(*convert, "--overwrite", "--set", "/voxels_per_spacing=1"), DONE)
    assert json.loads((run.folder / "out/convert.json").read_text())["output"]["voxels_per_spacing"] == 1
    expect(run("convert", "run", "-o", "run", "--to", "ply", "--overwrite"), EXISTS)


def test_a_damaged_frame_is_74_and_named(run):
    file = run.folder / "run/cache/water/water.000002.hdf"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    result = expect(run("convert", "run", "-o", "out", "--to", "ply", "-j", "1"), IO)
    assert "water.000002.hdf" in result.stderr
    assert [f["frame"] for f in run.frames("out")] == [0, 1]
    assert not list((run.folder / "out").rglob("*.tmp"))


def test_a_plane_has_no_surface(rtsim):
    rtsim.scene({"/output/1": {"object": "water", "format": "surface"}})
    result = expect(rtsim("check", "pool/scene.json"), BAD_INPUT)
    assert "/output/1/format" in result.stderr and "in space" in result.stderr
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)
    assert "in the plane" in expect(rtsim("convert", "run", "-o", "out", "--to", "obj"), BAD_INPUT).stderr
