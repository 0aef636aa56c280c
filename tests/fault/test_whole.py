"""What `verify` calls whole and what `resume` goes on from are the same."""
import json
import re
import shutil
import signal

import pytest

from conftest import BAD_INPUT, DIFFERENT, DONE, IO, Bench, expect, stop

# Checkpoints after steps 10 and 20, where frames 2 and 4 are.
CHANGES = {"/time": {"dt": 1e-4, "steps_per_frame": 5, "frames": 4}, "/checkpoint_every": 2}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    rtsim = Bench(tmp_path_factory.mktemp("whole"))
    rtsim.scene(CHANGES)
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet"), DONE)
    return rtsim


@pytest.fixture
def run(whole):
    folder = whole.folder / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole.folder / "whole", folder)
    return folder


def frame(run, k):
    return run / f"cache/water/water.{k:06d}.hdf"


def change(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def last_line_lost(file):
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))


def digit_of_row(file, row):
    lines = file.read_text().splitlines(keepends=True)
    cells = lines[row].split(",")
    cells[2] = re.sub(r"\d", lambda m: str((int(m[0]) + 1) % 10), cells[2], count=1)
    lines[row] = ",".join(cells)
    file.write_text("".join(lines))


LOST_LATE = {
    "a frame": lambda run: frame(run, 3).unlink(),
    "a byte of a frame": lambda run: flip(frame(run, 4)),
    "the last row of the series": lambda run: last_line_lost(run / "series.csv"),
    "the last line of the frames": lambda run: last_line_lost(run / "frames.jsonl"),
    "a digit of the series": lambda run: digit_of_row(run / "series.csv", 18),
}


@pytest.mark.parametrize("what", LOST_LATE)
def test_what_an_older_checkpoint_did_not_see_is_made_again(whole, run, what):
    LOST_LATE[what](run)
    expect(whole("verify", "run"), DIFFERENT)
    err = expect(whole("resume", "run", "--quiet"), DONE).stderr
    assert "000000000020.h5: not all that it saw is whole" in err
    assert "goes on from step 10" in err
    expect(whole("verify", "run"), DONE)
    for name in ["frames.jsonl", "series.csv", *(f"cache/water/water.{k:06d}.hdf" for k in range(5))]:
        assert (run / name).read_bytes() == (whole.folder / "whole" / name).read_bytes()


LOST_EARLY = {
    "a frame": lambda run: frame(run, 1).unlink(),
    "a byte of a frame": lambda run: flip(frame(run, 1)),
    "a digit of the series": lambda run: digit_of_row(run / "series.csv", 3),
    "the status": lambda run: change(run / "run.json", '"seed": 0', '"seed": 1'),
}


@pytest.mark.parametrize("what", LOST_EARLY)
@pytest.mark.parametrize("resume", [["resume", "run"], ["run", "pool/scene.json", "-o", "run", "--resume=auto"]])
def test_what_every_checkpoint_saw_is_not_gone_on_from_unless_allowed(whole, run, what, resume):
    LOST_EARLY[what](run)
    problems = json.loads(expect(whole("verify", "run", "--json"), DIFFERENT).stdout)["problems"]
    before = {p: p.read_bytes() for p in run.rglob("*") if p.is_file() and p.name != ".lock"}
    err = expect(whole(*resume, "--quiet"), IO).stderr
    assert problems[0] in err and "--allow-damage" in err and "--overwrite" in err
    assert {p: p.read_bytes() for p in run.rglob("*") if p.is_file() and p.name != ".lock"} == before

    expect(whole(*resume, "--allow-damage", "--quiet", "--set", "/time/frames=5"), DONE)
    assert len(whole.frames("run")) == 6
    warnings = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    assert any(w["event"] == "warning" and problems[0] in w["message"] for w in warnings)


def row_longer(file):
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines[:2], lines[2].rstrip("\n") + "000\n", *lines[3:]]))


@pytest.mark.parametrize("spoil", [row_longer, lambda file: file.write_text(file.read_text()[40:])])
def test_frames_are_kept_where_their_log_is_not_whole(whole, run, spoil):
    spoil(run / "frames.jsonl")
    before = {p: p.read_bytes() for p in run.rglob("*") if p.is_file() and p.name != ".lock"}
    for more in ([], ["--allow-damage", "--set", "/time/frames=5"]):
        assert "frames.jsonl" in expect(whole("resume", "run", "--quiet", *more), IO).stderr
        assert {p: p.read_bytes() for p in run.rglob("*") if p.is_file() and p.name != ".lock"} == before


def test_a_longer_row_of_the_series_tears_none(whole, run):
    row_longer(run / "series.csv")
    expect(whole("resume", "run", "--quiet", "--allow-damage", "--set", "/time/frames=5"), DONE)
    lines = (run / "series.csv").read_text().splitlines()
    assert {line.count(",") for line in lines} == {lines[0].count(",")}


def test_a_run_whose_checkpoints_cannot_be_read_is_not_started_afresh(whole, run):
    for file in (run / "checkpoints").glob("*.complete"):
        flip(file)
    frames = sorted((run / "cache").rglob("*.hdf"))
    again = ("run", "pool/scene.json", "-o", "run", "--quiet", "--resume=auto")
    assert "--overwrite" in expect(whole(*again), IO).stderr
    assert sorted((run / "cache").rglob("*.hdf")) == frames


@pytest.mark.parametrize("old, new", [('"frames": 4', '"frames": 3'), ('"dt": 0.0001', '"dt": 0.0002'),
                                      ('"seed": 0', '"sed": 0')])
def test_verify_tells_a_scene_that_was_changed(whole, run, old, new):
    change(run / "scene.resolved.json", old, new)
    assert "scene.resolved.json" in expect(whole("verify", "run"), DIFFERENT).stdout
    assert whole("resume", "run", "--quiet").returncode in (BAD_INPUT, IO)


def test_a_scene_that_is_gone_is_told(whole, run):
    (run / "scene.resolved.json").unlink()
    assert "scene.resolved.json" in expect(whole("verify", "run"), DIFFERENT).stdout


def test_a_finished_run_without_its_checkpoints_is_finished_as_long_as_it_is_whole(whole, run):
    shutil.rmtree(run / "checkpoints")
    for command in (["resume", "run"], ["run", "pool/scene.json", "-o", "run", "--resume=auto"]):
        assert "is finished" in expect(whole(*command), DONE).stderr
    frame(run, 2).unlink()
    assert "no whole checkpoint" in expect(whole("resume", "run"), BAD_INPUT).stderr


def test_a_file_of_the_scene_may_go_but_its_contents_are_known(whole):
    whole.write("pool/front.csv", "0.0005 0.4\n0.001 0.4\n")
    expectation = {"curve": "wcsph.water.front", "file": "front.csv", "rel": 0.1, "source": "it hardly moves"}
    whole.scene({**CHANGES, "/expect": [expectation]}, name="pool/with_file.json")
    expect(whole("run", "pool/with_file.json", "-o", "with_file", "--overwrite", "--quiet"), DONE)
    (whole.folder / "pool/front.csv").unlink()
    expect(whole("verify", "with_file"), DONE)


def test_an_interrupted_run_whose_frame_was_deleted_does_not_end_as_done(rtsim):
    code, *_ = stop(rtsim.endless("--quiet", frames=4), signal.SIGTERM)
    end = rtsim.manifest("out")["steps"] // 10 + 2
    frame(rtsim.folder / "out", 1).unlink()
    assert "water.000001.hdf" in expect(rtsim("resume", "out", "--set", f"/time/frames={end}", "--quiet"), IO).stderr
    assert rtsim.manifest("out")["status"] == "interrupted"
