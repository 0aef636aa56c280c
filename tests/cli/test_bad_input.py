"""Bad scenes and meshes: exit 3, file:line:column and pointer, a remedy, nothing written."""
import json
import os
import re
import time

import pytest
from conftest import BAD_INPUT, DONE, IO, USAGE, expect


def mesh(rtsim, name, text):
    rtsim.write(f"pool/{name}", text)
    box = {"min": [0, 0, 0], "max": [0.4, 0.4, 0.4]}
    return {
        "/dim": 3,
        "/objects/0/fill": {"box": box},
        "/objects/1/shape": {"box": {"min": [0, 0, 0], "max": [0.8, 0.8, 0.8]}, "inside": True},
        "/objects/2": {"name": "rock", "kind": "boundary", "shape": {"mesh": {"file": name}}},
        "/stages/0/boundary": ["tank", "rock"],
    }


OPEN_MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def fill_with_mesh(rtsim, name, text):
    rtsim.write(f"pool/{name}", text)
    return {"/dim": 3, "/objects/0/fill": {"mesh": {"file": name}},
            "/objects/1/shape": {"box": {"min": [0, 0, 0], "max": [0.8, 0.8, 0.8]}, "inside": True}}


BAD_SCENES = {
    "unknown key": (lambda r: {"/stages/0/kinematic_viscosty": 1}, "/stages/0/kinematic_viscosty",
                    'did you mean "kinematic_viscosity"?'),
    "unknown top-level key": (lambda r: {"/tme": 1}, "/tme", 'did you mean "time"?'),
    "wrong type": (lambda r: {"/stages/0/kinematic_viscosity": "thin"}, "/stages/0/kinematic_viscosity", "number"),
    "wrong type of a role": (lambda r: {"/stages/0/fluid": 3}, "/stages/0/fluid", ""),
    "out of range": (lambda r: {"/stages/0/kinematic_viscosity": -1}, "/stages/0/kinematic_viscosity", "0"),
    "spacing of zero": (lambda r: {"/objects/0/spacing": 0}, "/objects/0/spacing", "0"),
    "missing key": (lambda r: {"/stages/0/fluid": None}, "/stages/0/fluid", "missing"),
    "unknown stage type": (lambda r: {"/stages/0/type": "wcshp"}, "/stages/0/type", 'did you mean "wcsph"?'),
    "probe that would break a table": (
        lambda r: {"/stages/0/probes": [{"name": "a,b", "at": [0, 0]}]}, "/stages/0/probes", "letters, digits, _ and -"),
    "probes of one name": (
        lambda r: {"/stages/0/probes": [{"name": "a", "at": [0, 0]}, {"name": "a", "at": [1, 0]}]},
        "/stages/0/probes", 'two are named "a"'),
    "probe with the name of a series": (
        lambda r: {"/stages/0/probes": [{"name": "front", "at": [0, 0]}]}, "/stages/0/probes",
        '"front" is a series that fluids have of their own; choose another name'),
    "unknown object": (lambda r: {"/stages/0/fluid": "watr"}, "/stages/0/fluid", 'did you mean "water"?'),
    "object of another kind": (lambda r: {"/stages/0/fluid": "tank"}, "/stages/0/fluid", "particles"),
    "object that no stage uses": (lambda r: {"/stages/0/boundary": []}, "/objects/1", "tank"),
    "output of nothing": (lambda r: {"/output/0/object": "wine"}, "/output/0/object", "wine"),
    "column that is not there": (lambda r: {"/output/0/columns": ["presure"]}, "/output/0", "presure"),
    "duration of broken frames": (lambda r: {"/time/frames": None, "/time/duration": 0.0025}, "/time/duration",
                                  "0.002"),
    "both ends": (lambda r: {"/time/duration": 0.002}, "/time", "frames"),
    "more than the machine": (lambda r: {"/objects/0/spacing": 1e-6}, "/objects", "larger spacing"),
    "particles in a wall": (lambda r: {"/objects/0/fill": {"box": {"min": [-0.1, 0], "max": [0.4, 0.4]}}},
                            "/objects/0/fill", "tank"),
    "mesh that is missing": (lambda r: {**mesh(r, "x.obj", ""), "/objects/2/shape/mesh/file": "no.obj"},
                             "/objects/2/shape/mesh/file", "no.obj"),
    "boundary named twice": (lambda r: {"/stages/0/boundary": ["tank", "tank"]}, "/stages/0/boundary/1",
                             "/stages/0/boundary/0"),
    "stage with a name of the program's": (lambda r: {"/stages/0/name": "_wcsph"}, "/stages/0/name", "_"),
    "columns of a volume": (lambda r: {"/output/0": {"object": "water", "format": "vdb", "columns": ["velocity"]}},
                            "/output/0", "for grids"),
    "bits of a volume": (lambda r: {"/output/0": {"object": "water", "format": "vdb", "bits": 8}},
                         "/output/0/bits", "half"),
    "curve that is missing": (lambda r: {"/expect": [{"curve": "wcsph.water.front", "file": "no.csv", "rel": 1,
                                                      "source": "none"}]}, "/expect/0/file", "no.csv"),
    "empty mesh": (lambda r: mesh(r, "empty.obj", "# nothing\n"), "/objects/2/shape", "empty.obj"),
    "mesh that is not finite": (lambda r: mesh(r, "nan.obj", OPEN_MESH.replace("v 1 0 0", "v nan 0 0")),
                                "/objects/2/shape", "nan.obj"),
    "mesh cut off": (lambda r: mesh(r, "cut.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n"), "/objects/2/shape", "cut.obj"),
    "fill that is not closed": (lambda r: fill_with_mesh(r, "open.obj", OPEN_MESH), "/objects/0/fill",
                               "pool/open.obj: 3 edges do not join two triangles each, one of them from (0, 0, 0) to (1, 0, 0)"),
}


@pytest.mark.parametrize("command", ["run", "check", "explain"])
@pytest.mark.parametrize("case", BAD_SCENES)
def test_bad_scenes_are_refused_with_their_place(rtsim, case, command):
    changes, pointer, text = BAD_SCENES[case]
    rtsim.scene(changes(rtsim))
    before = rtsim.files()
    result = expect(rtsim(command, "pool/scene.json"), BAD_INPUT)
    lines = re.findall(r"^(.*scene\.json):(\d+):(\d+): (/\S*): (.*)$", result.stderr, re.M)
    assert lines, result.stderr
    assert any(found.startswith(pointer) and text in message for *_, found, message in lines), result.stderr
    text_lines = (rtsim.folder / "pool/scene.json").read_text().splitlines()
    assert all(1 <= int(line) <= len(text_lines) for _, line, *_ in lines)
    assert result.stdout == ""
    assert rtsim.files() == before


BAD_EXPECTATIONS = {
    "unknown series": ({"value": "wcsph.water.mas", "equals": 1}, "/expect/0/value", 'did you mean "wcsph.water.mass"?'),
    "torn curve": ({"curve": "wcsph.water.front", "file": "torn.csv"}, "/expect/0/file", "torn.csv:2"),
    "unknown column": ({"profile": "water.presure", "from": [0, 0], "to": [0, 1], "width": 1, "line": [1, 0]},
                       "/expect/0/profile", "presure"),
}


@pytest.mark.parametrize("case", BAD_EXPECTATIONS)
def test_check_finds_expectations_that_no_run_can_answer(rtsim, case):
    form, pointer, text = BAD_EXPECTATIONS[case]
    rtsim.write("pool/torn.csv", "1 2\n3\n")
    rtsim.scene({"/expect": [{**form, "rel": 1, "source": "none"}]})
    err = expect(rtsim("check", "pool/scene.json"), BAD_INPUT).stderr
    assert re.match(rf"pool/scene\.json:\d+:\d+: {pointer}: ", err), err
    assert text in err


def test_bad_input_without_a_place_is_said_by_the_program(rtsim):
    rtsim.scene({"/dim": 4})
    for command in ("run", "check"):
        assert expect(rtsim(command, "no.json"), BAD_INPUT).stderr == "rtsim: no.json: No such file or directory\n"
        assert expect(rtsim(command, "pool/scene.json"), BAD_INPUT).stderr.startswith("pool/scene.json:3:")
    assert expect(rtsim("resume", "pool"), BAD_INPUT).stderr.startswith("rtsim: pool holds no run")
    assert expect(rtsim("bench", "pool/no.json"), IO).stderr.startswith("rtsim: pool/no.json: ")


@pytest.mark.parametrize("text, place, words", [
    ('{\n  "rtsim": 1,\n  "dim": \n}\n', r"scene\.json:4:1:", "JSON|expected|value"),
    ('{\n  "rtsim": 1,\n  "dim": 2,\n  "dim": 3\n}\n', r"scene\.json:4:3: /dim:", "twice|duplicate"),
    ("", r"scene\.json:1:1:", ""),
    ("[1, 2]\n", r"scene\.json:1:1:", "object"),
])
def test_broken_json_is_refused_with_its_place(rtsim, text, place, words):
    rtsim.write("pool/scene.json", text)
    before = rtsim.files()
    result = expect(rtsim("run", "pool/scene.json"), BAD_INPUT)
    assert re.search(place, result.stderr), result.stderr
    assert re.search(words, result.stderr), result.stderr
    assert rtsim.files() == before


def test_a_scene_that_is_missing_is_bad_input(rtsim):
    assert "no/such.json" in expect(rtsim("run", "no/such.json"), BAD_INPUT).stderr
    assert rtsim.files() == []


def test_all_problems_are_reported_at_once(rtsim):
    rtsim.scene({"/stages/0/kinematic_viscosity": -1, "/stages/0/suport": 2, "/objects/0/spacing": "fine",
                 "/output/0/every": 0})
    err = expect(rtsim("check", "pool/scene.json"), BAD_INPUT).stderr
    for pointer in ("/stages/0/kinematic_viscosity", "/stages/0/suport", "/objects/0/spacing", "/output/0/every"):
        assert f" {pointer}: " in err, err


def test_what_misses_a_stage_that_cannot_be_made_is_not_said_besides(rtsim):
    sheet = {"sheet": {"corner": [0, 2, 0], "u": [1, 0, 0], "v": [0, 0, 1], "cells": [4, 4]}}
    rtsim.write("pool/soft.json", json.dumps({
        "rtsim": 1, "dim": 3, "time": {"dt": 0.001, "frames": 1},
        "objects": [{"name": "water", "kind": "particles", "spacing": 0.1,
                     "fill": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}},
                    {"name": "sheet", "kind": "mesh", "density": 1, "mesh": sheet}],
        "stages": [{"type": "dfsph", "fluid": "water", "boundary": ["sheet"]},
                   {"type": "couple", "fluid": "water", "solid": "sheet"},
                   {"type": "fem", "mesh": "sheet", "youngs_modulus": 1e4}],
        "output": [{"object": "sheet"}]}))
    err = expect(rtsim("check", "pool/soft.json"), BAD_INPUT).stderr
    assert "/stages/2: 'sheet' has triangles and no tetrahedra" in err and "no stage moves it" not in err, err


def test_check_reports_every_scene_and_calls_good_ones_good(rtsim):
    rtsim.scene(name="a/scene.json")
    rtsim.scene({"/stages/0/support": 99}, name="b/scene.json")
    rtsim.scene({"/dim": 4}, name="c/scene.json")
    result = expect(rtsim("check", "a/scene.json", "b/scene.json", "c/scene.json"), BAD_INPUT)
    assert "a/scene.json: good" in result.stdout
    assert "b/scene.json:" in result.stderr and "c/scene.json:" in result.stderr
    expect(rtsim("check", "a/scene.json"), DONE)


@pytest.mark.parametrize("override, text", [
    ("/stages/0/kinematic_viscosity=-1", "/stages/0/kinematic_viscosity"),
    ("/stages/0/kinematic_viscosty=1", 'did you mean "kinematic_viscosity"?'),
    ("/stages/7/support=2", "/stages/7"),
    ("support=2", "support=2"),
    ("/stages/0/support", "/stages/0/support"),
])
def test_overrides_are_checked_like_the_scene(rtsim, override, text):
    rtsim.scene()
    before = rtsim.files()
    result = rtsim("run", "pool/scene.json", "--set", override)
    assert result.returncode in (USAGE, BAD_INPUT)
    assert text in result.stderr
    assert rtsim.files() == before


NO_FILES = {
    "a scene": (["run", "NAME"], {}),
    "a mesh": (["run", "pool/scene.json"], {"/dim": 3, "/objects/0/fill": {"mesh": {"file": "NAME"}}}),
    "a curve": (["check", "pool/scene.json"],
                {"/expect": [{"curve": "wcsph.water.front", "file": "NAME", "rel": 1, "source": "none"}]}),
    "a sweep": (["sweep", "NAME", "-o", "out"], {}),
}


@pytest.mark.parametrize("what", NO_FILES)
@pytest.mark.parametrize("kind", ["/dev/zero", "pipe", "endless"])
def test_only_files_that_end_are_read(rtsim, what, kind):
    command, changes = NO_FILES[what]
    name = str(rtsim.folder / kind) if kind[0] != "/" else kind
    if kind == "pipe":
        os.mkfifo(name)
    if kind == "endless":
        with open(name, "wb") as file:
            file.truncate(1 << 40)  # all holes
    rtsim.scene(json.loads(json.dumps(changes).replace("NAME", name)))
    before = rtsim.files()
    began = time.monotonic()
    err = expect(rtsim(*(a.replace("NAME", name) for a in command), timeout=20), BAD_INPUT).stderr
    assert name in err
    assert {"/dev/zero": "a device", "pipe": "a pipe", "endless": "are more than"}[kind] in err
    assert time.monotonic() - began < 10
    assert rtsim.files() == before
