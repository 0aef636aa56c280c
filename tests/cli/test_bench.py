"""What bench measures."""
import json

import pytest
from conftest import DONE, USAGE, expect


def test_bench_times_a_case_and_the_machine(rtsim):
    rtsim.scene()
    rtsim.write("bench.json", json.dumps({
        "scene": "pool/scene.json", "steps": 3, "warmup": 1,
        "cases": [{"name": "small"}, {"name": "large", "set": ["/objects/0/spacing=0.01"]}]}))
    out = expect(rtsim("bench", "bench.json", "--threads", "1,2", "--json", "-o", "bench-out.json"), DONE).stdout
    j = json.loads(out)
    assert json.loads((rtsim.folder / "bench-out.json").read_text()) == j
    assert [(r["case"], r["threads"], r["rows"]) for r in j["results"]] == [
        ("bench/small", 1, 400), ("bench/small", 2, 400), ("bench/large", 1, 1600), ("bench/large", 2, 1600)]
    for r in j["results"]:
        assert r["ns_per_row_step"] * r["million_rows_per_second"] == pytest.approx(1000)
        assert 0 < r["neighbour_share"] < 1
        assert r["bytes_per_row"] > 0
        assert sum(l["share"] for l in r["labels"]) == pytest.approx(1)
    assert [m["threads"] for m in j["machine"]] == [1, 2]
    assert all(m["triad_gb_per_second"] > 0.1 and m["empty_launch_us"] > 0 for m in j["machine"])
    table = expect(rtsim("bench", "bench.json", "--threads", "1"), DONE).stdout
    assert "empty launch" in table and "bench/large" in table


def test_bench_knows_the_cases_of_the_repository(rtsim):
    err = expect(rtsim("bench", "wcsp"), USAGE).stderr
    assert 'did you mean "wcsph"?' in err and "wcsph/100k" in err


def test_bench_times_the_writers_beside_a_plain_write(rtsim):
    result = rtsim("bench", "writers", "--threads", "1", "--json")
    assert result.returncode == 0, result.stderr
    writers = {w["writer"]: w for w in json.loads(result.stdout)["writers"]}
    assert set(writers) == {"plain", "hdf5", "vdb"}
    assert all(w["megabytes_per_second"] > 0 for w in writers.values())
    assert writers["hdf5"]["file_megabytes"] < writers["plain"]["file_megabytes"]
