"""The scenes that come with the program."""
import pytest
from conftest import DONE, SOURCE, expect, long_case

SCENES = sorted(p for p in (SOURCE / "configs").rglob("*.json") if p.parent.name not in ("bench", "configs"))


# Those that take seconds to read: finely sampled shapes, meshes in many convex parts.
DEAR = {"showcase/coronet.json": 4, "rigid/rings.json": 5, "flip/breathing_ball.json": 0}


def name_of(scene):
    return f"{scene.parent.name}/{scene.name}"


@pytest.mark.parametrize("scene", [pytest.param(s, marks=long_case(DEAR[name_of(s)])) if name_of(s) in DEAR else s
                                   for s in SCENES], ids=name_of)
def test_shipped_scenes_are_good(rtsim, scene):
    expect(rtsim("check", scene), DONE)


@pytest.mark.parametrize("scene", [s for s in SCENES if s.name == "tiny.json"], ids=lambda p: p.parent.name)
def test_tiny_scenes_run_and_verify(rtsim, scene):
    expect(rtsim("run", scene, "-o", "out", "--quiet"), DONE)
    expect(rtsim("verify", "out"), DONE)
