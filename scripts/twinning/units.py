"""Other units: every number of a scene times the factor of its unit."""
import dataclasses
import re

# Exponents of metre, second and kilogram. Warmth and angles keep their figures.
BASE = {"m": (1, 0, 0), "s": (0, 1, 0), "kg": (0, 0, 1), "N": (1, -2, 1), "J": (2, -2, 1), "Pa": (-1, -2, 1),
        "Hz": (0, -1, 0), "W": (2, -3, 1), "K": (0, 0, 0), "rad": (0, 0, 0), "deg": (0, 0, 0), "1": (0, 0, 0),
        "steps": (0, 0, 0), "frames": (0, 0, 0)}
TOKEN = re.compile(r"\s*([A-Za-z]+|\d+|[()^*/+-])")


class UnknownUnit(ValueError):
    pass


@dataclasses.dataclass(frozen=True)
class Factors:
    """What a metre, a second and a kilogram become."""

    length: float = 1
    time: float = 1
    mass: float = 1

    def of(self, exponents):
        m, s, kg = exponents
        return self.length**m * self.time**s * self.mass**kg


class _Parser:
    """unit := factor (('*' | ' ' | '/') factor)*; factor := (name | '(' unit ')') ['^' power]."""

    def __init__(self, text, names):
        self.text, self.names = text, names
        self.tokens = TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise UnknownUnit(text)

    def peek(self):
        return self.tokens[0] if self.tokens else ""

    def take(self):
        if not self.tokens:
            raise UnknownUnit(self.text)
        return self.tokens.pop(0)

    def unit(self):
        total = self.factor()
        while self.peek() and self.peek() != ")":
            sign = 1
            if self.peek() in "*/":
                sign = -1 if self.take() == "/" else 1
            total = tuple(a + sign * b for a, b in zip(total, self.factor()))
        return total

    def factor(self):
        name = self.take()
        if name == "(":
            base = self.unit()
            self.take()
        elif name in BASE:
            base = BASE[name]
        else:
            raise UnknownUnit(self.text)
        if self.peek() != "^":
            return base
        self.take()
        power = self.power()
        return tuple(power * b for b in base)

    def power(self):
        if self.peek() != "(":
            return self.number()
        self.take()
        value = self.number()
        while self.peek() != ")":
            sign = self.take()
            other = self.number()
            value = {"+": value + other, "-": value - other, "/": value / other if other else 0}[sign]
        self.take()
        return value

    def number(self):
        token = self.take()
        if token == "-":
            return -self.number()
        if token in self.names:
            return self.names[token]
        if not token.isdigit():
            raise UnknownUnit(self.text)
        return int(token)


def exponents(unit, **names):
    """Of "kg/(m^2*s)" (-2, -1, 1); letters in powers, as D in "kg/m^D", are named: D=3."""
    if not unit.strip():
        return (0, 0, 0)
    parser = _Parser(unit, names)
    found = parser.unit()
    if parser.tokens:
        raise UnknownUnit(unit)
    return found


def _cell_dimensions(mesh):
    """k of a mesh's density in kg/m^k."""
    nodes = mesh.get("nodes") or {}
    if mesh.get("block") or mesh.get("solid") or mesh.get("cells") or nodes.get("tets"):
        return 3
    return 2 if mesh.get("sheet") or mesh.get("surface") or nodes.get("triangles") else 1


LINEAR_JOINTS = ("slider", "distance")


def _meant(leaf):
    """The unit of a number whose schema names two, of which another key chooses one; or whose unit
    another key changes."""
    inner = leaf.around[-1]
    if leaf.key.endswith("stiffness") and inner.get("law") == "relative" and leaf.unit == "N/m":
        return "N"
    if " or " in leaf.unit:  # of a hydrograph: discharge per metre, or level
        first, second = leaf.unit.split(" or ")
        return second if leaf.around[-2].get("type") == "level" else first
    if "," not in leaf.unit:
        return leaf.unit
    angular, linear = (u.strip() for u in leaf.unit.split(","))
    joint = next(d for d in reversed(leaf.around) if "kind" in d)
    return linear if joint["kind"] in LINEAR_JOINTS else angular


def factor_of(leaf, dim, factors):
    names = {"D": dim}
    mesh = next((d["mesh"] for d in leaf.around if isinstance(d.get("mesh"), dict)), None)
    if mesh:
        names["k"] = _cell_dimensions(mesh)
    return factors.of(exponents(_meant(leaf), **names))


def in_other_units(scene, walk, factors):
    """Changes the scene. Files of meshes are scaled where they are put."""
    dim = scene["dim"]
    for leaf in list(walk.leaves(scene)):
        by = factor_of(leaf, dim, factors)
        if by != 1:
            leaf.change(lambda v: v * by)
    for placed in _placed_files(scene):
        transform = placed.setdefault("transform", {})
        transform["scale"] = transform.get("scale", 1) * factors.length


def _placed_files(node):
    """Dictionaries with a transform whose geometry is in a file of lengths without units."""
    if isinstance(node, list):
        for item in node:
            yield from _placed_files(item)
    elif isinstance(node, dict):
        if any(isinstance(node.get(k), dict) and node[k].get("file") for k in ("mesh", "volume", "surface", "cells")):
            yield node
        elif node.get("file") and "hull_corners" not in node and "transform" in node:
            yield node
        for item in node.values():
            yield from _placed_files(item)
