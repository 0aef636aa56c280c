"""Runs of every kind of object, for the tests of `convert`, and what their own frames hold."""
import json

import h5py
import numpy as np
from conftest import DONE, SOURCE, Bench, expect

SPACING = 0.02
POOL_3D = {
    "rtsim": 1,
    "dim": 3,
    "time": {"fps": 100, "steps_per_frame": 5, "frames": 3},
    "objects": [
        {"name": "water", "kind": "particles", "spacing": SPACING,
         "fill": {"box": {"min": [0, 0, 0], "max": [0.08, 0.12, 0.08]}}},
        {"name": "tank", "kind": "boundary",
         "shape": {"box": {"min": [0, 0, 0], "max": [0.2, 0.2, 0.08]}, "inside": True}},
    ],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"], "substeps": 8}],
    "output": [{"object": "water", "format": "hdf5"}, {"object": "tank", "format": "hdf5"}],
}
RUNS = ["water", "plane", "cloth", "jelly", "torn", "lines", "bodies", "smoke", "waves"]


def make_runs(tmp_path_factory):
    """For a fixture: a run of each kind, which nobody writes into."""
    bench = Bench(tmp_path_factory.mktemp("runs"))
    bench.scene(base=POOL_3D)
    expect(bench("run", "pool/scene.json", "-o", "water", "--quiet"), DONE)
    bench.scene()
    expect(bench("run", "pool/scene.json", "-o", "plane", "--quiet"), DONE)
    for name, config in {"cloth": "cloth_implicit", "jelly": "xpbd", "torn": "mass_spring", "lines": "verlet",
                         "bodies": "rigid", "smoke": "smoke", "waves": "shallow_water"}.items():
        expect(bench("run", SOURCE / f"configs/{config}/tiny.json", "-o", name, "--quiet"), DONE)
    return bench.folder


class Source:
    """What a run's own frames hold, by h5py."""

    def __init__(self, folder):
        lines = [json.loads(line) for line in (folder / "frames.jsonl").read_text().splitlines()]
        self.lines = [line for line in lines if line["files"]]
        self.folder = folder

    def objects(self, line):
        for file in line["files"]:
            if file["path"].endswith(".hdf"):
                with h5py.File(self.folder / file["path"]) as f:
                    yield f.attrs["object"].decode(), f

    @property
    def times(self):
        return [line["time"] for line in self.lines]


def convert(rtsim, runs, name, to, *args):
    expect(rtsim("convert", runs / name, "-o", f"{name}_{to}", "--to", to, *args), DONE)
    return rtsim.folder / f"{name}_{to}"


def columns_of(f):
    """Of a frame: name and values as they lie, grids flattened, vectors of the plane without z."""
    group = f["rtsim"] if f.attrs["kind"] == b"bodies" else f["VTKHDF/PointData"]
    for name, d in group.items():
        values = d[...]
        components = int(d.attrs.get("components", values.shape[-1] if values.ndim in (2, 4) else 1))
        rows = int(np.prod(values.shape[:3])) if values.ndim >= 3 else len(values)
        values = values.reshape(rows, -1)[:, :components]
        yield name, values
