"""Frames of a run: one object at one time as arrays."""
import collections.abc
import functools
import pathlib

import h5py
import numpy as np


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class FrameObject(collections.abc.Mapping):
    """Columns by name. Of a grid they have the shape [nz, ny, nx] or [nz, ny, nx, 3], else a row for
    each particle, point or body. In the plane vectors have two components, grids no z."""

    def __init__(self, columns, units, attributes, cells=None):
        self._columns = columns
        self.units = units
        self.attributes = attributes  # object, kind, dim, spacing [m], frame, step, time [s], run_id
        self.cells = cells  # of a mesh: rows of 2, 3 or 4 points; else None
        self.touches = None  # of bodies whose frames have it: the table of contacts, {column: array}
        self.joints = None  # of bodies whose frames have it: the table of joints, likewise

    def __getitem__(self, name):
        if name not in self._columns:
            raise KeyError(f"no column {name!r}; there are: {', '.join(self)}")
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    @property
    def kind(self):
        return self.attributes["kind"]

    @property
    def time(self):
        return self.attributes["time"]

    @property
    def position(self):
        """Of points; of a grid the centres of its cells."""
        return self["position"]

    def by_id(self):
        """Rows in the order of their ids, which frames do not keep."""
        order = np.argsort(self["id"], kind="stable")
        return FrameObject({k: v[order] for k, v in self.items()}, self.units, self.attributes, self.cells)


def _attributes(file):
    a = {}
    for name, value in file.attrs.items():
        a[name] = _text(value) if isinstance(value, (bytes, np.bytes_)) else value
        if isinstance(a[name], np.generic):
            a[name] = a[name].item()
    return a


def _column(dataset, shape):
    values = dataset[...]
    components = int(dataset.attrs.get("components", values.shape[-1] if values.ndim > 1 else 1))
    if "components" in dataset.attrs:
        values = values[..., :components]
        values = values[..., 0] if components == 1 else values
    if shape is not None and values.shape[: len(shape)] != shape:
        values = values.reshape(shape + values.shape[1:])
    return values


def _centres(attributes):
    """Of a grid's cells, with its shape."""
    n, low, h = attributes["cells"], attributes["low"], attributes["spacing"]
    axes = [low[a] + (np.arange(n[a]) + 0.5) * h for a in range(3)]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    return np.stack([x, y, z], axis=-1)


def _grid_shape(attributes):
    if "cells" not in attributes:
        return None
    nx, ny, nz = (int(n) for n in attributes["cells"])
    if attributes["kind"] == "height_field":
        return (nz, nx)
    return (ny, nx) if attributes["dim"] == 2 else (nz, ny, nx)


def _bodies(file, attributes):
    """A row for each body; `surface` is (points, triangles, whose each triangle is)."""
    table = file["rtsim"]
    columns = {name: _column(dataset, None) for name, dataset in table.items()}
    units = {name: _text(dataset.attrs["units"]) for name, dataset in table.items()}
    bodies = FrameObject(columns, units, attributes)
    vtk = file["VTKHDF"]
    bodies.surface = (vtk["Points"][...], vtk["Connectivity"][...].reshape(-1, 3), vtk["CellData/body"][...])
    for table in ("touches", "joints"):
        if table in file:
            setattr(bodies, table, {name: _column(dataset, None) for name, dataset in file[table].items()})
    return bodies


def read_object(path):
    with h5py.File(path) as f:
        a = _attributes(f)
        if a.get("format") != "rtsim-frame":
            raise ValueError(f"{path}: not a frame of rtsim")
        vtk = f["VTKHDF"]
        if a["kind"] == "bodies":
            return _bodies(f, a)
        shape = _grid_shape(a)
        columns, units = {}, {}
        if "Points" in vtk and (shape is None or a["kind"] == "height_field"):
            columns["position"] = _column(vtk["Points"], shape)
        elif shape is not None:
            columns["position"] = _centres(a).reshape(shape + (3,))[..., : a["dim"]]
        if "position" in columns:
            units["position"] = "m"
        for name, dataset in vtk["PointData"].items():
            columns[name] = _column(dataset, shape)
            units[name] = _text(dataset.attrs["units"])
        cells = None
        if "cell_corners" in a:
            cells = vtk["Connectivity"][...].reshape(-1, int(a["cell_corners"]))
        return FrameObject(columns, units, a, cells)


class Frame(collections.abc.Mapping):
    """The objects of one frame by name; each is read when it is first asked for."""

    def __init__(self, folder, line):
        self.index, self.step, self.time = line["frame"], line["step"], line["time"]
        self.files = [pathlib.Path(folder) / f["path"] for f in line["files"]]
        self._of = {p.parent.name: p for p in self.files if p.suffix == ".hdf"}
        self._read = functools.lru_cache(maxsize=None)(lambda name: read_object(self._of[name]))

    def __getitem__(self, name):
        if name not in self._of:
            raise KeyError(f"frame {self.index} has no HDF5 file of {name!r}; it has: {', '.join(self)}")
        return self._read(name)

    def __iter__(self):
        return iter(self._of)

    def __len__(self):
        return len(self._of)

    def __repr__(self):
        return f"<frame {self.index}, t = {self.time:g} s: {', '.join(self)}>"
