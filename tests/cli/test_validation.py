"""Every shipped scene that names figures to reach reaches them."""
import re

import pytest

from conftest import SOURCE

SCENES = sorted(p for p in (SOURCE / "configs").rglob("*.json") if re.search(r'"expect"\s*:', p.read_text()))


@pytest.mark.parametrize("scene", SCENES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_the_scene_reaches_its_figures(rtsim, scene):
    done = rtsim("run", scene, "-o", "out", "--expect", "--quiet", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass" in done.stdout
