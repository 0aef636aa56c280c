"""scripts/twins: what it makes of a scene, and that it finds faults."""
import importlib
import json
import os
import stat
import subprocess
import sys

import pytest
from conftest import RTSIM, SOURCE

sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "scripts/python")]
np = pytest.importorskip("numpy")
pytest.importorskip("h5py")
comparing, judging, placing, running, scene_walk, units = (
    importlib.import_module(f"twinning.{m}")
    for m in ("comparing", "judging", "placing", "running", "scene_walk", "units"))

TWINS = SOURCE / "scripts/twins"

# A column of water beside a wall, with a swing of its own: everything about it is odd.
COLUMN = {
    "rtsim": 1,
    "dim": 2,
    "time": {"dt": 0.001, "steps_per_frame": 8, "frames": 1},
    "objects": [
        {"name": "water", "kind": "particles", "spacing": 0.02, "velocity": [0.3, -0.1],
         "fill": {"box": {"min": [0, 0], "max": [0.16, 0.24]}}},
        {"name": "tank", "kind": "boundary",
         "shape": {"box": {"min": [0, 0], "max": [0.4, 0.4]}, "inside": True}},
    ],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"], "substeps": 4}],
    "output": [{"object": "water"}],
}


def twins(*arguments, program=RTSIM):
    return subprocess.run([TWINS, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "RTSIM": str(program)})


@pytest.fixture(scope="module")
def walk():
    return scene_walk.SceneWalk(running.schema())


@pytest.fixture
def column(tmp_path):
    path = tmp_path / "column.json"
    path.write_text(json.dumps(COLUMN))
    return path


@pytest.mark.parametrize("unit, expected", [
    ("kg/m^D", (-3, 0, 1)), ("kg/(m^2*s)", (-2, -1, 1)), ("N m s/rad", (2, -1, 1)), ("1/Pa", (1, 2, -1)),
    ("s/m^(1/3)", (-1 / 3, 1, 0)), ("N/m^(D-2)", (0, -2, 1)), ("kg/(m^D s)", (-3, -1, 1)), ("K/m", (-1, 0, 0)),
    ("", (0, 0, 0))])
def test_units_have_the_exponents_of_metre_second_and_kilogram(unit, expected):
    assert units.exponents(unit, D=3) == pytest.approx(expected)


@pytest.mark.parametrize("unit", ["furlong", "m^", "kg/(m", "m$"])
def test_a_unit_that_is_none_is_an_error(unit):
    with pytest.raises(units.UnknownUnit):
        units.exponents(unit, D=3)


def forms_of(walk, node, seen=None):
    """Every (key, schema) that any scene may have."""
    seen = set() if seen is None else seen
    node = walk.resolve(node)
    if id(node) in seen:
        return
    seen.add(id(node))
    for part in node.get("oneOf", []) + node.get("anyOf", []) + [node[k] for k in ("items",) if k in node]:
        yield from forms_of(walk, part, seen)
    for key, sub in node.get("properties", {}).items():
        yield key, walk.resolve(sub)
        yield from forms_of(walk, sub, seen)


def test_every_unit_of_the_scene_language_is_known(walk):
    for key, node in forms_of(walk, walk.schema):
        for unit in node.get("unit", "").replace(" or ", ",").split(","):
            units.exponents(unit, D=3, k=2)


def test_every_vector_of_the_scene_language_is_known(walk):
    known = placing.POINTS | placing.ARROWS | placing.SPINS | placing.SIZES | placing.STEPS
    for key, node in forms_of(walk, walk.schema):
        kind = walk.kind(node, [0, 0, 0])
        assert kind not in ("vector", "vectors") or key in known, key


def test_a_turn_by_90_degrees_four_times_is_none(walk):
    scene = {**COLUMN, "gravity": [0.0, -9.81]}
    turned = json.loads(json.dumps(scene))
    for k in range(4):
        placing.place(turned, walk, placing.turned(2), {}, "")
        assert (turned["gravity"] == pytest.approx([0, -9.81])) == (k == 3)
    assert turned == scene


def test_a_mirror_turns_spins_round_and_keeps_what_lies_along_them():
    mirror = placing.mirrored(3)
    v, r = np.array([1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 0.7])
    assert mirror.spin(np.cross(r, v)) == pytest.approx(np.cross(mirror.arrow(r), mirror.arrow(v)))
    turn = placing.turned(3, "y")
    assert turn.spin(np.cross(r, v)) == pytest.approx(np.cross(turn.arrow(r), turn.arrow(v)))


def test_what_is_placed_is_carried_back():
    rows = np.array([[0.3, 0.1, -2.0], [1.5, 0.2, 0.9]])
    for place in (placing.mirrored(3), placing.turned(3), placing.moved(3, [1.37, -0.83, 0.59])):
        back = comparing.Back(placing=place)
        for what in ("point", "arrow", "spin"):
            assert back.rows(place.places(rows, what), what) == pytest.approx(rows)


def test_rows_are_found_by_their_places():
    generator = np.random.default_rng(7)
    points = np.indices((5, 4, 3)).reshape(3, -1).T * 0.1
    shuffled = generator.permutation(len(points))
    found = comparing.nearest(points, points[shuffled] + 1e-5)
    assert np.array_equal(shuffled[found], np.arange(len(points)))


def test_the_column_has_all_its_twins(column):
    done = twins(column, "--only", "same,step")
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("moved", "mirrored", "turned", "units", "powers", "step_0.5", "step_2"):
        assert name in done.stdout


def test_twins_are_written_as_scenes_that_the_program_reads(column, tmp_path):
    done = twins(column, "--write", "-o", tmp_path / "out", "--only", "same,spacing_0.83,seed")
    assert done.returncode == 0, done.stderr
    written = sorted((tmp_path / "out/scenes").glob("*.json"))
    assert {"moved.json", "powers.json", "spacing_0.83.json", "seed.json"} <= {p.name for p in written}
    assert subprocess.run([RTSIM, "check", *written], capture_output=True).returncode == 0
    units_ = json.loads((tmp_path / "out/scenes/units.json").read_text())
    assert units_["objects"][0]["spacing"] == pytest.approx(0.02 * 7.3)
    assert units_["gravity"][1] == pytest.approx(-9.81 * 7.3 / 1.9**2)
    assert units_["stages"][0]["rest_density"] == pytest.approx(1000 * 0.61 / 7.3**2)


# A program that spoils what it is given: `fault` is a line of Python over `scene`.
SPOILT = """#!/usr/bin/python3
import json, os, pathlib, sys
arguments = sys.argv[1:]
if arguments[0] == "run" and "scenes" in arguments[1]:
    path = pathlib.Path(arguments[1])
    scene = json.loads(path.read_text())
    water = scene["objects"][0]
    box = water["fill"][0]["box"]
    {fault}
    path.with_suffix(".spoilt.json").write_text(json.dumps(scene))
    arguments[1] = str(path.with_suffix(".spoilt.json"))
os.execv({program!r}, [{program!r}, *arguments])
"""


@pytest.mark.parametrize("fault, found", [
    ("scene['gravity'][1] *= 1 + 1e-3 * (box['min'][0] > 0.1)", {"moved"}),
    ("water['velocity'][0] += 1e-3", {"mirrored", "turned", "units", "powers"}),
    ("scene['stages'][0]['artificial_viscosity'] += 0.2 * water['spacing']", {"units", "powers"}),
    ("scene['stages'][0]['artificial_viscosity'] += 1e-4 * water['spacing']", {"powers"}),
])
def test_twins_find_a_planted_fault(column, tmp_path, fault, found):
    program = tmp_path / "spoilt"
    program.write_text(SPOILT.format(fault=fault, program=os.path.abspath(RTSIM)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    done = twins(column, "--only", "moved,mirrored,turned,units,powers", "--json", program=program)
    lines = json.loads(done.stdout)
    fell = {x["twin"].split(",")[0] for x in lines if not x["holds"]}
    assert done.returncode == 1 and fell == found


def test_energy_out_of_nothing_is_found():
    class Rising:
        series = comparing_series({"total.kinetic_energy": [0, 1.0, 2.0], "total.potential_energy": [3, 2.5, 2.0]})
        frames = []

    line = judging.laws("step_2", {"stages": [], "objects": []}, Rising(), rests=False)[0]
    assert not line.holds and line.over == pytest.approx(1 / (0.01 * (3 - 1) + 3e-6))


def comparing_series(columns):
    import rtsim

    arrays = {k: np.array(v, dtype=float) for k, v in columns.items()}
    n = len(next(iter(arrays.values())))
    return rtsim.Series({"step": np.arange(n), "time": np.arange(n) * 0.1, **arrays},
                        {k: "J" for k in ("step", "time", *arrays)})


def test_handles_feed_what_the_series_do_not_book_and_springs_what_they_do():
    handle = {"type": "attach", "motion": {"velocity": [0, 1, 0]}}
    assert judging.feeders({"stages": [handle]}) == ["handles"]
    assert judging.feeders({"stages": [{**handle, "stiffness": 10}]}) == ["springs"]


def test_energy_that_wind_gave_is_not_made():
    class Blown:
        series = comparing_series({"total.kinetic_energy": [0, 2.0], "total.fed_energy": [0, 2.0]})
        frames = []

    scene = {"stages": [{"type": "wind"}]}
    assert judging.laws("seed", scene, Blown(), rests=False)[0].holds
    Blown.series = comparing_series({"total.kinetic_energy": [0, 2.0], "total.fed_energy": [0, 1.0]})
    assert not judging.laws("seed", scene, Blown(), rests=False)[0].holds


def test_feeding_is_told_from_making():
    still = {"stages": [{"type": "wcsph"}], "objects": [{"kind": "boundary", "motion": {"velocity": [0, 0]}}]}
    assert judging.feeders(still) == []
    still["objects"][0]["motion"]["velocity"] = [0, 0.1]
    assert judging.feeders(still) == ["walls"]


@pytest.mark.parametrize("arguments, words", [
    (["nowhere.json"], "no such file"), (["SCENE", "--only", "rotated"], 'no twin "rotated"'),
    (["SCENE", "--write"], "wants a folder"), (["SCENE", "--steps", "0"], "at least one")])
def test_bad_input_gets_a_clear_error(column, arguments, words):
    done = twins(*[column if a == "SCENE" else a for a in arguments])
    assert done.returncode in (2, 3) and words in done.stderr and "Traceback" not in done.stderr


def test_a_scene_that_cannot_be_read_is_told_in_the_program_s_words(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({**COLUMN, "stages": [{"type": "wcsp"}]}))
    done = twins(path)
    assert done.returncode == 3 and "wcsph" in done.stderr and "Traceback" not in done.stderr


def test_help_has_examples():
    done = twins("--help")
    assert done.returncode == 0 and "scripts/twins SCENE --only moved,turned" in done.stdout
