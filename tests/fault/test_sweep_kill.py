"""Sweeps that are killed, stopped and disturbed: nothing finished is lost or done twice."""
import fcntl
import json
import os
import signal
import time

from conftest import DIFFERENT, DONE, EXISTS, INTERRUPTED, expect

LONG = {"/time": {"dt": 1e-4, "steps_per_frame": 10, "frames": 200}, "/checkpoint_every": 5}
# The first case is short, so that there is something finished to keep.
AXES = [{"zip": [{"set": "/stages/0/kinematic_viscosity", "values": [1e-6, 1e-4, 1e-2]},
                 {"set": "/time/frames", "values": [2, 200, 200]}]}]
NAMES = ["kinematic_viscosity=1e-06_frames=2", "kinematic_viscosity=0.0001_frames=200",
         "kinematic_viscosity=0.01_frames=200"]


def write_sweep(rtsim):
    rtsim.scene(LONG)
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "pool/scene.json", "axes": AXES}))


def sweep(rtsim, out="out", *more):
    return ("sweep", "sweep.json", "-o", out, "-j", 2, "--threads", 1, *more)


def states(rtsim, out="out"):
    status = json.loads(expect(rtsim("sweep", "status", out, "--json"), DONE).stdout)
    return [c["state"] for c in status["cases"]]


def wait_for(condition, what, process=None):
    deadline = time.monotonic() + 100
    while not condition():
        assert process is None or process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def run_folder(rtsim, case, out="out"):
    return rtsim.folder / out / "cases" / NAMES[case] / "run"


def begun(rtsim, out="out"):
    """A sweep whose first case is done and whose others write frames."""
    write_sweep(rtsim)
    process = rtsim.start(*sweep(rtsim, out))
    frames = lambda case: len(rtsim.frames(run_folder(rtsim, case, out)))
    wait_for(lambda: frames(0) == 3 and frames(1) > 6 and frames(2) > 2, "cases that run", process)
    wait_for(lambda: rtsim.manifest(run_folder(rtsim, 0, out))["status"] == "done", "a case done", process)
    return process


def process_of(rtsim, case):
    """Of who runs it, from the text in its lock."""
    return int((run_folder(rtsim, case) / ".lock").read_text().split()[1])


def attempts(rtsim, case):
    log = run_folder(rtsim, case).parent / "attempts.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def finished_bytes(rtsim, out):
    return {(case, name): (run_folder(rtsim, case, out) / name).read_bytes()
            for case in range(3) for name in ("series.csv", "frames.jsonl")}


def test_a_killed_sweep_goes_on_and_ends_in_the_same_bytes(rtsim):
    process = begun(rtsim)
    process.kill()
    process.wait()
    # Its cases learn of it, and write checkpoints.
    wait_for(lambda: "running" not in states(rtsim), "cases that stop")
    assert states(rtsim) == ["done", "interrupted", "interrupted"]
    assert "2 interrupted" in expect(rtsim("sweep", "gather", "out"), DIFFERENT).stderr
    done = run_folder(rtsim, 0) / "run.json"
    before = done.stat()
    expect(rtsim(*sweep(rtsim)), DONE)
    assert states(rtsim) == ["done"] * 3
    assert (done.stat().st_mtime_ns, done.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert all(len(rtsim.manifest(run_folder(rtsim, case))["restarts"]) == 1 for case in (1, 2))
    expect(rtsim(*sweep(rtsim, "undisturbed", "--quiet")), DONE)
    assert finished_bytes(rtsim, "out") == finished_bytes(rtsim, "undisturbed")


def test_a_signal_stops_all_cases_with_checkpoints(rtsim):
    process = begun(rtsim)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, err
    assert "the same command goes on" in err and "1 done" in out and "2 interrupted" in out
    assert states(rtsim) == ["done", "interrupted", "interrupted"]
    expect(rtsim("sweep", "rerun", "out"), DONE)
    assert states(rtsim) == ["done"] * 3


def test_two_sweeps_into_one_folder(rtsim):
    process = begun(rtsim)
    err = expect(rtsim(*sweep(rtsim)), EXISTS).stderr
    assert f"process {process.pid}" in err and "is writing here" in err
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == INTERRUPTED


def test_a_case_whose_process_dies_is_resumed(rtsim):
    process = begun(rtsim)
    os.kill(process_of(rtsim, 1), signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == DONE, err
    assert f"{NAMES[1]}: ended by signal 9; it goes on from its last checkpoint" in err
    assert [a["signal"] for a in attempts(rtsim, 1)] == [9, 0]
    expect(rtsim("verify", run_folder(rtsim, 1)), DONE)


def test_a_machine_that_dies_leaves_lost_cases_that_run_again(rtsim):
    process = begun(rtsim)
    # All at once, as when the power goes: nobody can write a last word.
    process.send_signal(signal.SIGSTOP)
    for case in (1, 2):
        os.kill(process_of(rtsim, case), signal.SIGKILL)
    process.kill()
    process.wait()
    # On a busy machine it takes a moment until what was killed has let its lock go.
    wait_for(lambda: "running" not in states(rtsim), "cases that die")
    assert states(rtsim) == ["done", "lost", "lost"]
    # Somebody else who looks at this moment is nobody who runs it.
    with open(run_folder(rtsim, 1) / ".lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert states(rtsim) == ["done", "lost", "lost"]
    expect(rtsim(*sweep(rtsim)), DONE)
    assert states(rtsim) == ["done"] * 3
