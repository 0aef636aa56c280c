"""Shapes from OpenVDB files: "volume": { "file": "rock.vdb" }."""
import copy
import json
import math

import h5py
import numpy as np
import pytest
import pyopenvdb as vdb
from conftest import DONE, expect, long_case
from test_deformation import refused, run

CENTRE, RADIUS = np.array([0.25, 0.2, 0.25]), 0.1
SHORT = {"dt": 1e-3, "steps_per_frame": 5, "frames": 4}


def level_set(name="surface", voxel=0.01, radius=RADIUS, centre=CENTRE):
    grid = vdb.createLevelSetSphere(radius, center=tuple(centre), voxelSize=voxel)
    grid.name = name
    return grid


def write(rtsim, file, *grids):
    (rtsim.folder / "pool").mkdir(exist_ok=True)
    vdb.write(str(rtsim.folder / "pool" / file), list(grids))


def rows(rtsim, out, frame=0, of="water"):
    with h5py.File(rtsim.folder / out / f"cache/{of}/{of}.{frame:06}.hdf") as f:
        return np.array(f["VTKHDF/Points"])


def body_of(volume, **more):
    """Its mass is its volume: a density of 1 kg/m^3."""
    return {"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {"dt": 1e-3, "steps_per_frame": 1, "frames": 1},
            "objects": [{"name": "rock", "kind": "bodies", "density": 1, "bodies": [
                {"name": "rock", "shape": {"volume": {"file": "ball.vdb", **volume}, **more}}]}],
            "stages": [{"type": "rigid", "bodies": "rock"}], "output": [{"object": "rock", "format": "hdf5"}]}


def series(rtsim, out):
    names, first, *_ = (line.split(",") for line in (rtsim.folder / out / "series.csv").read_text().splitlines())
    return dict(zip((n.split(" [")[0] for n in names), map(float, first)))


def mass(rtsim, scene, out):
    run(rtsim, scene, out)
    return next(v for k, v in series(rtsim, out).items() if k.endswith("rock.mass"))


BALL = 4 / 3 * math.pi * RADIUS**3


def test_a_ball_has_its_volume_to_second_order(rtsim):
    """Dual contouring puts corners where edges of voxels are cut on average: within, by a share of (voxel / radius)^2."""
    errors = []
    for voxel in (0.02, 0.01, 0.005):
        write(rtsim, "ball.vdb", level_set(voxel=voxel))
        errors.append(1 - mass(rtsim, body_of({}), f"of_{voxel}") / BALL)
        assert 0 < errors[-1] < 1.2 * (voxel / RADIUS)**2, voxel
    for coarse, fine in zip(errors, errors[1:]):
        assert 3.3 < coarse / fine < 4.7


def test_its_fill_is_that_of_a_ball(rtsim):
    write(rtsim, "ball.vdb", level_set(voxel=0.005))
    scene = {"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": SHORT,
             "objects": [{"name": "water", "kind": "particles", "spacing": 0.01, "fill": {"volume": {"file": "ball.vdb"}}}],
             "stages": [{"type": "wcsph", "fluid": "water", "max_speed": 1, "substeps": 4}],
             "output": [{"object": "water", "format": "hdf5"}]}
    run(rtsim, scene, "out")
    x = rows(rtsim, "out")
    assert np.linalg.norm(x - CENTRE, axis=1).max() < RADIUS + 1e-5
    assert len(x) * 0.01**3 == pytest.approx(BALL, rel=0.03)  # as a lattice of 10 a radius can
    assert np.abs(x.mean(axis=0) - CENTRE).max() < 1e-3
    manifest = json.loads((rtsim.folder / "out/run.json").read_text())
    assert [a["path"].rsplit("/")[-1] for a in manifest["assets"]] == ["ball.vdb"]


FLUIDS = {"wcsph": {"type": "wcsph", "max_speed": 2, "substeps": 8},
          "flip": {"type": "flip", "grid": "room"}}


def tank_with(ball, stage):
    """Water about a ball on the ground of a tank."""
    box = {"min": [0, 0, 0], "max": [0.5, 0.4, 0.5]}
    grids = stage["type"] == "flip"
    objects = [{"name": "water", "kind": "particles", "spacing": 0.025 if grids else 0.04,
                "fill": {"difference": [{"box": box}, ball]}},
               {"name": "ball", "kind": "boundary", "shape": ball}]
    objects.append({"name": "room", "kind": "grid", "spacing": 0.05, "min": [0, 0, 0], "max": [0.5, 0.5, 0.5]} if grids else
                   {"name": "tank", "kind": "boundary",
                    "shape": {"box": {"min": [0, 0, 0], "max": [0.5, 0.5, 0.5]}, "inside": True}})
    return {"rtsim": 1, "dim": 3, "time": SHORT, "objects": objects,
            "stages": [{"fluid": "water", "boundary": ["ball"] if grids else ["ball", "tank"], **stage}],
            "output": [{"object": "water", "format": "hdf5"}], "checkpoint_every": 1}


@pytest.mark.parametrize("stage", [pytest.param(FLUIDS[f], marks=long_case(k), id=f) for k, f in enumerate(FLUIDS)])
def test_water_round_it_has_the_same_bytes_however_it_runs(rtsim, stage):
    write(rtsim, "ball.vdb", level_set())
    scene = tank_with({"volume": {"file": "ball.vdb"}}, stage)
    run(rtsim, scene, "whole", "--threads", "2")
    run(rtsim, scene, "out", "--threads", "1", "--set", "/time/frames=2")
    expect(rtsim("resume", "out", "--quiet", "--threads", "1", "--set", "/time/frames=4"), DONE)
    for file in ("frames.jsonl", "series.csv"):
        assert (rtsim.folder / "out" / file).read_bytes() == (rtsim.folder / "whole" / file).read_bytes()
    for frame in range(5):
        assert np.linalg.norm(rows(rtsim, "whole", frame) - CENTRE, axis=1).min() > 0.95 * RADIUS


def test_water_on_a_grid_meets_it_as_a_ball(rtsim):
    """Frames differ by less than a voxel's second-order error moves the wall: (0.005 / 0.1)^2 of its radius."""
    write(rtsim, "ball.vdb", level_set(voxel=0.005))
    sphere = {"sphere": {"centre": list(CENTRE), "radius": RADIUS}}
    scene = tank_with({"volume": {"file": "ball.vdb"}}, FLUIDS["flip"])
    scene["objects"][0]["fill"]["difference"][1] = sphere
    run(rtsim, scene, "volume")
    scene["objects"][1]["shape"] = sphere
    run(rtsim, scene, "sphere")
    x, y = rows(rtsim, "volume", 4), rows(rtsim, "sphere", 4)
    assert x.shape == y.shape and np.abs(x - y).max() < (0.005 / RADIUS)**2 * RADIUS


def test_a_surface_of_another_run_is_a_shape(rtsim):
    """The drop that rtsim itself writes holds the water that it was made of."""
    scene = {"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": SHORT,
             "objects": [{"name": "water", "kind": "particles", "spacing": 0.02,
                          "fill": {"sphere": {"centre": list(CENTRE), "radius": RADIUS}}}],
             "stages": [{"type": "wcsph", "fluid": "water", "max_speed": 1, "substeps": 4}],
             "output": [{"object": "water", "format": "vdb"}, {"object": "water", "format": "hdf5"}]}
    run(rtsim, scene, "drop")
    (rtsim.folder / "pool/ball.vdb").write_bytes((rtsim.folder / "drop/cache/water/water.000000.vdb").read_bytes())
    volume = len(rows(rtsim, "drop")) * 0.02**3
    assert mass(rtsim, body_of({}), "surface") == pytest.approx(volume, rel=0.15)  # rounded off by its kernel
    # Half full voxels: a density has no better surface than that.
    assert mass(rtsim, body_of({"grid": "density", "least_density": 0.5}), "density") == pytest.approx(volume, rel=0.15)


def test_any_linear_transform_of_the_grid_counts(rtsim):
    """Of its own, which stretches it to an ellipsoid; then of the shape."""
    grid = level_set(centre=(0, 0, 0))
    grid.transform = vdb.createLinearTransform([[0.01, 0, 0, 0], [0, 0, 0.02, 0], [0, -0.005, 0, 0], [1, 2, 3, 1]])
    write(rtsim, "ball.vdb", grid)
    whole = mass(rtsim, body_of({}), "stretched")
    assert whole == pytest.approx(BALL * 2 * 0.5, rel=0.012)
    scaled = mass(rtsim, body_of({}, transform={"scale": 2, "angle": 30}), "scaled")
    assert scaled == pytest.approx(8 * whole, rel=1e-5)
    x = rows(rtsim, "stretched", of="rock")
    assert np.abs(x.mean(axis=0) - [1, 2, 3]).max() < 2e-3  # of the corners of its surface


def test_two_grids_are_told_apart_by_name(rtsim):
    write(rtsim, "ball.vdb", level_set("large"), level_set("small", radius=0.05, voxel=0.005))
    assert mass(rtsim, body_of({"grid": "small"}), "small") == pytest.approx(BALL / 8, rel=0.012)
    refused(rtsim, body_of({}), "/objects/0", "ball.vdb: has several grids", "'large' (a level set), 'small' (a level set)")
    refused(rtsim, body_of({"grid": "medium"}), "/objects/0", "ball.vdb: has no grid 'medium'", "'small' (a level set)")


def test_half_precision_is_read(rtsim):
    """Halves round a distance of three voxels by 2^-11 of it, which only a part of the corners feels."""
    single = level_set()
    write(rtsim, "ball.vdb", single)
    whole = mass(rtsim, body_of({}), "single")
    single.saveFloatAsHalf = True
    write(rtsim, "ball.vdb", single)
    assert mass(rtsim, body_of({}), "half") == pytest.approx(whole, rel=1e-3)


def fog():
    grid = level_set("density")
    values = np.zeros((60, 60, 60), np.float32)
    grid.copyToArray(values)
    density = vdb.FloatGrid()
    density.copyFromArray((values < 0).astype(np.float32))
    density.name, density.gridClass = "density", vdb.GridClass.FOG_VOLUME
    density.transform = vdb.createLinearTransform(0.01)
    return density


def test_a_density_is_solid_where_the_scene_says_so(rtsim):
    write(rtsim, "ball.vdb", fog())
    assert mass(rtsim, body_of({"least_density": 0.5}), "out") == pytest.approx(BALL, rel=0.05)
    refused(rtsim, body_of({}), "/objects/0", "has no level set; it holds 'density' (a density)", '"least_density"')
    refused(rtsim, body_of({"grid": "density"}), "/objects/0", "is no level set", '"least_density"')
    refused(rtsim, body_of({"least_density": 2}), "/objects/0", "nowhere above")
    refused(rtsim, body_of({"least_density": -1}), "/objects/0", "solid where it has no voxels")
    write(rtsim, "ball.vdb", level_set())
    refused(rtsim, body_of({"least_density": 0.5}), "/objects/0", "need no")


def test_files_without_a_surface_are_told(rtsim):
    write(rtsim, "ball.vdb", level_set())
    whole = (rtsim.folder / "pool/ball.vdb").read_bytes()
    path = rtsim.folder / "pool/ball.vdb"
    for part in (0.999, 0.9, 0.5, 0.1, 0.02, 0.002):  # within voxels, tree, names, the first bytes
        path.write_bytes(whole[:int(part * len(whole))])
        refused(rtsim, body_of({}), "/objects/0", "ball.vdb: ", "write it again")
    path.write_bytes(b"")
    refused(rtsim, body_of({}), "/objects/0", "ball.vdb: ", "write it again")
    path.write_text("v 0 0 0\n" * 100)
    refused(rtsim, body_of({}), "/objects/0", "ball.vdb: is no OpenVDB file")
    write(rtsim, "ball.vdb")
    refused(rtsim, body_of({}), "/objects/0", "holds no grids")
    empty = vdb.FloatGrid(0.03)
    empty.name, empty.gridClass = "surface", vdb.GridClass.LEVEL_SET
    write(rtsim, "ball.vdb", empty)
    refused(rtsim, body_of({}), "/objects/0", "nowhere below zero")
    speed = vdb.Vec3SGrid()
    speed.name = "v"
    write(rtsim, "ball.vdb", speed)
    refused(rtsim, body_of({"grid": "v"}), "/objects/0", "'v' (vec3s)", "no real numbers")
    path.unlink()
    refused(rtsim, body_of({}), "/objects/0/bodies/0/shape/volume/file", "ball.vdb", "No such file")


def test_only_what_lies_in_space_has_volumes(rtsim):
    write(rtsim, "ball.vdb", level_set())
    scene = copy.deepcopy(body_of({}))
    scene["dim"], scene["gravity"] = 2, [0, 0]
    refused(rtsim, scene, "volume", "is a shape of 3D scenes")
