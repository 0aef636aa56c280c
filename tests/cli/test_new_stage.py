"""scripts/new_stage.py makes files that compile as they stand."""
import json
import os
import subprocess

import pytest
from conftest import SOURCE

SCRIPT = SOURCE / "scripts/new_stage.py"


def new_stage(root, *args):
    return subprocess.run(["/usr/bin/python3", SCRIPT, "--root", root, *args], capture_output=True, text=True)


@pytest.fixture
def made(tmp_path):
    result = new_stage(tmp_path, "drag_law", "Slows down.")
    assert result.returncode == 0, result.stderr
    return tmp_path, result


def test_the_files_carry_one_stem_and_the_catalog_line_is_printed(made):
    root, result = made
    files = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
    assert files == ["configs/drag_law/tiny.json", "kernels/drag_law/decay.h", "kernels/drag_law/drag_law.cu",
                     "kernels/drag_law/drag_law.h", "lib/solvers/drag_law/drag_law.cpp", "lib/solvers/drag_law/drag_law.h",
                     "tests/solver/drag_law_test.cpp"]
    assert result.stdout == '#include "solvers/drag_law/drag_law.h"\n      drag_law_type(),\n'
    scene = (root / "configs/drag_law/tiny.json").read_text()
    json.loads("".join(line for line in scene.splitlines() if not line.strip().startswith("//")))


@pytest.mark.parametrize("source", ["lib/solvers/drag_law/drag_law.cpp", "kernels/drag_law/drag_law.cu",
                                    "tests/solver/drag_law_test.cpp"])
def test_the_files_compile_without_a_warning(made, source):
    root, _ = made
    folders = [f"-I{r}/{d}" for r in (root, SOURCE) for d in ("lib", "kernels")]
    subprocess.run([os.environ.get("CXX", "g++"), "-xc++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
                    "-Wpedantic", "-Werror", *(["-DRTSIM_KERNEL_TU"] if source.endswith(".cu") else []),
                    *folders, root / source], check=True)


def test_it_overwrites_nothing_and_refuses_odd_names(made):
    root, _ = made
    again = new_stage(root, "drag_law")
    assert again.returncode != 0 and "already there" in again.stderr
    assert new_stage(root, "DragLaw").returncode != 0
    assert new_stage(root, "drag-law").returncode != 0
