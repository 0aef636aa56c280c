"""A full disk stops the run with exit 74 and a whole cache; with room again it goes on."""
import os
import re
import resource
import subprocess

import pytest

from conftest import RTSIM, disk_of

LONG = {"/time": {"dt": 1e-4, "steps_per_frame": 1, "frames": 400}, "/checkpoint_every": 20}


@pytest.fixture
def small_disk(tmp_path):
    with disk_of("2m", tmp_path / "disk") as disk:
        yield disk


def assert_whole(rtsim, run):
    verdict = rtsim("verify", run)
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
    assert not list((rtsim.folder / run).rglob("*.tmp*"))


def test_a_full_disk_is_74_and_every_frame_is_whole(rtsim, small_disk):
    rtsim.scene(LONG)
    refused = rtsim("run", "pool/scene.json", "-o", small_disk / "out", "--quiet")
    assert refused.returncode == 74, refused.stderr
    assert re.search(r"GB are free for .*, and the run may write .* GB.*--ignore-free-space", refused.stderr)
    assert not (small_disk / "out").exists()

    full = rtsim("run", "pool/scene.json", "-o", small_disk / "out", "--quiet", "--ignore-free-space")
    assert full.returncode == 74, full.stderr
    assert "No space left on device" in full.stderr
    assert "internal" not in full.stderr
    assert 5 < len(rtsim.frames(small_disk / "out")) < 400
    assert_whole(rtsim, small_disk / "out")

    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    done = rtsim("run", "pool/scene.json", "-o", small_disk / "out", "--resume=auto", "--quiet")
    assert done.returncode == 0, done.stderr
    assert len(rtsim.frames(small_disk / "out")) == 401
    rtsim("run", "pool/scene.json", "-o", "reference", "--quiet")
    assert (small_disk / "out/frames.jsonl").read_bytes() == (rtsim.folder / "reference/frames.jsonl").read_bytes()


def test_a_file_size_limit_is_74_too(rtsim):
    rtsim.scene(LONG)
    limited = subprocess.run(
        [RTSIM, "run", "pool/scene.json", "-o", "out", "--quiet"], cwd=rtsim.folder, capture_output=True, text=True,
        timeout=120, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000)))
    assert limited.returncode == 74, limited.stderr
    assert "File too large" in limited.stderr
    assert not list(rtsim.folder.glob("out/cache/**/*.tmp*"))


def test_a_read_only_folder_is_an_error_before_the_first_step(rtsim):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    rtsim.scene()
    (rtsim.folder / "out").mkdir(mode=0o555)
    assert rtsim("run", "pool/scene.json", "-o", "out/run", "--quiet").returncode == 74
