"""A body of one run drives a boundary of another: convert --to keyframes, and "motion": { "file": ... }."""
import json

import h5py
import numpy as np
from conftest import BAD_INPUT, DONE, POOL, expect

BALL = {
    "rtsim": 1,
    "dim": 2,
    "time": {"dt": 1e-3, "frames": 8},
    "objects": [
        {"name": "balls", "kind": "bodies", "density": 1000, "bodies": [
            {"name": "ball", "shape": {"sphere": {"centre": [0.6, 0.5], "radius": 0.05}},
             "velocity": [-1, 0], "angular_velocity": [1500]}]},
    ],
    "stages": [{"type": "rigid", "bodies": "balls"}],
    "output": [{"object": "balls"}],
}
STIRRED = {
    "/objects/2": {"name": "ball", "kind": "boundary", "shape": {"sphere": {"centre": [0, 0], "radius": 0.05}},
                   "motion": {"file": "ball.json"}},
    "/stages/0/boundary": ["tank", "ball"],
    "/output/1": {"object": "ball"},
    "/time/frames": 4,
}


def centre(path):
    with h5py.File(path) as f:
        return np.mean(f["VTKHDF/Points"][:, :2], axis=0)


def test_a_boundary_goes_where_the_body_went(rtsim):
    rtsim.write("ball_scene.json", json.dumps(BALL))
    expect(rtsim("run", "ball_scene.json", "-o", "run", "--quiet"), DONE)
    expect(rtsim("convert", "run", "-o", "keys", "--to", "keyframes"), DONE)
    text = (rtsim.folder / "keys/cache/balls/balls.0.json").read_text()
    keys = json.loads(text)["keyframes"]
    assert [k["time"] for k in keys] == [0.001 * n for n in range(9)]
    angles = [k["angle"] for k in keys]  # 86 degrees a frame: two turns, counted on
    assert np.allclose(np.diff(angles), np.degrees(1.5), atol=1e-2)
    rtsim.write("pool/ball.json", text)
    rtsim.scene(STIRRED)
    expect(rtsim("run", "pool/scene.json", "-o", "stirred", "--quiet"), DONE)
    for frame in range(5):  # of a hundredth of the step, ten steps each
        time = frame * 1e-3
        assert np.allclose(centre(rtsim.folder / f"stirred/cache/ball/ball.{frame:06}.hdf"),
                           [0.6 - time, 0.5 - 9.81 * time ** 2 / 2], atol=2e-4)
    resolved = json.loads((rtsim.folder / "stirred/scene.resolved.json").read_text())
    motion = resolved["objects"][2]["motion"]
    assert len(motion["keyframes"]) == 9 and "file" not in motion
    (rtsim.folder / "pool/ball.json").unlink()  # the run is whole without it
    expect(rtsim("resume", "stirred", "--set", "/time/frames=5", "--quiet"), DONE)


def test_a_file_of_keyframes_that_is_wrong_is_told_with_its_own_lines(rtsim):
    rtsim.scene(STIRRED)
    for text, problem in (("{}", "must hold at least one"),
                          ('{"keyframes": [{"time": 0, "translate": [0, 0]},\n {"time": "soon"}]}', "ball.json:2"),
                          ('{"keyframes": [', "ball.json:1"),
                          (None, "No such file")):
        if text is None:
            (rtsim.folder / "pool/ball.json").unlink()
        else:
            rtsim.write("pool/ball.json", text)
        result = expect(rtsim("check", "pool/scene.json"), BAD_INPUT)
        assert "/objects/2/motion/file" in result.stderr and problem in result.stderr, result.stderr
    rtsim.write("pool/ball.json", '{"keyframes": [{"time": 0}]}')
    rtsim.scene({**STIRRED, "/objects/2/motion/keyframes": [{"time": 0}]})
    assert "give one of them" in expect(rtsim("check", "pool/scene.json"), BAD_INPUT).stderr


def test_only_bodies_have_keyframes(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)
    result = rtsim("convert", "run", "-o", "keys", "--to", "keyframes")
    assert result.returncode == BAD_INPUT and "water" in result.stderr
    assert not (rtsim.folder / "keys").exists() and POOL["objects"][0]["name"] == "water"
