"""The clock on the wall jumps, as it does when a machine is set right: nothing depends on it."""
import os
import pathlib
import subprocess
import time

import pytest

from conftest import DONE, RTSIM, expect

LIBRARY = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


@pytest.mark.skipif(LIBRARY is None, reason="no faketime")
def test_jumps_of_the_clock_change_no_byte_and_end_no_run(rtsim):
    if "-fsanitize" in rtsim("--version").stdout:
        pytest.skip("a sanitizer wants to be loaded before faketime")
    rtsim.scene({"/time": {"dt": 1e-4, "steps_per_frame": 4, "frames": 150}, "/checkpoint_every": "1 min"})
    clock = rtsim.write("clock", "+0")
    env = {**os.environ, "LD_PRELOAD": str(LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
           "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    process = subprocess.Popen([RTSIM, "run", "pool/scene.json", "-o", "out", "--quiet", "--time-limit", "10min"],
                               cwd=rtsim.folder, env=env, text=True, stderr=subprocess.PIPE)
    jumps = ["-1d", "+20y", "-30y", "+0"]
    deadline = time.monotonic() + 120
    while process.poll() is None:
        if time.monotonic() > deadline:
            process.kill()
            pytest.fail("the run does not end: " + process.communicate()[1])
        next_clock = rtsim.write("clock.next", jumps[0])
        os.replace(next_clock, clock)  # never read while it is empty
        jumps = jumps[1:] + jumps[:1]
        time.sleep(0.02)
    assert process.returncode == 0, process.stderr.read()
    expect(rtsim("run", "pool/scene.json", "-o", "reference", "--quiet"), DONE)
    for name in ("frames.jsonl", "series.csv"):
        assert (rtsim.folder / "out" / name).read_bytes() == (rtsim.folder / "reference" / name).read_bytes()
    expect(rtsim("verify", "out"), DONE)
    assert 0 <= rtsim.manifest("out")["wall_seconds"] < 600
    # What has a date of the future is resumed like any other.
    expect(rtsim("resume", "out", "--set", "/time/frames=160", "--quiet"), DONE)
