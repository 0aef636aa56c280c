"""Scenes moved, turned and mirrored: x' = P x + d, P a matrix of 0, 1 and -1 with one entry a row."""
import copy
import itertools
import math
import pathlib
import re

import numpy as np

# How the components of a vector, known by its key, change. One that is not here is an error: whoever
# adds a vector to the scene language says here what it is.
POINTS = {"min", "max", "centre", "point", "points", "a", "b", "corner", "from", "to", "positions", "at", "nearest"}
ARROWS = {"u", "v", "translate", "velocity", "acceleration", "gravity", "normal", "friction_axis", "warp", "wind",
          "temperature_slope", "force"}
SPINS = {"axis", "spin_axis", "angular_velocity"}  # pseudo-vectors: a mirror turns them the other way
SIZES = {"radii", "rates"}  # along each axis, without a sense
STEPS = {"step"}  # along each axis, with one
SIDE = re.compile(r"^([xyz])_(low|high|min|max)$")
# Rates of turn that have no axis beside them in the plane.
TURNS = {"spin", "angle", "rate"}


class CannotPlace(ValueError):
    """What the scene language, or the nature of a stage, does not allow."""


class Placing:
    def __init__(self, matrix, shift):
        self.matrix = np.array(matrix, dtype=int)
        self.shift = np.array(shift, dtype=float)
        self.sense = round(float(np.linalg.det(self.matrix)))

    @property
    def linear(self):
        return Placing(self.matrix, np.zeros(len(self.shift)))

    @property
    def turns(self):
        return not np.array_equal(self.matrix, np.eye(len(self.shift), dtype=int))

    def point(self, x):
        return (self.arrow(x) + self.shift).tolist()

    def arrow(self, v):
        return _without_minus_zero(self.matrix @ np.asarray(v, dtype=float))

    def spin(self, w):
        return _without_minus_zero(self.sense * self.arrow(w))

    def axis(self, a):
        """The axis that `a` becomes, and the sense along it: (axis', +-1)."""
        to = int(np.flatnonzero(self.matrix[:, a])[0])
        return to, int(self.matrix[to, a])

    def places(self, columns, what):
        """Rows of points, arrows or spins."""
        rows = columns @ self.matrix.T.astype(columns.dtype)
        return rows + self.shift if what == "point" else rows * (self.sense if what == "spin" else 1)


def _without_minus_zero(v):
    return v + 0.0


def moved(dim, shift):
    return Placing(np.eye(dim, dtype=int), shift)


def mirrored(dim):
    matrix = np.eye(dim, dtype=int)
    matrix[0, 0] = -1
    return Placing(matrix, np.zeros(dim))


def turned(dim, about="z"):
    """By 90 degrees, counter-clockwise."""
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[about]
    matrix = np.eye(dim, dtype=int)
    matrix[i, i] = matrix[j, j] = 0
    matrix[j, i], matrix[i, j] = 1, -1
    return Placing(matrix, np.zeros(dim))


def place(scene, walk, placing, start, files):
    """Changes the scene. `start` has the frames of its start by object, for what must be given point
    by point; `files` is the folder for meshes that are changed."""
    _Placer(scene, walk, placing, start, pathlib.Path(files)).scene_()


class _Placer:
    def __init__(self, scene, walk, placing, start, files):
        self.scene, self.walk, self.placing = scene, walk, placing
        self.start, self.files, self.dim = start, files, scene["dim"]
        self.names = itertools.count()

    def scene_(self):
        if self.placing.turns:
            for object_ in self.scene.get("objects", []):
                self.bake_mesh(object_)
                self.bake_bodies(object_)
        self.raise_ground()
        self.of(self.scene, self.walk.schema, self.placing, "")

    # Any dictionary, by its schema.
    def of(self, value, node, placing, path):
        placing = self.through_transform(value, placing)
        self.special(value, placing, path)
        if "min" in value and "max" in value and isinstance(value["min"], list):
            self.box(value, placing)
        for key, sub in self.walk.children(node, value):
            item, where = value[key], f"{path}/{key}"
            kind = self.walk.kind(sub, item)
            if key == "transform" or (key in ("min", "max") and "min" in value):
                continue
            if kind in ("vector", "vectors") or (kind == "numbers" and key in ARROWS | SPINS):
                value[key] = self.vector(key, item, placing, where)
            elif isinstance(item, dict):
                self.of(item, sub, placing, where)
            elif isinstance(item, list) and item and isinstance(item[0], dict):
                one = self.walk.of(sub, item).get("items", {})
                for i, entry in enumerate(item):
                    self.of(entry, one, placing, f"{where}/{i}")
        self.sides(value, placing)

    def vector(self, key, item, placing, where):
        if not item:
            return item
        if isinstance(item[0], list):
            return [self.vector(key, v, placing, where) for v in item]
        if key in POINTS:
            return placing.point(item)
        if key in SPINS and self.dim == 2:  # a rate of turn; or the axis of a slider
            return [placing.sense * w for w in item] if key == "angular_velocity" else placing.arrow(item).tolist()
        for keys, change in ((ARROWS, placing.arrow), (SPINS, placing.spin)):
            if key in keys:
                return change(item).tolist()
        if key in SIZES:
            return (abs(placing.matrix) @ np.asarray(item, dtype=float)).tolist()
        if key in STEPS:
            return placing.arrow(item).tolist()
        raise CannotPlace(f"{where}: twins do not know how this vector turns; "
                          "say it in scripts/twinning/placing.py")

    def box(self, value, placing):
        low, high = placing.point(value["min"]), placing.point(value["max"])
        value["min"] = [min(p) for p in zip(low, high)]
        value["max"] = [max(p) for p in zip(low, high)]

    def sides(self, value, placing):
        """x_low, y_max and their like change places."""
        there = {k: v for k, v in value.items() if SIDE.match(k)}
        for key in there:
            del value[key]
        for key, side in there.items():
            axis, end = SIDE.match(key).groups()
            to, sense = placing.axis("xyz".index(axis))
            if sense < 0:
                end = {"low": "high", "high": "low", "min": "max", "max": "min"}[end]
            value[f"{'xyz'[to]}_{end}"] = side

    # Geometry that is put somewhere by a transform.
    def through_transform(self, value, placing):
        transform = value.get("transform")
        if not isinstance(transform, dict):
            return placing
        file = self.file_of(value)
        if not file and _is_identity(transform):
            return placing
        transform["translate"] = placing.point(transform.get("translate", [0] * self.dim))
        if self.dim == 2:
            transform["angle"] = placing.sense * transform.get("angle", 0)
        else:
            transform["axis"] = placing.spin(transform.get("axis", [0, 0, 1])).tolist()
        if file and placing.turns:
            file["file"] = self.changed_mesh(file["file"], placing)
        return placing.linear

    def file_of(self, value):
        for holder in (value.get("mesh"), value.get("volume"), value.get("surface"), value):
            if isinstance(holder, dict) and holder.get("file"):
                return holder
        return None

    def changed_mesh(self, path, placing):
        if not path.lower().endswith(".obj"):
            raise CannotPlace(f"{path}: only OBJ files are turned and mirrored")
        lines = []
        for line in pathlib.Path(path).read_text().splitlines():
            words = line.split()
            if words[:1] == ["v"]:
                line = "v " + " ".join(repr(float(c)) for c in placing.arrow([float(w) for w in words[1:4]]))
            elif words[:1] == ["vn"]:
                continue
            elif words[:1] == ["f"] and placing.sense < 0:
                line = "f " + " ".join(reversed(words[1:]))
            lines.append(line)
        self.files.mkdir(parents=True, exist_ok=True)
        made = self.files / f"{next(self.names)}_{pathlib.Path(path).name}"
        made.write_text("\n".join(lines) + "\n")
        return str(made)

    # What a key means beyond its components.
    def special(self, value, placing, path):
        if value.get("height_map") and placing.turns:
            raise CannotPlace(f"{path}/height_map: pictures are neither turned nor mirrored")
        if self.dim == 2 and placing.sense < 0:
            for key in TURNS & value.keys():
                value[key] = -value[key]
            if path.endswith("/vortex"):
                value["strength"] = -value["strength"]
        if path.endswith("/taylor_green") or path.endswith("/vortices"):
            self.vortices(value, placing, path)
        if re.search(r"/joints/\d+$", path):
            self.joint(value, placing)
        if path.endswith("/periodic"):
            value["axes"] = ["xyz"[placing.axis("xyz".index(a))[0]] for a in value["axes"]]
        if re.search(r"/array$", path) and placing.turns:
            value["count"] = self.reordered(value["count"], placing)
        for key in [k for k in value if SIDE.match(k) and isinstance(value[k], dict) and "layer" in value[k]]:
            self.water_edge(key, value[key], placing)
        if path.endswith("/expect") or "expect" in value:
            value.pop("expect", None)

    def reordered(self, count, placing):
        return [int(n) for n in abs(placing.matrix) @ np.asarray(count)]

    def vortices(self, value, placing, path):
        """Taylor-Green: a turn about z keeps them, a mirror turns them round."""
        if placing.matrix.shape[0] == 3 and abs(placing.matrix[2, 2]) != 1:
            raise CannotPlace(f"{path}: these vortices lie in the plane x, y")
        if path.endswith("/taylor_green"):
            waves = placing.shift / value["wave_length"]
            if np.any(abs(waves - np.round(waves)) > 1e-9):
                raise CannotPlace(f"{path}: these vortices stand at the origin; move by whole waves")
        value["speed"] = placing.sense * value.get("speed", 1)

    def joint(self, value, placing):
        if value["kind"] == "slider" and self.dim == 3:  # an axis to shift along, no axis to turn about
            value["axis"] = (placing.sense * np.asarray(value["axis"])).tolist()
        if value["kind"] != "distance" and "to" in value:
            del value["to"]
        if self.dim == 2 and value["kind"] == "hinge" and placing.sense < 0:
            value["limits"] = [-x for x in reversed(value.get("limits") or [])]
            for holder, key in ((value.get("motor"), "speed"), (value.get("spring"), "rest")):
                if holder and holder.get(key) is not None:
                    holder[key] = -holder[key]

    def water_edge(self, side, edge, placing):
        """`from` and `to` are coordinates along the edge, `level` one along y."""
        along = 2 if side[0] == "x" else 0
        to, sense = placing.axis(along)
        ends = [None if edge.get(k) is None else sense * edge[k] + placing.shift[to] for k in ("from", "to")]
        edge["from"], edge["to"] = ends if sense > 0 else reversed(ends)
        rise = placing.shift[1]
        if edge.get("level") is not None:
            edge["level"] += rise
        if edge["type"] == "level" and edge.get("hydrograph"):
            edge["hydrograph"]["values"] = [v + rise for v in edge["hydrograph"]["values"]]

    def raise_ground(self):
        """The ground of a height field is at y = 0 where its bed has nothing."""
        for object_ in self.scene.get("objects", []):
            if object_["kind"] != "height_field" or not self.placing.shift[1]:
                continue
            if np.min(self.start[object_["name"]]["bed"]) < 0:
                raise CannotPlace(f"{object_['name']}: its ground lies below y = 0, where the bed has nothing")
            object_["bed"] = (object_.get("bed") or []) + [{"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}]

    # What the scene language makes along fixed axes is given point by point.
    def bake_mesh(self, object_):
        mesh = object_.get("mesh") if object_["kind"] == "mesh" else None
        if not mesh or not (mesh.get("block") or mesh.get("solid") or mesh.get("cells")):
            return
        first = self.start[object_["name"]]
        rows = np.asarray(first.cells)
        cells = "tets" if rows.shape[1] == 4 else "triangles"
        positions = np.asarray(first.position, dtype=float)
        order = mesh.get("order") or 1
        if order == 2:  # the first four of eight parts have a corner each; middles are behind the corners
            rows = np.stack([rows[k::8, k] for k in range(4)], axis=1)
            positions = positions[: rows.max() + 1]
        object_["mesh"] = {"nodes": {"positions": positions.tolist(),
                                     cells: _mirrored_cells(rows, self.placing).ravel().tolist()}, "order": order}

    def bake_bodies(self, object_):
        if object_["kind"] != "bodies":
            return
        copies = [b for b in object_.get("bodies", []) if b.get("array") or b.get("pyramid")]
        if not copies:
            return
        joined = {re.sub(r"\[.*", "", j[k]) for j in object_.get("joints") or [] for k in "ab" if j.get(k)}
        kept = [b for b in copies if b["name"] in joined or (b.get("array") or {}).get("random_rotation")]
        if any(b.get("pyramid") for b in kept):
            raise CannotPlace(f"{object_['name']}: a pyramid of jointed bodies stands along y")
        places = iter(np.asarray(self.start[object_["name"]]["position"], dtype=float))
        bodies = []
        for body in object_["bodies"]:
            bodies += self.copies_of(body, places, body in kept)
        object_["bodies"] = bodies

    def copies_of(self, body, places, kept):
        array, pyramid = body.get("array"), body.get("pyramid")
        number = math.prod(array["count"]) if array else _pyramid_size(pyramid, self.dim)
        where = [next(places) for _ in range(number)]
        if kept or number == 1:
            return [body]
        body = {k: v for k, v in body.items() if k not in ("array", "pyramid")}
        stands = where[0] if array else _middle_of_lowest(np.array(where))
        return [self.shifted(body, at - stands) for at in where]

    def shifted(self, body, by):
        body = copy.deepcopy(body)
        body["name"] = ""
        by = moved(self.dim, by)
        node = self.walk.definitions["body"]
        for key, sub in self.walk.children(node, body):
            if key in ("shape", "hull"):
                _Placer({"dim": self.dim}, self.walk, by, {}, self.files).of(body[key], sub, by, "")
        return body


def _is_identity(transform):
    return (not any(transform.get("translate") or []) and not transform.get("angle", 0)
            and transform.get("scale", 1) == 1)


def _mirrored_cells(rows, placing):
    """Tetrahedra whose corners keep their sense."""
    if placing.sense < 0:
        rows = rows.copy()
        rows[:, [2, 3]] = rows[:, [3, 2]]
    return rows


def _middle_of_lowest(points):
    height = points[:, 1]
    return points[height < height.min() + 1e-4 * (np.ptp(height) + 1)].mean(axis=0)


def _pyramid_size(pyramid, dim):
    if not pyramid:
        return 1
    n = pyramid["rows"]
    return n * (n + 1) // 2 if dim == 2 else n * (n + 1) * (2 * n + 1) // 6
