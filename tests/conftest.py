"""Runs the real binary (env RTSIM) on real files in a folder of the test's own."""
import contextlib
import copy
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

RTSIM = os.environ.get("RTSIM", "build/release/bin/rtsim")
SOURCE = pathlib.Path(os.environ.get("RTSIM_SOURCE", pathlib.Path(__file__).resolve().parents[1]))

DONE, INTERNAL, USAGE, BAD_INPUT, DIVERGED, DIFFERENT, EXISTS, NO_DEVICE = range(8)
IO, INTERRUPTED = 74, 75

# 400 particles of water in a tank, ten steps a frame.
POOL = {
    "rtsim": 1,
    "dim": 2,
    "time": {"dt": 1e-4, "steps_per_frame": 10, "frames": 2},
    "objects": [
        {"name": "water", "kind": "particles", "spacing": 0.02,
         "fill": {"box": {"min": [0, 0], "max": [0.4, 0.4]}}},
        {"name": "tank", "kind": "boundary",
         "shape": {"box": {"min": [0, 0], "max": [0.8, 0.8]}, "inside": True}},
    ],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"]}],
    "output": [{"object": "water", "format": "hdf5"}],
}


def expect(result, code):
    assert result.returncode == code, f"{result.args}\n{result.stdout}\n{result.stderr}"
    return result


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left out unless scripts/test --all")


# RTSIM_PART "3/6" is the third of six parts of what takes minutes, all of it unless given.
PART, PARTS = map(int, os.environ.get("RTSIM_PART", "1/1").split("/"))


def part_of(cases):
    return list(cases)[PART % PARTS::PARTS]


def long_case(number):
    """Of a case that takes many seconds: it runs with one part alone, and `number` says with which."""
    return pytest.mark.skipif(number % PARTS != PART % PARTS, reason="with another part of the tests (RTSIM_PART)")


class Bench:
    """A folder with scenes in it, and the program to run on them."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *args, timeout=120, env=None):
        return subprocess.run([RTSIM, *map(str, args)], cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout, env={**os.environ, **(env or {})})

    def start(self, *args):
        return subprocess.Popen([RTSIM, *map(str, args)], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def scene(self, changes=(), base=POOL, name="pool/scene.json"):
        """The pool with {pointer: value} put in; a value of None takes the key away."""
        scene = copy.deepcopy(base)
        for pointer, value in dict(changes).items():
            *path, last = pointer.split("/")[1:]
            at = scene
            for key in path:
                at = at[int(key)] if isinstance(at, list) else at[key]
            if isinstance(at, list):
                at.insert(int(last), value) if int(last) == len(at) else at.__setitem__(int(last), value)
            elif value is None:
                del at[last]
            else:
                at[last] = value
        return self.write(name, json.dumps(scene, indent=1))

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def frames(self, run):
        log = self.folder / run / "frames.jsonl"
        if not log.exists():
            return []
        return [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def manifest(self, run):
        return json.loads((self.folder / run / "run.json").read_text())

    def endless(self, *args, frames=2):
        """Starts a run that will not end by itself, and waits for its first frames."""
        self.scene()
        process = self.start("run", "pool/scene.json", "-o", "out", "--set", "/time/frames=1000000",
                             "--ignore-free-space", *args)
        deadline = time.monotonic() + 60
        while len(self.frames("out")) < frames:
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline, "no frame in a minute"
            time.sleep(0.01)
        return process


def stop(process, number=signal.SIGTERM):
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@contextlib.contextmanager
def disk_of(size, folder):
    """A disk of its own at a new folder; the test is skipped where none can be mounted."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a tmpfs here: " + mounted.stderr.decode().strip())
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def rtsim(tmp_path):
    return Bench(tmp_path)
