"""Curves of real runs, read by other people's readers."""
import json
import xml.etree.ElementTree as xml

import matplotlib.image
from conftest import BAD_INPUT, DONE, USAGE, expect


def test_curves_of_two_runs_as_svg_and_png(rtsim):
    rtsim.scene()
    for name in ("a", "b"):
        expect(rtsim("run", "pool/scene.json", "-o", name, "--quiet"), DONE)
    expect(rtsim("plot", "a", "b", "-o", "both.svg", "--series", "wcsph.water.*energy"), DONE)
    root = xml.parse(rtsim.folder / "both.svg").getroot()
    assert root.tag.endswith("svg") and root.attrib["width"].startswith("720")
    expect(rtsim("plot", "a/series.csv", "-o", "one.png", "--width", 800, "--height", 500), DONE)
    picture = matplotlib.image.imread(rtsim.folder / "one.png")
    assert picture.shape[:2] == (500, 800)
    # White paper, and lines in the first colour of the palette.
    assert (picture[0, 0, :3] == 1).all()
    blue = abs(picture[..., :3] - (0.0, 0.45, 0.70)).max(axis=-1) < 0.02
    assert blue.sum() > 200


def test_what_cannot_be_drawn_says_why(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "a", "--quiet"), DONE)
    assert ".svg or .png" in expect(rtsim("plot", "a", "-o", "a.pdf"), USAGE).stderr
    told = expect(rtsim("plot", "a", "-o", "a.png", "--series", "heat"), BAD_INPUT).stderr
    assert "fits heat" in told and "wcsph.water.kinetic_energy" in told
    told = expect(rtsim("plot", "a", "-o", "a.png", "--series", "total.mas"), BAD_INPUT).stderr
    assert 'did you mean "total.mass"?' in told
    assert "nowhere: no such run" in expect(rtsim("plot", "nowhere", "-o", "a.png"), BAD_INPUT).stderr
    assert "series.csv" in expect(rtsim("plot", "pool", "-o", "a.png"), BAD_INPUT).stderr
    assert not (rtsim.folder / "a.png").exists()


def test_json_tells_what_was_written(rtsim):
    rtsim.scene()
    expect(rtsim("run", "pool/scene.json", "-o", "a", "--quiet"), DONE)
    told = json.loads(expect(rtsim("plot", "a", "-o", "a.svg", "--series", "total.*energy", "--json"), DONE).stdout)
    drawn = rtsim.folder / "a.svg"
    assert told["output"] == "a.svg" and told["files"] == 1 and told["bytes"] == drawn.stat().st_size
    assert told["seconds"] > 0 and told["warnings"] == []
    root = xml.parse(drawn).getroot()
    assert [root.attrib[k].removesuffix("pt") for k in ("width", "height")] == [str(told[k]) for k in ("width", "height")]
    assert len(told["panels"]) == 1 and told["panels"][0]["curves"] >= 2 and told["panels"][0]["title"]
