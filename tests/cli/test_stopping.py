"""Folders that are taken, runs that are stopped, and going on with them."""
import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest
from conftest import BAD_INPUT, DONE, EXISTS, INTERNAL, INTERRUPTED, RTSIM, expect, stop

# Folders that are taken.

def test_a_folder_with_a_run_is_refused_and_the_ways_out_are_named(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    before = (rtsim.folder / "out/run.json").read_bytes()
    err = expect(rtsim("run", "pool/scene.json", "-o", "out"), EXISTS).stderr
    assert "--resume" in err and "--overwrite" in err
    assert (rtsim.folder / "out/run.json").read_bytes() == before
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--overwrite", "--set", "/time/frames=1"), DONE)
    assert len(rtsim.frames("out")) == 2


def test_a_folder_with_other_files_is_left_alone(rtsim):
    rtsim.scene()
    rtsim.write("thesis/chapter1.tex", "years of work")
    for more in ([], ["--overwrite"], ["--resume=auto"]):
        expect(rtsim("run", "pool/scene.json", "-o", "thesis", *more), EXISTS)
    assert (rtsim.folder / "thesis/chapter1.tex").read_text() == "years of work"


def test_a_folder_in_use_is_refused_whatever_the_flags(rtsim):
    process = rtsim.endless()
    try:
        for more in ([], ["--overwrite"], ["--resume"], ["--resume=auto"]):
            expect(rtsim("run", "pool/scene.json", "-o", "out", *more), EXISTS)
        expect(rtsim("resume", "out"), EXISTS)
    finally:
        code, *_ = stop(process)
    assert code == INTERRUPTED


# Stopping and going on.

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP])
def test_signals_write_a_checkpoint_and_leave_with_75(rtsim, number):
    code, out, err = stop(rtsim.endless(), number)
    assert code == INTERRUPTED, err
    assert out == ""
    assert "rtsim resume out" in err
    m = rtsim.manifest("out")
    assert (m["status"], m["exit_code"]) == ("interrupted", INTERRUPTED)
    expect(rtsim("verify", "out"), DONE)

    end = m["steps"] // 10 + 3
    expect(rtsim("resume", "out", "--set", f"/time/frames={end}", "--quiet"), DONE)
    assert [f["frame"] for f in rtsim.frames("out")] == list(range(end + 1))
    m = rtsim.manifest("out")
    assert (m["status"], m["steps"], len(m["restarts"])) == ("done", 10 * end, 1)
    expect(rtsim("verify", "out"), DONE)

    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--set", f"/time/frames={end}", "--quiet"), DONE)
    for file in ("frames.jsonl", "series.csv"):
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()


def test_a_hangup_that_comes_twice_writes_one_checkpoint(rtsim):
    process = rtsim.endless("--quiet")
    process.send_signal(signal.SIGHUP)
    code, _, err = stop(process, signal.SIGHUP)
    assert code == INTERRUPTED, err
    expect(rtsim("verify", "out"), DONE)


def test_a_run_whose_terminal_hangs_up_writes_its_checkpoint(rtsim):
    rtsim.scene()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(rtsim.folder)
        os.execv(RTSIM, [RTSIM, "run", "pool/scene.json", "-o", "out", "--set", "/time/frames=1000000",
                         "--ignore-free-space"])
    deadline = time.monotonic() + 60
    while len(rtsim.frames("out")) < 2 and time.monotonic() < deadline:
        os.read(terminal, 1000)  # progress
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == INTERRUPTED
    assert rtsim.manifest("out")["status"] == "interrupted"
    expect(rtsim("verify", "out"), DONE)


def test_nohup_is_heeded(rtsim):
    rtsim.scene()
    process = subprocess.Popen(["nohup", RTSIM, "run", "pool/scene.json", "-o", "out", "--quiet", "--set", "/time/frames=200"],
                               cwd=rtsim.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(rtsim.frames("out")) < 2:
        assert process.poll() is None
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=60) == DONE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_while_the_scene_is_read_leaves_nothing_and_75(rtsim, number):
    scene = rtsim.scene()
    scene.write_text(scene.read_text() + " " * 100_000_000)  # so that reading takes a while
    process = rtsim.start("run", "pool/scene.json", "-o", "out", "--quiet")
    while not caught(process, number):
        assert process.poll() is None
    code, _, err = stop(process, number)
    assert code == INTERRUPTED
    assert "before anything was written" in err
    assert rtsim.files() == ["pool", "pool/scene.json"]


def caught(process, number):
    with open(f"/proc/{process.pid}/status") as status:
        mask = next(line for line in status if line.startswith("SigCgt"))
    return int(mask.split()[1], 16) >> (number - 1) & 1


def test_a_signal_at_any_time_of_the_set_up_leaves_a_run_that_goes_on_or_none(rtsim):
    rtsim.scene({"/objects/0/spacing": 0.005, "/time/frames": 1, "/time/steps_per_frame": 1})
    begin = time.monotonic()
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet"), DONE)
    duration = time.monotonic() - begin
    codes = set()
    for k in range(6):
        process = rtsim.start("run", "pool/scene.json", "-o", f"out{k}", "--quiet")
        while not caught(process, signal.SIGTERM):
            assert process.poll() is None
        time.sleep(k / 6 * duration)
        code, *_ = stop(process)
        codes.add(code)
        assert code in (DONE, INTERRUPTED)
        if (rtsim.folder / f"out{k}").exists():
            assert rtsim.manifest(f"out{k}")["exit_code"] == code
            expect(rtsim("resume", f"out{k}", "--quiet"), DONE)
            expect(rtsim("verify", f"out{k}"), DONE)
            assert (rtsim.folder / f"out{k}/series.csv").read_bytes() == (rtsim.folder / "whole/series.csv").read_bytes()
    assert INTERRUPTED in codes


def test_a_time_limit_interrupts_too_and_resume_auto_goes_on(rtsim):
    rtsim.scene({"/time/frames": 1000000})
    begin = time.monotonic()
    args = ["run", "pool/scene.json", "-o", "out", "--quiet", "--time-limit", "3s", "--resume=auto"]
    expect(rtsim(*args), INTERRUPTED)
    assert time.monotonic() - begin < 10
    steps = rtsim.manifest("out")["steps"]
    assert steps > 0
    expect(rtsim(*args), INTERRUPTED)
    assert rtsim.manifest("out")["steps"] > steps
    assert len(rtsim.manifest("out")["restarts"]) == 1


def test_particles_that_had_no_time_to_settle_do_so_when_the_run_goes_on(rtsim):
    rtsim.scene({"/objects/0/settling_time": 0.01})
    err = expect(rtsim("run", "pool/scene.json", "-o", "out", "--time-limit", "0.001s"), INTERRUPTED).stderr
    assert "rtsim resume out" in err
    assert rtsim.manifest("out")["steps"] == 0 and not rtsim.frames("out")
    expect(rtsim("resume", "out", "--quiet"), DONE)
    expect(rtsim("run", "pool/scene.json", "-o", "whole", "--quiet"), DONE)
    for file in ("frames.jsonl", "series.csv"):
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()


def test_a_run_with_volume_maps_leaves_a_scene_that_can_be_read(rtsim):
    rtsim.scene({"/stages/0/boundary_method": "volume_map"})
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    expect(rtsim("check", "out/scene.resolved.json"), DONE)
    expect(rtsim("resume", "out", "--set", "/time/frames=3", "--quiet"), DONE)


def test_resume_without_a_checkpoint_is_an_error_but_auto_starts(rtsim):
    rtsim.scene()
    result = rtsim("run", "pool/scene.json", "-o", "out", "--resume")
    assert result.returncode not in (DONE, INTERNAL)
    assert "--resume=auto" in result.stderr
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--resume=auto"), DONE)
    assert len(rtsim.frames("out")) == 3


def test_resume_of_a_finished_run_says_so(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    before = (rtsim.folder / "out/series.csv").read_bytes()
    for args in (["resume", "out"], ["run", "pool/scene.json", "-o", "out", "--resume"]):
        result = expect(rtsim(*args), DONE)
        assert re.search("finished|done|complete", result.stderr), result.stderr
    assert (rtsim.folder / "out/series.csv").read_bytes() == before


@pytest.mark.parametrize("begun, given, frames", [("frames", "duration=0.004", 5), ("duration", "frames=4", 5),
                                                  ("duration", "duration=0.003", 4)])
def test_resume_takes_a_new_end_in_either_unit(rtsim, begun, given, frames):
    rtsim.scene({} if begun == "frames" else {"/time/frames": None, "/time/duration": 0.002})
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    expect(rtsim("resume", "out", "--set", f"/time/{given}", "--quiet"), DONE)
    assert len(rtsim.frames("out")) == frames
    both = expect(rtsim("resume", "out", "--set", "/time/frames=9", "--set", "/time/duration=0.009"), BAD_INPUT)
    assert "not both" in both.stderr


def test_resume_without_a_file_of_the_scene_names_the_file(rtsim):
    curve = rtsim.write("pool/front.csv", "0.0005 0.4\n0.001 0.4\n")
    expectation = {"curve": "wcsph.water.front", "file": "front.csv", "rel": 0.1, "source": "it hardly moves"}
    rtsim.scene({"/expect": [expectation]})
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    curve.unlink()
    before = (rtsim.folder / "out/run.json").read_bytes()
    for args, scene in ((["resume", "out", "--set", "/time/frames=4"], "out/scene.resolved.json"),
                        (["run", "pool/scene.json", "-o", "out", "--overwrite"], "pool/scene.json")):
        err = expect(rtsim(*args), BAD_INPUT).stderr
        assert re.match(rf"{scene}:\d+:\d+: /expect/0/file: .*front\.csv: No such file", err), err
        assert "differs" not in err
    assert (rtsim.folder / "out/run.json").read_bytes() == before
    assert len(rtsim.frames("out")) == 3


def test_info_tells_a_run_that_goes_on_from_one_that_was_killed(rtsim):
    process = rtsim.endless("--quiet")
    assert "status   running\n" in expect(rtsim("info", "out"), DONE).stdout
    assert json.loads(rtsim("info", "out", "--json").stdout)["status"] == "running"
    stop(process, signal.SIGKILL)
    assert "status   killed\n" in expect(rtsim("info", "out"), DONE).stdout
    assert json.loads(rtsim("info", "out", "--json").stdout)["status"] == "killed"
    assert rtsim.manifest("out")["status"] == "running"  # info changes nothing
    (rtsim.folder / "out/.lock").unlink()
    before = rtsim.files()
    assert "status   killed\n" in expect(rtsim("info", "out"), DONE).stdout
    assert rtsim.files() == before


def test_info_of_a_folder_that_it_may_not_write_says_what_it_can(rtsim):
    stop(rtsim.endless("--quiet"), signal.SIGKILL)
    lock = rtsim.folder / "out/.lock"
    lock.unlink()
    lock.mkdir()  # cannot be opened for writing, not even by root
    assert "status   running or killed\n" in expect(rtsim("info", "out"), DONE).stdout


def test_resume_of_a_changed_scene_is_refused(rtsim):
    rtsim.scene()
    stop(rtsim.endless("--quiet"))
    before = len(rtsim.frames("out"))
    result = rtsim("run", "pool/scene.json", "-o", "out", "--resume", "--ignore-free-space",
                   "--set", "/time/frames=1000000", "--set",
                   "/stages/0/kinematic_viscosity=0.5")
    assert result.returncode not in (DONE, INTERNAL, INTERRUPTED), result.stderr
    assert "scene" in result.stderr
    assert len(rtsim.frames("out")) == before


def test_resume_of_no_run_names_the_folder(rtsim):
    result = rtsim("resume", "nowhere")
    assert result.returncode not in (DONE, INTERNAL)
    assert "nowhere" in result.stderr
    assert rtsim.files() == []
