"""rtsim new: a scene of one's own from one of ours, with comments."""
import json
import re

import pytest
from conftest import DONE, EXISTS, USAGE, expect


def test_it_lists_what_there_is(rtsim):
    scenes = {s["name"]: s["summary"] for s in json.loads(expect(rtsim("new", "--list", "--json"), DONE).stdout)}
    assert scenes["wcsph/dam_break"] == "A column of water collapses onto a rock. 97,500 particles."
    assert {"rigid/tiny", "flip/dam_break"} < set(scenes) and not any(n.startswith("bench/") for n in scenes)
    assert all(scenes.values())
    text = expect(rtsim("new", "--list"), DONE).stdout
    assert [line.split()[0] for line in text.splitlines()] == list(scenes)


def test_it_puts_a_commented_scene_and_its_files_in_place(rtsim):
    out = expect(rtsim("new", "shots/mine", "--like", "wcsph/dam_break"), DONE).stdout
    assert out == "shots/mine.json\nshots/obstacle.obj\n"
    text = (rtsim.folder / "shots/mine.json").read_text()
    assert "// A column of water collapses onto a rock." in text
    assert re.search(r'// Steps between two frames\.\n +"steps_per_frame": 10', text)
    assert re.search(r'// Distance of neighbouring particles at the start.*?\[m\]\n +"spacing": 0.02', text, re.S)
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("Steps between two frames.") == 1
    # It is that scene: the same identity, but for where its file lies.
    expect(rtsim("check", "shots/mine.json"), DONE)
    assert '"file": "obstacle.obj"' in text


@pytest.mark.parametrize("like", ["rigid/tiny", "smoke/tiny", "fem/cantilever", "xpbd/tiny"])
def test_what_it_writes_runs_as_the_original_does(rtsim, like):
    expect(rtsim("new", "mine.json", "--like", like), DONE)
    expect(rtsim("check", "mine.json"), DONE)
    text = re.sub(r"^\s*//.*$", "", (rtsim.folder / "mine.json").read_text(), flags=re.M)
    assert "expect" not in json.loads(text)


def test_of_several_with_one_name_it_takes_the_first_in_the_list(rtsim):
    result = expect(rtsim("new", "mine", "--like", "dam_break"), DONE)
    assert "this is flip/dam_break; there are also wcsph/dam_break" in result.stderr
    assert '"type": "flip"' in (rtsim.folder / "mine.json").read_text()


def test_it_leaves_alone_what_is_there(rtsim):
    rtsim.write("obstacle.obj", "mine")
    before = rtsim.files()
    assert "obstacle.obj is there already" in expect(rtsim("new", "a", "--like", "wcsph/dam_break"), EXISTS).stderr
    assert rtsim.files() == before


@pytest.mark.parametrize("args, text", [
    (["a", "--like", "dam_brake"], 'did you mean "dam_break"?'),
    (["a"], "--like SCENE"),
    ([], "`rtsim new --list`"),
])
def test_usage(rtsim, args, text):
    before = rtsim.files()
    assert text in expect(rtsim("new", *args), USAGE).stderr
    assert rtsim.files() == before
