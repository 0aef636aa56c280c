"""kill -9 at random instants: every finished frame is whole, and a resume ends in the same bytes."""
import json
import random
import signal
import time

from conftest import PART, PARTS

# Small frames at short intervals: most kills fall into a write of some kind.
CHANGES = {"/time": {"dt": 1e-4, "steps_per_frame": 2, "frames": 60}, "/checkpoint_every": 3,
           "/output/1": {"object": "water", "format": "vdb", "every": 10}}
KILLS = 50  # at other instants with every part


def run_bytes(folder):
    """All that must be the same: frames, both logs, and the last checkpoint."""
    names = ["frames.jsonl", "series.csv", *sorted(p.relative_to(folder) for p in (folder / "cache").rglob("*")
                                                   if p.is_file())]
    names += sorted(p.relative_to(folder) for p in (folder / "checkpoints").iterdir())
    return {str(n): (folder / n).read_bytes() for n in names}


def test_kills_lose_no_frame_and_resume_to_the_same_bytes(rtsim):
    rtsim.scene(CHANGES)
    begin = time.monotonic()
    assert rtsim("run", "pool/scene.json", "-o", "whole", "--quiet").returncode == 0
    duration = time.monotonic() - begin
    expected = run_bytes(rtsim.folder / "whole")

    draw = random.Random(PART)
    kills = 0
    number = 0
    while kills < KILLS / PARTS:
        number += 1
        run = f"run{number}"
        # Kill this run two or three times before it may finish.
        for _ in range(draw.choice([2, 3])):
            process = rtsim.start("run", "pool/scene.json", "-o", run, "--resume=auto", "--quiet")
            time.sleep(draw.uniform(0, 0.9 * duration))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if process.returncode == 0:
                break
            kills += 1
            for frame in rtsim.frames(run):
                for file in frame["files"]:
                    path = rtsim.folder / run / file["path"]
                    assert path.stat().st_size == file["bytes"], f"{path} after kill {kills}"
            if (rtsim.folder / run / "run.json").exists():
                verdict = rtsim("verify", run, "--json")
                assert verdict.returncode == 0, (kills, verdict.stdout, verdict.stderr)
                assert json.loads(verdict.stdout)["frames"] == len(rtsim.frames(run))
        done = rtsim("run", "pool/scene.json", "-o", run, "--resume=auto", "--quiet")
        assert done.returncode == 0, done.stderr
        found = run_bytes(rtsim.folder / run)
        assert found.keys() == expected.keys()
        for name in expected:
            assert found[name] == expected[name], f"{run}/{name} after {kills} kills"


def test_signals_mid_run_resume_to_the_same_bytes_with_other_threads(rtsim):
    rtsim.scene(CHANGES)
    assert rtsim("run", "pool/scene.json", "-o", "whole", "--quiet", "--threads", 1).returncode == 0
    process = rtsim.start("run", "pool/scene.json", "-o", "parts", "--quiet", "--threads", 2)
    while len(rtsim.frames("parts")) < 5 and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 75
    assert rtsim.manifest("parts")["status"] == "interrupted"
    assert rtsim("resume", "parts", "--quiet", "--threads", 5).returncode == 0
    whole, parts = run_bytes(rtsim.folder / "whole"), run_bytes(rtsim.folder / "parts")
    # Checkpoints are written where the signals came; all else is equal.
    assert {n for n in whole if not n.startswith("checkpoints")} == {n for n in parts if not n.startswith("checkpoints")}
    for name in whole:
        if not name.startswith("checkpoints") or "120" in name:
            assert whole[name] == parts[name], name
