"""Compares real runs: equal ones, others, and those of a chaotic ensemble."""
import getpass
import json

from conftest import BAD_INPUT, DIFFERENT, DONE, USAGE, expect


def run(rtsim, folder, *options):
    if not (rtsim.folder / "pool/scene.json").exists():
        rtsim.scene()
    return expect(rtsim("run", "pool/scene.json", "-o", folder, "--quiet", *options), DONE)


def test_one_scene_on_other_threads_is_equal(rtsim):
    run(rtsim, "a", "--threads", 1)
    run(rtsim, "b", "--threads", 2)
    result = expect(rtsim("compare", "a", "b"), DONE)
    assert "no difference" in result.stdout
    assert "3 files alike to the byte" in result.stdout


def test_other_runs_differ_by_name_and_place(rtsim):
    run(rtsim, "a")
    run(rtsim, "b", "--set", "/stages/0/kinematic_viscosity=1e-3")
    result = expect(rtsim("compare", "a", "b", "--json"), DIFFERENT)
    report = json.loads(result.stdout)
    energy = next(s for s in report["series"] if s["name"] == "wcsph.water.kinetic_energy")
    assert energy["unit"] == "J" and energy["first"]["where"].startswith("step 2, t = ")
    velocity = next(c for c in report["columns"] if c["name"] == "water.velocity")
    assert velocity["first"]["where"].startswith("frame 1, id ")
    expect(rtsim("compare", "a", "b", "--rtol", 10, "--atol", 1e9), DONE)
    expect(rtsim("compare", "a", "b", "--only", "series", "--series", "*.masss"), BAD_INPUT)
    assert "none of the frames" in expect(rtsim("compare", "a", "b", "--frames", 90), BAD_INPUT).stderr
    expect(rtsim("compare", "a", "b", "--only", "series", "--series", "total.*", "--tol", "total.*=abs:10"), DONE)


def test_numbers_that_differ_are_printed_with_the_digits_that_do(rtsim):
    table = "step,time [s],a.b.mass [kg]\n0,0,{}\n1,0.1,{}\n"
    rtsim.write("a.csv", table.format(1, 0.1))
    rtsim.write("b.csv", table.format(1.5, 0.10000000000000002))
    told = expect(rtsim("compare", "a.csv", "b.csv"), DIFFERENT).stdout
    assert "1 and 1.5, " in told
    rtsim.write("b.csv", table.format(1, 0.10000000000000002))
    told = expect(rtsim("compare", "a.csv", "b.csv"), DIFFERENT).stdout
    assert "0.1 and 0.10000000000000002, " in told or "0.10000000000000001 and 0.10000000000000002, " in told


def test_a_baseline_names_who_made_it_also_without_an_environment(rtsim):
    run(rtsim, "a")
    expect(rtsim("compare", "base", "a", "--update", "--why", "first", env={"USER": ""}), DONE)
    records = [file.read_text() for file in (rtsim.folder / "base").glob("*.jsonl")]
    assert any(f'"who":"{getpass.getuser()}"' in text for text in records)


def test_a_baseline_is_updated_only_with_a_reason(rtsim):
    run(rtsim, "a")
    run(rtsim, "b", "--set", "/stages/0/kinematic_viscosity=1e-3")
    result = expect(rtsim("compare", "base", "a", "--update"), USAGE)
    assert "--why" in result.stderr
    expect(rtsim("compare", "base", "a", "--update", "--why", "first"), DONE)
    expect(rtsim("compare", "base", "b"), DIFFERENT)
    expect(rtsim("compare", "base", "b", "--update", "--why", "thicker"), DONE)
    expect(rtsim("compare", "base", "b"), DONE)
    expect(rtsim("verify", "base"), DONE)
    records = [json.loads(line) for line in (rtsim.folder / "base/baseline.jsonl").read_text().splitlines()]
    assert [r["why"] for r in records] == ["first", "thicker"]
    assert "total.kinetic_energy" in records[1]["differed"]


def test_a_band_takes_one_more_of_the_same_kind_and_nothing_else(rtsim):
    for k in range(4):
        run(rtsim, f"ensemble/{k}", "--set", f"/gravity=[0, {-9.81 - 0.01 * k}]")
    run(rtsim, "near", "--set", "/gravity=[0, -9.825]")
    run(rtsim, "far", "--set", "/gravity=[0, -12]")
    names = ("--series", "wcsph.water.potential_energy,wcsph.water.kinetic_energy")
    expect(rtsim("compare", "ensemble", "near", "--band", 3, *names), DONE)
    expect(rtsim("compare", "ensemble", "far", "--band", 3, *names), DIFFERENT)


def test_what_is_no_run_says_so(rtsim):
    run(rtsim, "a")
    for other in ("none", "pool"):
        result = expect(rtsim("compare", "a", other), BAD_INPUT)
        assert other in result.stderr
    expect(rtsim("compare", "a"), USAGE)


def test_a_run_that_is_late_is_warped_back(rtsim):
    run(rtsim, "a")
    head, *rows = (rtsim.folder / "a/series.csv").read_text().splitlines()
    step = float(rows[2].split(",")[1]) - float(rows[1].split(",")[1])
    late = [f"{k},{float(row.split(',')[1]) + step!r},{row.split(',', 2)[2]}" for k, row in enumerate(rows, 1)]
    first = rows[0]  # what was there at the start stays a step longer
    (rtsim.folder / "late.csv").write_text("\n".join([head, first, *late]) + "\n")
    expect(rtsim("compare", "a/series.csv", "late.csv"), DIFFERENT)
    expect(rtsim("compare", "a/series.csv", "late.csv", "--warp", 1.01 * step), DONE)
    result = expect(rtsim("compare", "a/series.csv", "late.csv", "--warp", 1, "--band", 3), USAGE)
    assert "--warp" in result.stderr
