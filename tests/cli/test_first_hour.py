"""docs/first_hour.md as a newcomer follows it: each of its commands, but for the long run."""
import re
import shlex
import shutil

from conftest import DIFFERENT, DONE, SOURCE, expect

PAGE = (SOURCE / "docs/first_hour.md").read_text()


def test_every_command_of_the_first_hour_does_what_the_page_says(rtsim):
    shutil.copytree(SOURCE / "configs/wcsph", rtsim.folder / "configs/wcsph")  # others: the shipped ones
    rtsim.write("viscosity.json", re.search(r"^    \{ \"rtsim_sweep.*?\] \}$", PAGE, re.M | re.S)[0])
    for line in re.findall(r"^    rtsim (.*)$", PAGE, re.M):
        if "runs/long" in line:
            continue
        args = shlex.split(line)
        if args[0] in ("run", "branch"):  # a shorter one says the same
            args = [a.replace("frames=10", "frames=2").replace("frames=11", "frames=3")
                    .replace("frames=25", "frames=2") for a in args]
        if args[:2] == ["sweep", "viscosity.json"]:
            text = (rtsim.folder / "viscosity.json").read_text().replace("[5]", "[1]")
            (rtsim.folder / "viscosity.json").write_text(text)
        expect(rtsim(*args), DIFFERENT if args[0] == "compare" else DONE)
    for name in ("dam.png", "dam.svg", "dam.html", "dam_vdb", "runs/branch", "mine.json", "viscosity.csv",
                 "viscosity.svg", "viscosity.html"):
        assert (rtsim.folder / name).exists(), name
