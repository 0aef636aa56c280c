"""Scenes that say the same with other spacings, gaps, steps and seeds."""
import numpy as np


class CannotVary(ValueError):
    """Nothing in the scene to vary, or not by this factor."""


def at_step(scene, factor):
    """The step times the factor; the end stays where it is, to a step."""
    time = scene["time"]
    time["steps_per_frame"] = max(1, round(time["steps_per_frame"] / factor))
    time["dt"] *= factor


def with_seed(scene, seed):
    scene["seed"] = seed


def at_gap(scene, factor):
    """Everything that is called a gap."""
    changed = 0
    for holder in _dictionaries(scene):
        if isinstance(holder.get("gap"), (int, float)) and holder["gap"] > 0:
            holder["gap"] *= factor
            changed += 1
    if not changed:
        raise CannotVary("no gaps")


def _dictionaries(node):
    if isinstance(node, list):
        for item in node:
            yield from _dictionaries(item)
    elif isinstance(node, dict):
        yield node
        for item in node.values():
            yield from _dictionaries(item)


def at_spacing(scene, factor, start):
    """Particles, cells and edges of meshes times the factor, and the step with them where they are
    finer. `start` has the frames of the scene's start: attached points keep their places."""
    done = [o for o in scene.get("objects", []) if _resize(scene, o, factor, start)]
    if not done:
        raise CannotVary("no spacings")
    if factor < 1:
        at_step(scene, factor)


def _resize(scene, object_, factor, start):
    kind = object_["kind"]
    if kind == "particles":
        object_["spacing"] = _whole_in_period(scene, object_, factor)
        return True
    if kind in ("grid", "height_field"):
        _resize_grid(object_, factor)
        return True
    return kind == "mesh" and _resize_mesh(scene, object_, factor, start)


def _whole_in_period(scene, object_, factor):
    """Where the fluid repeats its box must hold whole spacings."""
    spacing = object_["spacing"] * factor
    for stage in scene["stages"]:
        if stage.get("fluid") == object_["name"] and stage.get("periodic"):
            box = stage["periodic"]
            axis = "xyz".index(box["axes"][0])
            length = box["max"][axis] - box["min"][axis]
            return length / max(1, round(length / spacing))
    return spacing


def _resize_grid(object_, factor):
    """The longest side is whole cells; the others follow to the nearest one."""
    low, high = np.array(object_["min"], float), np.array(object_["max"], float)
    cells = np.round((high - low) / object_["spacing"])
    longest = int(np.argmax(cells))
    spacing = (high - low)[longest] / max(2, round(cells[longest] / factor))
    object_["spacing"] = float(spacing)
    counted = np.maximum(1, np.round((high - low) / spacing))
    object_["max"] = (low + counted * spacing).tolist()


def _resize_mesh(scene, object_, factor, start):
    mesh = object_["mesh"]
    if any(_counts_points(stage, object_["name"]) for stage in scene["stages"]):
        return False
    if mesh.get("sheet"):
        mesh["sheet"]["cells"] = [max(1, round(n / factor)) for n in mesh["sheet"]["cells"]]
    elif mesh.get("line"):
        mesh["line"]["segments"] = max(1, round(mesh["line"]["segments"] / factor))
    elif mesh.get("block"):
        mesh["block"]["cells"] = [max(1, round(n / factor)) for n in mesh["block"]["cells"]]
    elif mesh.get("solid"):
        mesh["solid"]["spacing"] *= factor
    else:
        return False
    points = np.asarray(start[object_["name"]].position, dtype=float)
    for stage in scene["stages"]:
        if stage["type"] == "attach" and stage["mesh"] == object_["name"] and stage.get("points"):
            stage["nearest"] = (stage.get("nearest") or []) + [points[int(i)].tolist() for i in stage["points"]]
            stage["points"] = []
    return True


def _counts_points(stage, mesh):
    """Sticks name their ends by number."""
    return stage.get("mesh") == mesh and bool(stage.get("sticks"))
