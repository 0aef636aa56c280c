"""The Python package on real runs, installed as a user would."""
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import BAD_INPUT, DIVERGED, DONE, POOL, RTSIM, SOURCE, disk_of, expect

sys.path.insert(0, str(SOURCE / "scripts/python"))
import rtsim as package  # noqa: E402


@pytest.fixture
def pool(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)
    return package.open(rtsim.folder / "run")


def test_frames_are_arrays_with_units(pool):
    assert [f.index for f in pool.frames] == [0, 1, 2]
    water = pool.frames[-1]["water"]
    assert water.kind == "particles" and water.time == pytest.approx(2e-3)
    assert water.position.shape == (400, 2) and water["density"].shape == (400,)
    assert water.units["velocity"] == "m/s"
    assert sorted(water["id"]) == list(range(400))
    with pytest.raises(KeyError, match="no column 'speed'; there are: position"):
        water["speed"]


def test_the_log_is_a_table(pool):
    energy = pool.series["total.potential_energy"]
    assert len(energy) == len(pool.series.time) == 21
    assert pool.series.units["total.potential_energy"] == "J"
    assert set(pool.series.match("total.*")) < set(pool.series)
    assert pool.series.at("total.potential_energy", pool.series.time[3]) == energy[3]
    (pool.folder / "torn").mkdir()
    torn = pool.folder / "torn/series.csv"
    torn.write_text((pool.folder / "series.csv").read_text()[:-5])
    assert len(package.read_series(torn).time) == 20


def test_particles_are_followed_by_id(pool):
    times, ids, x = pool.tracks("water")
    assert x.shape == (3, 400, 2) and np.isfinite(x).all()
    # Half of g t^2 at most, so within a hundredth of the spacing: nothing changed places.
    assert np.abs(x[1] - x[0]).max() < 2e-4
    assert times[2] == pytest.approx(2e-3)


def test_grids_have_their_shape_and_meshes_their_cells(rtsim):
    for stem, name in (("smoke", None), ("mass_spring", None)):
        expect(rtsim("run", SOURCE / f"configs/{stem}/tiny.json", "-o", stem, "--quiet"), DONE)
        frame = package.open(rtsim.folder / stem).frames[-1]
        thing = frame[next(iter(frame))]
        if stem == "smoke":
            assert thing.position.shape[:-1] == tuple(n for n in thing.attributes["cells"][::-1] if n > 1)
            assert thing["density"].shape == thing.position.shape[:-1]
        else:
            assert thing.cells.shape[1] in (2, 3, 4) and thing.cells.max() < len(thing.position)


def test_bodies_are_rows_with_a_surface(rtsim):
    expect(rtsim("run", SOURCE / "configs/rigid/tiny.json", "-o", "rigid", "--quiet"), DONE)
    frame = package.open(rtsim.folder / "rigid").frames[-1]
    bodies = frame[next(iter(frame))]
    points, triangles, owner = bodies.surface
    assert bodies.position.shape[1] == bodies.attributes["dim"]
    assert bodies["mass"].shape == (len(bodies.position),) and bodies.units["mass"] == "kg"
    assert owner.max() == len(bodies.position) - 1 and triangles.max() < len(points)


def test_bodies_tell_where_they_touch(rtsim):
    box = {"box": {"min": [-0.5, 0], "max": [0.5, 1]}}
    scene = {"rtsim": 1, "dim": 2, "time": {"fps": 60, "frames": 2},
             "objects": [{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{"shape": box}]},
                         {"name": "ground", "kind": "boundary", "shape": {"plane": {}}}],
             "stages": [{"type": "rigid", "bodies": "b", "boundary": ["ground"]}], "output": [{"object": "b"}]}
    rtsim.write("scene.json", json.dumps(scene))
    expect(rtsim("run", "scene.json", "-o", "run", "--quiet"), DONE)
    touches = package.open(rtsim.folder / "run").frames[-1]["b"].touches
    assert touches["bodies"].tolist() == [[0, -1]] * 2 and touches["force"].shape == (2, 2)
    assert touches["normal"][:, 1] == pytest.approx([-1, -1]) and touches["separation"].shape == (2,)
    scene["output"][0]["columns"] = ["velocity"]
    rtsim.write("scene.json", json.dumps(scene))
    expect(rtsim("run", "scene.json", "-o", "less", "--quiet"), DONE)
    assert package.open(rtsim.folder / "less").frames[-1]["b"].touches is None


def test_bodies_tell_what_their_joints_bear(rtsim):
    def hangs(y, **more):
        return {"shape": {"sphere": {"centre": [0, y, 0], "radius": 0.1}}, "mass": 2, **more}
    scene = {"rtsim": 1, "time": {"fps": 60, "frames": 60},
             "objects": [{"name": "b", "kind": "bodies", "bodies": [hangs(0, name="up"), hangs(-1, name="low")],
                          "joints": [{"kind": "hinge", "a": "up", "at": [0, 0, 0], "axis": [0, 0, 1]},
                                     {"kind": "distance", "a": "up", "b": "low", "at": [0, 0, 0], "to": [0, -1, 0]}]}],
             "stages": [{"type": "rigid", "bodies": "b"}], "output": [{"object": "b", "every": 60}]}
    rtsim.write("scene.json", json.dumps(scene))
    expect(rtsim("run", "scene.json", "-o", "run", "--quiet"), DONE)
    joints = package.open(rtsim.folder / "run").frames[-1]["b"].joints
    assert joints["bodies"].tolist() == [[-1, 0], [0, 1]] and joints["kind"].tolist() == [1, 4]
    assert joints["force"] == pytest.approx(np.array([[0, 4 * 9.81, 0], [0, 2 * 9.81, 0]]), abs=1e-4)
    assert joints["position"] == pytest.approx(np.array([[0, 0, 0], [0, -1, 0]]), abs=1e-5)
    assert joints["coordinate"][1, 0] == pytest.approx(1) and np.abs(joints["torque"]).max() < 1e-4
    scene["output"][0]["columns"] = ["touches"]
    rtsim.write("scene.json", json.dumps(scene))
    expect(rtsim("run", "scene.json", "-o", "less", "--quiet"), DONE)
    less = package.open(rtsim.folder / "less").frames[-1]["b"]
    assert less.joints is None and less.touches["force"].shape == (0, 3)


def test_a_dictionary_runs_and_its_frames_are_followed(tmp_path, monkeypatch):
    monkeypatch.setenv("RTSIM", os.path.abspath(RTSIM))
    monkeypatch.chdir(tmp_path)
    told = []
    run = package.run(POOL, tmp_path / "run", threads=1, set={"/time/frames": 3},
                      progress=lambda frame: told.append((frame.index, frame["water"].position.shape)))
    assert told == [(k, (400, 2)) for k in range(4)] and len(run.frames) == 4
    assert run.manifest["threads"] == 1 and run.scene["time"]["frames"] == 3
    assert [p.name for p in tmp_path.iterdir()] == ["run"]  # the scene's own file is gone
    assert len(package.run(POOL).frames) == 3  # into a folder among the temporary ones
    (tmp_path / "scene.json").write_text(json.dumps(POOL))
    assert package.run("scene.json", "again").series["wcsph.water.mass"][0] > 0


def test_errors_are_the_programs_own(tmp_path, monkeypatch):
    monkeypatch.setenv("RTSIM", os.path.abspath(RTSIM))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(package.RtsimError, match='/stages/0/stifness: unknown key; did you mean "stiffness"') as bad:
        package.run({**POOL, "stages": [{"type": "sph_mueller", "fluid": "water", "stifness": 1}]}, "run")
    assert bad.value.exit_code == BAD_INPUT and str(bad.value).startswith("scene:1:")
    with pytest.raises(package.RtsimError) as diverged:
        package.run(POOL, "run", set={"/time/dt": 1})
    assert diverged.value.exit_code == DIVERGED and "Last good frame" in str(diverged.value)
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    with pytest.raises(FileNotFoundError, match="RTSIM"):
        monkeypatch.setenv("RTSIM", "")
        monkeypatch.setenv("PATH", str(tmp_path))
        package.run(POOL)


def test_what_stops_the_caller_stops_the_program_after_a_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setenv("RTSIM", os.path.abspath(RTSIM))

    def impatient(frame):
        if frame.index == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        package.run(POOL, tmp_path / "run", set={"/time/frames": 2000}, progress=impatient, files_from=tmp_path)
    assert package.open(tmp_path / "run").manifest["status"] == "interrupted"
    at = package.open(tmp_path / "run").manifest["frames"]
    run = package.run(POOL, tmp_path / "run", set={"/time/frames": at + 5}, resume=True, files_from=tmp_path)
    assert run.manifest["status"] == "done" and len(run.frames) == at + 6


def test_it_installs_from_the_tree_and_runs_its_example(pool, tmp_path):
    tree = SOURCE / "scripts/python"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
                    "--no-index", "--target", tmp_path / "site", tree], check=True, capture_output=True)
    done = subprocess.run([sys.executable, tree / "example.py", pool.folder], cwd=tmp_path, text=True,
                          capture_output=True, check=True, env={**os.environ, "PYTHONPATH": tmp_path / "site"})
    assert "particle 0 went from" in done.stdout
    assert (tmp_path / "dam_break.png").stat().st_size > 10_000


def test_it_installs_from_a_tree_that_is_read_only(tmp_path):
    with disk_of("4m", tmp_path / "disk") as disk:
        tree = shutil.copytree(SOURCE / "scripts/python", disk / "python")
        for folder in (tree, tree / "rtsim"):
            folder.chmod(0o555)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
                        "--no-index", "--target", tmp_path / "site", tree], check=True, capture_output=True)
    assert (tmp_path / "site/rtsim/frames.py").exists()
