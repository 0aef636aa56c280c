"""Scenes with options that the tiny ones leave out go on after a pause as if there had been none."""
import pytest
from conftest import DONE, SOURCE, expect

SCENES = sorted((SOURCE / "tests/simt/scenes").glob("*.json"))


@pytest.mark.parametrize("scene", SCENES, ids=lambda p: p.stem)
def test_a_resumed_run_ends_in_the_same_bytes(rtsim, scene):
    quiet = ("--quiet", "--threads", "1", "--set")
    expect(rtsim("run", scene, "-o", "whole", *quiet, "/series_every=1"), DONE)
    expect(rtsim("run", scene, "-o", "parts", *quiet, "/series_every=1", "--set", "/time/frames=1"), DONE)
    expect(rtsim("resume", "parts", *quiet, "/time/frames=2"), DONE)
    whole, parts = rtsim.folder / "whole", rtsim.folder / "parts"
    files = [f.relative_to(whole) for d in ("cache", "checkpoints") for f in (whole / d).rglob("*") if f.is_file()]
    assert len(files) > 1
    for file in [*files, "series.csv"]:
        assert (whole / file).read_bytes() == (parts / file).read_bytes(), file
