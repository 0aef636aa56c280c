"""sweep --executor openjd: a job template, run by the Open Job Description's own program where that is there."""
import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from conftest import DONE, expect


def sweep(rtsim, frames=2, *args):
    rtsim.scene({"/time/frames": frames})
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "pool/scene.json",
                                          "axes": [{"set": "/stages/0/kinematic_viscosity", "values": [0.1, 0.2]}]}))
    expect(rtsim("sweep", "sweep.json", "-o", "farm", "--executor", "openjd", *args), DONE)
    return json.loads((rtsim.folder / "farm/job.openjd.json").read_text())


def script_of(rtsim, template, step=0):
    (file,) = template["steps"][step]["script"]["embeddedFiles"]
    path = rtsim.write("task.sh", file["data"])
    path.chmod(0o755)
    return path


def states(rtsim):
    status = json.loads(expect(rtsim("sweep", "status", "farm", "--json"), DONE).stdout)
    return [c["state"] for c in status["cases"]]


def test_the_template_has_a_task_for_each_case_and_says_how_to_stop(rtsim):
    template = sweep(rtsim, 2, "--threads", 2)
    assert template["specificationVersion"] == "jobtemplate-2023-09" and template["name"] == "farm"
    (step,) = template["steps"]
    (parameter,) = step["parameterSpace"]["taskParameterDefinitions"]
    assert parameter["range"] == ["kinematic_viscosity=0.1", "kinematic_viscosity=0.2"]
    action = step["script"]["actions"]["onRun"]
    assert action["cancelation"] == {"mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": 120}
    assert step["hostRequirements"]["amounts"] == [{"name": "amount.worker.vcpu", "min": 2}]


def test_a_task_tells_its_progress_and_does_nothing_twice(rtsim):
    script = script_of(rtsim, sweep(rtsim))
    for _ in range(2):
        done = subprocess.run([script, "kinematic_viscosity=0.1"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "openjd_progress: 100\nopenjd_status: 3 of 3 frames\n" in done.stdout
    assert states(rtsim) == ["done", "waiting"]
    # Written again, the template has what is left.
    (step,) = sweep(rtsim)["steps"]
    assert step["parameterSpace"]["taskParameterDefinitions"][0]["range"] == ["kinematic_viscosity=0.2"]


def test_a_task_that_is_cancelled_goes_on_when_it_is_run_again(rtsim):
    template = sweep(rtsim, 3000)
    script = script_of(rtsim, template)
    task = subprocess.Popen([script, "kinematic_viscosity=0.1"], stdout=subprocess.PIPE, text=True,
                            start_new_session=True)
    log = rtsim.folder / "farm/cases/kinematic_viscosity=0.1/run/frames.jsonl"
    while not log.exists() or log.stat().st_size == 0:
        time.sleep(0.05)
    os.killpg(task.pid, signal.SIGTERM)  # to the program, too, as some schedulers do
    out, _ = task.communicate(timeout=60)
    assert task.returncode == 75 and "stopped after a checkpoint" in out
    assert states(rtsim) == ["interrupted", "waiting"]


def test_a_task_that_fails_says_so(rtsim):
    script = script_of(rtsim, sweep(rtsim))
    scene = rtsim.folder / "farm/cases/kinematic_viscosity=0.1/scene.json"
    scene.write_text("{}")
    done = subprocess.run([script, "kinematic_viscosity=0.1"], capture_output=True, text=True)
    assert done.returncode == 3 and "openjd_fail: rtsim ended with exit code 3" in done.stdout


@pytest.mark.skipif(not shutil.which("openjd"), reason="openjd-cli is not installed")
def test_the_programs_of_the_open_job_description_take_it(rtsim):
    sweep(rtsim)
    template = rtsim.folder / "farm/job.openjd.json"
    for args in (["check", template], ["run", template, "--step", "Cases1"]):
        done = subprocess.run(["openjd", *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert states(rtsim) == ["done", "done"]
