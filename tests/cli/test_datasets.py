"""`convert --to well` and `--to gns`: runs and sweeps as data for learning, read by h5py and NumPy."""
import json
import re

import h5py
import numpy as np
import pytest
from conftest import BAD_INPUT, DIFFERENT, DONE, EXISTS, SOURCE, USAGE, expect

PAGE = SOURCE / "docs/learning.md"


def check_well(f):
    """What The Well's own check_thewell_formatting.py asks of a file."""
    assert isinstance(f.attrs["dataset_name"], str) and f.attrs["grid_type"] == "cartesian"
    dims = list(f["dimensions"].attrs["spatial_dims"])
    assert all(isinstance(d, str) for d in dims) and len(dims) == f.attrs["n_spatial_dims"]
    assert all(name in f.attrs for name in f.attrs["simulation_parameters"])

    def flags(thing, *names):
        for name in names:
            assert isinstance(thing.attrs[name], (bool, np.bool_)), (thing.name, name)

    flags(f["dimensions/time"], "sample_varying", "time_varying")
    assert f["dimensions/time"].attrs["time_varying"] and not f["dimensions/time"].attrs["sample_varying"]
    for d in dims:
        flags(f["dimensions"][d], "sample_varying", "time_varying")
    shape = [f["dimensions"][d].shape[-1] for d in dims]
    for order in range(3):
        group = f[f"t{order}_fields"]
        assert set(group.attrs["field_names"]) == set(group)
        for name, field in group.items():
            flags(field, "sample_varying", "time_varying")
            assert all(isinstance(v, (bool, np.bool_)) for v in field.attrs["dim_varying"])
            assert field.dtype == np.float32
            times = f["dimensions/time"].shape[0]
            assert field.shape == (f.attrs["n_trajectories"], times, *shape, *[len(dims)] * order)
    for name in f["scalars"].attrs["field_names"]:
        flags(f["scalars"][name], "sample_varying", "time_varying")
        assert f["scalars"][name].shape == ()
    for name, side in f["boundary_conditions"].items():
        assert side.attrs["bc_type"].lower() in name
        flags(side, "sample_varying", "time_varying")
        (axis,) = side.attrs["associated_dims"]
        assert side.attrs["bc_type"] in ("PERIODIC", "WALL", "OPEN") and len(side.attrs["associated_fields"]) == 0
        assert side["mask"].dtype == bool and side["mask"].shape == f["dimensions"][axis].shape
        assert side["mask"][...].sum() == 1


def frames_of(run):
    for line in (run / "frames.jsonl").read_text().splitlines():
        (path,) = [f["path"] for f in json.loads(line)["files"] if f["path"].endswith(".hdf")]
        yield json.loads(line), run / path


def test_a_grid_becomes_a_file_of_the_well(rtsim):
    expect(rtsim("run", SOURCE / "configs/smoke/tiny.json", "-o", "smoke", "--quiet"), DONE)
    expect(rtsim("convert", "smoke", "-o", "set", "--to", "well", "-j", 2), DONE)
    with h5py.File(rtsim.folder / "set/data/train/smoke.hdf5") as f:
        check_well(f)
        for k, (line, path) in enumerate(frames_of(rtsim.folder / "smoke")):
            assert f["dimensions/time"][k] == np.float32(line["time"])
            with h5py.File(path) as own:
                n = [int(c) for c in own.attrs["cells"]]
                D = own.attrs["dim"]
                for name, values in own["VTKHDF/PointData"].items():
                    here = f["t1_fields" if values.ndim > 1 and values.shape[-1] == 3 else "t0_fields"][name][0, k]
                    values = values[...].reshape(*n[::-1], -1)[..., : here.shape[-1] if here.ndim > D else 1]
                    values = np.moveaxis(values, (0, 1, 2), (2, 1, 0)).reshape(here.shape)
                    assert (here == values).all(), name
        for axis in f["dimensions"].attrs["spatial_dims"]:
            x = f["dimensions"][axis][...]
            assert np.diff(x) == pytest.approx(own_spacing(rtsim.folder / "smoke"), rel=1e-5)


def own_spacing(run):
    with h5py.File(next(frames_of(run))[1]) as f:
        return f.attrs["spacing"]


def test_sides_are_what_the_stage_says(rtsim):
    scene = json.loads(re.sub(r"//.*", "", (SOURCE / "configs/lbm/tiny.json").read_text()))
    stage = scene["stages"][0]
    stage.update({"x_min": {"type": "periodic"}, "x_max": {"type": "periodic"}, "y_min": {"type": "wall"},
                  "y_max": {"type": "pressure"}})
    scene["time"]["frames"] = 2
    rtsim.write("scene.json", json.dumps(scene))
    expect(rtsim("run", "scene.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "set", "--to", "well"), DONE)
    with h5py.File(rtsim.folder / "set/data/train/run.hdf5") as f:
        check_well(f)
        types = {name: side.attrs["bc_type"] for name, side in f["boundary_conditions"].items()}
    names = ("x_low_periodic", "x_high_periodic", "y_low_wall", "y_high_open")
    assert {k: types[k] for k in names} == dict(zip(names, ("PERIODIC", "PERIODIC", "WALL", "OPEN")))


def test_a_height_field_has_the_axes_of_its_columns(rtsim):
    expect(rtsim("run", SOURCE / "configs/shallow_water/tiny.json", "-o", "waves", "--quiet"), DONE)
    expect(rtsim("convert", "waves", "-o", "set", "--to", "well", "--columns", "depth,velocity"), DONE)
    with h5py.File(rtsim.folder / "set/data/train/waves.hdf5") as f:
        check_well(f)
        assert list(f["dimensions"].attrs["spatial_dims"]) == ["x", "z"]
        assert "depth" in f["t0_fields"] and list(f["t1_fields"]) == ["velocity"]


def load(path):
    with np.load(path, allow_pickle=True) as file:
        return {name: tuple(file[name]) for name in file}


def test_particles_become_trajectories_of_gns(rtsim):
    rtsim.scene({"/time/frames": 4})
    expect(rtsim("run", "pool/scene.json", "-o", "pool_run", "--quiet"), DONE)
    expect(rtsim("convert", "pool_run", "-o", "set", "--to", "gns"), DONE)
    ((name, (x, types)),) = load(rtsim.folder / "set/train.npz").items()
    assert name == "pool_run" and x.shape == (5, 400, 2) and x.dtype == np.float32
    assert types.shape == (400,) and set(types) == {5}
    for k, (_, path) in enumerate(frames_of(rtsim.folder / "pool_run")):
        with h5py.File(path) as f:
            order = np.argsort(f["VTKHDF/PointData/id"][...])
            assert (x[k] == f["VTKHDF/Points"][...][order, :2]).all()
    told = json.loads((rtsim.folder / "set/metadata.json").read_text())
    v = np.diff(x.astype(float), axis=0)
    a = np.diff(v, axis=0)
    assert told["bounds"] == [[0, 0.8], [0, 0.8]] and told["dim"] == 2 and told["sequence_length"] == 4
    assert told["dt"] == pytest.approx(1e-3) and told["default_connectivity_radius"] == pytest.approx(0.04)
    for key, values in (("vel", v), ("acc", a)):
        assert told[f"{key}_mean"] == pytest.approx(values.mean(axis=(0, 1)), rel=1e-6, abs=1e-12)
        assert told[f"{key}_std"] == pytest.approx(values.std(axis=(0, 1)), rel=1e-5, abs=1e-9)


@pytest.fixture
def swept(rtsim):
    rtsim.scene({"/time/frames": 3, "/objects/0/fill/box/max": [0.1, 0.1]})
    rtsim.write("sweep.json", json.dumps({
        "rtsim_sweep": 1, "scene": "pool/scene.json",
        "axes": [{"name": "nu", "set": "/stages/0/kinematic_viscosity", "from": 1e-6, "to": 1e-3, "count": 10}]}))
    expect(rtsim("sweep", "sweep.json", "-o", "sweep", "--quiet", "--threads", 1), DONE)
    return rtsim


def splits(rtsim, folder):
    told = json.loads((rtsim.folder / folder / "dataset.json").read_text())
    assert told["complete"]
    return {run["name"]: run["split"] for run in told["runs"]}


def test_a_sweep_is_split_by_seed_and_without_overlap(swept):
    for folder, seed in (("a", 0), ("b", 0), ("c", 1)):
        expect(swept("convert", "sweep", "-o", folder, "--to", "gns", "--seed", seed), DONE)
    a, b, c = (splits(swept, f) for f in "abc")
    assert a == b != c and sorted(a.values()) == sorted(["train"] * 8 + ["valid", "test"])
    for name in ("train", "valid", "test"):
        assert set(load(swept.folder / f"a/{name}.npz")) == {case for case, split in a.items() if split == name}
    # The statistics are of what is learned from alone.
    told = json.loads((swept.folder / "a/metadata.json").read_text())
    learned = load(swept.folder / "a/train.npz").values()
    v = np.concatenate([np.diff(x.astype(float), axis=0).reshape(-1, 2) for x, _ in learned])
    assert told["vel_mean"] == pytest.approx(v.mean(axis=0), rel=1e-6)
    expect(swept("convert", "sweep", "-o", "d", "--to", "gns", "--split", "0.5,0.5,0"), DONE)
    assert sorted(splits(swept, "d").values()) == ["train"] * 5 + ["valid"] * 5


def test_a_sweep_of_grids_has_a_file_for_each_case_with_its_parameters(rtsim):
    scene = json.loads(re.sub(r"//.*", "", (SOURCE / "configs/smoke/tiny.json").read_text()))
    rtsim.write("scene.json", json.dumps(scene))
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "scene.json",
                                          "axes": [{"set": "/seed", "values": [7, 8, 9]}]}))
    expect(rtsim("sweep", "sweep.json", "-o", "sweep", "--quiet", "--threads", 1), DONE)
    expect(rtsim("convert", "sweep", "-o", "set", "--to", "well"), DONE)
    found = {}
    for path in sorted((rtsim.folder / "set/data").glob("*/*.hdf5")):
        with h5py.File(path) as f:
            check_well(f)
            found[path.parent.name] = float(f.attrs["seed"])
            assert f["scalars/seed"][()] == np.float32(f.attrs["seed"])
    assert sorted(found) == ["test", "train", "valid"] and sorted(found.values()) == [7, 8, 9]


def test_what_does_not_fit_is_refused_before_anything_is_written(swept):
    expect(swept("run", SOURCE / "configs/emit/tiny.json", "-o", "emit", "--quiet"), DONE)
    expect(swept("run", SOURCE / "configs/smoke/tiny.json", "-o", "smoke", "--quiet"), DONE)
    before = swept.files()

    def refused(code, text, *args):
        assert text in expect(swept("convert", *args), code).stderr
        assert swept.files() == before

    refused(BAD_INPUT, "is of kind particles, which well does not hold", "sweep", "-o", "x", "--to", "well")
    refused(BAD_INPUT, "is of kind grid, which gns does not hold", "smoke", "-o", "x", "--to", "gns")
    refused(BAD_INPUT, "which this format cannot hold", "emit", "-o", "x", "--to", "gns")
    refused(USAGE, "one dataset at a time", "sweep", "-o", "x", "--to", "gns,well")
    refused(USAGE, "--split wants three shares", "sweep", "-o", "x", "--to", "gns", "--split", "0.5,0.5")
    refused(USAGE, "are for the datasets well and gns", "smoke", "-o", "x", "--to", "npz", "--seed", "1")
    refused(BAD_INPUT, "accelerations are of three at least", "sweep", "-o", "x", "--to", "gns", "--frames", "0:2")
    refused(EXISTS, "holds no dataset", "sweep", "-o", "pool", "--to", "gns")
    (next((swept.folder / "sweep/cases").iterdir()) / "run/run.json").unlink()
    before = swept.files()
    refused(DIFFERENT, "cases are done", "sweep", "-o", "x", "--to", "gns")


def test_a_dataset_is_replaced_only_when_asked(swept):
    expect(swept("convert", "sweep", "-o", "set", "--to", "gns"), DONE)
    again = expect(swept("convert", "sweep", "-o", "set", "--to", "gns"), EXISTS)
    assert "holds a dataset; --overwrite" in again.stderr
    expect(swept("convert", "sweep", "-o", "set", "--to", "gns", "--overwrite", "--frames", "0:3"), DONE)
    assert next(iter(load(swept.folder / "set/train.npz").values()))[0].shape[0] == 3


def test_the_example_of_the_page_reads_both(swept, monkeypatch):
    expect(swept("convert", "sweep", "-o", "particles", "--to", "gns"), DONE)
    expect(swept("run", SOURCE / "configs/smoke/tiny.json", "-o", "smoke", "--quiet"), DONE)
    expect(swept("convert", "smoke", "-o", "fields", "--to", "well"), DONE)
    example = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)[1]
    assert len([line for line in example.splitlines() if line.strip()]) <= 30
    monkeypatch.chdir(swept.folder)
    names = {}
    exec(compile(example, str(PAGE), "exec"), names)
    particles, fields = names["Particles"]("particles", "train"), names["Fields"]("fields", "train")
    x, y, types = particles[0]
    assert x.shape == (2, len(types), 2) and y.shape == (len(types), 2)
    assert len(particles) == 8 * (4 - 2) and len(fields) > 0
    now, then = fields[0]
    assert now.shape == then.shape and now.dtype == np.float32
