"""Sweeps on a real Slurm, of one node, that these tests start."""
import json
import os
import signal
import sys

import pytest
from conftest import DIFFERENT, DONE, SOURCE, expect

sys.path.insert(0, str(SOURCE / "tests/cli"))
import slurm  # noqa: E402

cluster = pytest.fixture(scope="module")(slurm.one_node)

SHORT = {"/time": {"dt": 1e-4, "steps_per_frame": 10, "frames": 3}}
# Until somebody stops it.
LONG = {"/time": {"dt": 1e-4, "steps_per_frame": 10, "frames": 100000}, "/checkpoint_every": 20}
VALUES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1]


def write_sweep(rtsim, changes, count):
    rtsim.scene(changes)
    axes = [{"name": "nu", "set": "/stages/0/kinematic_viscosity", "values": VALUES[:count]}]
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "pool/scene.json", "axes": axes}))


def sweep(rtsim, cluster, *more):
    return rtsim("sweep", "sweep.json", "-o", "out", "--executor", "slurm", "--time", "5min", *more, env=cluster.env)


def status(rtsim, cluster):
    return json.loads(expect(rtsim("sweep", "status", "out", "--json", env=cluster.env), DONE).stdout)["cases"]


def states(rtsim, cluster):
    return [c["state"] for c in status(rtsim, cluster)]


def runs(rtsim, frames=45):
    run = rtsim.folder / "out/cases/nu=1e-06/run"
    return len(rtsim.frames(run)) > frames


def log(rtsim):
    return "\n".join(p.read_text() for p in sorted((rtsim.folder / "out").rglob("*"))
                     if p.suffix in (".log", ".txt", ".jsonl") and "run" not in p.parts)


def wait(rtsim, cluster, *wanted):
    """Until no case is queued or running; then all must be in the wanted states."""
    cluster.wait(lambda: not {"queued", "running", "waiting"} & set(states(rtsim, cluster)))
    assert states(rtsim, cluster) == list(wanted), log(rtsim)


def test_more_cases_than_an_array_holds(rtsim, cluster):
    write_sweep(rtsim, SHORT, 6)
    assert "6 cases submitted" in expect(sweep(rtsim, cluster), DONE).stdout
    arrays = [json.loads(line) for line in (rtsim.folder / "out/slurm/arrays.jsonl").read_text().splitlines()]
    assert [(a["first"], a["count"]) for a in arrays] == [(0, 4), (4, 2)]
    # What Slurm has is not submitted again.
    again = expect(sweep(rtsim, cluster), DONE).stdout
    wait(rtsim, cluster, *["done"] * 6)
    assert "0 cases submitted" in again
    expect(rtsim("sweep", "gather", "out", "-o", "all.csv"), DONE)
    assert len((rtsim.folder / "all.csv").read_text().splitlines()) == 7


def test_a_task_that_is_killed_is_lost_and_submitted_again(rtsim, cluster):
    write_sweep(rtsim, LONG, 1)
    expect(sweep(rtsim, cluster), DONE)
    cluster.wait(lambda: runs(rtsim))
    assert states(rtsim, cluster) == ["running"]
    lock = rtsim.folder / "out/cases/nu=1e-06/run/.lock"
    os.kill(int(lock.read_text().split()[1]), signal.SIGKILL)
    wait(rtsim, cluster, "lost")
    assert "1 lost" in expect(rtsim("sweep", "gather", "out", env=cluster.env), DIFFERENT).stderr
    rtsim.scene({**LONG, "/time": {**LONG["/time"], "frames": len(rtsim.frames("out/cases/nu=1e-06/run")) + 50}})
    assert "1 cases submitted" in expect(sweep(rtsim, cluster), DONE).stdout
    wait(rtsim, cluster, "done")
    assert status(rtsim, cluster)[0]["restarts"] == 1


@pytest.mark.slow
def test_a_preempted_task_queues_itself_and_resumes(rtsim, cluster):
    write_sweep(rtsim, LONG, 1)
    expect(sweep(rtsim, cluster), DONE)
    cluster.wait(lambda: runs(rtsim))
    cluster("sbatch", "--partition=high", "--cpus-per-task=2", "--time=5", "--output=/dev/null", "--wrap=sleep 1")
    attempts = rtsim.folder / "out/cases/nu=1e-06/attempts.jsonl"
    cluster.wait(attempts.exists)
    assert states(rtsim, cluster) == ["queued"]
    assert [json.loads(a)["exit_code"] for a in attempts.read_text().splitlines()] == [75]
    cluster.wait(lambda: states(rtsim, cluster) == ["running"] and status(rtsim, cluster)[0]["restarts"] == 1)
    # The same when its time is nearly up.
    job = cluster("squeue", "--noheader", "--array", "--format=%F_%K").split()[0]
    cluster("scancel", "--batch", "--signal=USR1", job)
    cluster.wait(lambda: status(rtsim, cluster)[0]["restarts"] == 2)
    # What is cancelled keeps its checkpoint, and stays away.
    cluster("scancel", job)
    wait(rtsim, cluster, "interrupted")
