"""Pictures, curves and pages on full and read-only disks: whole or not there, and exit 74."""
import shutil
import subprocess

import pytest

from conftest import DONE, IO, disk_of, expect

COMMANDS = {
    "picture": ("render", "run", "-o", "{}/a.png"),
    "pictures": ("render", "run", "-o", "{}/all"),
    "film": ("render", "run", "-o", "{}/a.mp4"),
    "curves": ("plot", "run", "-o", "{}/a.svg"),
    "curves as pixels": ("plot", "run", "-o", "{}/a.png"),
    "page": ("report", "run", "-o", "{}/a.html"),
    "baseline": ("compare", "{}/base", "run", "--update", "--why", "first"),
}


@pytest.fixture
def disk(tmp_path):
    with disk_of("256k", tmp_path / "disk") as folder:
        yield folder


def run(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet"), DONE)


def fail(rtsim, disk, name):
    if name == "film" and not shutil.which("ffmpeg"):
        pytest.skip("no ffmpeg")
    result = expect(rtsim(*(a.format(disk) for a in COMMANDS[name])), IO)
    assert "internal" not in result.stderr
    return result


def left(disk):
    return [p.name for p in disk.rglob("*") if p.name != "ballast" and p.is_file()]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_74_and_leaves_nothing_half_written(rtsim, disk, name):
    run(rtsim)
    with open(disk / "ballast", "wb", buffering=0) as ballast, pytest.raises(OSError):
        while True:
            ballast.write(bytes(4096))
    fail(rtsim, disk, name)
    assert left(disk) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_read_only_disk_is_74(rtsim, disk, name):
    run(rtsim)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    assert "Read-only file system" in fail(rtsim, disk, name).stderr
    assert left(disk) == []


def test_a_run_onto_a_read_only_disk_is_74_before_the_first_step(rtsim, disk):
    rtsim.scene()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    result = expect(rtsim("run", "pool/scene.json", "-o", disk / "out", "--quiet"), IO)
    assert "Read-only file system" in result.stderr


def test_a_run_that_may_only_be_read_is_drawn_compared_and_reported(rtsim, disk):
    subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
    run(rtsim)
    shutil.copytree(rtsim.folder / "run", disk / "run")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for command in (("render", disk / "run", "-o", "a.png"), ("plot", disk / "run", "-o", "a.svg"),
                    ("report", disk / "run", "-o", "a.html"), ("compare", disk / "run", "run"),
                    ("verify", disk / "run"), ("info", disk / "run")):
        expect(rtsim(*command), DONE)
