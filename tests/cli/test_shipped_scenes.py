"""The scenes that come with the program."""
import pytest
from conftest import DONE, SOURCE, expect

SCENES = sorted(p for p in (SOURCE / "configs").rglob("*.json") if p.parent.name not in ("bench", "configs"))


@pytest.mark.parametrize("scene", SCENES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_shipped_scenes_are_good(rtsim, scene):
    expect(rtsim("check", scene), DONE)


@pytest.mark.parametrize("scene", [s for s in SCENES if s.name == "tiny.json"], ids=lambda p: p.parent.name)
def test_tiny_scenes_run_and_verify(rtsim, scene):
    expect(rtsim("run", scene, "-o", "out", "--quiet"), DONE)
    expect(rtsim("verify", "out"), DONE)
