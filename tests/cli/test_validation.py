"""Every shipped scene that names figures to reach reaches them, and one that `expect` cannot hold."""
import csv
import re

import numpy as np
import pytest

from conftest import DONE, SOURCE, expect

SCENES = sorted(p for p in (SOURCE / "configs").rglob("*.json") if re.search(r'"expect"\s*:', p.read_text()))

SLOW = re.compile("lobovsky|cavity_re1000|karman|cumulus")
LONG = [pytest.param(p, marks=pytest.mark.slow) if SLOW.search(p.stem) else p for p in SCENES]


@pytest.mark.parametrize("scene", LONG, ids=[f"{p.parent.name}/{p.stem}" for p in SCENES])
def test_the_scene_reaches_its_figures(rtsim, scene):
    done = rtsim("run", scene, "-o", "out", "--expect", "--quiet", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass" in done.stdout


@pytest.mark.slow
def test_vortices_leave_the_cylinder_at_the_frequency_of_the_benchmark(rtsim):
    """Schaefer & Turek 1996, 2D-2: Strouhal number f D / U of the lift 0.295-0.305."""
    expect(rtsim("run", SOURCE / "configs/lbm/karman_street.json", "-o", "out", "--quiet", timeout=600), DONE)
    with open(rtsim.folder / "out/series.csv") as f:
        rows = list(csv.DictReader(f))
    time = np.array([float(r["time [s]"]) for r in rows])
    lift = np.array([float(r["lbm.cylinder.force.y [N]"]) for r in rows])
    steady = time > 4.5
    time, lift = time[steady], lift[steady] - lift[steady].mean()
    up = np.flatnonzero((lift[:-1] < 0) & (lift[1:] >= 0))
    crossings = time[up] - lift[up] * (time[up + 1] - time[up]) / (lift[up + 1] - lift[up])
    assert len(crossings) >= 7
    periods = np.diff(crossings)
    assert np.ptp(periods) < 0.01 * periods.mean()
    diameter, speed = 0.1, 1.0
    assert 0.295 <= diameter / (speed * periods.mean()) <= 0.305
