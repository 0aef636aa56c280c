"""One run folder."""
import json
import pathlib

import numpy as np

from .frames import Frame
from .series import read_series


class Run:
    """`series` (the log), `frames` (a list), `manifest` and `scene` (what ran, as dictionaries)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        if not any((self.folder / name).exists() for name in ("run.json", "frames.jsonl", "series.csv")):
            raise FileNotFoundError(f"{folder}: no run: it has no run.json, frames.jsonl or series.csv")
        self._series = None

    def _json(self, name):
        path = self.folder / name
        return json.loads(path.read_text()) if path.exists() else {}

    @property
    def manifest(self):
        return self._json("run.json")

    @property
    def scene(self):
        """With every default filled in."""
        return self._json("scene.resolved.json")

    @property
    def series(self):
        if self._series is None:
            self._series = read_series(self.folder / "series.csv")
        return self._series

    @property
    def frames(self):
        """Those that are committed: a line without its newline is none."""
        log = self.folder / "frames.jsonl"
        if not log.exists():
            return []
        lines = log.read_text().splitlines(keepends=True)
        return [Frame(self.folder, json.loads(line)) for line in lines if line.endswith("\n")]

    def tracks(self, name, column="position"):
        """(times, ids, values[frame, row, ...]) of rows followed by id; NaN where a row is not there
        yet, or no more."""
        objects = [frame[name].by_id() for frame in self.frames if name in frame]
        if not objects:
            raise KeyError(f"no HDF5 frames of {name!r}")
        ids = np.unique(np.concatenate([o["id"] for o in objects]))
        values = np.full((len(objects), len(ids)) + objects[0][column].shape[1:], np.nan)
        for k, o in enumerate(objects):
            values[k, np.searchsorted(ids, o["id"])] = o[column]
        return np.array([o.time for o in objects]), ids, values

    def __repr__(self):
        return f"<run {self.folder}: {len(self.frames)} frames>"


def open(folder):
    return Run(folder)
