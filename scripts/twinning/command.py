"""scripts/twins: its arguments, the twins one after the other, and the table."""
import argparse
import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from . import comparing, judging, placing, units, varying
from .running import BadScene, Failed, Original, Runs, schema
from .scene_walk import SceneWalk

CLOSE = 10  # steps after which runs that differ in their last digits still agree
FRAMES = 8  # of a whole run
ODD_SHIFT = np.array([1.37, -0.83, 0.59])  # times the size of the scene
OTHER_UNITS = units.Factors(7.3, 1.9, 0.61)
POWERS = units.Factors(2.0**6, 2.0**-6, 2.0**12)  # roots of them, square and cubic, are exact
# Constants of air are in m/s and Pa: lengths may change where times do alike, and masses as their cube.
OF_AIR = {"clouds"}
NUDGES = (1.0013, 0.9979)  # of lengths: every rounding falls otherwise
SPACINGS, GAPS, STEPS = (0.37, 0.83, 1.37, 2.9), (0.37, 0.83, 1.37, 2.9), (0.5, 2.0)
SEED = 7349
TOLD = {"step_2"}  # a step that is too long may end as refused, or diverged: that is told

SAME = ("moved", "mirrored", "turned", "units", "powers")
LAWS = tuple(f"spacing_{f:g}" for f in SPACINGS) + tuple(f"gap_{f:g}" for f in GAPS) + tuple(
    f"step_{f:g}" for f in STEPS) + ("seed",)


class NotThere(Exception):
    """A twin that this scene does not have, and why."""


class Twins:
    def __init__(self, original, walk, folder, threads, all_lines=False):
        self.original, self.walk = original, walk
        self.runs = Runs(folder, threads)
        self.folder = pathlib.Path(folder)
        self.dim = original.scene["dim"]
        self.known = {}
        self.all_lines = all_lines

    # The scenes.
    def scene(self, name, steps, frames=1):
        """A twin, and how its results are carried back (None of those that only keep laws)."""
        scene = self.original.lasting(steps, frames)
        if name == "original":
            return scene, comparing.Back(dim=self.dim)
        if name == "calm":  # the original, as placed twins are held against it
            self.without_chance(scene, "moved")
            return scene, comparing.Back(dim=self.dim)
        if name in ("moved", "mirrored", "turned"):
            return self.placed(name, scene)
        if name == "told":  # the original, with defaults told that are in hertz whatever the scene is in
            for stage in scene["stages"]:
                if stage["type"] == "rigid" and stage.get("contact_hertz") is None:
                    stage["contact_hertz"] = min(35, stage["substeps"] / (7 * scene["time"]["dt"]))
            return scene, comparing.Back(dim=self.dim)
        if ".nudged_" in name:
            of, _, which = name.rpartition(".")
            return self.in_units(which, self.scene(of, steps, frames)[0])
        if name in ("units", "powers"):
            return self.in_units(name, self.scene("told", steps, frames)[0])
        if name.startswith("nudged"):
            return self.in_units(name, scene)
        kind, _, figure = name.partition("_")
        try:
            if kind == "spacing":
                varying.at_spacing(scene, float(figure), self.original.start)
            elif kind == "gap":
                varying.at_gap(scene, float(figure))
            elif kind == "step":
                varying.at_step(scene, float(figure))
            else:
                varying.with_seed(scene, SEED)
        except varying.CannotVary as e:
            raise NotThere(str(e)) from e
        return scene, None

    def placing(self, name):
        if name == "mirrored":
            return placing.mirrored(self.dim)
        if name == "turned":
            return placing.turned(self.dim, "y" if self.has_up() else "z")
        shift = ODD_SHIFT[: self.dim] * self.size()
        if any(s["type"] in OF_AIR for s in self.original.scene["stages"]):
            shift[1] = 0  # heights are above the ground at y = 0
        for object_ in self.original.scene["objects"]:
            if object_["kind"] == "height_field" and np.min(self.original.start[object_["name"]]["bed"]) < 0:
                shift[1] = 0  # what has no bed has its ground at y = 0, and this bed goes below it
        return placing.moved(self.dim, self.whole_waves(shift))

    def has_up(self):
        """Columns of water, and of air, stand along y."""
        scene = self.original.scene
        return any(o["kind"] == "height_field" for o in scene["objects"]) or any(
            s["type"] in OF_AIR for s in scene["stages"])

    def whole_waves(self, shift):
        for object_ in self.original.scene["objects"]:
            vortices = (object_.get("flow") or {}).get("taylor_green")
            if vortices:
                return vortices["wave_length"] * np.sign(shift) * np.maximum(
                    1, np.round(abs(shift) / vortices["wave_length"]))
        return shift

    def size(self):
        points = [np.asarray(o["position"], dtype=float) for o in self.start_objects()]
        if not points:
            return 1.0
        points = np.concatenate([p.reshape(-1, p.shape[-1])[:, : self.dim] for p in points])
        return float(np.max(points.max(axis=0) - points.min(axis=0))) or 1.0

    def start_objects(self):
        start = self.original.start
        return [start[n] for n in start if len(start[n]["position"])]

    def placed(self, name, scene):
        where = self.placing(name)
        self.without_chance(scene, name)
        placing.place(scene, self.walk, where, self.original.start, self.folder / "meshes" / name)
        return scene, comparing.Back(placing=where, dim=self.dim, gravity=scene["gravity"])

    def without_chance(self, scene, name):
        """Gusts are drawn for places and along axes: twins that are put elsewhere do without, and so
        does what they are held against."""
        for stage in scene["stages"]:
            stage.update({k: 0 for k in ("gust_speed",) if k in stage})
            if (stage.get("pattern") == "random" or stage["type"] == "foam") and name != "moved":
                raise NotThere("random particles are drawn along axes")

    def in_units(self, name, scene):
        factors = {"units": OTHER_UNITS, "powers": POWERS}.get(name) or units.Factors(length=NUDGES[int(name[-1])])
        if any(s["type"] in OF_AIR for s in scene["stages"]):
            factors = units.Factors(factors.length, factors.length, factors.length**3)
        units.in_other_units(scene, self.walk, factors)
        return scene, comparing.Back(factors=factors, exponents=units.exponents, dim=self.dim)

    # The runs.
    def run(self, name, steps, frames=1):
        key = (name, steps, frames)
        if key not in self.known:
            scene, back = self.scene(name, steps, frames)
            label = name if frames == 1 else f"{name}.whole"
            self.known[key] = scene, self.runs.of(label, scene), back
        return self.known[key]

    def differences(self, one, name, steps, frames):
        _, first, _ = self.run(one, steps, frames)
        _, twin, back = self.run(name, steps, frames)
        found = comparing.series_differences(first.series, twin.series, back)
        if frames == 1:
            found += comparing.frame_differences(first.frames[-1], twin.frames[-1], back)
        return comparing.merged(found)

    def reference(self, name):
        placed = name in ("moved", "mirrored", "turned")
        gusts = any(s.get("gust_speed") for s in self.original.scene["stages"])
        if name in ("units", "powers") and any(s["type"] == "rigid" for s in self.original.scene["stages"]):
            return "told"
        return "calm" if placed and gusts else "original"

    def controls(self, name, steps, frames):
        """What last digits do: of the scene, and of the moved one where its twin is."""
        one = self.reference(name)
        pairs = [(one, f"nudged_{k}" if one == "original" else f"{one}.nudged_{k}") for k in range(len(NUDGES))]
        if name == "moved":
            pairs += [("moved", f"moved.nudged_{k}") for k in range(len(NUDGES))]
        try:
            return [self.differences(a, b, steps, frames) for a, b in pairs]
        except comparing.NoTwin as e:
            raise NotThere(f"last digits do as much: {e}") from e

    def same(self, name):
        """After a few steps all, over the whole run the series."""
        whole = self.original.steps
        parts = [(min(CLOSE, whole), 1)] + ([(whole, FRAMES)] if whole > CLOSE else [])
        lines = []
        for steps, frames in parts:
            label = f"{name}, {steps} steps"
            try:
                found = self.differences(self.reference(name), name, steps, frames)
                exact = name == "powers"
                controls = [] if exact else self.controls(name, steps, frames)
                lines += judging.compare(label, found, controls, exact, self.all_lines)
            except comparing.NoTwin as e:
                lines.append(judging.Line(label, str(e), over=np.inf))
        return lines

    def lawful(self, name, rests):
        scene, run, _ = self.run(name, self.original.steps, FRAMES)
        return judging.laws(name, scene, run, rests)

    def rests(self):
        """Whether the scene itself stays at rest."""
        scene, run, _ = self.run("original", self.original.steps, FRAMES)
        limit = judging.REST * judging.fall_speed(run, scene["gravity"])
        return judging.greatest_speed(run) <= limit and limit > 0


def checked(twins, name, rests):
    """The lines of one twin; what it does not have is told, and a run that fails is a line, too."""
    try:
        if name in SAME:
            return twins.same(name)
        return twins.lawful(name, rests)
    except (NotThere, placing.CannotPlace, units.UnknownUnit, varying.CannotVary) as e:
        return [judging.Line(name, f"not there: {e}")]
    except Failed as e:
        told = name in TOLD and e.code in (3, 4)
        return [judging.Line(name, f"exit code {e.code}: {e.words}", over=0.0 if told else np.inf)]


def table(lines):
    rows = [("twin", "compared; nearest to its bound", "difference", "bound", "holds")]
    rows += [(x.twin, x.what, x.figure, x.bound, "yes" if x.holds else "NO") for x in lines]
    widths = [max(len(r[k]) for r in rows) for k in range(5)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip() for r in rows)


def chosen(text, there):
    if text is None:
        return list(there)
    names = [n.strip() for n in text.split(",") if n.strip()]
    groups = {"same": SAME, "laws": LAWS, "spacing": [n for n in LAWS if n.startswith("spacing")],
              "gap": [n for n in LAWS if n.startswith("gap")], "step": [n for n in LAWS if n.startswith("step")]}
    found = []
    for name in names:
        if name in groups:
            found += groups[name]
        elif name in there or re.fullmatch(r"(spacing|gap|step)_\d*\.?\d+", name):
            found.append(name)
        else:
            raise BadUsage(f'--only: no twin "{name}"; there are {", ".join(there)}, and the groups '
                              f'{", ".join(groups)}')
    return found


class BadUsage(Exception):
    """Flags that nobody can follow."""


def parse(doc):
    parser = argparse.ArgumentParser(prog="twins", description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", metavar="SCENE", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="DIR", help="keep scenes and runs here")
    parser.add_argument("--only", metavar="NAMES", help="some twins, with commas between")
    parser.add_argument("--write", action="store_true", help="write the scenes, run none; wants -o")
    parser.add_argument("--set", action="append", default=[], metavar="/POINTER=VALUE", help="change the scene first")
    parser.add_argument("--steps", type=int, metavar="N", help="at most so many steps of the scene")
    parser.add_argument("--rest", action="store_true", help="the scene is at rest, and must stay so")
    parser.add_argument("--all", action="store_true", help="a line for each quantity, not the worst one alone")
    parser.add_argument("--json", action="store_true", help="for scripts")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of each run (1)")
    return parser


def main(doc):
    parser = parse(doc)
    arguments = parser.parse_args()
    if arguments.write and not arguments.output:
        parser.error("--write wants a folder: -o DIR")
    if arguments.steps is not None and arguments.steps < 1:
        parser.error("--steps: at least one")
    if not arguments.scene.is_file():
        print(f"twins: {arguments.scene}: no such file", file=sys.stderr)
        return 3
    try:
        names = chosen(arguments.only, SAME + LAWS)
    except BadUsage as e:
        parser.error(str(e))
    folder = arguments.output or pathlib.Path(tempfile.mkdtemp(prefix="twins."))
    try:
        return with_folder(arguments, names, folder)
    except (BadScene, Failed, subprocess.TimeoutExpired) as e:
        print(f"twins: {arguments.scene} cannot be run:\n{e}", file=sys.stderr)
        return 3
    finally:
        if not arguments.output:
            shutil.rmtree(folder, ignore_errors=True)


def judged(scene, names, folder, overrides=(), steps=None, threads=1, rests=False, every=False, walk=None):
    """The lines of the original and of each twin."""
    original = Original(scene, overrides, folder, threads, steps)
    twins = Twins(original, walk or SceneWalk(schema()), folder, threads, every)
    lines, lawful = [], any(n in LAWS or n.startswith(("spacing_", "gap_", "step_")) for n in names)
    try:
        rests = rests or (lawful and twins.rests())
        if lawful or rests:
            lines += twins.lawful("original", rests)
    except Failed as e:
        lines.append(judging.Line("original", f"exit code {e.code}: {e.words}", over=np.inf))
        return lines
    for name in names:
        lines += checked(twins, name, rests)
    return lines


def with_folder(arguments, names, folder):
    if arguments.write:
        original = Original(arguments.scene, arguments.set, folder, arguments.threads, arguments.steps)
        return write(Twins(original, SceneWalk(schema()), folder, arguments.threads), names)
    lines = judged(arguments.scene, names, folder, arguments.set, arguments.steps, arguments.threads,
                   arguments.rest, arguments.all)
    if arguments.json:
        print(json.dumps([{**vars(x), "over": min(x.over, 1e308), "holds": x.holds} for x in lines], indent=1))
    else:
        print(table(lines))
    return 0 if all(x.holds for x in lines) else 1


def write(twins, names):
    for name in names:
        try:
            scene, _ = copy.deepcopy(twins.scene(name, twins.original.steps, FRAMES))
            print(twins.runs.write(name, scene))
        except (NotThere, placing.CannotPlace, units.UnknownUnit, varying.CannotVary) as e:
            print(f"{name}: not there: {e}")
    return 0
