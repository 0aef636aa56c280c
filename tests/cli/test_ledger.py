"""Energy that comes from nowhere is told, and ends a run before it is garbage."""
import json
import math
import re

from conftest import DIVERGED, DONE, expect

K, DT, V = 39.47841760435743, 0.02, 0.05  # a swing a second
GROWTH = 1 + K * DT * DT  # of the energy of a mass of 1 kg in a step of explicit Euler

# One end of the spring is held: its holder takes what it had with the first step, half of the energy.
SPRING = {
    "rtsim": 1, "dim": 3, "gravity": [0, 0, 0],
    "time": {"dt": DT, "steps_per_frame": 10, "frames": 20},
    "objects": [{"name": "mass", "kind": "mesh", "vertex_mass": 1, "velocity": [V, 0, 0],
                 "mesh": {"line": {"from": [0, 0, 0], "to": [1, 0, 0], "segments": 1}}}],
    "stages": [{"type": "attach", "mesh": "mass", "points": [0]},
               {"type": "mass_spring", "mesh": "mass", "stiffness": K, "integrator": "explicit_euler"}],
    "output": [{"object": "mass"}],
}


def step_of(times):
    """After so many steps the spring has `times` the energy that there was: what the run began with, E, and
    the half of it that the holder took. It gains what it has over the other half: 1 + (x - E/2) / (3 E/2)."""
    return math.ceil(math.log(3 * times - 2) / math.log(GROWTH))


def growth_warnings(rtsim, run):
    log = [json.loads(line) for line in (rtsim.folder / run / "log.jsonl").read_text().splitlines()]
    return [e for e in log if e["event"] == "warning" and "energy grew" in e["message"]]


def spring(rtsim, frames):
    rtsim.scene({"/time/frames": frames}, base=SPRING)


def test_energy_that_doubles_is_told_with_stage_time_and_place(rtsim):
    spring(rtsim, 15)
    done = expect(rtsim("run", "pool/scene.json", "-o", "out"), DONE)
    (warning,) = growth_warnings(rtsim, "out")
    assert warning["step"] == step_of(2)
    told = warning["message"]
    assert f"step {step_of(2)} (t = {step_of(2) * DT:.6g} s)" in told
    assert "stage 'mass_spring'" in told and "row 1 of 'mass' at (" in told and "2." in told
    assert f"warning: {told}" in done.stderr


def test_energy_a_hundred_times_what_was_there_ends_the_run(rtsim):
    spring(rtsim, 100)
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), DIVERGED).stderr
    m = rtsim.manifest("out")
    assert (m["status"], m["exit_code"]) == ("diverged", 4)
    assert m["steps"] == step_of(100) - 1  # of the step that went wrong, as for other divergence
    assert "stage 'mass_spring'" in m["message"] and "row 1 of 'mass'" in m["message"]
    assert m["message"] in err
    last = (step_of(100) - 1) // 10
    assert f"Last good frame: {last}." in m["message"] and len(rtsim.frames("out")) == last + 1


def test_quiet_keeps_warnings_and_the_last_line_counts_them(rtsim):
    spring(rtsim, 15)
    quiet = expect(rtsim("run", "pool/scene.json", "-o", "quiet", "--quiet"), DONE).stderr.splitlines()
    n = len([line for line in quiet if line.startswith("warning: ")])
    assert n >= 1 and any("energy grew" in line for line in quiet)
    assert quiet[-1] == f"quiet: {n} warning{'s' if n > 1 else ''}"
    assert len(quiet) == n + 1  # no progress
    told = expect(rtsim("info", "quiet"), DONE).stdout
    assert re.search(rf"^warnings +{n}$", told, re.M) and "energy grew" in told
    assert json.loads(expect(rtsim("info", "quiet", "--json"), DONE).stdout)["warnings"] == n
    rtsim.scene()
    last = expect(rtsim("run", "pool/scene.json", "-o", "calm"), DONE).stderr.splitlines()[-1]
    assert last == "calm: no warnings"
    assert re.search(r"^warnings +0$", expect(rtsim("info", "calm"), DONE).stdout, re.M)


def test_a_resumed_run_warns_and_diverges_where_a_whole_one_does(rtsim):
    spring(rtsim, 15)
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet"), DONE)
    for first in (step_of(2) // 10 - 1, step_of(2) // 10 + 2):  # before the warning, and behind it
        run = f"cut{first}"
        expect(rtsim("run", "pool/scene.json", "-o", run, "--quiet", "--set", f"/time/frames={first}"), DONE)
        expect(rtsim("resume", run, "--quiet", "--set", "/time/frames=15"), DONE)
        assert (rtsim.folder / run / "series.csv").read_bytes() == (rtsim.folder / "whole/series.csv").read_bytes()
        assert [w["message"] for w in growth_warnings(rtsim, run)] == \
               [w["message"] for w in growth_warnings(rtsim, "whole")]
        counts = [json.loads(expect(rtsim("info", r, "--json"), DONE).stdout)["warnings"] for r in (run, "whole")]
        assert counts[0] == counts[1]
        expect(rtsim("resume", run, "--quiet", "--set", "/time/frames=100"), DIVERGED)
        assert rtsim.manifest(run)["steps"] == step_of(100) - 1


def test_energy_that_stays_and_what_springs_feed_is_not_told(rtsim):
    """The same spring by a sound rule, and one that a handle pulls by a spring of its own."""
    handle = {"type": "attach", "name": "pull", "mesh": "mass", "points": [1], "stiffness": 20,
              "motion": {"velocity": [0.3, 0, 0]}}
    for name, changes in (("sound", {}), ("pulled", {"/stages/2": SPRING["stages"][1], "/stages/1": handle})):
        rtsim.scene({"/time/frames": 40, **changes}, base=SPRING)
        stage = 2 if changes else 1
        expect(rtsim("run", "pool/scene.json", "-o", name, "--quiet", "--set",
                     f"/stages/{stage}/integrator=symplectic_euler"), DONE)
        assert growth_warnings(rtsim, name) == []


def test_what_places_round_by_is_no_energy_from_nowhere(rtsim):
    """A block that is held at rest, 5 m off: in short substeps places stand still until speeds, which what they
    round by strains elements with drives, are those of a digit a substep."""
    block = {"block": {"min": [5, -2, 1], "max": [6, -1.5, 1.5], "cells": [2, 1, 1]}, "order": 2}
    rest = {"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {"dt": 0.02, "steps_per_frame": 40, "frames": 1},
            "objects": [{"name": "m", "kind": "mesh", "density": 1000, "mesh": block}],
            "stages": [{"type": "attach", "mesh": "m", "inside": {"box": {"min": [0, -9, -9], "max": [5.001, 9, 9]}}},
                       {"type": "fem", "mesh": "m", "youngs_modulus": 1e6, "integrator": "symplectic_euler",
                        "substeps": 200}],
            "output": [{"object": "m"}]}
    rtsim.scene({}, base=rest)
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--threads", 1), DONE)
    assert growth_warnings(rtsim, "out") == []
