"""Every shipped scene that names figures to reach reaches them."""
import re

import pytest

from conftest import SOURCE

SCENES = sorted(p for p in (SOURCE / "configs").rglob("*.json") if re.search(r'"expect"\s*:', p.read_text()))


SLOW = re.compile("lobovsky|cavity_re1000|karman")
LONG = [pytest.param(p, marks=pytest.mark.slow) if SLOW.search(p.stem) else p for p in SCENES]


@pytest.mark.parametrize("scene", LONG, ids=[f"{p.parent.name}/{p.stem}" for p in SCENES])
def test_the_scene_reaches_its_figures(rtsim, scene):
    done = rtsim("run", scene, "-o", "out", "--expect", "--quiet", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass" in done.stdout
