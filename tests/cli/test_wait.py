"""rtsim wait, and a report that follows a run."""
import json
import signal
import time

from conftest import BAD_INPUT, DIFFERENT, DIVERGED, DONE, INTERRUPTED, expect, stop


def test_wait_returns_when_the_run_ends_and_as_it_ended(rtsim):
    run = rtsim.endless()
    waits = rtsim.start("wait", "out")
    time.sleep(0.5)
    assert waits.poll() is None
    stop(run)
    out, err = waits.communicate(timeout=20)
    assert waits.returncode == INTERRUPTED and out.startswith("out: interrupted, exit code 75; ")
    assert "`rtsim resume out`" in err


def test_wait_for_what_has_ended_returns_at_once(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "a"), DONE)
    assert expect(rtsim("wait", "a"), DONE).stdout == "a: done, exit code 0; 3 frames\n"
    rtsim.scene({"/time/dt": 1})
    expect(rtsim("run", "pool/scene.json", "-o", "b"), DIVERGED)
    waited = expect(rtsim("wait", "b"), DIVERGED)
    assert "b: diverged, exit code 4" in waited.stdout and rtsim.manifest("b")["message"] in waited.stderr
    assert "no such run" in expect(rtsim("wait", "c"), BAD_INPUT).stderr


def test_a_run_that_was_killed_is_one_to_resume(rtsim):
    run = rtsim.endless()
    stop(run, signal.SIGKILL)
    assert "out: killed, exit code 75" in expect(rtsim("wait", "out"), INTERRUPTED).stdout


def test_wait_for_a_sweep(rtsim):
    rtsim.scene()
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "pool/scene.json",
                                          "axes": [{"set": "/time/dt", "values": [1e-4, 1]}]}))
    rtsim("sweep", "sweep.json", "-o", "sweep", "--quiet")
    assert expect(rtsim("wait", "sweep"), DIFFERENT).stdout == "sweep: 1 of 2 cases are done, 1 failed\n"
    expect(rtsim("sweep", "sweep.json", "-o", "other", "--executor", "commands"), DONE)
    assert "0 of 2 cases" in expect(rtsim("wait", "other"), INTERRUPTED).stdout


def test_a_report_renews_itself_while_the_run_goes_on(rtsim):
    run = rtsim.endless()
    report = rtsim.start("report", "out", "-o", "out.html", "--every", "1s", "--pictures", "0")
    page = rtsim.folder / "out.html"

    def reads(text, seconds=30):
        deadline = time.monotonic() + seconds
        while not (page.exists() and text in page.read_text()):
            assert time.monotonic() < deadline and report.poll() is None, report.communicate()
            time.sleep(0.05)

    reads('<meta http-equiv="refresh" content="1">')
    first = page.read_text()
    assert 'running' in first
    deadline = time.monotonic() + 30
    while page.read_text() == first:  # written anew, with more frames
        assert time.monotonic() < deadline
        time.sleep(0.05)
    stop(run)
    report.communicate(timeout=30)
    assert report.returncode == DONE
    last = page.read_text()
    assert "refresh" not in last and "interrupted, exit code 75" in last
