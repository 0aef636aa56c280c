"""Frames of meshes, read by h5py and VTK."""
import json
import os
import subprocess

import h5py
import numpy as np
import pytest
import vtk

MESHES = {
    "line": ({"line": {"from": [0, 0, 0], "to": [1, 0, 0], "segments": 4}}, vtk.VTK_LINE, 5, 4),
    "sheet": ({"sheet": {"u": [1, 0, 0], "v": [0, 0, 1], "cells": [3, 2]}}, vtk.VTK_TRIANGLE, 12, 12),
    "block": ({"block": {"min": [0, 0, 0], "max": [1, 1, 1], "cells": [1, 1, 2]}}, vtk.VTK_TETRA, 12, 10),
    "surface": ({"surface": {"file": "tent.obj"}}, vtk.VTK_TRIANGLE, 4, 2),
}


@pytest.fixture
def scene(tmp_path):
    # The fifth corner belongs to no face, and is left out.
    (tmp_path / "tent.obj").write_text("v 0 0 0\nv 1 0 0\nv 9 9 9\nv 0 1 0\nv 1 1 1\nf 1 2 4\nf 2 5 4\n")

    def write(mesh):
        text = {"rtsim": 1, "time": {"dt": 0.01, "frames": 1},
                "objects": [{"name": "m", "kind": "mesh", "mesh": mesh, "density": 2}],
                "stages": [{"type": "attach", "mesh": "m", "points": [0]}], "output": [{"object": "m"}]}
        (tmp_path / "scene.json").write_text(json.dumps(text))
        return tmp_path
    return write


def rtsim(folder, *arguments):
    return subprocess.run([os.environ["RTSIM"], *arguments], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("name", MESHES)
def test_vtk_reads_points_and_cells(scene, name):
    mesh, kind, points, cells = MESHES[name]
    folder = scene(mesh)
    done = rtsim(folder, "run", "scene.json", "-o", "run", "--quiet")
    assert done.returncode == 0, done.stderr
    file = str(folder / "run/cache/m/m.000001.hdf")
    reader = vtk.vtkHDFReader()
    reader.SetFileName(file)
    reader.Update()
    grid = reader.GetOutput()
    assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (points, cells)
    assert {grid.GetCellType(c) for c in range(cells)} == {kind}
    with h5py.File(file) as f:
        assert f.attrs["kind"] == b"mesh"
        mass = f["VTKHDF/PointData/mass"]
        assert mass.attrs["units"] == b"kg" and mass[...].min() > 0
        ids = f["VTKHDF/PointData/id"][...]
        assert list(ids) == list(range(points))  # rows of a mesh keep their order
        size = np.ptp(f["VTKHDF/Points"][...], axis=0)
    if name == "block":
        sizes = vtk.vtkCellSizeFilter()
        sizes.SetInputData(grid)
        sizes.Update()
        volumes = sizes.GetOutput().GetCellData().GetArray("Volume")
        assert sum(volumes.GetValue(c) for c in range(cells)) == pytest.approx(1)
        assert list(size) == [1, 1, 1]


@pytest.mark.parametrize("change, pointer, words", [
    ({"mesh": {}}, "/objects/0/mesh", "give one of"),
    ({"mesh": {"sheet": {"cells": [2.5, 3]}}}, "/objects/0/mesh/sheet/cells", "whole numbers"),
    ({"mesh": {"surface": {"file": "no.obj"}}}, "/objects/0/mesh/surface/file", "no.obj"),
    ({"mesh": {"nodes": {"positions": [[0, 0, 0], [1, 0, 0]], "edges": [0, 2]}}}, "/objects/0/mesh/nodes/edges",
     "2 is no point; they are 0 to 1"),
    ({"density": None}, "/objects/0/mesh", "has no mass"),
    ({"vertex_mass": 1}, "/objects/0/vertex_mass", "not both"),
    ({"spacing": 1}, "/objects/0/spacing", "kind \"mesh\""),
])
def test_bad_meshes_are_refused_with_their_place(scene, change, pointer, words):
    folder = scene(MESHES["sheet"][0])
    text = json.loads((folder / "scene.json").read_text())
    text["objects"][0].update(change)
    (folder / "scene.json").write_text(json.dumps(text, indent=1))
    refused = rtsim(folder, "run", "scene.json", "-o", "run")
    assert refused.returncode == 3
    assert pointer + ":" in refused.stderr and words in refused.stderr, refused.stderr
    assert not (folder / "run").exists()
