"""The man page and the completions of shells, which rtsim makes of its own command line."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import DONE, IO, RTSIM, SOURCE, USAGE, expect, long_case


def commands(rtsim):
    """As `rtsim --help` lists them."""
    lines = expect(rtsim("--help"), DONE).stdout.split("Subcommands:")[1].splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]


def test_the_man_page_has_every_command_option_and_exit_code(rtsim):
    page = expect(rtsim("man"), DONE).stdout
    for command in commands(rtsim):
        assert f".SS rtsim {command}\n" in page, command
    for text in ("\\-\\-time\\-limit", "\\fB74\\fR", "\\fB75\\fR", "series.csv", "EXIT STATUS"):
        assert text in page, text


@pytest.mark.skipif(not shutil.which("mandoc"), reason="no mandoc")
def test_the_man_page_is_good_roff(rtsim):
    page = rtsim.write("rtsim.1", rtsim("man").stdout)
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True, text=True)
    assert lint.returncode == 0, lint.stdout
    shown = subprocess.run(["mandoc", "-T", "utf8", page], capture_output=True, text=True, check=True).stdout
    assert "--allow-different-build" in re.sub(".\b", "", shown)  # bold is printed twice


def test_other_shells_are_not_known(rtsim):
    assert "tcsh" in expect(rtsim("completion", "tcsh"), USAGE).stderr


@pytest.fixture
def shell(rtsim):
    """complete("rtsim ru") in a bash that has the completion."""
    (rtsim.folder / "scenes").mkdir()
    rtsim.write("a scene.json", "{}")
    script = rtsim.write("completion.bash", expect(rtsim("completion", "bash"), DONE).stdout)

    def complete(line):
        words = line.split(" ")
        listed = " ".join(f"'{w}'" for w in words)
        drive = f"source '{script}'; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _rtsim; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "--norc", "-c", drive], cwd=rtsim.folder, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return sorted(filter(None, done.stdout.splitlines()))

    return complete


def test_bash_completes_commands_options_values_and_files(rtsim, shell):
    assert shell("rtsim re") == ["render", "report", "resume"]
    assert set(shell("rtsim ")) >= set(commands(rtsim))
    assert shell("rtsim run --dev") == ["--device"]
    assert shell("rtsim render r --from ") == ["corner", "front", "side", "top"]
    assert shell("rtsim compare --only s") == ["series"]
    assert shell("rtsim describe wcs") == ["wcsph"]
    assert shell("rtsim run a") == ["a scene.json"]
    assert shell("rtsim info ") == ["scenes"]
    assert shell("rtsim run a.json -o s") == ["scenes"]
    assert shell("rtsim completion ") == ["bash", "fish", "zsh"]
    assert shell("rtsim run --threads ") == []


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish")
def test_fish_completes(rtsim):
    script = rtsim.write("rtsim.fish", expect(rtsim("completion", "fish"), DONE).stdout)

    def complete(line):
        drive = f"source '{script}'; complete -C '{line}'"
        env = {**os.environ, "HOME": str(rtsim.folder), "PATH": f"{pathlib.Path(RTSIM).resolve().parent}:{os.environ['PATH']}"}
        done = subprocess.run(["fish", "--no-config", "-c", drive], cwd=rtsim.folder, env=env, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    assert sorted(complete("rtsim re")) == ["render", "report", "resume"]
    assert complete("rtsim run --dev") == ["--device"]
    assert complete("rtsim compare --only s") == ["series"]
    assert complete("rtsim describe wcs") == ["wcsph"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh")
def test_zsh_completes(rtsim):
    """Driven in a terminal of its own, as zsh completes in no other way."""
    functions = rtsim.folder / "functions"
    functions.mkdir()
    (functions / "_rtsim").write_text(expect(rtsim("completion", "zsh"), DONE).stdout)
    drive = """
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; unsetopt beep; zstyle ':completion:*' menu no; stty -echo"
zpty -w z "rtsim() { print go''t: \\$*; exit }"
zpty -w z "print rea''dy"
zpty -r z out "*ready"
zpty -w -n z "$2"$'\\t\\n'
zpty -r z out "*got: *"$'\\n'
print -r -- $out
"""

    def complete(line):
        done = subprocess.run(["zsh", "-f", "-c", drive, "zsh", functions, line], cwd=rtsim.folder,
                              capture_output=True, text=True, timeout=60)
        return done.stdout.split("got: ")[-1].split()

    assert complete("rtsim desc") == ["describe"]
    assert complete("rtsim compare --only ser") == ["compare", "--only", "series"]
    assert complete("rtsim describe wcs") == ["describe", "wcsph"]


@pytest.fixture
def installed(tmp_path):
    """All of it, in a folder that was another one when it was installed."""
    build = pathlib.Path(RTSIM).resolve().parents[1]
    if not (build / "cmake_install.cmake").exists():
        pytest.skip("the program is in no build folder")
    subprocess.run(["cmake", "--install", build, "--prefix", tmp_path / "was"], check=True, capture_output=True)
    return (tmp_path / "was").rename(tmp_path / "is")


def test_all_of_it_is_installed(installed):
    for name in ("man/man1/rtsim.1", "bash-completion/completions/rtsim", "zsh/site-functions/_rtsim",
                 "fish/vendor_completions.d/rtsim.fish", "doc/rtsim/README.md", "rtsim/configs/wcsph/tiny.json",
                 "rtsim/scripts/blender_open.py", "rtsim/scripts/blender_render.py", "rtsim/scripts/paraview_open.py", "rtsim/scripts/python/pyproject.toml"):
        assert (installed / "share" / name).stat().st_size > 0, name
    assert not list(installed.rglob("__pycache__"))


def test_the_installed_program_finds_its_scenes(rtsim, installed):
    program = installed / "bin" / pathlib.Path(RTSIM).name
    result = subprocess.run([program, "bench", "wcsp"], cwd=rtsim.folder, capture_output=True, text=True, timeout=60)
    assert result.returncode == USAGE and 'did you mean "wcsph"?' in result.stderr
    expect(subprocess.run([program, "run", "configs/wcsph/tiny.json", "--quiet"], cwd=rtsim.folder, timeout=60), DONE)
    assert (rtsim.folder / "runs/wcsph-tiny/run.json").exists()


def test_an_installed_tree_that_was_moved_writes_volumes(rtsim, installed):
    rtsim.scene({"/output/0/format": "vdb"})

    def run(code):
        command = [installed / "bin" / pathlib.Path(RTSIM).name, "run", "pool/scene.json", "-o", "run", "--overwrite", "--quiet"]
        return expect(subprocess.run(command, cwd=rtsim.folder, capture_output=True, text=True, timeout=60), code)

    run(DONE)
    assert (rtsim.folder / "run/cache/water/water.000002.vdb").stat().st_size > 1000
    module, = (installed / "lib/rtsim").iterdir()
    module.unlink()
    assert "build or install it again" in run(IO).stderr
    subprocess.run(["cc", "-shared", "-o", module, "-x", "c", "/dev/null"], check=True)
    assert "of another build than the program" in run(IO).stderr


@long_case(2)
def test_the_debian_package_has_what_is_installed_and_runs(rtsim, installed, tmp_path):
    build = pathlib.Path(RTSIM).resolve().parents[1]
    subprocess.run(["cpack", "--config", build / "CPackConfig.cmake", "-B", tmp_path,
                    "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"], check=True, capture_output=True)
    package, = tmp_path.glob("*.deb")
    root = tmp_path / "root"
    subprocess.run(["dpkg-deb", "--extract", package, root], check=True)

    def files(folder):
        return {p.relative_to(folder) for p in folder.rglob("*") if p.is_file()}

    assert files(root / "usr") == files(installed)
    needs = subprocess.run(["dpkg-deb", "--field", package, "Depends"], check=True, capture_output=True, text=True).stdout
    assert "libopenvdb" in needs and "libhdf5" in needs
    rtsim.scene({"/output/0/format": "vdb"})
    program = root / "usr/bin" / pathlib.Path(RTSIM).name
    expect(subprocess.run([program, "run", "pool/scene.json", "-o", "run", "--quiet"], cwd=rtsim.folder,
                          capture_output=True, text=True, timeout=60), DONE)
