"""Orders of convergence: sub-runs inside the run's folder."""
import copy
import json

import pytest

from conftest import BAD_INPUT, DIFFERENT, DONE, POOL, expect


# A block that falls freely: by the semi-implicit Euler rule y is g t dt / 2 too low, so that the energy
# m g y, which is zero after 0.1 s, is off in first order.
def falling(least):
    s = copy.deepcopy(POOL)
    s.update(gravity=[0, -10], time={"dt": 0.02, "duration": 0.1}, output=[])
    s["objects"] = [{"name": "water", "kind": "particles", "spacing": 0.05,
                     "fill": {"box": {"min": [0, 0], "max": [0.1, 0.1]}}}]
    s["stages"] = [{"type": "wcsph", "fluid": "water", "max_speed": 10}]
    s["expect"] = [{"value": "wcsph.water.potential_energy", "equals": 0, "source": "semi-implicit Euler",
                    "order": {"vary": {"pointer": "/time/dt", "values": [0.02, 0.01, 0.005]}, "min": least}}]
    return s


@pytest.fixture
def scene(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(s):
        (tmp_path / "scene.json").write_text(json.dumps(s))
    return write


def test_an_order_is_found_in_sub_runs_and_missed_with_5(rtsim, scene, tmp_path):
    scene(falling(0.98))
    out = expect(rtsim("run", "scene.json", "-o", "out", "--expect", "--quiet"), DONE).stdout
    assert out.startswith("pass  order of value wcsph.water.potential_energy, final over /time/dt, errors ")
    result = json.loads((tmp_path / "out/expect.json").read_text())[0]
    assert result["measured"] == pytest.approx(1, abs=0.01) and result["at_least"]
    assert sorted(p.name for p in (tmp_path / "out/expect").iterdir()) == ["0.0", "0.1", "0.2"]
    assert json.loads((tmp_path / "out/expect/0.2/scene.resolved.json").read_text())["time"]["dt"] == 0.005
    scene(falling(1.1))
    missed = expect(rtsim("run", "scene.json", "-o", "other", "--expect", "--quiet"), DIFFERENT)
    assert missed.stdout.startswith("FAIL")


def test_finished_sub_runs_are_not_run_again(rtsim, scene, tmp_path):
    scene(falling(0.98))
    expect(rtsim("run", "scene.json", "-o", "out", "--quiet"), DONE)
    assert not (tmp_path / "out/expect").exists()
    expect(rtsim("run", "scene.json", "-o", "out", "--resume", "--expect", "--quiet"), DONE)
    series = tmp_path / "out/expect/0.1/series.csv"
    before = series.stat().st_mtime_ns
    expect(rtsim("run", "scene.json", "-o", "out", "--resume", "--expect", "--quiet"), DONE)
    assert series.stat().st_mtime_ns == before


def test_a_sub_run_that_cannot_be_is_told_before_the_run(rtsim, scene, tmp_path):
    s = falling(1)
    s["expect"][0]["order"]["vary"]["pointer"] = "/objects/0/spacin"
    scene(s)
    err = expect(rtsim("run", "scene.json", "-o", "out", "--expect", "--quiet"), BAD_INPUT).stderr
    assert "/expect/0/order/vary" in err and 'did you mean "spacing"?' in err
    assert not (tmp_path / "out").exists()
