"""Flipped and cut bytes in every kind of file: always a clear error, never a crash, never silence
where the bytes mattered."""
import random
import shutil

import pytest
from conftest import PART, PARTS

CHANGES = {"/time": {"dt": 1e-4, "steps_per_frame": 5, "frames": 4}, "/checkpoint_every": 2,
           "/output/1": {"object": "water", "format": "vdb"}}
# 1 would be an internal error; a crash is negative.
CLEAR = {0, 3, 5, 6, 74}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    from conftest import Bench
    rtsim = Bench(tmp_path_factory.mktemp("whole"))
    rtsim.scene({**CHANGES, "/expect": [{"profile": "water.density", "from": [0, 0.1], "to": [0.4, 0.1], "width": 0.1,
                                         "line": [1000, 1000], "rel": 0.5, "source": "a test"}]})
    done = rtsim("run", "pool/scene.json", "-o", "whole", "--quiet")
    assert done.returncode == 0, done.stderr
    return rtsim


def damaged(data, how, draw):
    if how == "cut":
        return data[:draw.randrange(len(data))]
    if how == "empty":
        return b""
    if how == "garbage":
        return bytes(draw.randrange(256) for _ in range(len(data)))
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1:]


KINDS = ["run.json", "scene.resolved.json", "frames.jsonl", "series.csv", "log.jsonl", "profile.json",
         "cache/water.hdf.series", "cache/water/water.000004.hdf", "cache/water/water.000004.vdb",
         "checkpoints/000000000020.h5", "checkpoints/000000000020.complete"]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("how", ["flip", "cut", "empty", "garbage"])
def test_damage_is_met_with_a_clear_answer(whole, name, how):
    draw = random.Random(f"{name} {how} {PART}")  # other damage with every part
    for _ in range(4 if how in ("flip", "cut") and PARTS == 1 else 1):
        run = whole.folder / "damaged"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(whole.folder / "whole", run)
        file = run / name
        file.write_bytes(damaged(file.read_bytes(), how, draw))
        for command in (["verify", "damaged"], ["info", "damaged"],
                        ["run", "pool/scene.json", "-o", "damaged", "--resume", "--expect", "--quiet"],
                        ["run", "pool/scene.json", "-o", "damaged", "--resume", "--quiet", "--set", "/time/frames=5"]):
            answer = whole(*command)
            assert answer.returncode in CLEAR, (command, answer.returncode, answer.stderr)
            if answer.returncode not in (0, 5):
                assert answer.stderr.strip(), command


@pytest.mark.parametrize("name", [k for k in KINDS if k.startswith(("cache/water/", "checkpoints"))])
@pytest.mark.parametrize("how", ["flip", "cut", "empty", "garbage"])
def test_verify_names_every_damaged_frame_and_checkpoint(whole, name, how):
    draw = random.Random(f"verify {name} {how}")
    run = whole.folder / "damaged"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(whole.folder / "whole", run)
    (run / name).write_bytes(damaged((run / name).read_bytes(), how, draw))
    verdict = whole("verify", "damaged")
    assert verdict.returncode == 5, verdict.stdout
    assert name.rsplit("/", 1)[1].rsplit(".", 1)[0] in verdict.stdout + verdict.stderr


def test_a_damaged_checkpoint_falls_back_to_the_one_before(whole):
    run = whole.folder / "fallback"
    shutil.copytree(whole.folder / "whole", run)
    newest = run / "checkpoints/000000000020.h5"
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes(data)
    again = whole("run", "pool/scene.json", "-o", "fallback", "--resume", "--set", "/time/frames=6")
    assert again.returncode == 0, again.stderr
    assert "000000000020" in again.stderr  # the warning names it
    fresh = whole("run", "pool/scene.json", "-o", "fresh", "--quiet", "--set", "/time/frames=6")
    assert fresh.returncode == 0
    for name in ("frames.jsonl", "series.csv"):
        assert (run / name).read_bytes() == (whole.folder / "fresh" / name).read_bytes()
