"""rtsim foam: foam behind the liquid of a finished run, from its frames; and what it refuses."""
import csv
import json
import re

import pytest
from conftest import BAD_INPUT, DONE, SOURCE, USAGE, expect

TINY = SOURCE / "configs/foam/tiny.json"
FOAM = ["--set", "/stages/0/kinetic_energy={\"from\": 0.5, \"to\": 3}",
        "--set", "/stages/0/trapped_air={\"from\": 0.1, \"to\": 0.5}", "--set", "/stages/0/lifetime=0.02"]


def outcome(folder):
    """What two runs of one scene have in common, byte by byte."""
    frames = {p.relative_to(folder): p.read_bytes() for p in sorted((folder / "cache").rglob("*.hdf"))}
    return frames, (folder / "series.csv").read_bytes(), (folder / "frames.jsonl").read_bytes()


def last(folder, name):
    rows = list(csv.DictReader((folder / "series.csv").open()))
    return float(next(v for k, v in rows[-1].items() if k.startswith(name)))


@pytest.fixture
def liquid(rtsim):
    """A finished run with a frame a step."""
    output = '/output=[{"object": "water", "format": "hdf5"}]'
    expect(rtsim("run", TINY, "-o", "a", "--set", output, "--set", "/time/fps=250", "--set", "/time/steps_per_frame=1",
                 "--set", "/time/frames=10", "--threads", 1), DONE)
    return rtsim


def test_foam_of_frames_is_that_of_the_stage(liquid):
    expect(liquid("foam", "a", "-o", "b", *FOAM, "--threads", 1), DONE)
    expect(liquid("verify", "b"), DONE)
    born, stage = last(liquid.folder / "b", "foam.foam.born"), last(liquid.folder / "a", "foam.foam.born")
    # The same draws by the same ids; sums over neighbours in another order may round one otherwise.
    assert stage > 50 and abs(born - stage) <= 0.01 * stage
    frames = sorted(p.name for p in (liquid.folder / "b/cache/foam").glob("*.hdf"))
    assert frames[-1] == "foam.000010.hdf" and len(frames) == 11


def test_threads_and_a_pause_change_no_byte(liquid):
    expect(liquid("foam", "a", "-o", "b", *FOAM, "--threads", 1), DONE)
    expect(liquid("foam", "a", "-o", "c", *FOAM, "--threads", 2, "--set", "/time/frames=4"), DONE)
    expect(liquid("resume", "c", "--threads", 2, "--set", "/time/frames=10"), DONE)
    assert outcome(liquid.folder / "b") == outcome(liquid.folder / "c")


def test_steps_between_frames_have_the_liquid_on_its_way(liquid):
    half = ["--set", "/time/fps=125", "--set", "/time/steps_per_frame=2", "--set", "/time/frames=5"]
    output = '/output=[{"object": "water", "format": "hdf5"}]'
    expect(liquid("run", TINY, "-o", "d", "--set", output, *half, "--threads", 1), DONE)
    expect(liquid("foam", "d", "-o", "e", *FOAM, "--threads", 1), DONE)
    born, stage = last(liquid.folder / "e", "foam.foam.born"), last(liquid.folder / "d", "foam.foam.born")
    assert abs(born - stage) <= 0.15 * stage


def test_it_takes_the_spacing_of_the_frames_and_leaves_bodies_away(rtsim):
    """A fill of 0.25 m is 8 cells of 0.03125 m where 0.03 m are asked for; a float is in flip's boundary."""
    scene = json.loads(re.sub("//.*", "", TINY.read_text()))
    scene["objects"][0]["spacing"] = 0.03
    scene["objects"].append({"name": "float", "kind": "bodies", "density": 300, "bodies": [
        {"shape": {"sphere": {"centre": [0.4, 0.2, 0.4], "radius": 0.1}}}]})
    scene["stages"] = [{"type": "flip", "fluid": "water", "grid": "room", "boundary": ["floor", "float"]},
                       {"type": "couple", "fluid": "water", "solid": "float"},
                       {"type": "rigid", "bodies": "float", "boundary": ["floor"]}]
    scene["objects"] = [o for o in scene["objects"] if o["name"] != "foam"]
    scene["output"] = [{"object": "water", "format": "hdf5"}]
    (rtsim.folder / "float.json").write_text(json.dumps(scene))
    expect(rtsim("run", "float.json", "-o", "a", "--threads", 1), DONE)
    expect(rtsim("foam", "a", "-o", "b", *FOAM, "--threads", 1), DONE)
    resolved = json.loads((rtsim.folder / "b/scene.resolved.json").read_text())
    assert resolved["stages"][0]["boundary"] == ["floor", "room_sides"]
    assert resolved["objects"][0]["spacing"] == pytest.approx(0.03125)


def refused(rtsim, code, *args):
    before = rtsim.files()
    result = expect(rtsim("foam", *args), code)
    assert rtsim.files() == before
    return result.stderr


def test_what_it_refuses(liquid):
    assert "no run is there" in refused(liquid, BAD_INPUT, "nowhere", "-o", "b")
    assert "another folder" in refused(liquid, USAGE, "a", "-o", "a")
    assert "there are those of water" in refused(liquid, BAD_INPUT, "a", "-o", "b", "--object", "oil")
    assert re.search("liftime.*did you mean \"lifetime\"",
                     refused(liquid, BAD_INPUT, "a", "-o", "b", "--set", "/stages/0/liftime=2"))
    expect(liquid("run", TINY, "-o", "f", "--threads", 1), DONE)
    assert "no particles have HDF5 frames" in refused(liquid, BAD_INPUT, "f", "-o", "b")
    only = '/output=[{"object": "water", "format": "hdf5", "columns": ["velocity"]}]'
    expect(liquid("run", TINY, "-o", "g", "--set", only, "--threads", 1), DONE)
    assert 'leave "columns" out' in refused(liquid, BAD_INPUT, "g", "-o", "b")


def test_particles_near_the_surface_alone_are_no_liquid_to_look_into(rtsim):
    """Those of flip's "band": foam, surfaces and volumes would see a second surface inside."""
    scene = SOURCE / "tests/simt/scenes/narrow_band.json"
    expect(rtsim("run", scene, "-o", "a", "--threads", 1), DONE)
    assert 'run it without "band"' in refused(rtsim, BAD_INPUT, "a", "-o", "b")
    result = expect(rtsim("convert", "a", "--to", "vdb", "--objects", "water", "-o", "c"), BAD_INPUT)
    assert '\'water\' has particles near its surface alone' in result.stderr and not (rtsim.folder / "c").exists()
    vdb = '/output=[{"object": "water", "format": "vdb"}]'
    result = expect(rtsim("run", scene, "-o", "d", "--set", vdb), BAD_INPUT)
    assert 'write the "level_set" of its grid' in result.stderr and not (rtsim.folder / "d").exists()
