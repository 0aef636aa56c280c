"""What the repository says of the program is what the program says."""
from conftest import SOURCE


def test_the_manual_is_the_programs_own(rtsim):
    written = (SOURCE / "docs/manual.md").read_text()
    assert written == rtsim("manual").stdout, "docs/manual.md is old: rtsim manual > docs/manual.md"


def test_the_readme_lists_every_stage(rtsim):
    readme = (SOURCE / "README.md").read_text()
    for line in rtsim("list").stdout.splitlines():
        assert f"`{line.split()[0]}`" in readme
