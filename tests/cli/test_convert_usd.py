"""`convert --to usda`, read by Pixar's own library (usd-core of PyPI) where it is installed."""
import json
import re

import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, expect
from converted_runs import Source, columns_of, convert, make_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return make_runs(tmp_path_factory)


@pytest.fixture
def usd():
    return pytest.importorskip("pxr", reason="usd-core is not installed")


def complaints(stage):
    """Of all the checks that the library has, in those versions which have them."""
    try:
        from pxr import UsdValidation
    except ImportError:
        return []
    registry = UsdValidation.ValidationRegistry()
    checks = [registry.GetOrLoadValidatorByName(m.name) for m in registry.GetAllValidatorMetadata()]
    return [e.GetMessage() for e in UsdValidation.ValidationContext(checks).Validate(stage)]


def open_stage(folder):
    from pxr import Usd

    stage = Usd.Stage.Open(str(folder / "cache/scene.usda"))
    assert complaints(stage) == []
    return stage


def by_id(f, values):
    return values[np.argsort(f["VTKHDF/PointData/id"][...], kind="stable")]


def test_points_have_places_velocities_ids_widths_and_columns_in_every_frame(usd, rtsim, runs):
    from pxr import UsdGeom

    stage, source = open_stage(convert(rtsim, runs, "water", "usda")), Source(runs / "water")
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetTimeCodesPerSecond() == pytest.approx(100)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 3)
    water = UsdGeom.Points(stage.GetPrimAtPath("/scene/water"))
    assert {round(time) for time in water.GetPointsAttr().GetTimeSamples()} == {0, 1, 2, 3}
    assert np.asarray(water.GetWidthsAttr().Get()) == pytest.approx([0.02])
    for line in source.lines:
        at = line["frame"]
        for name, f in source.objects(line):
            prim = UsdGeom.Points(stage.GetPrimAtPath(f"/scene/{name}"))
            x = np.asarray(prim.GetPointsAttr().Get(at))
            assert (x == f["VTKHDF/Points"][...]).all()
            low, high = np.asarray(prim.GetExtentAttr().Get(at))
            assert (low <= x.min(axis=0)).all() and (high >= x.max(axis=0)).all()
            for column, values in columns_of(f):
                attribute = {"velocity": "velocities", "id": "ids"}.get(column, f"primvars:{column}")
                read = np.asarray(prim.GetPrim().GetAttribute(attribute).Get(at))
                assert (read.reshape(len(values), -1) == values).all(), (name, column, at)


def test_a_frame_stands_until_the_next_one(usd, rtsim, runs):
    """Rows change places from frame to frame, so nothing is blended between two."""
    from pxr import UsdGeom

    stage = open_stage(convert(rtsim, runs, "water", "usda"))
    points = UsdGeom.Points(stage.GetPrimAtPath("/scene/water")).GetPointsAttr()
    for time in (1.01, 1.5, 1.99):
        assert np.asarray(points.Get(time)) == pytest.approx(np.asarray(points.Get(1)), abs=1e-7)
    assert not (np.asarray(points.Get(2)) == np.asarray(points.Get(1))).all()


@pytest.mark.parametrize("name, kind", [("cloth", "Mesh"), ("jelly", "Mesh"), ("torn", "Mesh"),
                                        ("lines", "BasisCurves"), ("waves", "Mesh")])
def test_meshes_move_and_tear(usd, rtsim, runs, name, kind):
    from pxr import UsdGeom

    stage, source = open_stage(convert(rtsim, runs, name, "usda")), Source(runs / name)
    for line in source.lines:
        at = line["frame"]
        for thing, f in source.objects(line):
            prim = stage.GetPrimAtPath(f"/scene/{thing}")
            assert prim.GetTypeName() == kind
            x = np.asarray(UsdGeom.PointBased(prim).GetPointsAttr().Get(at))
            v = np.asarray(UsdGeom.PointBased(prim).GetVelocitiesAttr().Get(at))
            assert v.shape == x.shape
            if at > 0:  # points keep their order, so between frames they are on their way
                points = UsdGeom.PointBased(prim).GetPointsAttr()
                assert np.asarray(points.Get(at - 0.5)) == pytest.approx((np.asarray(points.Get(at - 1)) + x) / 2)
            if kind == "BasisCurves":
                ends = f["VTKHDF/Connectivity"][...]
                assert (x == f["VTKHDF/Points"][...][ends]).all()
                counts = np.asarray(UsdGeom.BasisCurves(prim).GetCurveVertexCountsAttr().Get(at))
                assert (counts == 2).all() and 2 * len(counts) == len(x)
                continue
            mesh = UsdGeom.Mesh(prim)
            counts = np.asarray(mesh.GetFaceVertexCountsAttr().Get(at))
            corners = np.asarray(mesh.GetFaceVertexIndicesAttr().Get(at))
            assert mesh.GetSubdivisionSchemeAttr().Get() == "none"
            assert (counts == 3).all() and 3 * len(counts) == len(corners) and corners.max() < len(x)
            if f.attrs.get("cell_corners", 0) == 3:
                assert (corners == f["VTKHDF/Connectivity"][...]).all()
            if name != "waves":
                assert (x == f["VTKHDF/Points"][...]).all()


def test_bodies_are_transforms_of_one_shape_each(usd, rtsim, runs):
    from pxr import Usd, UsdGeom

    stage, source = open_stage(convert(rtsim, runs, "bodies", "usda")), Source(runs / "bodies")
    for line in source.lines:
        for name, f in source.objects(line):
            shown, whose = f["VTKHDF/Points"][...], f["VTKHDF/CellData/body"][...]
            triangles = f["VTKHDF/Connectivity"][...].reshape(-1, 3)
            for body in range(len(f["rtsim/position"])):
                prim = stage.GetPrimAtPath(f"/scene/{name}/body_{body}")
                matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(Usd.TimeCode(line["frame"])))
                mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/scene/{name}/body_{body}/shape"))
                x = np.asarray(mesh.GetPointsAttr().Get()) @ matrix[:3, :3] + matrix[3, :3]
                corners = np.asarray(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
                assert x[corners] == pytest.approx(shown[triangles[whose == body]], abs=2e-6 * np.abs(shown).max())


def test_grids_are_volumes_in_vdb_files(usd, rtsim, runs):
    from pxr import Usd

    folder = convert(rtsim, runs, "smoke", "usda")
    stage, source = open_stage(folder), Source(runs / "smoke")
    for name, f in source.objects(source.lines[0]):
        columns = list(f["VTKHDF/PointData"])
    volume = stage.GetPrimAtPath(f"/scene/{name}")
    assert volume.GetTypeName() == "Volume"
    for column in columns:
        (target,) = volume.GetRelationship(f"field:{column}").GetTargets()
        field = stage.GetPrimAtPath(target)
        assert field.GetTypeName() == "OpenVDBAsset" and field.GetAttribute("fieldName").Get() == column
    openvdb = pytest.importorskip("pyopenvdb", reason="no reader of OpenVDB")
    for line in source.lines:
        asset = field.GetAttribute("filePath").Get(Usd.TimeCode(line["frame"]))
        assert asset.resolvedPath and [g.name for g in openvdb.readAllGridMetadata(asset.resolvedPath)]


def test_the_scene_says_which_way_is_up_and_when(usd, rtsim):
    from pxr import UsdGeom

    rtsim.scene({"/dim": 3, "/gravity": [0, 0, -9.81], "/objects/0/fill/box": {"min": [0, 0, 0], "max": [.1, .1, .1]},
                 "/objects/1/shape/box": {"min": [0, 0, 0], "max": [.8, .8, .8]}})
    expect(rtsim("run", "pool/scene.json", "-o", "run"), DONE)
    expect(rtsim("convert", "run", "-o", "usd", "--to", "usda", "--columns", "velocity", "--frames", "1:3"), DONE)
    stage = open_stage(rtsim.folder / "usd")
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert stage.GetTimeCodesPerSecond() == pytest.approx(1000) and stage.GetStartTimeCode() == 1
    assert not stage.GetPrimAtPath("/scene/water").HasAttribute("primvars:density")


def test_without_the_library_its_text_says_the_same(rtsim, runs):
    """Whoever has no usd-core: the numbers of a frame stand in its file as they are in the run."""
    folder, source = convert(rtsim, runs, "plane", "usda"), Source(runs / "plane")
    text = (folder / "cache/water/water.000002.usda").read_text()
    samples = re.search(r"point3f\[\] points\.timeSamples = \{\s+2: \[(.*)\],\s+\}", text)[1]
    x = np.array(re.findall(r"\(([^,]+), ([^,]+), ([^)]+)\)", samples), dtype=np.float32)
    for _, f in source.objects(source.lines[2]):
        assert (x == f["VTKHDF/Points"][...]).all()
    files = json.loads((folder / "convert.json").read_text())["files"]
    assert {"cache/scene.usda", "cache/water/water.manifest.usda"} == {f["path"] for f in files}


def test_it_goes_on_where_it_was_cut_off(rtsim, runs):
    folder = convert(rtsim, runs, "water", "usda", "--frames", "0:4")
    whole = {p: p.read_bytes() for p in folder.rglob("*.usda")}
    (folder / "cache/water/water.000003.usda").unlink()
    (folder / "cache/scene.usda").unlink()
    convert(rtsim, runs, "water", "usda", "--frames", "0:4")
    assert {p: p.read_bytes() for p in folder.rglob("*.usda")} == whole


def test_names_that_would_become_one_are_refused(rtsim):
    water = {"kind": "particles", "spacing": 0.02, "fill": {"box": {"min": [0, 0], "max": [0.1, 0.1]}}}
    far = {**water, "fill": {"box": {"min": [1, 0], "max": [1.1, 0.1]}}}
    stages = [{"type": "wcsph", "name": f"s{k}", "fluid": name} for k, name in enumerate(("a-b", "a_b"))]
    rtsim.scene({"/objects": [{"name": "a-b", **water}, {"name": "a_b", **far}], "/stages": stages,
                 "/output": [{"object": "a-b"}, {"object": "a_b"}]})
    expect(rtsim("run", "pool/scene.json", "-o", "run"), DONE)
    before = rtsim.files()
    result = expect(rtsim("convert", "run", "-o", "usd", "--to", "usda"), BAD_INPUT)
    assert "'a-b' and 'a_b' would both be called a_b in USD" in result.stderr and rtsim.files() == before
