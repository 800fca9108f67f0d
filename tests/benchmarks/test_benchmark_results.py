"""The benchmarks report budgets that are exceeded and tables that disagree."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

WAY = {
    "total_s": 2.0,
    "spread_s": [1.5, 2.5],
    "seconds": {"import": 0.1, "discover": 0.0, "read": 2.0},
    "open_s": 0.1,
    "cpu_s": 3.0,
    "wall_s": 2.2,
    "peak_pss_bytes": 300_000_000,
    "version": None,
}
LOAD = {
    "trace": "big.json",
    "json_bytes": 200_000_000,
    "events": 600_000,
    "repeat": 3,
    "ways": {
        "nbprof": WAY,
        "nbprof, from the cache": {**WAY, "open_s": 0.4},
        "hta": {**WAY, "total_s": 30.0, "version": "0.5.0"},
    },
    "times_faster_than_hta": 15.0,
    "times_floor": 2.6,
    "peak_bytes_per_json_byte": 1.5,
    "gz_times_plain": None,
    "agreements": [],
}
FACTS = {
    "processor": "a processor",
    "cores": 2,
    "memory_bytes": None,
    "system": "Linux",
    "python": "3.11",
    "load": 0.1,
    "when": "2026-01-01",
    "version": "1",
}


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


@pytest.fixture
def results(benchmarks: None) -> ModuleType:
    from report import results

    return results


def test_budgets_say_what_is_kept_and_what_is_not(results: ModuleType) -> None:
    kept = {what: holds for what, _, _, holds in results.budgets({"load": [LOAD]})}
    assert [holds for what, holds in kept.items() if "HTA" in what] == [True]
    assert kept["the same, times reading and decoding alone"] is False
    assert kept["open it from the cache"] is False
    assert kept["peak memory, bytes a byte of JSON"] is True
    assert "packed file, times the plain one" not in kept


def test_the_slowest_table_and_the_slowest_view_are_held_to_the_budget(results: ModuleType) -> None:
    first = {
        "host_rows": 1_000_000,
        "kernels": 200_000,
        "derived_s": {"nesting": 0.5, "links": 0.6},
        "first_s": {"steps": 0.01, "kernels": 0.2},
        "budgets": {"derived": 1.5, "table": 0.15, "view": 0.1},
    }
    sort = {"filter": "name", "median_s": first["first_s"], "views_s": {"kernels": 0.09}}
    found = list(results.budgets({"filters": [first, sort]}))
    assert [holds for *_, holds in found] == [True, False, True]
    assert found[1][2] == "200 ms (kernels)"
    assert found[2][2] == "90 ms (kernels, name)"
    text = results.page({"filters": [first, sort]}, FACTS)
    assert "| name | 10.0 | 200.0 | 90 |" in text


def test_the_slowest_filter_on_screen_is_held_to_the_budget(results: ModuleType) -> None:
    limits = {"python_s": 0.04, "page_s": 0.1, "rest_s": 0.3}
    spent = {"python_s": 0.03, "page_s": 0.09, "rest_s": 0.2, "messages": 3, "bytes": 70_000}
    show = {"trace": "sample", "view": "overview", "click": "show", **spent, "rest_s": 2.0}
    step = {"trace": "sample", "view": "overview", "click": "step", **spent, "budgets": limits}
    name = {**step, "view": "kernels", "click": "name", "page_s": 0.12}
    records = {"interaction": [show, step, name]}
    found = {what: (value, holds) for what, _, value, holds in results.budgets(records)}
    assert found == {
        "sample, slowest filter: processor time of Python": ("30 ms (overview, step)", True),
        "sample, slowest filter: processor time of the page": ("120 ms (kernels, name)", False),
        "sample, slowest filter: until nothing moves": ("200 ms (overview, step)", True),
    }
    assert "| sample | overview | show | 30 | 90 | 2000 | 3 | 70 |" in results.page(records, FACTS)


def test_the_first_picture_and_frames_are_held_to_budgets(results: ModuleType) -> None:
    picture = {"own_s": 0.7, "whole_s": 1.6, "budgets": {"own_s": 0.8, "whole_s": 1.5}}
    times = {"median_ms": 8.0, "p95_ms": 12.0, "most_ms": 20.0, "raster_ms": 3.0}
    frame = {"zoom": "10 s", "ratio": 2, "in_budget": True, **times}
    records = {"first_picture": [picture], "draw": [frame]}
    assert [holds for *_, holds in results.budgets(records)] == [True, False, True]
    text = results.page(records, FACTS)
    assert "| 10 s | 2 | 8.00 | 12.00 | 20.00 | 3.00 |" in text
    assert "1.60 s with the imports" in text


def test_the_page_names_the_peers_and_says_that_the_machine_was_busy(results: ModuleType) -> None:
    text = results.page({"load": [LOAD]}, FACTS)
    assert "| HTA 0.5.0 | 30.00 | 1.50 to 2.50 | 15.00 | 2.20 | 3.0 | 300 |" in text
    assert "busy" not in text
    assert "2 GB" not in text
    assert "busy" in results.page({"load": [LOAD]}, {**FACTS, "load": 1.9})


def test_tables_that_differ_disagree_unless_it_is_known_why(benchmarks: None) -> None:
    from peers.agreement import compare

    same = compare("x", "t", "c", {"a": 1.0, "b": None}, {"a": 1.0 + 1e-9, "b": 0})
    assert same.holds
    assert (same.rows, same.equal) == (2, 2)
    other = compare("x", "t", "c", {"a": 1.0}, {"a": 1.1})
    assert not other.holds
    assert other.largest == pytest.approx(0.1 / 1.1)
    assert compare("x", "t", "c", {"a": 1.0}, {"a": 1.1}, reason="known").holds
    assert not compare("x", "t", "c", {"a": 1.0}, {"b": 1.0}).holds
    assert not compare("x", "t", "c", {}, {}).holds
    assert compare("x", "t", "c", {"a": 2.5}, {"a": 2}, within=0.5).holds
    assert not compare("x", "t", "c", {"a": 2.6}, {"a": 2}, within=0.5).holds


def test_our_worker_gives_its_tables_for_the_comparison(
    benchmarks: None, samples: Path, tmp_path: Path
) -> None:
    from peers.agreement import with_hta

    path = min((samples / "gpu_resnet_synthetic").glob("*.json.gz"))
    out = tmp_path / "tables.json"
    worker = ROOT / "benchmarks" / "peers" / "worker_nbprof.py"
    command = [sys.executable, str(worker), str(path), "--tables", str(out)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["total_s"] >= said["open_s"] > 0
    ours: dict[str, Any] = json.loads(out.read_text())
    device = ours["device_time"][0]
    theirs = {
        "temporal": [
            {
                "kernel_time(us)": device["total_us"],
                "idle_time(us)": device["idle_us"] + 1,
                "compute_time(us)": ours["computation_without_memsets_us"],
            }
        ],
        "kernels": [
            {
                "name": row["name"],
                "kernel_type": "COMPUTATION",
                "sum (us)": row["total_us"],
                "mean (us)": row["mean_us"],
                "max (us)": row["max_us"],
                "min (us)": row["min_us"],
            }
            for row in ours["kernels"]
        ],
        "launches": ours["launches"],
    }
    found = {a.column: a.holds for a in with_hta(ours, theirs) if len(ours["device_time"]) == 1}
    assert found.pop("idle_time") is False
    assert all(found.values())
