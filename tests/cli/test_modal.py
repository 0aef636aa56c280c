"""The tuning fork of configs/modal: what its frames ring with is what `rtsim explain` lists."""
import importlib
import json
import sys

import pytest
from conftest import DONE, SOURCE, expect

sys.path[:0] = [str(SOURCE / "scripts/python")]
np = pytest.importorskip("numpy")
pytest.importorskip("h5py")
runs = importlib.import_module("rtsim")

FORK = SOURCE / "configs/modal/tuning_fork.json"


def listed(rtsim):
    explained = json.loads(expect(rtsim("explain", FORK, "--json"), DONE).stdout)
    columns = next(t for t in explained["tables"] if t["name"] == "modal.modes")["columns"]
    return next(c for c in columns if c["name"] == "frequency")["values"]


def loudest(times, signal):
    """The peak of the spectrum under a Hann window, by the parabola through the three highest logarithms."""
    power = np.log(np.abs(np.fft.rfft(signal * np.hanning(len(signal)), 8 * len(signal))) + 1e-300)
    k = 1 + int(np.argmax(power[1:-1]))
    a, b, c = power[k - 1:k + 2]
    return (k + 0.5 * (a - c) / (a - 2 * b + c)) / (8 * len(signal) * (times[1] - times[0]))


def test_a_fork_that_is_plucked_rings_with_a_frequency_that_explain_lists(rtsim, tmp_path):
    frequencies = listed(rtsim)
    assert len(frequencies) == 10 and frequencies == sorted(frequencies)
    expect(rtsim("run", FORK, "-o", tmp_path / "run"), DONE)
    times, _, velocity = runs.open(tmp_path / "run").tracks("fork", "velocity")
    after = times > 0.0052  # the prongs are free
    tip = int(np.argmax(np.abs(velocity[-50:, :, 0]).max(axis=0)))
    heard = loudest(times[after], velocity[after, tip, 0])
    nearest = min(frequencies, key=lambda f: abs(f - heard))
    assert heard == pytest.approx(nearest, rel=0.002)  # of 45 ms
