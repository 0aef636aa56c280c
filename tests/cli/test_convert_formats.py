"""How `convert` treats its formats: what they refuse, what it says, how it goes on where it was cut off."""
import json
import re

import pytest
from conftest import BAD_INPUT, DONE, EXISTS, USAGE, expect
from converted_runs import convert, make_runs

runs = pytest.fixture(scope="module")(make_runs)


def test_what_a_format_cannot_hold_is_said_first(rtsim, runs):
    for name, to, text in (("smoke", "obj_pc2", "is of kind grid, which obj_pc2 does not hold"),
                           ("cloth", "vdb", "which vdb does not hold; these do: ply, obj, stl, points, vtk"),
                           ("smoke", "gltf", "does not hold"), ("lines", "stl", "edges"), ("torn", "gltf", "joined otherwise"),
                           ("torn", "obj_pc2", "joined otherwise")):
        assert text in expect(rtsim("convert", runs / name, "-o", "no", "--to", to), BAD_INPUT).stderr
    assert not (rtsim.folder / "no").exists()


def test_json_for_scripts(rtsim, runs):
    said = json.loads(expect(rtsim("convert", runs / "cloth", "-o", "out", "--to", "csv", "--json"), DONE).stdout)
    files = list((rtsim.folder / "out/cache").rglob("*.csv"))
    assert said == {"output": "out", "frames_before": 0, "frames": len(rtsim.frames("out")),
                    "files": len(files), "bytes": sum(f.stat().st_size for f in files)}


def test_help_lists_the_formats(rtsim):
    text = rtsim("convert", "--help").stdout
    for name in ("vdb", "vdb_points", "obj_pc2", "gltf", "hdf5", "npz", "csv", "vtk", "stl", "points"):
        assert f"\n  {name}" in text


@pytest.mark.parametrize("to", ["npz", "obj_pc2", "hdf5", "gltf"])
def test_a_conversion_goes_on_where_it_was_cut_off(rtsim, runs, to):
    whole = convert(rtsim, runs, "cloth", to)
    args = ["convert", runs / "cloth", "-o", "parts", "--to", to]
    expect(rtsim(*args), DONE)
    parts = rtsim.folder / "parts"
    # As if it had been killed after its second frame.
    log = (parts / "frames.jsonl").read_bytes().splitlines(keepends=True)
    (parts / "frames.jsonl").write_bytes(b"".join(log[:2]) + b'{"frame":')
    marker = json.loads((parts / "convert.json").read_text())
    (parts / "convert.json").write_text(json.dumps({**marker, "complete": False}))
    for file in parts.rglob("*.pc2"):
        file.rename(str(file) + ".part")
    (parts / "cache/rest.tmp").write_text("half of it")
    expect(rtsim(*args), DONE)
    for file in whole.rglob("*"):
        if file.is_file() and file.name not in ("convert.json", ".lock"):
            assert (parts / file.relative_to(whole)).read_bytes() == file.read_bytes(), file
    assert not list(parts.rglob("*.tmp")) and not list(parts.rglob("*.part"))
    assert json.loads((parts / "convert.json").read_text())["complete"]
    again = json.loads(expect(rtsim(*args, "--json"), DONE).stdout)
    assert again["frames"] == 0 and again["frames_before"] == len(log)


def test_other_options_are_refused(rtsim, runs):
    args = ["convert", runs / "cloth", "-o", "out", "--to"]
    expect(rtsim(*args, "npz"), DONE)
    before = (rtsim.folder / "out/frames.jsonl").read_bytes()
    for other in (["csv"], ["npz", "--frames", "1:"], ["npz", "--columns", "velocity"]):
        refused = expect(rtsim(*args, *other), EXISTS)
        assert "another conversion" in refused.stderr and "--overwrite" in refused.stderr
    assert (rtsim.folder / "out/frames.jsonl").read_bytes() == before
    expect(rtsim(*args, "csv", "--overwrite"), DONE)
    assert not list((rtsim.folder / "out").rglob("*.npz"))


@pytest.mark.parametrize("name, kind, to", [("smoke", "grid", "obj_pc2"), ("cloth", "mesh", "vdb"), ("bodies", "bodies", "vdb")])
def test_help_and_errors_list_the_same_formats(rtsim, runs, name, kind, to):
    text = expect(rtsim("convert", "--help"), DONE).stdout
    formats = re.findall(r"^  (\w+) +[^\n]*\n +for ([a-z_, ]+);", text, re.M)
    assert len(formats) > 10
    err = expect(rtsim("convert", runs / name, "-o", "out", "--to", to), BAD_INPUT).stderr
    listed = re.search("these do: ([a-z0-9_, ]+)", err)[1].split(", ")
    assert listed == [f for f, kinds in formats if kind in kinds.split(", ")]
    unknown = expect(rtsim("convert", runs / name, "-o", "out", "--to", "parquet"), USAGE).stderr
    assert re.search("there are ([a-z0-9_, ]+)", unknown)[1].split(", ") == [f for f, _ in formats]
