"""A picture of a run by Cycles, without a display: water, smoke, cloth and bodies with materials, light,
floor and camera.

    rtsim convert RUN -o OUT --to ply       surfaces of liquids, cloth, solids, bodies; smoke, vortices: vdb; grains, foam: points
    blender -b --python scripts/blender_render.py -- OUT [OUT ...] -o picture.png

Boundaries come from the run's scene: primitives, mesh files, unions. For Blender 3.4, as Debian 12 has it.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

import bmesh
import bpy
import numpy
from mathutils import Euler, Matrix, Quaternion, Vector
from mathutils.bvhtree import BVHTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blender_open  # noqa: E402

# What surfaces are made of: arguments of a principled material; what absorbs light inside [colour, 1/m]; by how much
# the colour varies from place to place; colours by height, from 0 to 1. "palette": each body has a colour of its own.
LOOKS = {
    "water": {"Base Color": (1, 1, 1), "Roughness": 0.0, "Transmission": 1, "IOR": 1.333, "inside": ((0.25, 0.62, 0.75), 1.2)},
    "honey": {"Base Color": (1, 0.85, 0.5), "Roughness": 0.02, "Transmission": 1, "IOR": 1.49, "inside": ((0.95, 0.45, 0.04), 12)},
    "glass": {"Base Color": (1, 1, 1), "Roughness": 0.0, "Transmission": 1, "IOR": 1.5},
    "rubber": {"Base Color": (0.75, 0.12, 0.08), "Roughness": 0.45},
    "jelly": {"Base Color": (0.95, 0.35, 0.3), "Roughness": 0.1, "Transmission": 0.75, "IOR": 1.35, "inside": ((0.85, 0.1, 0.12), 4)},
    "cloth": {"Base Color": (0.1, 0.22, 0.5), "Roughness": 0.9, "Sheen": 1},
    "silk": {"Base Color": (0.5, 0.05, 0.08), "Roughness": 0.4, "Sheen": 0.5},
    "plastic": {"Base Color": (0.8, 0.8, 0.8), "Roughness": 0.35, "palette": True},
    "wood": {"Base Color": (0.5, 0.3, 0.14), "Roughness": 0.55, "grain": 0.5},
    "stone": {"Base Color": (0.42, 0.4, 0.37), "Roughness": 0.8, "grain": 0.35},
    "land": {"Roughness": 0.95, "layers": ((0, (0.12, 0.13, 0.1)), (0.3, (0.55, 0.46, 0.3)), (0.36, (0.16, 0.24, 0.06)),
                                           (0.6, (0.1, 0.16, 0.05)), (0.75, (0.3, 0.27, 0.24)), (0.92, (0.9, 0.92, 0.95)))},
    "metal": {"Base Color": (0.8, 0.8, 0.82), "Roughness": 0.22, "Metallic": 1},
    "gold": {"Base Color": (1, 0.72, 0.28), "Roughness": 0.18, "Metallic": 1},
    "foam": {"Base Color": (1, 1, 1), "Roughness": 1},
}
OF_KIND = {"particles": "water", "height_field": "water", "mesh": "rubber", "bodies": "plastic", "boundary": "stone"}
# Colours of the sky at the horizon and above, and its strength; colour and strength of the sun, its height and how
# far to the left of the camera it stands [degrees], how wide it is; the colour of the floor.
LIGHTS = {
    "day": ((0.75, 0.78, 0.8), (0.32, 0.5, 0.78), 0.45, (1, 0.97, 0.92), 3.2, 50, 40, 6, (0.36, 0.36, 0.34)),
    "evening": ((0.95, 0.62, 0.42), (0.2, 0.28, 0.5), 0.5, (1, 0.72, 0.45), 4, 22, 105, 3, (0.3, 0.27, 0.24)),
    "studio": ((0.86, 0.84, 0.82), (1, 1, 1), 0.55, (1, 0.98, 0.95), 2.6, 55, 50, 25, (0.6, 0.59, 0.57)),
    "night": ((0.012, 0.014, 0.02), (0.05, 0.06, 0.09), 0.5, (1, 0.93, 0.85), 5, 40, 120, 8, (0.03, 0.03, 0.035)),
}
# Colours of vorticity, from what is just seen to what shines most.
VORTICES = ((0, (0.01, 0.06, 0.4)), (0.3, (0.06, 0.4, 0.85)), (0.55, (0.75, 0.25, 0.12)), (1, (1, 0.62, 0.2)))
PALETTE = ((0.8, 0.16, 0.1), (0.95, 0.55, 0.1), (0.93, 0.8, 0.25), (0.2, 0.5, 0.25), (0.1, 0.35, 0.6), (0.85, 0.83, 0.78))


def arguments():
    parser = argparse.ArgumentParser(prog="blender -b --python scripts/blender_render.py --", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conversions", nargs="+", type=pathlib.Path, metavar="OUT", help="folder of rtsim convert")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="PNG")
    parser.add_argument("--frame", type=int, help="of the run; the last unless given")
    parser.add_argument("--look", action="append", default=[], metavar="NAME=LOOK",
                        help=f"an object's material: {', '.join(LOOKS)}; with a colour: cow=plastic#e0a080; a dye's: left=#c03010")
    parser.add_argument("--hide", default="", metavar="NAME,...", help="boundaries that are not to be seen")
    parser.add_argument("--fit", default="", metavar="NAME,...", help="what must be in the picture; all unless given")
    parser.add_argument("--light", default="day", choices=LIGHTS)
    parser.add_argument("--floor", metavar="#RRGGBB", help="its colour; none: there is no floor")
    parser.add_argument("--azimuth", type=float, default=35, help="of the camera about the vertical [degrees]")
    parser.add_argument("--elevation", type=float, default=18, help="of the camera above the horizon [degrees]")
    parser.add_argument("--zoom", type=float, default=1, help="1: all fits")
    parser.add_argument("--shift", default="0,0", metavar="RIGHT,UP", help="of the picture, in parts of its width")
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--height", type=int, default=600)
    parser.add_argument("--samples", type=int, default=192, help="of light a pixel")
    parser.add_argument("--denoise", type=float, default=0, metavar="SIGMA",
                        help="how much brightness is taken for noise, of 255, by ffmpeg's non-local means; 0: none")
    parser.add_argument("--smoke", type=float, default=40, help="how fast smoke takes light [1/m], of a density of 1")
    parser.add_argument("--vortices", default="1,10", metavar="LOW,HIGH",
                        help="vorticity [1/s] from which on a flow of lbm is seen, and where it shines most")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else ["--help"])


def colour(text):
    """Of #RRGGBB, as screens show it, how much light it gives back."""
    try:
        parts = [int(text[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    except ValueError:
        parts = []
    if len(text) != 7 or text[0] != "#" or len(parts) != 3:
        raise SystemExit(f"'{text}' is no colour: #RRGGBB")
    return tuple(((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in parts)


def looks_of(texts):
    """Look and colour, either None where it is not given, by the object's name."""
    looks = {}
    for text in texts:
        name, _, what = text.partition("=")
        look, mark, rest = what.partition("#")
        if look and look not in LOOKS or not what:
            raise SystemExit(f"--look {text}: no such look; there are {', '.join(LOOKS)}")
        looks[name] = look or None, colour(mark + rest) if mark else None
    return looks


def new_material(name):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    return made, made.node_tree.nodes, made.node_tree.links


def ramp_of(nodes, stops, blend="LINEAR"):
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = blend
    while len(ramp.color_ramp.elements) < len(stops):
        ramp.color_ramp.elements.new(0.5)
    for element, (place, shade) in zip(ramp.color_ramp.elements, stops):
        element.position, element.color = place, (*shade, 1)
    return ramp


def material(look, name, tint=None, edge=0):
    """A principled surface, its edges rounded by `edge`; what is transparent absorbs light on its way through."""
    values = dict(LOOKS[look])
    inside, palette, grain, layers = (values.pop(key, None) for key in ("inside", "palette", "grain", "layers"))
    if tint:
        palette, layers = None, None
        inside = inside and (tint, inside[1])
        if not inside or values["Transmission"] < 1:  # what is clear has no colour at its surface
            values["Base Color"] = tint
    made, nodes, links = new_material(name)
    surface = nodes["Principled BSDF"]
    for key, value in values.items():
        surface.inputs[key].default_value = (*value, 1) if isinstance(value, tuple) else value
    if palette:
        island = nodes.new("ShaderNodeAttribute")
        island.attribute_name = "island"
        ramp = ramp_of(nodes, [(k / len(PALETTE), shade) for k, shade in enumerate(PALETTE)], "CONSTANT")
        links.new(island.outputs["Fac"], ramp.inputs["Fac"])
        links.new(ramp.outputs["Color"], surface.inputs["Base Color"])
    if layers:
        links.new(by_height(nodes, links, layers), surface.inputs["Base Color"])
    if grain:
        links.new(grained(nodes, links, values["Base Color"], grain), surface.inputs["Base Color"])
    if edge:
        bevel = nodes.new("ShaderNodeBevel")
        bevel.inputs["Radius"].default_value = edge
        links.new(bevel.outputs["Normal"], surface.inputs["Normal"])
    if values.get("Transmission"):
        let_shadows_through(nodes, links, tint or (0.9, 0.95, 0.97))
    if inside:
        absorption = nodes.new("ShaderNodeVolumeAbsorption")
        absorption.inputs["Color"].default_value = (*inside[0], 1)
        absorption.inputs["Density"].default_value = inside[1]
        links.new(absorption.outputs["Volume"], nodes["Material Output"].inputs["Volume"])
    return made


def by_height(nodes, links, layers):
    """Over the object's own height; broken up, so that layers have no straight edges."""
    where, noise = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeTexNoise")
    split, mix = nodes.new("ShaderNodeSeparateXYZ"), nodes.new("ShaderNodeMath")
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 12, 8
    mix.operation = "MULTIPLY_ADD"
    mix.inputs[1].default_value = 0.12
    links.new(where.outputs["Generated"], noise.inputs["Vector"])
    links.new(where.outputs["Generated"], split.inputs["Vector"])
    links.new(noise.outputs["Fac"], mix.inputs[0])
    links.new(split.outputs["Y"], mix.inputs[2])  # y is up in the scene
    ramp = ramp_of(nodes, [(place + 0.06 * (place > 0), shade) for place, shade in layers])
    links.new(mix.outputs["Value"], ramp.inputs["Fac"])
    return ramp.outputs["Color"]


def grained(nodes, links, base, share):
    where, noise = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 9, 10
    links.new(where.outputs["Generated"], noise.inputs["Vector"])
    ramp = ramp_of(nodes, [(0.3, tuple(c * (1 - share) for c in base)), (0.7, tuple(min(1, c * (1 + share)) for c in base))])
    links.new(noise.outputs["Fac"], ramp.inputs["Fac"])
    return ramp.outputs["Color"]


def let_shadows_through(nodes, links, tint):
    """Caustics take very many samples: light goes straight through to what lies in the shadow."""
    path, clear, mix = (nodes.new(kind) for kind in ("ShaderNodeLightPath", "ShaderNodeBsdfTransparent", "ShaderNodeMixShader"))
    clear.inputs["Color"].default_value = (*tint, 1)
    links.new(path.outputs["Is Shadow Ray"], mix.inputs["Fac"])
    links.new(nodes["Principled BSDF"].outputs["BSDF"], mix.inputs[1])
    links.new(clear.outputs["BSDF"], mix.inputs[2])
    links.new(mix.outputs["Shader"], nodes["Material Output"].inputs["Surface"])


def smoke(columns, density, looks):
    """Each column scatters light of its own colour: smoke white, dyes those of the palette unless a look says so."""
    made, nodes, links = new_material("smoke")
    nodes.remove(nodes["Principled BSDF"])
    total = None
    for k, column in enumerate(columns):
        scatter = nodes.new("ShaderNodeVolumePrincipled")
        tint = looks.get(column, (None, None))[1] or ((0.85, 0.85, 0.87) if column == "density" else PALETTE[k % len(PALETTE)])
        scatter.inputs["Color"].default_value = (*tint, 1)
        scatter.inputs["Density Attribute"].default_value = column
        scatter.inputs["Density"].default_value = density
        scatter.inputs["Anisotropy"].default_value = 0.2
        both = total and nodes.new("ShaderNodeAddShader")
        if both:
            links.new(total, both.inputs[0])
            links.new(scatter.outputs["Volume"], both.inputs[1])
        total = (both or scatter).outputs[0]
    links.new(total, nodes["Material Output"].inputs["Volume"])
    return made


def vortices(density, low, high):
    """Where fluid turns it shines, from blue to orange, by the magnitude of the curl of its velocity."""
    made, nodes, links = new_material("vortices")
    nodes.remove(nodes["Principled BSDF"])
    names = "Attribute", "VectorMath", "MapRange", "Math", "Math", "VolumePrincipled"
    curl, size, part, thick, bright, glow = (nodes.new("ShaderNode" + name) for name in names)
    curl.attribute_name, size.operation = "vorticity", "LENGTH"
    part.inputs["From Min"].default_value, part.inputs["From Max"].default_value = low, high
    ramp = ramp_of(nodes, VORTICES)
    for node, factor in (thick, density), (bright, 2 * density):
        node.operation, node.inputs[1].default_value = "MULTIPLY", factor
        links.new(part.outputs["Result"], node.inputs[0])
    links.new(curl.outputs["Vector"], size.inputs[0])
    links.new(size.outputs["Value"], part.inputs["Value"])
    links.new(part.outputs["Result"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], glow.inputs["Color"])
    links.new(ramp.outputs["Color"], glow.inputs["Emission Color"])
    links.new(thick.outputs["Value"], glow.inputs["Density"])
    links.new(bright.outputs["Value"], glow.inputs["Emission Strength"])
    links.new(glow.outputs["Volume"], nodes["Material Output"].inputs["Volume"])
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
    if "height_map" in shape:
        return terrain(shape["height_map"])
    file = pathlib.Path(shape.get("mesh", {}).get("file", ""))
    if file.suffix == ".obj":
        return read_obj(file)
    if file.suffix == ".ply":
        points, faces = blender_open.read_ply(file)
        return points.tolist(), faces.tolist()
    return None


def frames_of(pattern):
    """The files of a sequence and their numbers."""
    head, tail = re.fullmatch(r"([^#]*)#+([^#]*)", pathlib.Path(pattern).name).groups()
    name = re.compile(re.escape(head) + r"(\d+)" + re.escape(tail))
    return sorted((int(found[1]), f) for f in pathlib.Path(pattern).parent.iterdir() if (found := name.fullmatch(f.name)))


def deformed(o, time):
    """The pieces of a boundary whose corners follow files, on straight lines from one to the next."""
    told = o["deformation"]
    frames = frames_of(told["frames"])
    at = frames[0][0] + (time - told["start"]) * told["fps"]
    before = max((f for f in frames if f[0] <= at), default=frames[0])
    after = min((f for f in frames if f[0] >= at), default=frames[-1])
    made = [pieces_of({**o["shape"], "mesh": {"file": str(file)}}) for _, file in (before, after)]
    if None in made:
        return None
    part = (at - before[0]) / (after[0] - before[0]) if after > before else 0
    return [(1 - part) * x + part * y for x, y in zip(made[0][0], made[1][0])], made[0][1]


def terrain(told):
    """The heights of a picture, and walls down below them."""
    picture = bpy.data.images.load(told["file"])
    picture.colorspace_settings.name = "Non-Color"
    (columns, rows), low, high = picture.size, told["min"], told["max"]
    grey = numpy.zeros(len(picture.pixels), dtype=numpy.float32)
    picture.pixels.foreach_get(grey)
    grey = grey.reshape(rows, columns, -1)[::-1, :, 0]  # Blender's first row is the lowest
    grey = in_quarters(in_quarters(grey).T).T
    rows, columns = grey.shape
    points = [(low[0] + (high[0] - low[0]) * i / (columns - 1), low[1] + (high[1] - low[1]) * float(grey[j, i]),
               low[2] + (high[2] - low[2]) * j / (rows - 1)) for j in range(rows) for i in range(columns)]
    faces = [(a, a + columns, a + columns + 1, a + 1) for j in range(rows - 1) for a in range(j * columns, (j + 1) * columns - 1)]
    last = (rows - 1) * columns
    rim = [*range(columns - 1), *range(columns - 1, last + columns - 1, columns), *range(last + columns - 1, last, -1),
           *range(last, 0, -columns)]
    return walled(points, faces, rim, low[1] - 0.1 * (high[1] - low[1]))


def in_quarters(rows):
    """Rows and three more between two: triangles from pixel to pixel leave a bilinear ground by a hundredth of a pixel
    and more where it bends, these by a sixteenth of that."""
    at = numpy.arange(4 * len(rows) - 3) / 4
    before = numpy.minimum(at.astype(int), len(rows) - 2)
    part = (at - before)[:, None]
    return (1 - part) * rows[before] + part * rows[before + 1]


def walled(points, faces, rim, bottom):
    """With walls from a rim, points in their order, down to a height."""
    below = range(len(points), len(points) + len(rim))
    points = [*points, *((points[k][0], bottom, points[k][2]) for k in rim)]
    walls = [(rim[k - 1], rim[k], below[k], below[k - 1]) for k in range(len(rim))]
    return points, [*faces, *walls, tuple(below)]


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
        made = deformed(o, time) if o.get("deformation") else pieces_of(o["shape"])
        if made is None:
            unknown.append(o["name"])
            continue
        thing = blender_open.add_object(o["name"], mesh_of(o["name"], *made), root)
        thing.matrix_local = moved(o["motion"], time)
    return unknown


def add_grounds(scene, hidden, root):
    """The ground of height fields, "land" for --look; planes stay out."""
    for o in scene["objects"]:
        if o["kind"] == "height_field" and "land" not in hidden:
            shapes = o["bed"] if isinstance(o["bed"], list) else [o["bed"]]
            pieces = [made for made in map(pieces_of, shapes) if made]
            if pieces:
                blender_open.add_object("land", mesh_of("land", *joined(pieces)), root)


def make_water(mesh, spacing, land):
    """Of the surface of a height field, which lies on the ground where that is dry: what is wet, with walls down to
    the bottom, so that light sees a body of water. At the shore it goes into the ground."""
    work = bmesh.new()
    work.from_mesh(mesh)
    bottom = min(v.co.y for v in work.verts) - spacing
    if land:
        ground = BVHTree.FromPolygons([v.co for v in land.vertices], [p.vertices for p in land.polygons])
        bottom = min(v.co.y for v in land.vertices)
        up, down = Vector((0, 1e-3 * spacing, 0)), Vector((0, -1, 0))
        dry = set()
        for v in work.verts:
            below = ground.ray_cast(v.co + up, down)[0]
            if below is None or v.co.y - below.y < 0.05 * spacing:
                dry.add(v)
        bmesh.ops.delete(work, geom=[f for f in work.faces if all(v in dry for v in f.verts)], context="FACES")
        for v in work.verts:
            if v in dry:
                v.co.y -= 0.3 * spacing
    rim = [e for e in work.edges if e.is_boundary]
    for part in bmesh.ops.extrude_edge_only(work, edges=rim)["geom"]:
        if isinstance(part, bmesh.types.BMVert):
            part.co.y = bottom + 1e-3 * spacing
    work.to_mesh(mesh)
    work.free()


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


def add_floor(height, low, high, shade):
    """It fades into the horizon."""
    extent = max(high - low)
    size = 40 * extent
    height -= 1e-3 * extent  # not in the plane of what lies on it
    floor = blender_open.add_object("floor", mesh_of("floor", [(-size, -size, 0), (size, -size, 0), (size, size, 0), (-size, size, 0)],
                                                     [(0, 1, 2, 3)]), None)
    floor.location = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, height)
    made, nodes, links = new_material("floor")
    surface = nodes["Principled BSDF"]
    surface.inputs["Base Color"].default_value, surface.inputs["Roughness"].default_value = (*shade, 1), 0.75
    where, far, fade = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeVectorMath"), nodes.new("ShaderNodeMapRange")
    far.operation, fade.interpolation_type = "LENGTH", "SMOOTHSTEP"
    fade.inputs["From Min"].default_value, fade.inputs["From Max"].default_value = 1.2 * extent, 6 * extent
    clear, mix = nodes.new("ShaderNodeBsdfTransparent"), nodes.new("ShaderNodeMixShader")
    links.new(where.outputs["Object"], far.inputs[0])
    links.new(far.outputs["Value"], fade.inputs["Value"])
    links.new(fade.outputs["Result"], mix.inputs["Fac"])
    links.new(surface.outputs["BSDF"], mix.inputs[1])
    links.new(clear.outputs["BSDF"], mix.inputs[2])
    links.new(mix.outputs["Shader"], nodes["Material Output"].inputs["Surface"])
    floor.data.materials.append(made)


def add_light(light, azimuth):
    """A sun with soft shadows that goes with the camera, and a sky that is brighter above."""
    horizon, zenith, sky, shade, strength, height, left, wide, _ = LIGHTS[light]
    sun = bpy.data.lights.new("sun", "SUN")
    sun.energy, sun.angle, sun.color = strength, math.radians(wide), shade
    thing = blender_open.add_object("sun", sun, None)
    thing.rotation_euler = Euler((math.radians(90 - height), 0, math.radians(azimuth - left)))
    world = bpy.data.worlds.new("sky")
    bpy.context.scene.world = world
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    where, split = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeSeparateXYZ")
    ramp = ramp_of(nodes, [(0, horizon), (0.7, zenith)])
    links.new(where.outputs["Generated"], split.inputs["Vector"])
    links.new(split.outputs["Z"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], nodes["Background"].inputs["Color"])
    nodes["Background"].inputs["Strength"].default_value = sky


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
    camera.shift_x, camera.shift_y = (-float(part) for part in given.shift.split(","))
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
    """A number from 0 to 1 for each piece of the mesh, at its points: the palette's colour of a body. Returns the
    least extent of the first."""
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
    points = numpy.zeros(3 * len(label), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", points)
    return float(numpy.ptp(points.reshape(-1, 3)[island == 0], axis=0).min())


def dress(things, scene, looks, density, shown):
    objects = {o["name"]: o for o in scene["objects"]}
    flows = [stage["grid"] for stage in scene["stages"] if stage["type"] == "lbm"]
    dyes = [dye for stage in scene["stages"] for dye in stage.get("dyes", [])]
    for thing in things:
        name = thing.name.split(".")[0]
        kind = objects.get(name, {}).get("kind")
        if thing.type == "VOLUME":
            made = vortices(density, *shown) if name in flows else smoke(dyes or ["density"], density, looks)
            thing.data.materials.append(made)
            continue
        look, tint = looks.get(name, (None, None))
        look = look or ("land" if name == "land" else OF_KIND.get(kind, "plastic"))
        if not thing.data.polygons:
            as_spheres(thing, objects[name]["spacing"] / 2, material(look, f"{look} of {name}", tint))
            continue
        if kind == "height_field":
            make_water(thing.data, objects[name]["spacing"], bpy.data.meshes.get("land"))
        edge = 0.06 * number_islands(thing.data) if kind == "bodies" else 0
        thing.data.materials.clear()
        thing.data.materials.append(material(look, f"{look} of {name}", tint, edge))
        angle = 30 if kind in ("bodies", "boundary") else 180
        thing.data.use_auto_smooth, thing.data.auto_smooth_angle = True, math.radians(angle)
        thing.data.polygons.foreach_set("use_smooth", [True] * len(thing.data.polygons))


def denoise(picture, sigma):
    """By the mean of places that look alike (Buades, Coll & Morel 2005): Debian's Blender has no denoiser of its own."""
    noisy = picture.with_suffix(".noisy.png")
    picture.rename(noisy)
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", "-i", noisy, "-vf", f"nlmeans=s={sigma}:p=5:r=9", picture], check=True)
    noisy.unlink()


def main():
    given = arguments()
    looks = looks_of(given.look)
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
    hidden = given.hide.split(",")
    unknown = add_boundaries(scene, times[at], hidden, root)
    if unknown:
        print(f"rtsim: not shown, since their shapes are planes or cut: {', '.join(unknown)}")
    add_grounds(scene, hidden, root)
    bpy.context.view_layer.update()
    things = [o for o in bpy.context.scene.objects if o.type in ("MESH", "VOLUME")]
    low, high = corners(things)
    fitted = [o for o in things if o.name.split(".")[0] in given.fit.split(",")]
    if given.fit and not fitted:
        raise SystemExit(f"--fit {given.fit}: there are {', '.join(sorted(o.name for o in things))}")
    dress(things, scene, looks, given.smoke, [float(part) for part in given.vortices.split(",")])
    if given.floor != "none":
        add_floor(floor_height(scene, low), low, high, colour(given.floor) if given.floor else LIGHTS[given.light][-1])
    add_light(given.light, given.azimuth)
    add_camera(*(corners(fitted) if fitted else (low, high)), given)

    r = bpy.context.scene.render
    r.engine, r.resolution_x, r.resolution_y = "CYCLES", given.width, given.height
    r.image_settings.file_format, r.filepath = "PNG", str(given.output.resolve())
    cycles = bpy.context.scene.cycles
    cycles.device, cycles.samples, cycles.use_denoising = "CPU", given.samples, False
    cycles.use_adaptive_sampling, cycles.adaptive_threshold = True, 0.02  # even floors are done sooner
    cycles.max_bounces, cycles.transmission_bounces, cycles.caustics_refractive = 12, 12, False
    cycles.sample_clamp_indirect = 3  # bright specks that few samples would leave
    view = bpy.context.scene.view_settings
    view.view_transform, view.look = "Filmic", "High Contrast"
    bpy.ops.render.render(write_still=True)
    if given.denoise:
        denoise(given.output.resolve(), given.denoise)


if __name__ == "__main__":
    main()
