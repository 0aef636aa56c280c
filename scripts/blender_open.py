"""Opens a conversion of a run in Blender with its true times.

    rtsim convert RUN -o OUT --to obj_pc2            (or vdb, sdf, points, ply, gltf)
    blender --python scripts/blender_open.py -- OUT

Meshes and bodies play by the Mesh Cache modifier, volumes as sequences, points and surfaces by a
handler that follows the frame, glTF by Blender's own importer. One second of the run is one second of the scene:
its frame rate is set so that frames of the run and of Blender are one. rtsim has y up, Blender z:
everything hangs on an empty, `rtsim`, that turns it.
"""
import json
import math
import pathlib
import sys

import bpy

FIRST = 1  # Blender's first frame
SHOWN = {"obj_pc2", "vdb", "sdf", "points", "ply", "gltf"}  # formats of a conversion


def commits(folder):
    """Frames of the folder: number, time [s], files."""
    text = (folder / "frames.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def set_clock(scene, times):
    """One frame of Blender for each interval; returns the frame of each time."""
    steps = [b - a for a, b in zip(times, times[1:])]
    step = min(steps) if steps else 1 / 24
    fps = max(1, round(1 / step))
    scene.render.fps, scene.render.fps_base = fps, fps * step  # a rate of fps / fps_base, exactly
    frames = [FIRST + (t - times[0]) / step for t in times]
    scene.frame_start, scene.frame_end = FIRST, math.ceil(frames[-1] - 1e-6)
    return frames


def read_obj(path):
    """Points and faces or edges, counted from 0."""
    points, faces, edges = [], [], []
    for line in path.read_text().splitlines():
        what, *rest = line.split()
        if what == "v":
            points.append(tuple(map(float, rest)))
        elif what == "f":
            faces.append(tuple(int(k) - 1 for k in rest))
        elif what == "l":
            edges.append(tuple(int(k) - 1 for k in rest))
    return points, edges, faces


def add_object(name, data, root):
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = root
    return thing


def add_mesh_cache(path, root, frames):
    """The points of <object>.pc2 move those of <object>.obj; sample k is shown at frames[k]."""
    name = path.stem
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(*read_obj(path.with_suffix(".obj")))
    thing = add_object(name, mesh, root)
    cache = thing.modifiers.new("rtsim", "MESH_CACHE")
    cache.cache_format, cache.filepath = "PC2", str(path.resolve())
    cache.play_mode, cache.time_mode, cache.interpolation = "CUSTOM", "FRAME", "LINEAR"
    for sample, frame in enumerate(frames):
        cache.eval_frame = sample
        cache.keyframe_insert("eval_frame", frame=frame)
    for curve in thing.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def add_volume(name, paths, root, frames):
    """Volumes are shown at whole frames: an uneven clock is said, not guessed away."""
    if any(abs(f - round(f)) > 1e-3 for f in frames) or len(set(map(round, frames))) != round(frames[-1]) - FIRST + 1:
        print(f"rtsim: the frames of '{name}' are not evenly spaced in time; Blender plays volumes as if they were")
    volume = bpy.data.volumes.new(name)
    volume.filepath = str(paths[0].resolve())
    volume.is_sequence = True
    volume.frame_start, volume.frame_duration = FIRST, len(paths)
    # Blender adds 1 to the offset and takes it for the number in the file's name.
    volume.frame_offset = int(paths[0].stem.rsplit(".", 1)[1]) - 1
    add_object(name, volume, root)


def read_ply(path):
    """Points, x, y, z of one after the other, and the corners of triangles of a binary PLY."""
    import numpy

    head, body = path.read_bytes().split(b"end_header\n", 1)
    kinds = {"float": "<f4", "double": "<f8", "int": "<i4", "uint": "<u4", "uchar": "u1"}
    lines = [line.split() for line in head.decode().splitlines()]
    count = {line[1]: int(line[2]) for line in lines if line[0] == "element"}
    fields = [(line[2], kinds[line[1]]) for line in lines if line[0] == "property" and line[1] != "list"]
    table = numpy.frombuffer(body, dtype=fields, count=count["vertex"])
    points = numpy.stack([table["x"], table["y"], table["z"]], axis=1).astype("f4")
    faces = numpy.frombuffer(body, dtype=[("n", "u1"), ("corners", "<i4", 3)], count=count.get("face", 0),
                             offset=table.nbytes)
    return points, faces["corners"]


def add_points(name, paths, root, frames):
    """Or surfaces. Their number may change: the mesh is filled anew at each frame, with the last that is due."""
    mesh = bpy.data.meshes.new(name)
    add_object(name, mesh, root)

    def show(scene, *_):
        due = [path for path, frame in zip(paths, frames) if frame <= scene.frame_current + 1e-6]
        points, triangles = read_ply(due[-1] if due else paths[0])
        mesh.clear_geometry()
        if len(triangles):
            mesh.from_pydata(points.tolist(), [], triangles.tolist())
        else:
            mesh.vertices.add(len(points))
            mesh.vertices.foreach_set("co", points.ravel())
        mesh.update()

    bpy.app.handlers.frame_change_pre.append(show)
    show(bpy.context.scene)


def open_conversion(folder):
    folder = pathlib.Path(folder)
    lines = commits(folder)
    if not lines or not (folder / "convert.json").exists():
        raise SystemExit(f"{folder}: no conversion: see rtsim convert --help")
    made = json.loads((folder / "convert.json").read_text())["to"]
    if not SHOWN & set(made):
        raise SystemExit(f"{folder}: Blender has no reader of '{', '.join(made)}' files that play: "
                         f"convert --to {', '.join(sorted(SHOWN))}")
    frames = set_clock(bpy.context.scene, [line["time"] for line in lines])
    root = bpy.data.objects.new("rtsim", None)
    bpy.context.scene.collection.objects.link(root)
    root.rotation_euler = (math.pi / 2, 0, 0)
    if "gltf" in made:  # whose importer turns y up by itself
        bpy.ops.import_scene.gltf(filepath=str(folder / "cache/scene.glb"))
    for path in sorted(folder.glob("cache/*/*.pc2")):
        add_mesh_cache(path, root, frames)
    files = {}
    for line, frame in zip(lines, frames):
        for file in line["files"]:
            path = folder / file["path"]
            files.setdefault((path.parent.name, path.suffix), []).append((path, frame))
    for (name, suffix), found in sorted(files.items()):
        paths, at = zip(*found)
        if suffix == ".vdb":
            add_volume(name, paths, root, at)
        elif suffix == ".ply":
            add_points(name, paths, root, at)
    bpy.context.scene.frame_set(FIRST)


if __name__ == "__main__":
    if "--" not in sys.argv or len(sys.argv) == sys.argv.index("--") + 1:
        raise SystemExit("usage: blender --python scripts/blender_open.py -- OUT")
    open_conversion(sys.argv[sys.argv.index("--") + 1])
