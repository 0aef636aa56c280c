"""The CUDA form of every kernel on the device that is not there (the build with RTSIM_SIMT): what each
stage's tiny scenes, and those in scenes/ with options that they leave out, give there and on the CPU,
in two orders of threads, and resumed; how many launches and downloads a step takes; which launches no
scene reaches; and mistakes on purpose, all of them seen."""
import concurrent.futures
import csv
import filecmp
import functools
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

import labels
from conftest import BAD_INPUT, RTSIM, SOURCE, part_of

FAULT = 86
ORDERS = ("forward", "backward", "shuffled")
RUN_ORDERS = ("forward", "shuffled")  # races are seen in any; two are to give the same bytes
KINDS = ("cpu", *RUN_ORDERS, "half")
HERE = pathlib.Path(__file__).parent
ALL_SCENES = sorted(SOURCE.glob("configs/*/tiny*.json")) + sorted(HERE.glob("scenes/*.json"))
SCENES = part_of(ALL_SCENES)
TABLE = HERE / "launches.json"


def name_of(scene):
    return f"{scene.parent.name}/{scene.stem}" if scene.stem != "tiny" else scene.parent.name


class Runs:
    """Every scene on the CPU, in two orders of threads, over half the time, and resumed from there."""

    def __init__(self, folder):
        self.folder = folder
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [(s, k) for s in SCENES for k in KINDS]
            self.done = dict(zip(jobs, pool.map(lambda job: self.run(*job), jobs)))
            jobs = [(s, "resumed") for s in SCENES]
            self.done |= zip(jobs, pool.map(lambda job: self.resume(job[0]), jobs))

    def path(self, scene, kind):
        return self.folder / f"{scene.parent.name}-{scene.stem}-{kind}"

    def run(self, scene, kind):
        frames = json_frames(scene) // 2 if kind == "half" else json_frames(scene)
        return self.rtsim(scene, kind, frames, "run", scene, "-o", self.path(scene, kind),
                          "--set", "/series_every=1")

    def resume(self, scene):
        folder = self.path(scene, "resumed")
        if self.path(scene, "half").exists():  # it does not where a scene is wrong
            shutil.copytree(self.path(scene, "half"), folder)
        return self.rtsim(scene, "resumed", json_frames(scene), "resume", folder)

    def rtsim(self, scene, kind, frames, *command):
        device = "cpu" if kind == "cpu" else "cuda"
        order = kind if kind in ORDERS else "forward"
        counts = self.path(scene, kind).with_suffix(".counts")
        return subprocess.run(
            [RTSIM, *command, "--device", device, "--quiet", "--threads", "1", "--set", f"/time/frames={frames}"],
            capture_output=True, text=True, timeout=300,
            env={**os.environ, "RTSIM_SIMT_ORDER": order, "RTSIM_SIMT_COUNTS": str(counts)})

    def counts(self, scene, kind):
        return json.loads(self.path(scene, kind).with_suffix(".counts").read_text())

    def series(self, scene, kind):
        (file,) = self.path(scene, kind).glob("series*.csv")
        with open(file) as f:
            return list(csv.DictReader(f))


def json_frames(scene):
    return plain(scene)["time"]["frames"]


@functools.cache
def plain(scene):
    """A scene without its comments."""
    lines = [line.partition("//")[0] for line in scene.read_text().splitlines()]
    return json.loads("\n".join(lines))


@pytest.fixture(scope="session")
def runs():
    with tempfile.TemporaryDirectory() as folder:
        yield Runs(pathlib.Path(folder))


each_scene = pytest.mark.parametrize("scene", SCENES, ids=name_of)


@each_scene
def test_a_scene_runs_without_a_fault_in_every_order(runs, scene):
    for kind in (*KINDS, "resumed"):
        done = runs.done[scene, kind]
        assert done.returncode == 0, f"{kind}: {done.stderr[:3000]}"


# Sums in another order; ten steps let the difference grow a hundredfold, as in the contract "CPU and
# CUDA agree", whose bounds these are.
@each_scene
def test_the_device_and_the_cpu_agree(runs, scene):
    ours, theirs = (runs.series(scene, kind)[-1] for kind in ("cpu", "forward"))
    assert ours.keys() == theirs.keys()
    for name in ours:
        if "iterations" in name or "residual" in name or "momentum" in name:
            continue  # one more or less is no difference; what cancels is rounding of its parts
        a, b = float(ours[name]), float(theirs[name])
        assert math.isclose(a, b, rel_tol=1e-3, abs_tol=max(1e-5, 1e-3 * whole_of(ours, name))), (name, a, b)


def whole_of(series, name):
    """Of a component of a force the largest of its three: across it what surfaces bear cancels. Of what is lost of
    the energy that itself, of which it is a difference."""
    if name == "total.lost_energy [J]":
        return abs(float(series["total.kinetic_energy [J]"]))
    for kind in (".pull.", ".force."):
        who, found, _ = name.partition(kind)
        names = [f"{who}{kind}{axis} [N]" for axis in "xyz"]
        if found and all(n in series for n in names):
            return max(abs(float(series[n])) for n in names)
    return 0


@each_scene
@pytest.mark.parametrize("kind", ["shuffled", "resumed"])
def test_neither_the_order_of_threads_nor_a_pause_changes_a_byte(runs, scene, kind):
    one = runs.path(scene, "forward")
    files = [f.relative_to(one) for folder in ("cache", "checkpoints") for f in (one / folder).rglob("*") if f.is_file()]
    files += [f.relative_to(one) for f in one.glob("series*.csv")]
    assert len(files) > 1
    for file in files:
        assert filecmp.cmp(one / file, runs.path(scene, kind) / file, shallow=False), file


def per_step(runs, scene):
    """Over the steps of the second half, with series at every step and the scene's frames."""
    half, whole = runs.counts(scene, "half"), runs.counts(scene, "forward")
    steps = (json_frames(scene) - json_frames(scene) // 2) * plain(scene)["time"].get("steps_per_frame", 1)

    def difference(of):
        return round((of(whole) - of(half)) / steps, 1)
    return {"launches": difference(lambda c: sum(c["launches"].values())),
            "downloads": difference(lambda c: c["downloads"]["number"]),
            "uploads": difference(lambda c: c["uploads"]["number"])}


@pytest.fixture(scope="session")
def table(runs):
    """launches.json; RTSIM_SIMT_UPDATE=1, which scripts/simt --update sets, writes what these scenes take."""
    if os.environ.get("RTSIM_SIMT_UPDATE"):
        known = json.loads(TABLE.read_text()) | {name_of(s): per_step(runs, s) for s in SCENES}
        rows = ",\n".join(f'  "{n}": {json.dumps(known[n])}' for n in map(name_of, ALL_SCENES) if n in known)
        TABLE.write_text("{\n" + rows + "\n}\n")
    return json.loads(TABLE.read_text())


# A launch costs a card some 3 us and a download some 10, whatever the size: these may only fall.
@each_scene
def test_a_step_takes_no_more_launches_and_copies_than_it_did(runs, scene, table):
    for what, number in per_step(runs, scene).items():
        assert number <= table[name_of(scene)][what], f"{what} a step; fewer go into {TABLE.name}"


def test_launches_that_no_scene_reaches_are_known(runs, capsys):
    if SCENES != ALL_SCENES:
        pytest.skip("a part of the scenes, RTSIM_PART")
    reached = {label for s in SCENES for k in ("forward", "resumed") for label in runs.counts(s, k)["launches"]}
    every = labels.in_source(SOURCE)
    missing = sorted(set(every) - reached)
    file = HERE / "not_reached.txt"
    if os.environ.get("RTSIM_SIMT_UPDATE"):
        file.write_text("".join(f"{m}\n" for m in missing))
    known = file.read_text().split("\n")[:-1]
    with capsys.disabled():
        print(f"\nlaunches reached: {len(every) - len(missing)} of {len(every)} labels; not: {', '.join(missing)}")
    assert sorted(reached - set(every)) == [], "labels that tests/simt/labels.py does not find"
    assert missing == known, "what is reached now, or is new and not: scripts/simt --update"


SEEN = {
    "host_pointer": "reads memory of the host",
    "hidden_pointer": "reads memory of the host",
    "host_reads": "the host touched the device's memory",
    "host_writes": "the host touched the device's memory",
    "neighbour": "a race",
    "lost_update": "a race",
    "last_writer": "a race: two threads of a launch write different values",
    "writes_past_end": "writes outside of arrays",
    "reads_past_end": "reads outside of arrays",
    "freed": "reads outside of arrays",
    "download_too_long": "download of 8 bytes from the device's memory, over an array's end",
    "download_from_host": "download of 4 bytes from the host's memory",
    "upload_to_host": "upload of 4 bytes to the host's memory",
    "upload_from_device": "upload of 4 bytes from the device's memory",
    "zeroes_too_much": "zeroes the device's memory, over an array's end",
}


def control(name, order="forward"):
    return subprocess.run([pathlib.Path(RTSIM).parent / "simt_control", name], capture_output=True, text=True,
                          timeout=60, env={**os.environ, "RTSIM_SIMT_ORDER": order})


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mistake", SEEN)
def test_a_mistake_on_purpose_is_seen(mistake, order):
    done = control(mistake, order)
    assert done.returncode == FAULT and SEEN[mistake] in done.stderr, done


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["right", "unwritten"])
def test_what_is_right_is_let_be_and_what_was_not_written_is_no_number(name, order):
    done = control(name, order)
    assert done.returncode == 0, done


def test_a_profile_has_the_launches_of_a_device_with_times_of_its_own(tmp_path):
    scene = SOURCE / "configs/smoke/tiny.json"
    done = subprocess.run([RTSIM, "run", scene, "-o", tmp_path / "run", "--device", "cuda", "--quiet", "--profile"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "run/profile.json").read_text())["labels"]
    events = json.loads((tmp_path / "run/trace.json").read_text())["traceEvents"]
    assert len(events) == sum(r["launches"] for r in rows) > 1000
    starts = [e["ts"] for e in events]
    assert starts == sorted(starts) and all(e["dur"] >= 0 for e in events)


def test_scripts_for_the_day_a_card_is_there_work_without_one(tmp_path):
    folder = tmp_path / "pack"
    build = pathlib.Path(RTSIM).parents[1]
    subprocess.run([SOURCE / "scripts/device_pack", folder, "--build", build], check=True, timeout=60)
    assert sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) < 60e6
    done = subprocess.run([folder / "device_check", "--scenes", "smoke,wcsph", "--no-bench", "--report",
                           tmp_path / "check.json"], capture_output=True, text=True, timeout=300,
                          env={k: v for k, v in os.environ.items() if k != "RTSIM"})
    assert done.returncode == 0 and "FAIL" not in done.stdout, done
    assert "smoke/tiny" in json.loads((tmp_path / "check.json").read_text())["checks"]


def test_a_scene_too_large_for_the_device_is_refused_before_it_is_built():
    scene = SOURCE / "configs/smoke/tiny.json"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([RTSIM, "run", scene, "-o", f"{folder}/run", "--device", "cuda", "--set",
                               "/objects/0/spacing=0.02"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "RTSIM_SIMT_MEMORY": "1"})
    assert done.returncode == BAD_INPUT and "the device has 0.00105 GB" in done.stderr, done
