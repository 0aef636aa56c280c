"""rtsim branch: another run from a checkpoint, with other parameters; what it changes, and what it refuses."""
import json
import re
import shutil

import pytest
from conftest import BAD_INPUT, DONE, EXISTS, INTERRUPTED, IO, POOL, SOURCE, USAGE, expect, stop

KEEP = {"/checkpoint_every": 1, "/checkpoint_keep": 0, "/time/frames": 4}
NU = "/stages/0/kinematic_viscosity"


def bytes_of(folder):
    return {p.relative_to(folder): p.read_bytes() for p in sorted((folder / "cache").rglob("*")) if p.is_file()}


def outcome(folder):
    """What two runs of one scene have in common, byte by byte."""
    return bytes_of(folder), (folder / "series.csv").read_bytes(), (folder / "frames.jsonl").read_bytes()


@pytest.fixture
def parent(rtsim):
    rtsim.scene(KEEP)
    expect(rtsim("run", "pool/scene.json", "-o", "a", "--threads", 1), DONE)
    return rtsim


def refused(rtsim, code, *args):
    before = rtsim.files()
    result = expect(rtsim("branch", *args), code)
    assert rtsim.files() == before
    return result.stderr


def test_as_many_checkpoints_stay_as_the_scene_says(rtsim):
    rtsim.scene({**KEEP, "/checkpoint_keep": 3})
    expect(rtsim("run", "pool/scene.json", "-o", "a"), DONE)
    assert [p.stem for p in sorted((rtsim.folder / "a/checkpoints").glob("*.h5"))] == [
        "000000000020", "000000000030", "000000000040"]
    rtsim.scene({"/checkpoint_every": 1, "/time/frames": 4})
    expect(rtsim("run", "pool/scene.json", "-o", "b"), DONE)
    assert len(list((rtsim.folder / "b/checkpoints").glob("*.h5"))) == 2
    # How many are kept changes no byte: the identity is that of the run that kept more.
    assert rtsim.manifest("a")["identity"] == rtsim.manifest("b")["identity"]


def test_a_branch_without_changes_has_the_bytes_of_its_parent(parent):
    expect(parent("branch", "a@2", "-o", "b", "--threads", 2), DONE)
    assert outcome(parent.folder / "b") == outcome(parent.folder / "a")
    expect(parent("verify", "b"), DONE)
    # What came before are the parent's files, under a second name.
    first = "cache/water/water.000000.hdf"
    assert (parent.folder / "a" / first).samefile(parent.folder / "b" / first)


@pytest.mark.parametrize("name, at", [("rigid", 2), ("xpbd", 2), ("smoke", 2), ("emit", 2), ("flip", 1)])
def test_so_it_is_with_every_kind_of_table(rtsim, name, at):
    scene = SOURCE / f"configs/{name}/tiny.json"
    keep = ["--set", "/checkpoint_every=1", "--set", "/checkpoint_keep=0", "--set", "/time/frames=3"]
    expect(rtsim("run", scene, "-o", "a", "--threads", 1, *keep), DONE)
    expect(rtsim("branch", f"a@{at}", "-o", "b", "--threads", 1), DONE)
    assert outcome(rtsim.folder / "b") == outcome(rtsim.folder / "a")


def test_a_branch_with_another_viscosity_leaves_its_parent_there(parent):
    expect(parent("branch", "a@2", "-o", "b", "--set", f"{NU}=0.5"), DONE)
    a, b = bytes_of(parent.folder / "a"), bytes_of(parent.folder / "b")
    for path in (p for p in a if p.suffix == ".hdf"):
        frame = int(path.name.split(".")[1])
        assert (a[path] == b[path]) == (frame <= 2), path
    # Its end is that of a run which had this viscosity from frame 2 on, and it can be resumed.
    expect(parent("resume", "b", "--set", "/time/frames=5"), DONE)
    expect(parent("branch", "a@2", "-o", "c", "--set", f"{NU}=0.5", "--set", "/time/frames=5"), DONE)
    assert outcome(parent.folder / "b") == outcome(parent.folder / "c")
    expect(parent("verify", "b"), DONE)


def test_the_manifest_and_info_and_the_report_tell_the_family(parent):
    expect(parent("branch", "a@2", "-o", "b", "--set", f"{NU}=0.5", "--set", "/time/duration=0.005"), DONE)
    expect(parent("branch", "b@3", "-o", "c", "--set", "/gravity=[0,-1]"), DONE)
    told = parent.manifest("b")["parent"]
    assert told["run"] == str(parent.folder / "a") and (told["frame"], told["step"]) == (2, 20)
    assert told["identity"] == parent.manifest("a")["identity"]
    assert {d["pointer"]: d["is"] for d in told["differences"]} == {
        NU: 0.5, "/time/frames": None, "/time/duration": 0.005}
    marker = (parent.folder / "a/checkpoints/000000000020.complete").read_text()
    assert told["checkpoint_xxh3"] == json.loads(marker.splitlines()[0])["xxh3"]
    assert parent.manifest("b")["scene_file"] == parent.manifest("a")["scene_file"]

    out = expect(parent("info", "c"), DONE).stdout
    assert re.search(rf"^parent   {parent.folder}/b, left at frame 3, step 30$", out, re.M)
    assert re.search(r"^         /gravity: \[0.0,-1.0\] in place of \[0.0,-9.81\]$", out, re.M)
    assert re.search(rf"^before   {parent.folder}/a, left at frame 2, step 20$", out, re.M)
    assert re.search(rf"^branch   {parent.folder}/b, from frame 2, step 20$",
                     expect(parent("info", "a"), DONE).stdout, re.M)
    family = json.loads(parent("info", "b", "--json").stdout)
    assert [a["run"] for a in family["ancestors"]] == [str(parent.folder / "a")]
    assert [b["run"] for b in family["branches"]] == [str(parent.folder / "c")]

    expect(parent("report", "c", "-o", "c.html", "--pictures", 0), DONE)
    page = (parent.folder / "c.html").read_text()
    for text in ("<h2>Family</h2>", str(parent.folder / "b"), "/gravity", "branch of"):
        assert text in page


def test_a_branch_of_the_last_checkpoint_wants_a_later_end(parent):
    assert "give a later end: --set /time/frames=N" in refused(parent, BAD_INPUT, "a", "-o", "b")
    expect(parent("branch", "a", "-o", "b", "--set", "/time/frames=6"), DONE)
    parent.scene({**KEEP, "/time/frames": 6})
    expect(parent("run", "pool/scene.json", "-o", "whole"), DONE)
    assert outcome(parent.folder / "b") == outcome(parent.folder / "whole")


@pytest.mark.parametrize("change, why", [
    ("/time/dt=1e-5", "steps and frames before the branch were of this length"),
    ("/time/steps_per_frame=5", "steps and frames before the branch were of this length"),
    ("/objects/0/spacing=0.01", "objects were made of it at the start"),
    ("/objects/0/fill/0/box/max=[0.2,0.4]", "objects were made of it at the start"),
    ("/objects/1/shape/box/max=[0.9,0.8]", "objects were made of it at the start"),
    ("/stages/0/type=pbf", "type"),
    ("/stages/0/kinematic_viscosty=1", 'did you mean "kinematic_viscosity"?'),
])
def test_what_changes_the_structure_is_refused_with_the_reason(parent, change, why):
    err = refused(parent, BAD_INPUT, "a@2", "-o", "b", "--set", change)
    assert why in err and change.split("=")[0].split("/")[-1] in err


def test_parameters_that_rows_carry_are_taken_over(parent):
    """The density is in the masses of the particles, which the run does not change."""
    expect(parent("branch", "a@2", "-o", "b", "--set", "/stages/0/rest_density=500"), DONE)
    header = (parent.folder / "b/series.csv").read_text().splitlines()[0].split(",")
    column = next(k for k, name in enumerate(header) if name.startswith("wcsph.water.mass"))
    masses = [float(line.split(",")[column]) for line in (parent.folder / "b/series.csv").read_text().splitlines()[1:]]
    assert masses[20] == masses[0] and masses[-1] == pytest.approx(masses[0] / 2, rel=1e-6)


def test_a_motion_may_change_from_where_the_boundary_stands(rtsim):
    def motion(*shifts):
        return {"keyframes": [{"time": 1e-3 * k, "translate": [x, 0]} for k, x in enumerate(shifts)]}

    rtsim.scene({**KEEP, "/objects/1/motion": motion(0, 1e-4, 2e-4, 3e-4, 4e-4)})
    expect(rtsim("run", "pool/scene.json", "-o", "a"), DONE)

    def other(*shifts):
        return f"/objects/1/motion={json.dumps(motion(*shifts))}"

    err = refused(rtsim, BAD_INPUT, "a@2", "-o", "b", "--set", other(0, 0, 1e-4))
    assert "'tank' would jump at the branch, by 0.0001 m" in err
    expect(rtsim("branch", "a@2", "-o", "b", "--set", other(0, 1e-4, 2e-4, 2e-4, 2e-4)), DONE)
    assert (rtsim.folder / "b/series.csv").read_text() != (rtsim.folder / "a/series.csv").read_text()


def test_an_output_may_change(parent):
    expect(parent("branch", "a@2", "-o", "b", "--set", "/output/0/columns=[\"velocity\"]"), DONE)
    expect(parent("verify", "b"), DONE)
    assert len(parent.frames("b")) == 5
    expect(parent("convert", "b", "-o", "csv", "--to", "csv", "--columns", "velocity"), DONE)


def test_a_branch_that_measures_other_things_begins_its_series(parent):
    probe = [{"name": "low", "at": [0.2, 0.05]}]
    expect(parent("branch", "a@2", "-o", "b", "--set", f"/stages/0/probes={json.dumps(probe)}"), DONE)
    header, *rows = (parent.folder / "b/series.csv").read_text().splitlines()
    assert "wcsph.water.low" in header and [int(row.split(",")[0]) for row in rows] == list(range(20, 41))
    expect(parent("verify", "b"), DONE)
    (parent.folder / "b/checkpoints/000000000040.complete").unlink()
    whole = outcome(parent.folder / "b")
    expect(parent("resume", "b"), DONE)
    assert outcome(parent.folder / "b") == whole


def test_what_a_stage_works_on_stays(rtsim):
    rtsim.scene({**KEEP, "/objects/2": {"name": "post", "kind": "boundary",
                                        "shape": {"box": {"min": [0.6, 0], "max": [0.7, 0.2]}}},
                 "/stages": [{**POOL["stages"][0], "boundary": ["tank", "post"]}]})
    expect(rtsim("run", "pool/scene.json", "-o", "a"), DONE)
    stages = [{**POOL["stages"][0], "boundary": ["post", "tank"]}]
    err = refused(rtsim, BAD_INPUT, "a@2", "-o", "b", "--set", f"/stages={json.dumps(stages)}")
    assert "/stages/0/boundary: a branch cannot change it: it decides what a stage works on" in err
    two = [*POOL["stages"], {"type": "force_field", "particles": "water", "constant": {"acceleration": [1, 0]}}]
    two[0] = {**two[0], "boundary": ["tank", "post"]}
    err = refused(rtsim, BAD_INPUT, "a@2", "-o", "b", "--set", f"/stages={json.dumps(two)}")
    assert "/stages/1: makes a world of the tables force_field.fed, " in err


def test_a_frame_without_a_checkpoint_names_the_nearest(rtsim):
    rtsim.scene({"/checkpoint_every": 2, "/checkpoint_keep": 0, "/time/frames": 5})
    expect(rtsim("run", "pool/scene.json", "-o", "a"), DONE)
    err = refused(rtsim, BAD_INPUT, "a@3", "-o", "b")
    assert "no checkpoint at frame 3; the nearest: frame 2 and frame 4" in err
    assert "the nearest: frame 5" in refused(rtsim, BAD_INPUT, "a@9", "-o", "b")
    assert "no frame; write RUN@12" in refused(rtsim, USAGE, "a@x", "-o", "b")
    assert "no such run" in refused(rtsim, BAD_INPUT, "z@3", "-o", "b")


def test_an_unfinished_run_is_refused(rtsim):
    process = rtsim.endless("--set", "/checkpoint_every=1")
    assert "is still running" in expect(rtsim("branch", "out@1", "-o", "b"), BAD_INPUT).stderr
    assert not (rtsim.folder / "b").exists()
    code, _, _ = stop(process)
    assert code == INTERRUPTED
    assert "`rtsim resume out` first" in refused(rtsim, BAD_INPUT, "out", "-o", "b")


def test_a_damaged_run_is_refused(parent):
    frame = parent.folder / "a/cache/water/water.000001.hdf"
    whole = frame.read_bytes()
    frame.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert "a is damaged, so nothing branches from it" in refused(parent, IO, "a@2", "-o", "b")
    frame.write_bytes(whole)
    checkpoint = parent.folder / "a/checkpoints/000000000020.h5"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    assert "000000000020.h5" in refused(parent, IO, "a@2", "-o", "b")
    scene = parent.folder / "a/scene.resolved.json"
    scene.write_text(scene.read_text().replace("-9.81", "-9.8"))
    assert "is damaged" in refused(parent, IO, "a@3", "-o", "b")


def test_a_folder_that_holds_a_run_is_left_alone(parent):
    shutil.copytree(parent.folder / "a", parent.folder / "b")
    assert "holds a run" in refused(parent, EXISTS, "a@2", "-o", "b")
    assert "another folder than its parent" in refused(parent, USAGE, "a@2", "-o", "b/../a", "--overwrite")
    expect(parent("branch", "a@2", "-o", "b", "--overwrite", "--set", f"{NU}=0.5"), DONE)
    assert parent.manifest("b")["parent"]["frame"] == 2
    expect(parent("verify", "a"), DONE)


def test_a_branch_that_was_killed_as_it_began_is_begun_again(parent):
    expect(parent("branch", "a@2", "-o", "b", "--set", f"{NU}=0.5"), DONE)
    whole = outcome(parent.folder / "b")
    shutil.rmtree(parent.folder / "b/checkpoints")
    manifest = json.loads((parent.folder / "b/run.json").read_text())
    assert manifest["parent"]["frame"] == 2
    (parent.folder / "b/frames.jsonl").unlink()
    err = expect(parent("resume", "b"), BAD_INPUT).stderr
    again = f"branch {parent.folder}/a@2 -o b --overwrite"
    assert again in err
    expect(parent(*again.split(), "--set", f"{NU}=0.5"), DONE)
    assert outcome(parent.folder / "b") == whole
