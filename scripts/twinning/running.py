"""Scenes written, run by the program, and read again."""
import copy
import json
import os
import pathlib
import subprocess

import rtsim

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 3600  # [s] of one run


class BadScene(Exception):
    """The program refuses it; its own words."""


class Failed(Exception):
    """A run that did not end well."""

    def __init__(self, code, words):
        super().__init__(f"exit code {code}: {words}")
        self.code, self.words = code, words


def program():
    return os.environ.get("RTSIM", str(ROOT / "scripts/rtsim"))


def call(*arguments):
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT)
    return done.returncode, done.stdout, done.stderr.strip()


def schema():
    code, out, words = call("schema")
    if code:
        raise Failed(code, words)
    return json.loads(out)


class Original:
    """A scene with every default filled in, and the frames of its start."""

    def __init__(self, scene, overrides, folder, threads, steps=None):
        sets = [a for o in overrides for a in ("--set", o)]
        code, out, words = call("explain", scene, *sets, "--json")
        if code:
            raise BadScene(words)
        self.time = json.loads(out)["time"]
        self.steps = min(self.time["steps"], steps or self.time["steps"])
        self.threads = threads
        one = json.dumps({"dt": self.time["dt"], "frames": 1})
        start = pathlib.Path(folder) / "start"
        code, _, words = call("run", scene, *sets, "--set", f"/time={one}", "-o", start, "--quiet", "--overwrite",
                              "--threads", threads)
        if code:
            raise BadScene(words)
        self.scene = json.loads((start / "scene.resolved.json").read_text())
        self.scene.pop("expect", None)
        _absolute_files(self.scene, pathlib.Path(scene).resolve().parent)
        self.scene["output"] = [{"object": o["name"], "format": "hdf5"} for o in self.scene.get("objects", [])
                                if o["kind"] != "boundary"]
        self.scene["series_every"] = 1
        self.start = self._start(folder)

    def lasting(self, steps, frames=1):
        """The scene with so many steps, or the next whole number of frames."""
        scene = copy.deepcopy(self.scene)
        each = -(-steps // frames)
        scene["time"] = {"dt": self.time["dt"], "steps_per_frame": each, "frames": -(-steps // each)}
        return scene

    def _start(self, folder):
        """Frame 0, of every object."""
        run = Runs(pathlib.Path(folder), self.threads).of("start", self.lasting(1))
        return run.frames[0]


class Runs:
    def __init__(self, folder, threads):
        self.folder, self.threads, self.seconds = pathlib.Path(folder), threads, 0.0

    def write(self, name, scene):
        path = self.folder / "scenes" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(scene, indent=1) + "\n")
        return path

    def of(self, name, scene):
        """Runs it; throws Failed where the program does not end with 0."""
        path = self.write(name, scene)
        folder = self.folder / "runs" / name
        code, _, words = call("run", path, "-o", folder, "--quiet", "--overwrite", "--threads", self.threads)
        if code:
            raise Failed(code, words.splitlines()[-1] if words else "")
        return rtsim.open(folder)


def _absolute_files(node, folder):
    if isinstance(node, list):
        for item in node:
            _absolute_files(item, folder)
    elif isinstance(node, dict):
        if isinstance(node.get("file"), str) and node["file"]:
            node["file"] = str(folder / node["file"])
        for item in node.values():
            _absolute_files(item, folder)
