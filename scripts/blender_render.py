"""A picture of a run by Cycles, without a display: water, smoke, cloth and bodies with materials, light,
floor and camera.

    rtsim convert RUN -o OUT --to ply       surfaces of liquids, cloth, solids, bodies; smoke: vdb; grains, foam: points
    blender -b --python scripts/blender_render.py -- OUT [OUT ...] -o picture.png

Boundaries come from the run's scene: primitives, mesh files, unions. For Blender 3.4, as Debian 12 has it.
"""
import argparse
import json
import math
import pathlib
import sys

import bmesh
import bpy
import numpy
from mathutils import Euler, Matrix, Quaternion, Vector

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blender_open  # noqa: E402

# What surfaces are made of: arguments of a principled material, and what absorbs light inside [colour, 1/m].
LOOKS = {
    "water": {"Base Color": (1, 1, 1), "Roughness": 0.0, "Transmission": 1, "IOR": 1.333, "inside": ((0.25, 0.62, 0.75), 1.2)},
    "honey": {"Base Color": (1, 0.85, 0.5), "Roughness": 0.02, "Transmission": 1, "IOR": 1.49, "inside": ((0.95, 0.45, 0.04), 12)},
    "glass": {"Base Color": (1, 1, 1), "Roughness": 0.0, "Transmission": 1, "IOR": 1.5},
    "rubber": {"Base Color": (0.75, 0.12, 0.08), "Roughness": 0.45},
    "jelly": {"Base Color": (0.95, 0.35, 0.3), "Roughness": 0.1, "Transmission": 0.75, "IOR": 1.35, "inside": ((0.85, 0.1, 0.12), 4)},
    "cloth": {"Base Color": (0.1, 0.22, 0.5), "Roughness": 0.9, "Sheen": 1},
    "plastic": {"Base Color": (0.8, 0.8, 0.8), "Roughness": 0.35, "palette": True},
    "wood": {"Base Color": (0.5, 0.3, 0.14), "Roughness": 0.55, "palette": True},
    "stone": {"Base Color": (0.42, 0.4, 0.37), "Roughness": 0.8},
    "metal": {"Base Color": (0.8, 0.8, 0.82), "Roughness": 0.22, "Metallic": 1},
    "gold": {"Base Color": (1, 0.72, 0.28), "Roughness": 0.18, "Metallic": 1},
    "foam": {"Base Color": (1, 1, 1), "Roughness": 1},
}
OF_KIND = {"particles": "water", "height_field": "water", "mesh": "rubber", "bodies": "plastic", "boundary": "stone"}
PALETTE = ((0.8, 0.16, 0.1), (0.95, 0.55, 0.1), (0.93, 0.8, 0.25), (0.2, 0.5, 0.25), (0.1, 0.35, 0.6), (0.85, 0.83, 0.78))


def arguments():
    parser = argparse.ArgumentParser(prog="blender -b --python scripts/blender_render.py --", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conversions", nargs="+", type=pathlib.Path, metavar="OUT", help="folder of rtsim convert")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="PNG")
    parser.add_argument("--frame", type=int, help="of the run; the last unless given")
    parser.add_argument("--look", action="append", default=[], metavar="NAME=LOOK",
                        help=f"an object's material: {', '.join(LOOKS)}")
    parser.add_argument("--hide", default="", metavar="NAME,...", help="boundaries that are not to be seen")
    parser.add_argument("--azimuth", type=float, default=35, help="of the camera about the vertical [degrees]")
    parser.add_argument("--elevation", type=float, default=18, help="of the camera above the horizon [degrees]")
    parser.add_argument("--zoom", type=float, default=1, help="1: all fits")
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--height", type=int, default=600)
    parser.add_argument("--samples", type=int, default=192, help="of light a pixel")
    parser.add_argument("--smoke", type=float, default=40, help="how fast smoke takes light [1/m], of a density of 1")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else ["--help"])


def material(look, name):
    """A principled surface; what is transparent absorbs light on its way through."""
    values = dict(LOOKS[look])
    inside, palette = values.pop("inside", None), values.pop("palette", False)
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    surface = nodes["Principled BSDF"]
    for key, value in values.items():
        surface.inputs[key].default_value = (*value, 1) if isinstance(value, tuple) else value
    if palette:  # each body its own colour
        island, ramp = nodes.new("ShaderNodeAttribute"), nodes.new("ShaderNodeValToRGB")
        island.attribute_name = "island"
        ramp.color_ramp.interpolation = "CONSTANT"
        while len(ramp.color_ramp.elements) < len(PALETTE):
            ramp.color_ramp.elements.new(0.5)
        for k, (element, colour) in enumerate(zip(ramp.color_ramp.elements, PALETTE)):
            element.position, element.color = k / len(PALETTE), (*colour, 1)
        links.new(island.outputs["Fac"], ramp.inputs["Fac"])
        links.new(ramp.outputs["Color"], surface.inputs["Base Color"])
    if inside:
        absorption = nodes.new("ShaderNodeVolumeAbsorption")
        absorption.inputs["Color"].default_value = (*inside[0], 1)
        absorption.inputs["Density"].default_value = inside[1]
        links.new(absorption.outputs["Volume"], nodes["Material Output"].inputs["Volume"])
    return made


def smoke(column, density):
    made = bpy.data.materials.new("smoke")
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    nodes.remove(nodes["Principled BSDF"])
    scatter = nodes.new("ShaderNodeVolumePrincipled")
    scatter.inputs["Color"].default_value = (0.85, 0.85, 0.87, 1)
    scatter.inputs["Density Attribute"].default_value = column
    scatter.inputs["Density"].default_value = density
    links.new(scatter.outputs["Volume"], nodes["Material Output"].inputs["Volume"])
    return made


def mesh_of(name, points, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    return mesh


def from_bmesh(make, **options):
    made, work = bpy.data.meshes.new("shape"), bmesh.new()
    make(work, **options)
    work.to_mesh(made)
    return [v.co.copy() for v in made.vertices], [tuple(p.vertices) for p in made.polygons]


def ball(radius):
    return from_bmesh(bmesh.ops.create_icosphere, subdivisions=5, radius=radius)


def rod(a, b, radius):
    """A cylinder from a to b."""
    along = Vector(b) - Vector(a)
    points, faces = from_bmesh(bmesh.ops.create_cone, segments=96, cap_ends=True, radius1=radius, radius2=radius,
                               depth=along.length)
    turn = along.to_track_quat("Z", "Y")
    return [(Vector(a) + Vector(b)) / 2 + turn @ x for x in points], faces


def joined(pieces):
    points, faces = [], []
    for p, f in pieces:
        faces += [tuple(k + len(points) for k in face) for face in f]
        points += p
    return points, faces


def pieces_of(shape):
    """Points and faces of a shape of the scene, placed; None where Blender would need its own kind of solid."""
    if "union" in shape:
        pieces = [pieces_of(part) for part in shape["union"]]
        made = None if None in pieces else joined(pieces)
    else:
        made = primitive(shape)
    if made is None:
        return None
    place = placed(shape["transform"])
    return [place @ Vector(x) for x in made[0]], made[1]


def primitive(shape):
    if "box" in shape:
        low, high = shape["box"]["min"], shape["box"]["max"]
        if None in (*low, *high) or not all(map(math.isfinite, (*low, *high))):
            return None
        points = [tuple((high if k >> a & 1 else low)[a] for a in range(3)) for k in range(8)]
        return points, [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    if "sphere" in shape:
        points, faces = ball(shape["sphere"]["radius"])
        return [x + Vector(shape["sphere"]["centre"]) for x in points], faces
    if "ellipsoid" in shape:
        points, faces = ball(1)
        radii, centre = shape["ellipsoid"]["radii"], shape["ellipsoid"]["centre"]
        return [Vector(x[a] * radii[a] + centre[a] for a in range(3)) for x in points], faces
    if "cylinder" in shape:
        return rod(*(shape["cylinder"][key] for key in ("a", "b", "radius")))
    if "capsule" in shape:
        a, b, radius = (shape["capsule"][key] for key in ("a", "b", "radius"))
        ends = [([x + Vector(end) for x in points], faces) for end in (a, b) for points, faces in [ball(radius)]]
        return joined([rod(a, b, radius), *ends])
    file = pathlib.Path(shape.get("mesh", {}).get("file", ""))
    if file.suffix == ".obj":
        return read_obj(file)
    if file.suffix == ".ply":
        points, faces = blender_open.read_ply(file)
        return points.tolist(), faces.tolist()
    return None


def read_obj(path):
    points, faces = [], []
    for line in path.read_text().splitlines():
        what, *rest = line.split() or [""]
        if what == "v":
            points.append(tuple(map(float, rest[:3])))
        elif what == "f":
            faces.append(tuple(int(k.split("/")[0]) - 1 for k in rest))
    return points, faces


def placed(transform):
    turn = Matrix.Rotation(math.radians(transform["angle"]), 4, Vector(transform["axis"]))
    return Matrix.Translation(transform["translate"]) @ turn @ Matrix.Scale(transform["scale"], 4)


def turned(key):
    return Quaternion(Vector(key["axis"]), math.radians(key["angle"]))


def moved(motion, time):
    """Where a motion has brought a boundary: keyframes are joined linearly."""
    centre, keys = Vector(motion["centre"]), motion.get("keyframes")
    if keys:
        after = next((k for k, key in enumerate(keys) if key["time"] >= time), len(keys) - 1)
        a, b = keys[max(after - 1, 0)], keys[after]
        part = min(max((time - a["time"]) / ((b["time"] - a["time"]) or 1), 0), 1)
        shift = Vector(a["translate"]).lerp(Vector(b["translate"]), part)
        if a["axis"] == b["axis"]:  # where angles count as they stand
            turn = turned({**a, "angle": a["angle"] + part * (b["angle"] - a["angle"])})
        else:
            turn = turned(a).slerp(turned(b), part)
    else:
        shift, turn = Vector(motion["velocity"]) * time, Quaternion(Vector(motion["spin_axis"]), motion["spin"] * time)
    return Matrix.Translation(shift + centre) @ turn.to_matrix().to_4x4() @ Matrix.Translation(-centre)


def add_boundaries(scene, time, hidden, root):
    """Those that are solid; returns names that cannot be shown. Hollow ones are rooms, of which the floor is seen."""
    unknown = []
    for o in scene["objects"]:
        if o["kind"] != "boundary" or o["name"] in hidden or o["shape"].get("inside"):
            continue
        made = pieces_of(o["shape"])
        if made is None:
            unknown.append(o["name"])
            continue
        thing = blender_open.add_object(o["name"], mesh_of(o["name"], *made), root)
        thing.matrix_local = moved(o["motion"], time)
    return unknown


def corners(things):
    found = []
    for thing in things:
        if thing.type == "MESH":
            found += [thing.matrix_world @ v.co for v in thing.data.vertices]
        elif thing.type == "VOLUME":
            found += [thing.matrix_world @ Vector(c) for c in thing.bound_box]
    low = Vector(min(x[a] for x in found) for a in range(3))
    high = Vector(max(x[a] for x in found) for a in range(3))
    return low, high


def floor_height(scene, low):
    """Where the room's floor is, as y of the scene: of hollow boxes and grids, else beneath all that is seen."""
    rooms = [o["shape"]["box"]["min"] for o in scene["objects"]
             if o["kind"] == "boundary" and o["shape"].get("inside") and "box" in o["shape"]]
    rooms += [o["min"] for o in scene["objects"] if o["kind"] == "grid"]
    return min([r[1] for r in rooms if math.isfinite(r[1])], default=low[2])


def add_floor(height, low, high):
    size = 40 * max(high - low)
    x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    height -= 1e-3 * max(high - low)  # not in the plane of what lies on it
    points = [(x - size, y - size, height), (x + size, y - size, height), (x + size, y + size, height), (x - size, y + size, height)]
    floor = blender_open.add_object("floor", mesh_of("floor", points, [(0, 1, 2, 3)]), None)
    made = material("stone", "floor")
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.36, 0.36, 0.34, 1)
    floor.data.materials.append(made)


def add_light():
    """A sun with soft shadows, and a sky that is brighter above."""
    sun = bpy.data.lights.new("sun", "SUN")
    sun.energy, sun.angle = 3.2, math.radians(6)
    thing = blender_open.add_object("sun", sun, None)
    thing.rotation_euler = Euler((math.radians(38), math.radians(8), math.radians(-30)))
    world = bpy.data.worlds.new("sky")
    bpy.context.scene.world = world
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    where, split = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeSeparateXYZ")
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements[0].color, ramp.color_ramp.elements[1].color = (0.75, 0.78, 0.8, 1), (0.32, 0.5, 0.78, 1)
    links.new(where.outputs["Generated"], split.inputs["Vector"])
    links.new(split.outputs["Z"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], nodes["Background"].inputs["Color"])
    nodes["Background"].inputs["Strength"].default_value = 0.4


def add_camera(low, high, given):
    """Looks at the middle of all from so far off that the corners of their box are in the picture."""
    camera = bpy.data.cameras.new("camera")
    camera.lens = 50
    thing = blender_open.add_object("camera", camera, None)
    scene = bpy.context.scene
    scene.camera = thing
    a, e = math.radians(given.azimuth), math.radians(given.elevation)
    away = Vector((math.sin(a) * math.cos(e), -math.cos(a) * math.cos(e), math.sin(e)))
    turn = away.to_track_quat("Z", "Y")
    right, up = turn @ Vector((1, 0, 0)), turn @ Vector((0, 1, 0))
    middle = (low + high) / 2
    across = camera.sensor_width / 2 / camera.lens
    upwards = across * given.height / given.width
    distance = 0
    for k in range(8):
        c = Vector(((high if k >> i & 1 else low)[i] for i in range(3))) - middle
        distance = max(distance, away.dot(c) + max(abs(right.dot(c)) / across, abs(up.dot(c)) / upwards))
    thing.location = middle + away * distance * 1.08 / given.zoom
    thing.rotation_euler = turn.to_euler()
    camera.clip_start, camera.clip_end = distance * 1e-3, distance * 1e3


def as_spheres(thing, radius, made):
    """Points without faces as balls."""
    tree = bpy.data.node_groups.new("balls", "GeometryNodeTree")
    tree.inputs.new("NodeSocketGeometry", "Geometry")
    tree.outputs.new("NodeSocketGeometry", "Geometry")
    names = ("NodeGroupInput", "GeometryNodeMeshToPoints", "GeometryNodeSetMaterial", "NodeGroupOutput")
    chain = [tree.nodes.new(name) for name in names]
    for before, after in zip(chain, chain[1:]):
        tree.links.new(before.outputs[0], after.inputs[0])
    chain[1].inputs["Radius"].default_value = radius
    chain[2].inputs["Material"].default_value = made
    thing.modifiers.new("balls", "NODES").node_group = tree


def number_islands(mesh):
    """A number from 0 to 1 for each piece of the mesh, at its points: the palette's colour of a body."""
    faces = numpy.zeros(3 * len(mesh.polygons), dtype=int)
    mesh.polygons.foreach_get("vertices", faces)
    faces = faces.reshape(-1, 3)
    label = numpy.arange(len(mesh.vertices))
    while True:  # the least number of its points spreads over a piece
        least = label.copy()
        numpy.minimum.at(least, faces, label[faces].min(axis=1, keepdims=True))
        if (least == label).all():
            break
        label = least
    _, island = numpy.unique(label, return_inverse=True)
    values = numpy.random.default_rng(1).random(island.max() + 1)
    mesh.attributes.new("island", "FLOAT", "POINT").data.foreach_set("value", values[island])


def dress(things, objects, looks, density):
    kinds = {name: o["kind"] for name, o in objects.items()}
    for thing in things:
        name = thing.name.split(".")[0]
        if thing.type == "VOLUME":
            thing.data.materials.append(smoke("density", density))
        elif thing.type == "MESH":
            look = looks.get(name, OF_KIND.get(kinds.get(name), "plastic"))
            made = material(look, f"{look} of {name}")
            if not thing.data.polygons:
                as_spheres(thing, objects[name]["spacing"] / 2, made)
                continue
            if kinds.get(name) == "bodies":
                number_islands(thing.data)
            thing.data.materials.clear()
            thing.data.materials.append(made)
            smooth = kinds.get(name) != "bodies"
            thing.data.use_auto_smooth, thing.data.auto_smooth_angle = True, math.radians(180 if smooth else 30)
            thing.data.polygons.foreach_set("use_smooth", [True] * len(thing.data.polygons))


def main():
    given = arguments()
    looks = dict(text.split("=", 1) for text in given.look)
    for name, look in looks.items():
        if look not in LOOKS:
            raise SystemExit(f"--look {name}={look}: no such look; there are {', '.join(LOOKS)}")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for folder in given.conversions:
        blender_open.open_conversion(folder)
    lines = blender_open.commits(given.conversions[0])
    numbers = [line["frame"] for line in lines]
    at = numbers.index(given.frame) if given.frame in numbers else len(lines) - 1
    if given.frame is not None and numbers[at] != given.frame:
        raise SystemExit(f"{given.conversions[0]}: no frame {given.frame}; there are {numbers[0]} to {numbers[-1]}")
    run = pathlib.Path(json.loads((given.conversions[0] / "convert.json").read_text())["run"])
    scene = json.loads((run / "scene.resolved.json").read_text())
    times = [line["time"] for line in lines]
    frames = blender_open.set_clock(bpy.context.scene, times)
    bpy.context.scene.frame_set(round(frames[at]))
    bpy.app.handlers.frame_change_pre.clear()  # what is shown stays, with the materials that it gets

    root = next(o for o in bpy.context.scene.objects if o.name == "rtsim")
    unknown = add_boundaries(scene, times[at], given.hide.split(","), root)
    if unknown:
        print(f"rtsim: not shown, since their shapes are planes, height maps or cut: {', '.join(unknown)}")
    bpy.context.view_layer.update()
    things = [o for o in bpy.context.scene.objects if o.type in ("MESH", "VOLUME")]
    dress(things, {o["name"]: o for o in scene["objects"]}, looks, given.smoke)
    low, high = corners(things)
    add_floor(floor_height(scene, low), low, high)
    add_light()
    add_camera(low, high, given)

    r = bpy.context.scene.render
    r.engine, r.resolution_x, r.resolution_y = "CYCLES", given.width, given.height
    r.image_settings.file_format, r.filepath = "PNG", str(given.output.resolve())
    cycles = bpy.context.scene.cycles
    cycles.device, cycles.samples, cycles.use_denoising = "CPU", given.samples, False
    cycles.max_bounces, cycles.transmission_bounces, cycles.caustics_refractive = 12, 12, True
    cycles.sample_clamp_indirect = 3  # bright specks that few samples would leave
    view = bpy.context.scene.view_settings
    view.view_transform, view.look = "Filmic", "High Contrast"
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
