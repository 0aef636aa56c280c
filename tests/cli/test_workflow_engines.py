"""The examples of docs/farms.md, run by the engines themselves where these are installed."""
import csv
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import RTSIM, SOURCE

# The first attempt of each case ends with 75 after a checkpoint, the next one goes on.
SHIM = """#!/bin/sh
mark={folder}/$(echo "$*" | cksum | cut -d' ' -f1).tried
if [ -e "$mark" ]; then exec {rtsim} "$@"; fi
touch "$mark"
exec {rtsim} "$@" --time-limit 0.001s
"""


def engine(name):
    found = os.environ.get(name.upper()) or shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed, nor named by {name.upper()}")
    return found


@pytest.fixture
def path_with_rtsim(tmp_path):
    shim = tmp_path / "bin" / "rtsim"
    shim.parent.mkdir()
    shim.write_text(SHIM.format(folder=tmp_path, rtsim=pathlib.Path(RTSIM).resolve()))
    shim.chmod(0o755)
    return {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}


def check_table(folder):
    rows = list(csv.reader((folder / "farm.csv").read_text().splitlines()))
    assert rows[0] == ["nu", "row"] and [float(r[0]) for r in rows[1:]] == [1e-6, 1e-4, 1e-3]
    for row in rows[1:]:
        run = folder / "runs" / f"nu_{row[0]}"
        assert ",".join(row[1:]) == (run / "series.csv").read_text().splitlines()[-1]
        assert '"exit_code": 0' in (run / "run.json").read_text()
    assert len(list(folder.parent.glob("*.tried"))) == 3


def test_snakemake_runs_the_sweep_and_goes_on_after_75(tmp_path, path_with_rtsim):
    snakemake, folder = engine("snakemake"), tmp_path / "farm"
    folder.mkdir()
    command = [snakemake, "-s", SOURCE / "scripts/farm/Snakefile", "-j", "2", "--retries", "3", "--config",
               f"scene={SOURCE / 'configs/wcsph/tiny.json'}", "frames=2"]
    result = subprocess.run([*map(str, command)], cwd=folder, env=path_with_rtsim, capture_output=True, text=True,
                            timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    check_table(folder)
    again = subprocess.run([*map(str, command)], cwd=folder, env=path_with_rtsim, capture_output=True, text=True,
                           timeout=120)
    assert again.returncode == 0 and "Nothing to be done" in again.stdout + again.stderr


def test_snakemake_ends_where_a_case_cannot_be_mended(tmp_path, path_with_rtsim):
    snakemake, folder = engine("snakemake"), tmp_path / "farm"
    folder.mkdir()
    (folder / "bad.json").write_text('{"rtsim": 1}')
    result = subprocess.run([snakemake, "-s", str(SOURCE / "scripts/farm/Snakefile"), "-j", "2", "--retries", "3",
                             "--config", "scene=bad.json"], cwd=folder, env=path_with_rtsim, capture_output=True,
                            text=True, timeout=120)
    assert result.returncode == 1 and "rtsim ended with 3" in result.stdout + result.stderr
    assert not (folder / "farm.csv").exists() and len(list(tmp_path.glob("*.tried"))) == 3


def test_nextflow_runs_the_sweep_and_goes_on_after_75(tmp_path, path_with_rtsim):
    nextflow, folder = engine("nextflow"), tmp_path / "farm"
    folder.mkdir()
    result = subprocess.run([nextflow, "run", str(SOURCE / "scripts/farm/main.nf"), "--scene",
                             str(SOURCE / "configs/wcsph/tiny.json"), "--frames", "2"], cwd=folder,
                            env={**path_with_rtsim, "NXF_OFFLINE": "true"}, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    check_table(folder)
