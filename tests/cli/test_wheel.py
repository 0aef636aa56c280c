"""scripts/make_wheel: one file that pip installs, in an environment that has nothing else of ours."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import RTSIM, SOURCE

BUILD = pathlib.Path(RTSIM).resolve().parents[1]


def run(*command, **more):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, **more).stdout


def test_a_folder_that_is_no_build_is_refused(tmp_path):
    done = subprocess.run([SOURCE / "scripts/make_wheel", "--build", tmp_path, "-o", tmp_path / "out"],
                          capture_output=True, text=True)
    assert done.returncode != 0 and not list(tmp_path.glob("out/*.whl"))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("patchelf"), reason="no patchelf")
@pytest.mark.skipif(not (BUILD / "cmake_install.cmake").exists(), reason="the program stands in no build folder")
def test_one_file_gives_program_scenes_and_package(tmp_path):
    run(SOURCE / "scripts/make_wheel", "--build", BUILD, "-o", tmp_path)
    (wheel,) = tmp_path.glob("rtsim-*.whl")
    assert wheel.stat().st_size < 60e6
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "env")  # for NumPy and h5py
    run(tmp_path / "env/bin/pip", "install", "--no-deps", "--no-index", wheel)
    clean = {"HOME": str(tmp_path), "PATH": f"{tmp_path}/env/bin:/usr/bin:/bin"}
    assert run("rtsim", "--version", env=clean).startswith("rtsim ")
    loaded = run("ldd", tmp_path / "env/bin/rtsim", env=clean)
    assert f"{tmp_path}/env/bin/../lib/rtsim/libhdf5" in loaded
    for file in ("share/man/man1/rtsim.1", "share/bash-completion/completions/rtsim"):
        assert (tmp_path / "env" / file).stat().st_size > 1000
    # Scenes, a run, what needs the library of volumes, and the package.
    run("rtsim", "new", "mine", "--like", "wcsph/tiny", cwd=tmp_path, env=clean)
    script = ("import rtsim\nr = rtsim.run('mine.json', 'run')\nprint(rtsim.__file__, len(r.frames))\n")
    told = run(tmp_path / "env/bin/python", "-c", script, cwd=tmp_path, env=clean)
    assert str(tmp_path / "env") in told and int(told.split()[-1]) > 1
    run("rtsim", "convert", "run", "-o", "vdb", "--to", "vdb", cwd=tmp_path, env=clean)
    assert list(tmp_path.glob("vdb/cache/*/*.vdb"))
    run(tmp_path / "env/bin/pip", "uninstall", "-y", "rtsim")
    assert not os.path.exists(tmp_path / "env/bin/rtsim")
