"""Whether twins agree, and whether a run keeps the laws."""
import dataclasses
import re

import numpy as np

from . import comparing

EPSILON = 2.0**-23  # of the numbers that runs are made of
GROWTH = 30  # times what runs differ by that differ in their last digits alone
LAST_DIGITS = 64  # epsilons of a quantity's size, where those do not differ at all
EXACT = 8  # epsilons, for units that floats hold exactly
FORGOTTEN = 0.1  # parts of a quantity's size: a wider bound would hold nothing

REST = 0.02  # of sqrt(g H)
ENERGY = 0.01  # of what went to and fro, the rise itself left out
MASS = 1e-5

# Kinds of energy that add up; others are parts of these.
ENERGIES = ("kinetic_energy", "potential_energy", "internal_energy", "elastic_energy", "joint_energy")


@dataclasses.dataclass
class Line:
    twin: str
    what: str
    figure: str = ""
    bound: str = ""
    over: float = 0.0  # the figure in parts of its bound

    @property
    def holds(self):
        return self.over <= 1


def compare(twin, found, controls, exact, every=False):
    """A line for the quantity that is farthest over its bound, or nearest to it; or for each.
    `controls` are differences of runs that differ in their last digits."""
    held, lost = [], []
    for d in found.values():
        noise = max((c[d.what].greatest for c in controls if d.what in c), default=0.0)
        size = max(d.scale, d.reach)
        bound = EXACT * EPSILON * size if exact else max(GROWTH * noise, LAST_DIGITS * EPSILON * size)
        if bound > FORGOTTEN * d.scale > 0:
            lost.append(d.what)
            continue
        held.append((_over(d.greatest, bound), d, bound))
    note = f", {len(lost)} left out as chaotic" if lost else ""
    if not held:
        return [Line(twin, f"nothing{note}", over=0.0 if lost else np.inf)]
    held.sort(key=lambda h: -h[0])
    lines = [Line(twin, d.what, _relative(d.greatest, d.scale), _relative(bound, d.scale), over)
             for over, d, bound in held]
    if every:
        return lines + [Line(twin, f"{name}: left out as chaotic") for name in lost]
    lines[0].what = f"{len(held)} quantities{note}; {lines[0].what}"
    return lines[:1]


def of_law(twin, what, figure, bound, unit):
    return Line(twin, what, f"{figure:.3g} {unit}", f"{bound:.3g} {unit}", _over(figure, bound))


def _over(x, bound):
    if not np.isfinite(x):
        return np.inf
    return x / bound if bound > 0 else (np.inf if x > 0 else 0.0)


def _relative(x, scale):
    return f"{x / scale:.2g}" if scale > 0 else f"{x:.2g} (of 0)"


# Laws.
BOOKED = ("emit", "remove", "force_field", "wind", "springs")  # what total.fed_energy has


def feeders(scene):
    """What may feed energy, or take mass, in a scene."""
    found = set()
    for stage in scene["stages"]:
        if stage["type"] in BOOKED or stage.get("sources") or stage.get("rain"):
            found.add(stage["type"])
        if stage["type"] == "attach" and (stage.get("stiffness") or stage.get("load")):
            found.add("springs")
        elif stage["type"] == "attach" and _moves(stage.get("motion")):
            found.add("handles")
        if any(_drives(side) for side in _sides(stage)):
            found.add("sides")
        if any(stage.get(k) for k in ("vorticity", "vorticity_confinement", "pressure_drop")) or _any(
                stage.get("acceleration")):
            found.add("forces")
        if stage["type"] in ("smoke", "clouds", "lbm"):
            found.add(stage["type"])
    for object_ in scene.get("objects", []):
        if _moves(object_.get("motion")):
            found.add("walls")
        if any((j.get("motor") or {}).get("speed") for j in object_.get("joints") or []):
            found.add("motors")
    return sorted(found)


def _any(vector):
    return bool(vector) and any(vector)


def _moves(motion):
    return bool(motion) and (_any(motion.get("velocity")) or bool(motion.get("spin")) or bool(motion.get("keyframes")))


def _sides(stage):
    for key, value in stage.items():
        if key == "sides" and isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, dict) and re.match(r"[xyz]_(min|max)$", key):
            yield value


def _drives(side):
    return side.get("kind", side.get("type")) not in ("no_slip", "free_slip", "wall", "slip", "reflecting", "periodic")\
        or _any(side.get("velocity"))


def energy(run):
    """The totals at each row of the series, less what was fed; None where there are none."""
    series = run.series
    kinds = [k for k in ENERGIES if f"total.{k}" in series]
    if "kinetic_energy" not in kinds:
        return None
    total = sum(series[f"total.{k}"] for k in kinds)
    fed = series["total.fed_energy"] if "total.fed_energy" in series else 0
    spread = sum(np.ptp(series[f"total.{k}"]) for k in kinds)
    return total - fed, max(float(spread), float(series["total.kinetic_energy"].max()))


def greatest_speed(run):
    """Over the frames."""
    fastest = 0.0
    for frame in run.frames:
        for name in frame:
            object_ = frame[name]
            if "velocity" in object_ and len(object_["velocity"]):
                v = np.asarray(object_["velocity"], dtype=float)
                fastest = max(fastest, float(np.linalg.norm(v.reshape(-1, v.shape[-1]), axis=1).max()))
    return fastest


def fall_speed(run, gravity):
    """sqrt(g H), H the height along gravity of what there is at the start."""
    g = np.asarray(gravity, dtype=float)
    size = float(np.linalg.norm(g))
    if size == 0:
        return 0.0
    heights = [np.asarray(o["position"], dtype=float).reshape(-1, np.shape(o["position"])[-1])[:, : len(g)] @ g / size
               for o in (run.frames[0][n] for n in run.frames[0]) if len(o["position"])]
    heights = np.concatenate(heights) if heights else np.zeros(1)
    return float(np.sqrt(size * np.ptp(heights)))


def laws(twin, scene, run, rests):
    lines = []
    fed_by = feeders(scene)
    if rests:
        bound = REST * fall_speed(run, scene["gravity"])
        fastest = greatest_speed(run)
        lines.append(of_law(twin, "rest: greatest speed", fastest, bound, "m/s"))
    else:
        lines += _energy_line(twin, run, fed_by)
    return lines + _mass_line(twin, run, fed_by)


def _energy_line(twin, run, fed_by):
    known = energy(run)
    unbooked = set(fed_by) - set(BOOKED if "total.fed_energy" in run.series else ())
    if known is None or unbooked:
        return []
    over_time, exchanged = known
    rise = float(np.max(over_time) - over_time[0])
    bound = ENERGY * max(exchanged - rise, 0) + 1e-6 * abs(float(over_time[0]))
    return [of_law(twin, "energy over what was fed", rise, bound, "J")]


def _mass_line(twin, run, fed_by):
    if "total.mass" not in run.series or fed_by:
        return []
    mass = run.series["total.mass"]
    off = float(np.max(np.abs(mass - mass[0])))
    return [of_law(twin, "mass", off, MASS * float(mass[0]), "kg")]
