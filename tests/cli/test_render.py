"""Pictures of real runs, read by another reader, and held against what must be seen in them."""
import json
import shutil

import matplotlib.image
import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, SOURCE, USAGE, expect

PAPER = (0.97, 0.97, 0.98)


def run(rtsim, folder, scene=None):
    if scene is None:
        rtsim.scene()
        scene = "pool/scene.json"
    expect(rtsim("run", scene, "-o", folder, "--quiet"), DONE)


def picture(rtsim, name):
    return matplotlib.image.imread(rtsim.folder / name)[..., :3]


def covered(image, background=PAPER):
    return np.abs(image - background).max(axis=-1) > 0.02


def test_particles_stand_where_they_are(rtsim):
    run(rtsim, "run")
    alone = ("--objects", "water", "--width", 960, "--height", 960)
    expect(rtsim("render", "run", "-o", "a.png", *alone), DONE)
    image = picture(rtsim, "a.png")
    assert image.shape == (960, 960, 3)
    # The square of water fills 0.92 of the picture, by discs that touch: pi / 4 of it.
    ink = covered(image)
    assert 0.70 < ink[150:800, 120:840].mean() < 0.85
    assert not ink[200:800, :10].any() and not ink[200:, -10:].any()
    expect(rtsim("render", "run", "-o", "b.png", *alone), DONE)
    assert (rtsim.folder / "a.png").read_bytes() == (rtsim.folder / "b.png").read_bytes()


WALL = (0.84, 0.84, 0.82)


def is_wall(image):
    return np.abs(image - WALL).max(axis=-1) < 0.02


def test_walls_of_the_plane_are_drawn_as_the_solids_that_they_are(rtsim):
    scene = rtsim.folder / "scene.json"
    scene.write_text(json.dumps({
        "rtsim": 1, "dim": 2, "time": {"dt": 1e-3, "steps_per_frame": 1, "frames": 1},
        "objects": [
            {"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0], "max": [1, 0.3]}}},
            {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1, 1]}, "inside": True}},
            {"name": "disc", "kind": "boundary", "shape": {"sphere": {"centre": [0.5, 0.6], "radius": 0.1}},
             "motion": {"velocity": [10, 0]}}],
        "stages": [{"type": "dfsph", "fluid": "water", "boundary": ["tank", "disc"]}],
        "output": [{"object": "water"}]}))
    run(rtsim, "run", scene)
    for frame, centre in ((0, 0.5), (1, 0.51)):
        expect(rtsim("render", "run", "-o", "a.png", "--frames", frame, "--width", 960, "--height", 960), DONE)
        wall = is_wall(picture(rtsim, "a.png"))
        # What is seen is 1 m wide, in 0.92 of the picture, and goes up to half of that above the water.
        metre = 0.92 * 960
        assert wall[400, :30].all() and wall[400, -30:].all() and not wall[600, 60:900].any()
        row = np.flatnonzero(wall[int(480 - (0.6 - 0.375) * metre), 60:900]) + 60
        assert row.mean() == pytest.approx(480 + (centre - 0.5) * metre, abs=2)
        assert len(row) == pytest.approx(0.2 * metre, abs=4)


def test_a_body_of_space_is_seen_in_its_tank_and_the_tank_by_its_edges(rtsim):
    scene = rtsim.folder / "scene.json"
    scene.write_text(json.dumps({
        "rtsim": 1, "dim": 3, "time": {"dt": 1e-3, "steps_per_frame": 1, "frames": 1},
        "objects": [
            {"name": "water", "kind": "particles", "spacing": 0.1,
             "fill": {"box": {"min": [0, 0, 0], "max": [1, 0.1, 1]}}},
            {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "inside": True}},
            {"name": "ball", "kind": "boundary", "shape": {"sphere": {"centre": [0.5, 0.5, 0.5], "radius": 0.2}}}],
        "stages": [{"type": "dfsph", "fluid": "water", "boundary": ["tank", "ball"]}],
        "output": [{"object": "water"}]}))
    run(rtsim, "run", scene)
    both = ("--from", "front", "--width", 960, "--height", 960)
    expect(rtsim("render", "run", "-o", "a.png", *both), DONE)
    expect(rtsim("render", "run", "-o", "b.png", *both, "--objects", "water,ball"), DONE)
    a, b = picture(rtsim, "a.png"), picture(rtsim, "b.png")
    # With the tank there are walls behind the ball; without it the ball is alone, 0.4 times as wide as the water.
    assert covered(a)[100:650, 100:860].all()
    widths = covered(b)[150:].sum(axis=1)
    water, ball = widths.max(), widths[:200].max()
    assert ball == pytest.approx(0.4 * water, rel=0.05)


def test_a_folder_has_a_picture_of_each_frame_and_a_sheet_shows_them_together(rtsim):
    run(rtsim, "run")
    expect(rtsim("render", "run", "-o", "all", "--width", 160, "--height", 120), DONE)
    assert sorted(p.name for p in (rtsim.folder / "all").iterdir()) == [f"frame_{k:06d}.png" for k in range(3)]
    expect(rtsim("render", "run", "-o", "sheet.png", "--sheet", 3, "--width", 160, "--height", 120), DONE)
    sheet = picture(rtsim, "sheet.png")
    assert sheet.shape == (240, 320, 3)
    assert np.array_equal(sheet[:120, :160], picture(rtsim, "all/frame_000000.png"))


@pytest.mark.parametrize("stem", ["smoke", "lbm", "shallow_water", "mass_spring", "verlet", "pbd"])
def test_every_kind_of_object_is_seen(rtsim, stem):
    run(rtsim, stem, SOURCE / f"configs/{stem}/tiny.json")
    expect(rtsim("render", stem, "-o", "a.png", "--width", 240, "--height", 180), DONE)
    image = picture(rtsim, "a.png")
    assert covered(image, image[-1, 0]).mean() > 0.01
    assert image[20:].std() > 0.01


def test_colours_and_vectors_show_a_column(rtsim):
    run(rtsim, "run")
    expect(rtsim("render", "run", "-o", "a.png", "--colour", "velocity.y", "--low", -1, "--high", 0), DONE)
    expect(rtsim("render", "run", "-o", "b.png", "--colour", "density", "--vectors", "velocity"), DONE)
    a, b = picture(rtsim, "a.png"), picture(rtsim, "b.png")
    assert not np.array_equal(a, b)
    assert (b.max(axis=-1) < 0.12).sum() > 100  # the ink of arrows


def test_what_cannot_be_drawn_says_why(rtsim):
    run(rtsim, "run")
    assert "wants an .mp4" in expect(rtsim("render", "run", "-o", "a.gif"), USAGE).stderr
    assert "'sea'" in expect(rtsim("render", "run", "-o", "a.png", "--objects", "sea"), BAD_INPUT).stderr
    assert "--from: below" in expect(rtsim("render", "run", "-o", "a.png", "--from", "below"), USAGE).stderr
    assert "none of these" in expect(rtsim("render", "run", "-o", "a.png", "--frames", "9"), BAD_INPUT).stderr
    assert "speed" in expect(rtsim("render", "run", "-o", "a.png", "--colour", "speed"), BAD_INPUT).stderr
    assert "speed" in expect(rtsim("render", "run", "-o", "a.png", "--vectors", "speed"), BAD_INPUT).stderr
    assert "--low" in expect(rtsim("render", "run", "-o", "a.png", "--low", 5, "--high", 1), USAGE).stderr
    expect(rtsim("render", "run", "-o", "all", "--sheet", 2), USAGE)
    assert not (rtsim.folder / "a.png").exists()


def test_films_are_made_by_ffmpeg_or_say_that_it_is_missing(rtsim):
    run(rtsim, "run")
    result = rtsim("render", "run", "-o", "a.mp4", "--width", 160, "--height", 120)
    if shutil.which("ffmpeg"):
        expect(result, DONE)
        assert (rtsim.folder / "a.mp4").read_bytes()[4:8] == b"ftyp"
    else:
        assert "install the package ffmpeg" in expect(result, BAD_INPUT).stderr
        assert not list(rtsim.folder.glob("*.mp4"))


def test_a_name_mistyped_is_guessed_and_a_folder_for_the_picture_made(rtsim):
    run(rtsim, "run")
    wrong = expect(rtsim("render", "run", "-o", "new/a.png", "--colour", "densty"), BAD_INPUT)
    assert 'did you mean "density"?' in wrong.stderr and not (rtsim.folder / "new").exists()
    assert "above 0, not -1" in expect(rtsim("render", "run", "-o", "a.png", "--zoom", -1), USAGE).stderr
    expect(rtsim("render", "run", "-o", "new/a.png", "--width", 64, "--height", 64), DONE)
    assert picture(rtsim, "new/a.png").shape[:2] == (64, 64)


def test_json_tells_the_frames_and_what_was_written(rtsim):
    run(rtsim, "run")
    committed = [json.loads(line) for line in (rtsim.folder / "run/frames.jsonl").read_text().splitlines()]

    def told(*arguments):
        return json.loads(expect(rtsim("render", "run", *arguments, "--width", 64, "--height", 96, "--json"), DONE).stdout)

    all_of_them = told("-o", "pictures")
    assert [f["frame"] for f in all_of_them["frames"]] == [f["frame"] for f in committed]
    assert [f["time"] for f in all_of_them["frames"]] == [f["time"] for f in committed]
    written = list((rtsim.folder / "pictures").iterdir())
    assert all_of_them["files"] == len(written)
    assert all_of_them["bytes"] == sum(p.stat().st_size for p in written)
    assert (all_of_them["width"], all_of_them["height"]) == (64, 96)
    last = told("-o", "a.png")
    assert last["output"] == "a.png" and last["files"] == 1 and last["seconds"] > 0 and last["warnings"] == []
    assert last["bytes"] == (rtsim.folder / "a.png").stat().st_size
    assert last["frames"] == [{k: committed[-1][k] for k in ("frame", "step", "time")}]
