"""The scripts for ParaView and Blender on real conversions. Where neither program is, modules in their
place write down what they are asked for."""
import importlib.util
import json
import shutil
import subprocess
import sys
import types
from unittest import mock

import numpy as np
import pytest
from conftest import DONE, SOURCE, expect
from converted_runs import POOL_3D
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOPLY import vtkPLYReader


def load(name, **modules):
    spec = importlib.util.spec_from_file_location(name, SOURCE / f"scripts/{name}.py")
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, modules):
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def cloth(rtsim):
    expect(rtsim("run", SOURCE / "configs/cloth_implicit/tiny.json", "-o", "cloth", "--quiet"), DONE)
    return rtsim


class Blender:
    """As much of bpy as the script uses; unknown names of the modules are recorded by mocks."""

    def __init__(self):
        self.bpy = mock.MagicMock()
        self.bpy.context.scene = self.scene = types.SimpleNamespace(
            render=types.SimpleNamespace(), collection=mock.MagicMock(), frame_current=1, frame_set=mock.Mock())
        self.bpy.app.handlers.frame_change_pre = self.handlers = []
        self.made = {}
        for kind in ("objects", "meshes", "volumes"):
            getattr(self.bpy.data, kind).new.side_effect = lambda name, *a, kind=kind: self.made.setdefault(
                (kind, name), mock.MagicMock())

    def open(self, folder):
        module = load("blender_open", bpy=self.bpy)
        module.open_conversion(folder)
        return module


def vtk_surface(path):
    """Points and triangles, by VTK."""
    reader = vtkPLYReader()
    reader.SetFileName(str(path))
    reader.Update()
    surface = reader.GetOutput()
    return (vtk_to_numpy(surface.GetPoints().GetData()),
            vtk_to_numpy(surface.GetPolys().GetConnectivityArray()).reshape(-1, 3))


def times_of(rtsim, out):
    return [f["time"] for f in rtsim.frames(out)]


def test_blender_plays_a_mesh_at_its_true_times(cloth):
    expect(cloth("convert", "cloth", "-o", "out", "--to", "obj_pc2"), DONE)
    blender = Blender()
    blender.open(cloth.folder / "out")
    times = times_of(cloth, "out")
    render = blender.scene.render
    rate = render.fps / render.fps_base
    ((path),) = (cloth.folder / "out").glob("cache/*/*.pc2")
    name = path.stem
    points, edges, faces = blender.made["meshes", name].from_pydata.call_args.args
    assert len(points) == int.from_bytes(path.read_bytes()[16:20], "little")
    assert faces and max(map(max, faces)) < len(points)
    cache = blender.made["objects", name].modifiers.new.return_value
    assert blender.made["objects", name].modifiers.new.call_args.args[1] == "MESH_CACHE"
    assert cache.cache_format == "PC2" and cache.filepath == str(path)
    keys = [call.kwargs["frame"] for call in cache.keyframe_insert.call_args_list]
    assert [(k - 1) / rate for k in keys] == pytest.approx([t - times[0] for t in times])
    assert blender.scene.frame_end == pytest.approx(keys[-1])
    # Up is y here and z there.
    assert blender.made["objects", "rtsim"].rotation_euler[0] == pytest.approx(np.pi / 2)


def test_blender_shows_points_and_volumes(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "points", "--to", "points"), DONE)
    expect(rtsim("convert", "run", "-o", "volumes", "--to", "vdb", "--frames", "1:"), DONE)
    blender = Blender()
    blender.open(rtsim.folder / "points")
    (show,) = blender.handlers
    mesh = blender.made["meshes", "water"]
    for frame in (1, 2, 3):
        blender.scene.frame_current = frame
        show(blender.scene)
        name, values = mesh.vertices.foreach_set.call_args.args
        expect(rtsim("convert", "run", "-o", f"npz{frame}", "--to", "npz", "--frames", frame - 1), DONE)
        arrays = np.load(rtsim.folder / f"npz{frame}/cache/water/water.{frame - 1:06d}.npz")
        assert np.array_equal(values.reshape(-1, 3)[:, :2], arrays["position"])
    blender = Blender()
    blender.open(rtsim.folder / "volumes")
    volume = blender.made["volumes", "water"]
    assert volume.filepath.endswith("cache/water/water.000001.vdb") and volume.is_sequence
    assert (volume.frame_start, volume.frame_duration, volume.frame_offset) == (1, 2, 0)


def test_blender_shows_the_surface_of_each_frame(rtsim):
    rtsim.scene(base=POOL_3D)
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "out", "--to", "ply"), DONE)
    blender = Blender()
    blender.open(rtsim.folder / "out")
    (show,) = blender.handlers
    mesh = blender.made["meshes", "water"]
    for frame, file in enumerate(sorted((rtsim.folder / "out/cache/water").iterdir()), 1):
        blender.scene.frame_current = frame
        show(blender.scene)
        points, edges, triangles = mesh.from_pydata.call_args.args
        theirs = vtk_surface(file)
        assert not edges and np.array_equal(np.float32(points), theirs[0])
        assert np.array_equal(triangles, theirs[1])


def test_blender_is_told_which_formats_it_can_show(cloth):
    expect(cloth("convert", "cloth", "-o", "out", "--to", "vtk"), DONE)
    with pytest.raises(SystemExit, match="no reader of 'vtk' files.*obj_pc2"):
        Blender().open(cloth.folder / "out")
    rtsim = cloth
    rtsim.scene(base=POOL_3D)
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "points", "--to", "vdb_points"), DONE)
    with pytest.raises(SystemExit, match="no reader of 'vdb_points' files.*points"):
        Blender().open(cloth.folder / "points")


def test_paraview_opens_the_lists_of_times(cloth):
    expect(cloth("convert", "cloth", "-o", "out", "--to", "vtk"), DONE)
    for folder, ending in (("cloth", ".hdf.series"), ("out", ".vtk.series")):
        paraview = types.ModuleType("paraview")
        paraview.simple = mock.MagicMock()
        module = load("paraview_open")
        with mock.patch.dict(sys.modules, {"paraview": paraview, "paraview.simple": paraview.simple}):
            sources = module.open_run(cloth.folder / folder)
        assert len(sources) == 1
        (path,) = paraview.simple.OpenDataFile.call_args.args
        files = json.loads(open(path).read())["files"]
        assert path.endswith(ending) and [f["time"] for f in files] == times_of(cloth, folder)
        for f in files:
            assert (cloth.folder / folder / "cache" / f["name"]).exists()
    with pytest.raises(SystemExit, match="no cache"):
        load("paraview_open").open_run(cloth.folder)


def cycles(rtsim, *options):
    return subprocess.run(
        ["blender", "-b", "--python-exit-code", "1", "--python", SOURCE / "scripts/blender_render.py", "--",
         "out", "-o", "picture.png", "--width", "64", "--height", "40", "--samples", "4", *options],
        cwd=rtsim.folder, capture_output=True, text=True)


@pytest.mark.skipif(not shutil.which("blender"), reason="Blender is not installed")
@pytest.mark.parametrize("scene, to, options", [
    ("flip/tiny", "points", []),
    ("smoke/tiny", "vdb", ["--light", "night", "--smoke", "200"]),
    ("lbm/tiny", "vdb", ["--light", "night", "--smoke", "20", "--vortices", "1,20"]),
    ("cloth_implicit/tiny", "ply", ["--look", "cloth=silk#c02030", "--fit", "cloth", "--floor", "none"]),
    ("rigid/tiny", "ply", ["--light", "studio", "--floor", "#e0e0e0", "--shift", "0.1,0"]),
    ("shallow_water/tiny", "ply", ["--look", "land=stone#806040"])])
def test_cycles_draws_a_run(rtsim, scene, to, options):
    expect(rtsim("run", SOURCE / f"configs/{scene}.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "out", "--to", to), DONE)
    done = cycles(rtsim, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (rtsim.folder / "picture.png").stat().st_size > 2000  # not of one colour


@pytest.mark.skipif(not shutil.which("blender"), reason="Blender is not installed")
def test_cycles_gives_jelly_its_colour(rtsim):
    """Also at its surface, which lets a part of the light through only. The light has hardly a colour."""
    Image = pytest.importorskip("PIL.Image")
    expect(rtsim("run", SOURCE / "configs/fem/tiny.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "out", "--to", "ply"), DONE)
    done = cycles(rtsim, "--light", "studio", "--look", "jelly=jelly#1060d0")
    assert done.returncode == 0, done.stdout + done.stderr
    with Image.open(rtsim.folder / "picture.png") as image:
        red, _, blue = np.moveaxis(np.asarray(image.convert("RGB"), dtype=float), 2, 0)
    assert (blue - red).max() > 60 and (red - blue).max() < 30


@pytest.mark.skipif(not shutil.which("blender") or not shutil.which("ffmpeg"), reason="Blender or ffmpeg is not installed")
def test_cycles_takes_grain_off(rtsim):
    """With few samples each pixel of an even floor has an error of its own; the mean of places that look alike has
    less, and keeps the light of the whole. The random numbers of both pictures are the same."""
    Image = pytest.importorskip("PIL.Image")
    expect(rtsim("run", SOURCE / "configs/rigid/tiny.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "out", "--to", "ply"), DONE)
    pictures = []
    for options in [], ["--denoise", "8"]:
        done = cycles(rtsim, "--light", "studio", *options)
        assert done.returncode == 0, done.stdout + done.stderr
        with Image.open(rtsim.folder / "picture.png") as image:
            pictures.append(np.asarray(image.convert("L"), dtype=float))
    assert [f.name for f in rtsim.folder.glob("*.png")] == ["picture.png"]
    plain, clean = pictures
    assert clean.shape == plain.shape and abs(clean.mean() - plain.mean()) < 1
    assert roughness(clean) < 0.8 * roughness(plain)


def roughness(picture):
    """The median of how far a pixel is from the mean of its neighbours: of grain, and not of edges, which are few."""
    around = (picture[:-2, 1:-1] + picture[2:, 1:-1] + picture[1:-1, :-2] + picture[1:-1, 2:]) / 4
    return np.median(np.abs(picture[1:-1, 1:-1] - around))


@pytest.mark.skipif(not shutil.which("blender"), reason="Blender is not installed")
@pytest.mark.parametrize("options, text", [
    (["--look", "cloth=slik"], "no such look; there are water"),
    (["--look", "cloth=#c0203"], "'#c0203' is no colour"),
    (["--fit", "clth"], "--fit clth: there are ball, cloth"),
    (["--frame", "1000"], "no frame 1000; there are 0 to")])
def test_cycles_says_what_it_does_not_know(rtsim, options, text):
    expect(rtsim("run", SOURCE / "configs/cloth_implicit/tiny.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "out", "--to", "ply"), DONE)
    done = cycles(rtsim, *options)
    assert done.returncode != 0 and text in done.stdout + done.stderr
    assert not (rtsim.folder / "picture.png").exists()
