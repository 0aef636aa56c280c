"""The HTML page of a run: read by a parser that is not ours, and held against the run."""
import base64
import html.parser
import io
import json
import re

import matplotlib.image
import numpy as np
import pytest
from conftest import BAD_INPUT, DONE, SOURCE, USAGE, expect

NEED_NO_END = {"meta", "img", "br", "link", "input"}


class Page(html.parser.HTMLParser):
    """Text by section, pictures, and what would be fetched from elsewhere."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.sections, self.images, self.elsewhere, self.tags = [], {}, [], [], []
        self.heading, self.ids = "", []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for key, value in attributes:
            if key == "id":
                self.ids.append(value)
            if key in ("src", "href", "xlink:href", "data", "action") and not value.startswith(("data:", "#")):
                self.elsewhere.append(value)
        if tag == "img":
            self.images.append(dict(attributes)["src"])
        if tag not in NEED_NO_END:
            self.open.append(tag)
        if tag == "h2":
            self.heading = ""

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in NEED_NO_END:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] == "h2":
            self.heading += text
        else:
            self.sections[self.heading] = self.sections.get(self.heading, "") + text


def report(rtsim, *options):
    expect(rtsim("report", "run", "-o", "r.html", *options), DONE)
    return Page((rtsim.folder / "r.html").read_text(encoding="utf-8"))


def simulate(rtsim, changes=(), *options):
    rtsim.scene(changes)
    expect(rtsim("run", "pool/scene.json", "-o", "run", "--quiet", *options), DONE)


def test_a_page_holds_all_of_a_run_and_asks_for_nothing_else(rtsim):
    expectation = {"value": "total.mass", "at": "final", "equals": 160, "rel": 0.5, "source": "area < by > density"}
    simulate(rtsim, {}, "--profile")
    page = report(rtsim, "--pictures", 3)
    assert page.elsewhere == [] and "script" not in page.tags and "link" not in page.tags
    assert list(page.sections)[1:] == ["Pictures", "Curves", "Series", "Timings", "Provenance", "Scene"]
    assert len(page.ids) == len(set(page.ids))  # two drawings with one name for two letters show the wrong one
    manifest = rtsim.manifest("run")
    assert manifest["identity"] in page.sections["Provenance"]
    assert "done, exit code 0; 3 frames" in page.sections[""]
    assert "wcsph.water.kinetic_energy" in page.sections["Series"]
    assert "steps a second" in page.sections["Timings"] and "launches" in page.sections["Timings"]
    assert json.loads(page.sections["Scene"].split("default", 1)[1])["stages"]
    assert "svg" in page.tags


def test_its_pictures_are_those_of_render(rtsim):
    simulate(rtsim)
    page = report(rtsim, "--pictures", 1)
    expect(rtsim("render", "run", "-o", "a.png", "--width", 480, "--height", 360), DONE)
    bytes_of = base64.b64decode(page.images[0].removeprefix("data:image/png;base64,"), validate=True)
    assert bytes_of == (rtsim.folder / "a.png").read_bytes()
    assert matplotlib.image.imread(io.BytesIO(bytes_of)).shape[:2] == (360, 480)


def test_what_was_typed_is_shown_and_not_obeyed(rtsim):
    rtsim.scene(name="<b>&amp;/<script>alert(1)<script>.json")
    expect(rtsim("run", "<b>&amp;/<script>alert(1)<script>.json", "-o", "run", "--quiet"), DONE)
    page = report(rtsim, "--pictures", 0)
    assert "script" not in page.tags and "b" not in page.tags
    assert "<script>alert(1)<script>.json" in page.sections[""]
    assert "/<b>&amp;/" in page.sections["Provenance"]


def test_expectations_and_warnings_are_told(rtsim):
    rtsim.scene({"/expect": [{"value": "total.mass", "at": "final", "equals": 1, "rel": 0.1, "source": "a wrong guess"}]})
    rtsim("run", "pool/scene.json", "-o", "run", "--quiet", "--expect")
    page = report(rtsim, "--pictures", 0)
    assert "fails" in page.sections["Expectations"] and "a wrong guess" in page.sections["Expectations"]


def test_a_run_that_has_hardly_begun_has_a_page_too(rtsim):
    simulate(rtsim)
    for name in ("series.csv", "frames.jsonl", "scene.resolved.json", "log.jsonl"):
        (rtsim.folder / "run" / name).unlink()
    page = report(rtsim)
    assert list(page.sections)[1:] == ["Timings", "Provenance"]


def test_where_nothing_is_seen_yet_only_the_pictures_are_missing(rtsim):
    late = json.loads("\n".join(line for line in (SOURCE / "configs/emit/tiny.json").read_text().splitlines()
                                if "//" not in line))
    late["stages"][0]["schedule"] = [{"start": 1}]  # [s], after the end
    rtsim.write("late.json", json.dumps(late))
    expect(rtsim("run", "late.json", "-o", "run", "--quiet"), DONE)
    assert "Pictures" not in report(rtsim).sections
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "late.json", "axes": [
        {"set": "/stages/0/schedule/0/start", "values": [0, 1]}]}))
    expect(rtsim("sweep", "sweep.json", "-o", "out", "--quiet"), DONE)
    expect(rtsim("report", "out", "-o", "r.html"), DONE)
    assert len(Page((rtsim.folder / "r.html").read_text()).images) == 1


def test_what_cannot_be_reported_says_why(rtsim):
    assert "no run" in expect(rtsim("report", ".", "-o", "r.html"), BAD_INPUT).stderr
    simulate(rtsim)
    assert ".html" in expect(rtsim("report", "run", "-o", "r.pdf"), USAGE).stderr
    assert not (rtsim.folder / "r.pdf").exists()


def test_a_sweep_has_a_page_with_a_row_a_case(rtsim):
    rtsim.scene()
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "pool/scene.json", "axes": [
        {"set": "/stages/0/kinematic_viscosity", "values": [1e-6, 1e-3]}]}))
    expect(rtsim("sweep", "sweep.json", "-o", "out", "--quiet"), DONE)
    expect(rtsim("report", "out", "-o", "r.html", "--pictures", 1), DONE)
    page = Page((rtsim.folder / "r.html").read_text())
    assert list(page.sections)[1:] == ["Cases", "Pictures", "Curves", "Timings", "Provenance"]
    assert page.elsewhere == [] and len(page.images) == 1 and "2 cases, 2 done" in page.sections[""]
    assert "kinematic_viscosity" in page.sections["Cases"] and "total.kinetic_energy" in page.sections["Cases"]
    assert "pool/scene.json" in page.sections["Provenance"]


def test_a_sweep_of_which_a_case_failed_says_which_and_why(rtsim):
    rtsim.scene()
    rtsim.write("sweep.json", json.dumps({"rtsim_sweep": 1, "scene": "pool/scene.json", "axes": [
        {"set": "/time/dt", "values": [1e-4, 1e6]}]}))
    rtsim("sweep", "sweep.json", "-o", "out", "--quiet")
    expect(rtsim("report", "out", "-o", "r.html", "--pictures", 0), DONE)
    page = Page((rtsim.folder / "r.html").read_text())
    assert "1 diverged" in page.sections[""]
    assert "energy grew by" in page.sections["Failures"]


def test_json_tells_what_was_written_and_warned_of(rtsim):
    simulate(rtsim)
    told = json.loads(expect(rtsim("report", "run", "-o", "r.html", "--json"), DONE).stdout)
    assert told["output"] == "r.html" and told["files"] == 1 and told["of"] == "run"
    assert told["bytes"] == (rtsim.folder / "r.html").stat().st_size
    assert told["seconds"] > 0 and told["warnings"] == []
    with (rtsim.folder / "run/log.jsonl").open("a") as log:
        log.write(json.dumps({"event": "warning", "message": "it foams"}) + "\n")
    told = json.loads(expect(rtsim("report", "run", "-o", "r.html", "--json"), DONE).stdout)
    assert told["warnings"] == ["it foams"]
