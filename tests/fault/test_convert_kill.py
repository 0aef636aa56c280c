"""kill -9, full disks and folders that nobody may write into, during convert."""
import json
import os
import random
import resource
import signal
import subprocess
import time

import pytest
from conftest import PART, PARTS, RTSIM, SOURCE, disk_of

KILLS = 6 if PARTS == 1 else 3  # of each format, at other instants with every part
CLOTH = ["run", SOURCE / "configs/xpbd/tiny.json", "--quiet", "--set", "/time/frames=60", "--set",
         "/time/steps_per_frame=1"]


@pytest.fixture
def cloth(rtsim):
    done = rtsim(*CLOTH, "-o", "run")
    assert done.returncode == 0, done.stderr
    return rtsim


def content(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*")
            if p.is_file() and p.name != ".lock"}


@pytest.mark.parametrize("to", ["npz", "obj_pc2", "hdf5"])
def test_kills_lose_no_frame_and_it_goes_on_to_the_same_bytes(cloth, to):
    args = ["convert", "run", "--to", to, "-j", "2"]
    begin = time.monotonic()
    assert cloth(*args, "-o", "whole").returncode == 0
    duration = time.monotonic() - begin
    whole = content(cloth.folder / "whole")
    draw = random.Random(1 + PART)
    for number in range(KILLS):
        process = cloth.start(*args, "-o", "parts")
        time.sleep(draw.uniform(0, duration))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        parts = cloth.folder / "parts"
        for frame in cloth.frames("parts"):
            for file in frame["files"]:
                assert (parts / file["path"]).read_bytes() == whole[file["path"]], (number, file)
        for file in parts.rglob("frames.h5"):  # under its name it is whole
            assert file.read_bytes() == whole["cache/frames.h5"]
        if number % 3 == 2:  # and by and by it gets to its end
            done = cloth(*args, "-o", "parts")
            assert done.returncode == 0, done.stderr
            assert content(parts) == whole
            subprocess.run(["rm", "-r", parts], check=True)


def test_a_full_disk_is_74_and_with_room_it_goes_on(cloth, tmp_path):
    with disk_of("256k", tmp_path / "disk") as disk:
        for to in ("npz", "obj_pc2", "hdf5", "gltf"):
            args = ["convert", "run", "--to", to, "-o", disk / "out"]
            full = cloth(*args)
            assert full.returncode == 74, (to, full.stderr)
            assert "No space left on device" in full.stderr and "internal" not in full.stderr
            assert not list((disk / "out").rglob("*.tmp"))
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
            done = cloth(*args)
            assert done.returncode == 0, done.stderr
            assert cloth("convert", "run", "--to", to, "-o", f"whole_{to}").returncode == 0
            assert content(disk / "out") == content(cloth.folder / f"whole_{to}")
            subprocess.run(["rm", "-r", disk / "out"], check=True)
            subprocess.run(["mount", "-o", "remount,size=256k", disk], check=True)


# HDF5 crashes on a write that fails, be it the first or a later one.
@pytest.mark.parametrize("to, limit", [("csv", 900), ("hdf5", 900), ("hdf5", 20_000), ("hdf5", 200_000)])
def test_a_file_size_limit_is_74_and_leaves_no_half_file(cloth, to, limit):
    limited = subprocess.run([RTSIM, "convert", "run", "-o", "out", "--to", to], cwd=cloth.folder,
                             capture_output=True, text=True, timeout=120,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert limited.returncode == 74, limited.stderr
    assert "File too large" in limited.stderr
    assert not list(cloth.folder.glob("out/cache/*/*")) and not list(cloth.folder.glob("out/cache/*.h5"))
    assert cloth("convert", "run", "-o", "out", "--to", to).returncode == 0


@pytest.mark.parametrize("to", ["npz", "obj_pc2", "hdf5", "gltf"])
def test_what_somebody_deleted_is_made_again(cloth, to):
    args = ["convert", "run", "--to", to, "-o", "out"]
    assert cloth(*args).returncode == 0
    whole = content(cloth.folder / "out")
    for deleted in [name for name in whole if name.startswith("cache/")][:3]:
        (cloth.folder / "out" / deleted).unlink()
        assert cloth(*args).returncode == 0
        assert content(cloth.folder / "out") == whole, deleted


def test_a_folder_that_may_not_be_written_is_74(cloth):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    (cloth.folder / "out").mkdir(mode=0o555)
    assert cloth("convert", "run", "-o", "out/here", "--to", "csv").returncode == 74


def test_two_conversions_into_one_folder_are_told_apart(cloth):
    import fcntl

    assert cloth("convert", "run", "-o", "out", "--to", "csv", "--frames", "0").returncode == 0
    with open(cloth.folder / "out/.lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = cloth("convert", "run", "-o", "out", "--to", "csv", "--frames", "0")
        assert second.returncode == 6, second.stderr
    assert json.loads((cloth.folder / "out/convert.json").read_text())["complete"]
