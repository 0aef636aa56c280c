"""Reading finished runs: info and verify."""
import json

import pytest
from conftest import BAD_INPUT, DIFFERENT, DONE, IO, expect


def test_info_tells_status_frames_and_provenance(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    text = expect(rtsim("info", "out"), DONE).stdout
    for words in ("status   done", "frames   3", "frame 2, step 20", "scene.json", "threads"):
        assert words in text, text
    j = json.loads(expect(rtsim("info", "out", "--json"), DONE).stdout)
    assert (j["status"], j["frames_committed"], j["steps"]) == ("done", 3, 20)
    assert j["time"] == pytest.approx(0.002)
    assert j["bytes"] == sum(f["bytes"] for frame in rtsim.frames("out") for f in frame["files"])
    assert expect(rtsim("info", "nowhere"), BAD_INPUT).stdout == ""


def test_verify_is_0_for_whole_runs_and_5_for_damage(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "out", "--quiet"), DONE)
    j = json.loads(expect(rtsim("verify", "out", "--json"), DONE).stdout)
    assert (j["frames"], j["problems"]) == (3, [])
    assert "all whole" in expect(rtsim("verify", "out"), DONE).stdout

    frame = rtsim.folder / "out" / rtsim.frames("out")[1]["files"][0]["path"]
    data = bytearray(frame.read_bytes())
    data[len(data) // 2] ^= 1
    frame.write_bytes(data)
    assert frame.name in expect(rtsim("verify", "out"), DIFFERENT).stdout
    frame.unlink()
    assert frame.name in expect(rtsim("verify", "out", "--json"), DIFFERENT).stdout
    expect(rtsim("verify", "nowhere"), IO)
