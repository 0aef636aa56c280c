"""What two runs of twin scenes have in common: series and frames of the one carried back to the other."""
import dataclasses
import re

import numpy as np

# Columns of frames and names of series that a mirror turns the other way.
PLACES = {"position", "position_before"}
SPINS = {"angular_velocity", "angular_momentum", "torque", "moment", "vorticity", "spin"}
SIZES = {"spread"}  # along each axis, without a sense
# Coordinates among the scalars of series: of these a twin knows where they are.
COORDINATES = {"front": 0, "height": 1, "surface": 1, "level": 1, "cloud_base": 1, "cloud_top": 1}
# How a solve went, not what came out of it.
SOLVES = re.compile(r"(iterations|_error|residual|substeps|passes|divergence)$")
# How many stand within a radius that the lattice of the start has pairs at: round-off decides.
COUNTS = re.compile(r"(pairs|neighbours|contacts|springs|rows_in_walls)$")
OF_NUMBERS = {"id", "shape", "cell"}  # of rows, which may come in another order
SIDE = re.compile(r"(?<![a-z])([xyz])_(low|high|min|max)(?![a-z])")
AXES = "xyz"


@dataclasses.dataclass
class Difference:
    what: str
    greatest: float  # in the unit of the quantity
    scale: float  # of the quantity itself
    reach: float = 0.0  # greatest number that it was computed from, where that is more

    @property
    def relative(self):
        return self.greatest / self.scale if self.scale > 0 else (np.inf if self.greatest > 0 else 0.0)


class NoTwin(Exception):
    """The results have not even the same form."""


class Back:
    """Carries results of a twin back: the inverse of a placing, or of other units."""

    def __init__(self, placing=None, factors=None, exponents=None, dim=3, gravity=None):
        self.placing, self.factors, self.exponents, self.dim = placing, factors, exponents, dim
        self.gravity = np.zeros(dim) if gravity is None else np.asarray(gravity, dtype=float)

    def figures(self, values, unit):
        if self.factors is None:
            return values
        return values / self.factors.of(self.exponents(unit, D=self.dim))

    def rows(self, values, what):
        """Rows of points, arrows and spins of the placed twin, in the axes of the first."""
        if self.placing is None:
            return values
        p = self.placing
        if what == "point":
            return (values - p.shift) @ p.matrix
        if what == "size":
            return values @ abs(p.matrix)
        return values @ p.matrix * (p.sense if what == "spin" else 1)

    @property
    def turns(self):
        return self.placing is not None and self.placing.turns

    def name(self, name):
        """What the twin calls this series: sides of grids change places."""
        return SIDE.sub(self._side, name) if self.turns else name

    def _side(self, found):
        to, sense = self.placing.axis(AXES.index(found[1]))
        other = {"low": "high", "high": "low", "min": "max", "max": "min"}
        return f"{AXES[to]}_{found[2] if sense > 0 else other[found[2]]}"


def what_is(name):
    stem = name.rsplit(".", 1)[-1]
    if stem in PLACES:
        return "point"
    if stem in SIZES:
        return "size"
    return "spin" if stem in SPINS else "arrow"


# Frames.
def frame_differences(first, twin, back):
    """A Difference for each column of each object of two frames."""
    found = []
    for name in first:
        a, b = first[name], twin[name]
        if a.kind in ("grid", "height_field"):
            found += _grid_differences(name, a, b, back)
        else:
            found += _row_differences(name, a, b, back)
    return found


def _row_differences(name, a, b, back):
    if len(a["position"]) != len(b["position"]):
        raise NoTwin(f"{name}: {len(a['position'])} rows, the twin {len(b['position'])}")
    if len(a["position"]) == 0:
        return []
    at = np.asarray(a["position"], dtype=float)
    of_twin = back.rows(back.figures(np.asarray(b["position"], dtype=float), "m"), "point")
    order = np.arange(len(at)) if a.kind == "mesh" else nearest(at, of_twin)
    differences = []
    for column in a:
        x = np.asarray(a[column], dtype=float)
        if column not in b or column in OF_NUMBERS or x.shape != np.shape(b[column]):
            continue
        y = back.figures(np.asarray(b[column], dtype=float), a.units.get(column, ""))
        if column == "position":
            y = of_twin
        elif column == "orientation":
            continue  # of axes that the twin's shapes have turned; their motion is in angular_velocity
        elif column == "inertia" and x.ndim == 2:  # about axes of the body, which the twin's shape has turned
            x, y = np.sort(x), np.sort(y)
        elif x.ndim == 2 and x.shape[1] == at.shape[1]:
            y = back.rows(y, what_is(column))
        elif x.ndim == 1 and at.shape[1] == 2 and column in SPINS:
            y = y * (back.placing.sense if back.placing else 1)
        elif x.ndim == 2 and back.turns:
            continue  # components along axes of their own
        if column == "normal":  # the sense of a triangle's corners is its mesh's own
            y = np.where(np.sum(x * y[order], axis=1, keepdims=True) < 0, -1, 1) * y[order]
        else:
            y = y[order]
        if column in PLACES:
            reach = max(_size(at), _size(back.figures(np.asarray(b["position"], dtype=float), "m")))
            differences.append(Difference(f"{name}.{column}", _size(x - y), _extent(at), reach))
        else:
            differences.append(Difference(f"{name}.{column}", _size(x - y), _size(x)))
    return differences


def _size(x):
    if x.size == 0:
        return 0.0
    return float(np.max(np.linalg.norm(x, axis=1) if x.ndim == 2 else np.abs(x)))


def _extent(points):
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) or 1.0


def nearest(points, others):
    """For each point the row of `others` that lies nearest."""
    cell = _extent(points) * 1e-9 + _least_gap(points)
    rows = {}
    for k, key in enumerate(map(tuple, np.floor(others / cell).astype(np.int64))):
        rows.setdefault(key, []).append(k)
    around = np.stack(np.meshgrid(*[[-1, 0, 1]] * points.shape[1]), -1).reshape(-1, points.shape[1])
    order = np.empty(len(points), dtype=int)
    for i, x in enumerate(points):
        near = [k for o in np.floor(x / cell).astype(np.int64) + around for k in rows.get(tuple(o), ())]
        if not near:
            near = range(len(others))
        near = np.fromiter(near, dtype=int)
        order[i] = near[np.argmin(np.sum((others[near] - x) ** 2, axis=1))]
    return order


def _least_gap(points):
    """About the distance of neighbours."""
    size = points.max(axis=0) - points.min(axis=0)
    size = size[size > 0]
    return float(np.prod(size) / len(points)) ** (1 / len(size)) if len(size) else 1.0


def _with_arrows(columns):
    """A height field's discharge_x and discharge_z are one arrow."""
    pairs = [c[:-2] for c in columns if c.endswith("_x") and c[:-2] + "_z" in columns]
    arrays = {c: np.asarray(columns[c], dtype=float) for c in columns if c[:-2] not in pairs}
    for stem in pairs:
        along_x, along_z = (np.asarray(columns[f"{stem}_{a}"], dtype=float) for a in "xz")
        arrays[stem] = np.stack([along_x, np.zeros_like(along_x), along_z], axis=-1)
    return arrays


def _grid_differences(name, a, b, back):
    differences = []
    first, twin = _with_arrows(a), _with_arrows(b)
    for column, x in first.items():
        y = twin[column]
        unit = a.units.get(column, a.units.get(f"{column}_x", ""))
        y = _grid_back(back.figures(y, unit), column, a, back)
        if y is None:
            continue
        if x.shape != y.shape:
            raise NoTwin(f"{name}.{column}: cells {x.shape}, the twin {y.shape}")
        x, y = (v.reshape(-1, v.shape[-1]) if v.ndim > len(_axes(a)) else v.ravel() for v in (x, y))
        differences.append(Difference(f"{name}.{column}", _size(x - y), _size(x)))
    return differences


def _axes(a):
    """Axes of space in the order of an array's."""
    if a.kind == "height_field":
        return [2, 0]
    return [1, 0] if a.attributes["dim"] == 2 else [2, 1, 0]


def _grid_back(y, column, a, back):
    axes = _axes(a)
    vector = y.ndim > len(axes)
    if back.placing is None:
        return y
    p = back.placing
    if column == "position" or (back.turns and column in ("populations", "flags")):
        return None
    if back.turns and re.match(r"(face|velocity|u|v|w)_?[xyz]?$", column) and not vector:
        return None  # on faces of cells
    order, flips = [], []
    for k, axis in enumerate(axes):  # where this axis of the first lies in the twin
        to, sense = p.axis(axis)
        order.append(axes.index(to))
        if sense < 0:
            flips.append(k)
    y = np.transpose(y, order + ([len(axes)] if vector else []))
    y = np.flip(y, flips)
    if vector:
        shape = y.shape
        return back.rows(y.reshape(-1, shape[-1]), what_is(column)).reshape(shape)
    if column in SPINS and a.attributes["dim"] == 2:
        return y * p.sense
    return y - p.shift[1] if column == "bed" else y


# Series.
def series_differences(first, twin, back):
    found = []
    seen = set()
    for name in first:
        stem, _, axis = name.rpartition(".")
        if SOLVES.search(name) or COUNTS.search(name):
            continue
        if axis in AXES and len(axis) == 1:
            if stem not in seen:
                seen.add(stem)
                found.append(_vector_series(stem, first, twin, back))
        elif back.name(name) in twin:
            found.append(_scalar_series(name, first, twin, back))
    return [d for d in found if d is not None]


def _rows(first, twin):
    if len(first.time) != len(twin.time):
        raise NoTwin(f"series: {len(first.time)} rows, the twin {len(twin.time)}")
    return len(first.time)


def _vector_series(stem, first, twin, back):
    axes = [a for a in range(3) if f"{stem}.{AXES[a]}" in first]
    other = back.name(stem)
    if back.placing is not None and what_is(stem) == "spin" and np.any(back.placing.shift):
        return None  # about the origin, which is elsewhere
    dim = len(back.placing.shift) if back.placing is not None else 3
    x, y = np.zeros((_rows(first, twin), dim)), np.zeros((_rows(first, twin), dim))
    spin_2d = dim == 2 and axes == [2]
    if spin_2d:
        x, y = first[f"{stem}.z"][:, None], twin[f"{other}.z"][:, None]
        y = back.figures(y, first.units[f"{stem}.z"]) * back.placing.sense
    else:
        for a in range(dim):
            name, of_twin = f"{stem}.{AXES[a]}", f"{other}.{AXES[a]}"
            x[:, a] = first[name] if name in first else 0
            y[:, a] = back.figures(twin[of_twin], twin.units[of_twin]) if of_twin in twin else 0
        unit = first.units[f"{stem}.{AXES[axes[0]]}"]
        point = unit == "m" and what_is(stem) != "size"
        if set(axes) != {a for a in range(3) if f"{other}.{AXES[a]}" in twin} and not back.turns:
            return None
        y = back.rows(y, "point" if point else what_is(stem))
        y[:, [a for a in range(dim) if a not in axes]] = 0
    return Difference(stem, _size(x - y), _size(x))


def _scalar_series(name, first, twin, back):
    _rows(first, twin)
    unit = first.units[name]
    x, y = first[name], back.figures(twin[back.name(name)], unit)
    stem, reach = name.rsplit(".", 1)[-1], 0.0
    if name == "total.lost_energy":  # what is lost of this
        reach = max(_size(first["total.energy"]), _size(back.figures(twin["total.energy"], unit)))
    if back.placing is not None:
        if stem in COORDINATES:
            if back.turns:
                return None
            reach = _size(y)
            y = np.where((x == 0) & (y == 0), 0, y - back.placing.shift[COORDINATES[stem]])  # 0: of nothing
        elif _has_origin(name) and np.any(back.placing.shift):
            return None  # with energies of gravity, of objects that do not all tell their masses
        elif stem == "potential_energy":
            reach = _size(y)
            x, y = _without_origin(name, first, x), _without_origin(name, twin, y)
            y = y + _lifted(name, twin, back)
        elif name == "total.lost_energy" and "total.potential_energy" in twin and "total.fed_energy" not in twin:
            y = y - _brought(twin, back)
    return Difference(name, _size(x - y), _size(x), reach)


def _has_origin(name):
    return name in ("total.potential_energy", "total.energy") or name.endswith(".fed_energy")


def _mass(name, series):
    name = name[: -len("potential_energy")] + "mass"
    return series[name] if name in series else None


def _without_origin(name, series, energy):
    """-m g x, and where x = 0 is differs; what comes and goes has its own share."""
    return energy if _mass(name, series) is not None else energy - energy[0]


def _lifted(name, series, back):
    mass = _mass(name, series)
    return 0 if mass is None else mass * float(back.gravity @ back.placing.shift)


def _brought(series, back):
    """The potential energy, -m g x, of mass that has come since the start."""
    mass = _mass("total.potential_energy", series)
    return 0 if mass is None else (mass - mass[0]) * float(back.gravity @ back.placing.shift)


def merged(differences):
    """The greatest of each quantity."""
    by_name = {}
    for d in differences:
        old = by_name.get(d.what)
        if old is None or d.greatest > old.greatest:
            by_name[d.what] = d
    return by_name
