"""Tetrahedra of solids and of files, as scenes take them and as VTK and Gmsh's format have them."""
import json

import h5py
import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, SOURCE, expect

SOLID = {"shape": {"sphere": {"centre": [0, 0.5, 0], "radius": 0.2}}, "spacing": 0.08, "method": "stuffing"}


def scene(mesh):
    return json.dumps({
        "rtsim": 1, "dim": 3, "time": {"fps": 50, "steps_per_frame": 2, "frames": 1},
        "objects": [{"name": "jelly", "kind": "mesh", "density": 1000, "mesh": mesh}],
        "stages": [{"type": "xpbd", "mesh": "jelly", "stretch_compliance": 1e-3, "compressibility": 1e-6}],
        "output": [{"object": "jelly"}]})


def run(rtsim, name, mesh):
    rtsim.write(f"{name}.json", scene(mesh))
    expect(rtsim("run", f"{name}.json", "-o", name, "--quiet"), DONE)
    with h5py.File(rtsim.folder / f"{name}/cache/jelly/jelly.000000.hdf") as f:
        return f["VTKHDF/Points"][...], f["VTKHDF/Connectivity"][...].reshape(-1, 4)


def volume(points, tets):
    a, b, c, d = (points[tets[:, k]].astype(float) for k in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a).sum() / 6


def notes(rtsim, mesh):
    rtsim.write("s.json", scene(mesh))
    return json.loads(expect(rtsim("explain", "s.json", "--json"), DONE).stdout)["notes"]


@pytest.mark.parametrize("method", ["stuffing", "delaunay", "cells"])
def test_explain_and_the_log_tell_tets_volume_and_angles(rtsim, method):
    mesh = {"solid": {**SOLID, "method": method}}
    (note,) = notes(rtsim, mesh)
    points, tets = run(rtsim, "ball", mesh)
    assert note.startswith(f"'jelly': {len(tets)} tetrahedra with {len(points)} points, ")
    assert float(note.split(" m^3")[0].split()[-1]) == pytest.approx(volume(points, tets), rel=1e-4)
    share = float(note.split(" % of the shape's volume")[0].split()[-1])
    assert share == pytest.approx(100 * volume(points, tets) / (4 / 3 * np.pi * 0.008), rel=2e-3)
    assert " degrees" in note
    log = [json.loads(line) for line in (rtsim.folder / "ball/log.jsonl").read_text().splitlines()]
    assert note in [line.get("text") or line.get("message") for line in log]
    assert f"note: {note}" in expect(rtsim("explain", "s.json"), DONE).stdout


@pytest.mark.parametrize("to", ["msh", "vtk", "vtu"])
def test_what_convert_writes_is_read_again_as_it_was(rtsim, to):
    points, tets = run(rtsim, "ball", {"solid": SOLID})
    expect(rtsim("convert", "ball", "-o", "out", "--to", to, "--frames", "0:1"), DONE)
    again, cells = run(rtsim, "again", {"cells": {"file": f"out/cache/jelly/jelly.000000.{to}"}})
    assert np.array_equal(points, again)
    assert np.array_equal(tets, cells)


def test_msh_has_columns_as_views(rtsim):
    run(rtsim, "ball", {"solid": SOLID})
    expect(rtsim("convert", "ball", "-o", "out", "--to", "msh", "--columns", "velocity"), DONE)
    text = (rtsim.folder / "out/cache/jelly/jelly.000001.msh").read_text()
    assert '$NodeData\n1\n"velocity"\n1\n0.02\n3\n1\n3\n' in text
    assert text.startswith("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 ")


def grid_of(points, tets):
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import VTK_TETRA, vtkUnstructuredGrid

    grid, places = vtkUnstructuredGrid(), vtkPoints()
    places.SetData(numpy_to_vtk(points, deep=True))
    grid.SetPoints(places)
    for t in tets:
        grid.InsertNextCell(VTK_TETRA, 4, [int(p) for p in t])
    return grid


def legacy(grid, path, binary):
    from vtkmodules.vtkIOLegacy import vtkUnstructuredGridWriter

    writer = vtkUnstructuredGridWriter()
    writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
    return writer


def xml(mode, packed, encoded=True, long_header=False):
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter

    writer = vtkXMLUnstructuredGridWriter()
    {"ascii": writer.SetDataModeToAscii, "binary": writer.SetDataModeToBinary,
     "appended": writer.SetDataModeToAppended}[mode]()
    writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
    writer.SetEncodeAppendedData(encoded)
    writer.SetHeaderTypeToUInt64() if long_header else writer.SetHeaderTypeToUInt32()
    return writer


VARIANTS = {
    "ascii.vtk": lambda: legacy(None, None, False), "binary.vtk": lambda: legacy(None, None, True),
    "ascii.vtu": lambda: xml("ascii", False), "binary.vtu": lambda: xml("binary", False),
    "packed.vtu": lambda: xml("binary", True), "appended.vtu": lambda: xml("appended", True),
    "raw.vtu": lambda: xml("appended", False, encoded=False),
    "raw_packed.vtu": lambda: xml("appended", True, encoded=False, long_header=True),
    "long.vtu": lambda: xml("appended", False, long_header=True),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_what_vtk_writes_is_read(rtsim, name):
    points, tets = run(rtsim, "ball", {"solid": SOLID})
    writer = VARIANTS[name]()
    writer.SetFileName(str(rtsim.folder / name))
    writer.SetInputData(grid_of(points, tets))
    assert writer.Write() == 1
    again, cells = run(rtsim, "again", {"cells": {"file": name}})
    # Text has fewer digits than a float needs.
    assert np.allclose(points, again, rtol=0, atol=1e-5 if name.startswith("ascii") else 0)
    assert np.array_equal(tets, cells)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_first_whole_numbers_of_vtks_cells_are_tags(rtsim, name):
    from vtkmodules.util.numpy_support import numpy_to_vtk

    points, tets = run(rtsim, "ball", {"solid": SOLID})
    grid = grid_of(points, tets)

    def give(data, called, values):
        array = numpy_to_vtk(values, deep=True)
        array.SetName(called)
        data.AddArray(array)

    give(grid.GetPointData(), "number", np.arange(len(points), dtype=np.int32))
    give(grid.GetCellData(), "heat", np.linspace(0, 1, len(tets)))
    give(grid.GetCellData(), "flow", np.ones((len(tets), 3), np.int32))
    give(grid.GetCellData(), "material", np.where(np.arange(len(tets)) % 2, 7, 12).astype(np.int32))
    writer = VARIANTS[name]()
    writer.SetFileName(str(rtsim.folder / name))
    writer.SetInputData(grid)
    assert writer.Write() == 1
    scene = {"rtsim": 1, "dim": 3, "time": {"dt": 0.01, "frames": 1},
             "objects": [{"name": "b", "kind": "mesh", "density": 1000, "mesh": {"cells": {"file": name}}}],
             "stages": [{"type": "fem", "mesh": "b", "youngs_modulus": 1e6, "poissons_ratio": 0.3,
                         "regions": [{"tag": 8, "youngs_modulus": 2e6}]}], "output": []}
    rtsim.write("tagged.json", json.dumps(scene))
    done = rtsim("run", "tagged.json", "-o", "tagged")
    assert done.returncode == BAD_INPUT and "no element has the tag 8; there are 7, 12" in done.stderr, done.stderr


def test_an_inverted_tet_is_an_error_with_line_and_volume(rtsim):
    points, tets = run(rtsim, "ball", {"solid": SOLID})
    expect(rtsim("convert", "ball", "-o", "out", "--to", "msh"), DONE)
    lines = (rtsim.folder / "out/cache/jelly/jelly.000000.msh").read_text().splitlines()
    at = lines.index("$Elements") + 3 + 7  # the eighth
    words = lines[at].split()
    lines[at] = " ".join([*words[:3], words[4], words[3]])
    rtsim.write("bad.msh", "\n".join(lines) + "\n")
    rtsim.write("bad.json", scene({"cells": {"file": "bad.msh"}}))
    err = expect(rtsim("run", "bad.json", "-o", "bad"), BAD_INPUT).stderr
    own = volume(points, tets[7:8])
    assert f"bad.msh: line {at + 1}: the tetrahedron is inverted, its volume is -" in err
    assert float(err.split("its volume is -")[1].split()[0]) == pytest.approx(own, rel=1e-4)
    assert "/objects/0/mesh" in err
    assert not (rtsim.folder / "bad").exists()


def ball_with_a_hole(share):
    """configs/smoke/ball.obj without the triangles above some height."""
    lines = (SOURCE / "configs/smoke/ball.obj").read_text().splitlines()
    height = [float(line.split()[2]) for line in lines if line.startswith("v ")]
    above = sorted(height)[-share]
    kept = [line for line in lines if not line.startswith("f ") or
            any(height[int(w.split("/")[0]) - 1] < above for w in line.split()[1:])]
    return "\n".join(kept) + "\n"


def test_a_small_hole_is_closed_and_said_a_large_one_refused(rtsim):
    solid = {"method": "stuffing", "spacing": 0.2, "shape": {"mesh": {"file": "ball.obj"}}}
    rtsim.write("ball.obj", ball_with_a_hole(6))
    mended, told = notes(rtsim, {"solid": solid})
    assert "ball.obj was mended: 1 hole of " in mended
    assert "tetrahedra" in told
    rtsim.write("ball.obj", ball_with_a_hole(60))
    rtsim.write("s.json", scene({"solid": solid}))
    err = expect(rtsim("explain", "s.json"), BAD_INPUT).stderr
    assert "ball.obj: the surface is open: 1 hole of " in err
    assert "the largest about (" in err and "m across" in err and '"largest_holes"' in err
    notes(rtsim, {"solid": {**solid, "largest_holes": 0.9}})


def test_a_file_in_millimetres_is_told_of_and_an_open_one_may_be_stuffed(rtsim):
    ball = {"mesh": {"file": str(SOURCE / "configs/smoke/ball.obj")}}
    small = {"spacing": 0.3, "method": "stuffing", "shape": ball}
    assert not any("millimetres" in note for note in notes(rtsim, {"solid": small}))
    large = {**small, "spacing": 9, "shape": {**ball, "transform": {"scale": 30}}}
    assert any('across, and takes 4' in note and '"scale": 0.001' in note for note in notes(rtsim, {"solid": large}))
    rtsim.write("ball.obj", ball_with_a_hole(6))
    rtsim.write("s.json", scene({"solid": {"spacing": 0.3, "shape": {"mesh": {"file": "ball.obj"}}}}))
    assert '"method": "stuffing" closes small ones' in expect(rtsim("explain", "s.json"), BAD_INPUT).stderr
