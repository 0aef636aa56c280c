"""What a sweep asks Slurm for, of an sbatch that writes down what it is told."""
import json
import math
import os
import stat
import time

import pytest
from conftest import DONE, expect

STEPS_PER_FRAME = 100000
# An oscillator: a step takes microseconds.
SPRING = {
    "rtsim": 1, "dim": 3, "gravity": [0, 0, 0],
    "time": {"dt": 1e-6, "steps_per_frame": STEPS_PER_FRAME, "frames": 4},
    "objects": [{"name": "bob", "kind": "mesh", "vertex_mass": 1,
                 "mesh": {"line": {"from": [0, 0, 0], "to": [1, 0, 0], "segments": 1}}}],
    "stages": [{"type": "attach", "mesh": "bob", "points": [0]},
               {"type": "mass_spring", "mesh": "bob", "stiffness": 10}],
    "output": [{"object": "bob"}], "series_every": STEPS_PER_FRAME,
}


@pytest.fixture
def ask(rtsim):
    """The options that sbatch gets for cases of so many frames."""
    rtsim.scene(base=SPRING, name="spring.json")
    for name, text in {"sbatch": 'printf "%s\\n" "$@" > "$ASKED"; echo 7', "squeue": "true", "scontrol": "true"}.items():
        program = rtsim.write(f"bin/{name}", f"#!/bin/sh\n{text}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    env = {"PATH": f"{rtsim.folder / 'bin'}:{os.environ['PATH']}", "ASKED": str(rtsim.folder / "asked")}

    def request(folder, frames, *options):
        axes = [{"set": "/time/frames", "values": frames}]
        rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "spring.json", "axes": axes}))
        expect(rtsim("sweep", "sweep.json", "-o", folder, "--executor", "slurm", *options, env=env), DONE)
        lines = (rtsim.folder / "asked").read_text().splitlines()
        return dict(line[2:].split("=", 1) for line in lines if line.startswith("--") and "=" in line)

    return request


def test_the_time_asked_for_is_enough_for_the_longest_case(rtsim, ask):
    def seconds(frames):
        begin = time.monotonic()
        expect(rtsim("run", "spring.json", "-o", f"run{frames}", "--quiet", "--threads", 1,
                     "--set", f"/time/frames={frames}"), DONE)
        return time.monotonic() - begin

    # Without what a run takes to start and to end, which is more than many such steps.
    a_step = (seconds(3) - seconds(1)) / (2 * STEPS_PER_FRAME)
    frames = math.ceil(3600 / a_step / STEPS_PER_FRAME)  # an hour of them
    asked = ask("long", [10, frames])
    assert asked["array"] == "0-1" and asked["cpus-per-task"] == "1"
    # Enough for the hour that it takes, and no factor of sixty too much: fifty steps stand for all, on
    # a machine that does other work.
    assert 60 <= float(asked["time"]) < 60 * 60


def test_short_cases_get_five_minutes_and_who_knows_better_is_believed(ask):
    assert ask("short", [1, 2])["time"] == "5"
    assert ask("known", [1, 2], "--time", "2h")["time"] == "120"


def test_the_memory_asked_for_is_that_of_the_program_at_least(ask):
    assert 256e6 / 2**20 <= int(ask("short", [1])["mem"].rstrip("M")) < 1024
