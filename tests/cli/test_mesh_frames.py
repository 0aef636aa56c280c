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


@pytest.mark.parametrize("name, closed", [("sheet", False), ("block", True)])
def test_vtk_reads_the_surface_of_a_mesh_and_conversion_writes_the_same(scene, name, closed):
    folder = scene(MESHES[name][0])
    text = json.loads((folder / "scene.json").read_text())
    text["output"].append({"object": "m", "format": "surface", "files": ["ply", "obj"]})
    (folder / "scene.json").write_text(json.dumps(text))
    assert rtsim(folder, "run", "scene.json", "-o", "run", "--quiet").returncode == 0
    done = rtsim(folder, "convert", "run", "-o", "out", "--to", "ply,obj")
    assert done.returncode == 0, done.stderr
    for ending, reader in ("ply", vtk.vtkPLYReader()), ("obj", vtk.vtkOBJReader()):
        file = f"cache/m/m.surface.000001.{ending}"
        assert (folder / "run" / file).read_bytes() == (folder / "out" / file).read_bytes()
        reader.SetFileName(str(folder / "run" / file))
        reader.Update()
        surface = reader.GetOutput()
        assert surface.GetNumberOfPoints() == MESHES[name][2]
        edges = vtk.vtkFeatureEdges()
        edges.SetInputData(surface)
        edges.FeatureEdgesOff(), edges.ManifoldEdgesOff(), edges.BoundaryEdgesOn()
        edges.Update()
        assert (edges.GetOutput().GetNumberOfCells() == 0) == closed
        if closed:  # outwards: the volume is 1, not -1
            measure = vtk.vtkMassProperties()
            measure.SetInputData(surface)
            assert measure.GetVolume() == pytest.approx(1)
            normals = vtk.vtkPolyDataNormals()
            normals.SetInputData(surface)
            normals.ComputePointNormalsOff(), normals.ComputeCellNormalsOn(), normals.ConsistencyOff()
            normals.SplittingOff(), normals.Update()
            out = normals.GetOutput()
            for c in range(out.GetNumberOfCells()):
                low, high = np.array(out.GetCell(c).GetBounds()).reshape(3, 2).T
                n = np.array(out.GetCellData().GetNormals().GetTuple(c))
                assert n @ ((low + high) / 2 - 0.5) > 0


@pytest.mark.parametrize("mesh, files, words", [
    ("line", ["ply"], "has no surface"), ("sheet", ["sdf"], "level set"),
])
def test_what_has_no_surface_is_refused(scene, mesh, files, words):
    folder = scene(MESHES[mesh][0])
    text = json.loads((folder / "scene.json").read_text())
    text["output"] = [{"object": "m", "format": "surface", "files": files}]
    (folder / "scene.json").write_text(json.dumps(text))
    refused = rtsim(folder, "run", "scene.json", "-o", "run")
    assert refused.returncode == 3 and words in refused.stderr, refused.stderr
    assert not (folder / "run").exists()


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


def test_frames_show_the_stress_of_a_solid(tmp_path):
    """A rod that hangs from its top: rho g y at a height y over its lower end. Points have the mean of the tetrahedra
    around them, which is as high as they are but for their layout in a cube."""
    density, length, modulus = 1000, 1.0, 1e6
    text = {"rtsim": 1, "time": {"dt": 0.1, "frames": 60}, "gravity": [0, -10, 0],
            "objects": [{"name": "rod", "kind": "mesh", "density": density,
                         "mesh": {"block": {"min": [0, 0, 0], "max": [0.2, length, 0.2], "cells": [2, 10, 2]}}}],
            "stages": [{"type": "attach", "mesh": "rod", "inside": {"box": {"min": [-1, 0.99, -1], "max": [1, 2, 1]}}},
                       {"type": "fem", "mesh": "rod", "youngs_modulus": modulus, "poissons_ratio": 0}],
            "output": [{"object": "rod"}]}
    (tmp_path / "scene.json").write_text(json.dumps(text))
    done = rtsim(tmp_path, "run", "scene.json", "-o", "run", "--quiet")
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "run/cache/rod/rod.000060.hdf") as f:
        columns = {name: f[f"VTKHDF/PointData/{name}"] for name in ("von_mises", "energy_density", "volume_ratio")}
        assert [c.attrs["units"] for c in columns.values()] == [b"Pa", b"J/m^3", b""]
        height, (stress, energy, ratio) = f["VTKHDF/Points"][:, 1], (c[...] for c in columns.values())
    inner = (height > 0.15) & (height < 0.85)
    exact = density * 10 * height[inner]
    assert np.abs(stress[inner] / exact - 1).max() < 0.1
    assert np.abs(energy[inner] / (exact**2 / 2 / modulus) - 1).max() < 0.2
    assert np.abs(ratio[inner] - (1 + exact / modulus)).max() < 1e-3
