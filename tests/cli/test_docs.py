"""What the repository says of the program is what the program says."""
import json
import re

import pytest
from conftest import SOURCE

PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]


def test_the_manual_is_the_programs_own(rtsim):
    written = (SOURCE / "docs/manual.md").read_text()
    assert written == rtsim("manual").stdout, "docs/manual.md is old: rtsim manual > docs/manual.md"


def test_the_readme_lists_every_stage_with_its_limits(rtsim):
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", (SOURCE / "README.md").read_text(), re.M)
    stages = json.loads(rtsim("list", "--json").stdout)
    assert dict(rows) == {s["name"]: " ".join(s["limits"]) for s in stages}


def test_every_stage_is_on_the_page_that_it_names(rtsim):
    readme = (SOURCE / "README.md").read_text()
    for stage in json.loads(rtsim("list", "--json").stdout):
        assert f"]({stage['page']})" in readme
        page = (SOURCE / stage["page"]).read_text()
        assert f"| `{stage['name']}` |" in page, f"{stage['page']} has no row on {stage['name']}"
        assert "\n## Limits" in page


def anchors(page):
    """As Markdown makes them of headings."""
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith("http"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
