"""The log of a run: series.csv as a table of columns."""
import collections.abc
import csv
import fnmatch
import pathlib

import numpy as np


class Series(collections.abc.Mapping):
    """Columns by name, in the order of the file; `step` and `time` [s] are attributes."""

    def __init__(self, columns, units):
        self._columns = columns
        self.units = units

    @property
    def step(self):
        return self._columns["step"].astype(int)

    @property
    def time(self):
        return self._columns["time"]

    def __getitem__(self, name):
        if name not in self._columns:
            raise KeyError(f"no series {name!r}; there are: {', '.join(self)}")
        return self._columns[name]

    def __iter__(self):
        return (name for name in self._columns if name not in ("step", "time"))

    def __len__(self):
        return len(self._columns) - 2

    def match(self, pattern):
        """Those whose names fit a shell pattern, as another Series."""
        chosen = {name: c for name, c in self._columns.items()
                  if name in ("step", "time") or fnmatch.fnmatchcase(name, pattern)}
        return Series(chosen, {name: self.units[name] for name in chosen})

    def at(self, name, time):
        """Its value at a time [s] or several, by straight lines between the rows."""
        return np.interp(time, self.time, self[name])

    def to_pandas(self):
        import pandas

        return pandas.DataFrame({"step": self.step, "time": self.time, **self}).set_index("time")


def read_series(file):
    """A series.csv. A last row that is being written, or was torn, is left out."""
    with pathlib.Path(file).open(newline="") as f:
        text = f.read()
    lines = text[: text.rfind("\n") + 1].splitlines()
    if not lines:
        raise ValueError(f"{file}: empty, not even a header")
    names, units = [], {}
    for cell in next(csv.reader(lines[:1])):
        name, _, unit = cell.partition(" [")
        names.append(name)
        units[name] = unit.rstrip("]")
    rows = np.array([[float(x) for x in line.split(",")] for line in lines[1:]], dtype=float)
    rows = rows.reshape(-1, len(names))
    return Series(dict(zip(names, rows.T)), units)
