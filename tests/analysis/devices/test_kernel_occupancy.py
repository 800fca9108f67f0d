"""Recorded zeros of the occupancy: kept where possible, otherwise computed, otherwise unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.export.summary_tables import Summary
from tests.support.summaries import summary_html, trace_text
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof import Trace

H200 = {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "numSms": 132}
#: 12 warps on each of 132 multiprocessors, of at most 64: 18.75 %.
GEMM = {
    "grid": [132, 1, 1], "block": [384, 1, 1], "registers per thread": 168,
    "shared memory": 213188, "blocks per SM": 1.0, "warps per SM": 12.0,
    "est. achieved occupancy %": 0,
}  # fmt: skip
SMALL = {**GEMM, "grid": [1, 1, 1], "blocks per SM": 1 / 132, "warps per SM": 12 / 132}


def open_kernels(
    folder: Path, *launches: dict[str, Any], device: dict[str, Any] | None = H200
) -> Trace:
    """Return a trace of kernels of 10 µs, one after the other."""
    events = [op("aten::mm", 0, 1000)]
    events += [kernel(f"k{at}", 100 * at, 10, **args) for at, args in enumerate(launches, 1)]
    header = {"deviceProperties": [device] if device else []}
    path = write(folder / "w.pt.trace.json", events, **header)
    return nbprof.load(path, progress=False).trace()


def figures(trace: Trace) -> tuple[list[float | None], float | None, float | None]:
    """Return the occupancy of each kernel, and the mean and unknown share of the device."""
    (row,) = trace.device_summary().to_pylist()
    single = trace.kernels(group_by="launch")["occupancy_pct"].to_pylist()
    return single, row["occupancy_pct"], row["occupancy_unknown_pct"]


def counted(trace: Trace) -> dict[str, int]:
    rows = trace.warnings().to_pylist()
    return {row["kind"]: row["count"] for row in rows if "occupancy" in row["kind"]}


def test_an_impossible_zero_is_computed_and_counted(tmp_path: Path) -> None:
    trace = open_kernels(tmp_path, GEMM, {**GEMM, "est. achieved occupancy %": 50}, GEMM)
    assert figures(trace) == ([18.75, 50, 18.75], pytest.approx(87.5 / 3), 0)
    assert counted(trace) == {"occupancy of 0 computed": 2}
    kernels = {row["name"]: row["mean_occupancy_pct"] for row in trace.kernels().to_pylist()}
    assert kernels == {"k1": 18.75, "k2": 50, "k3": 18.75}


def test_the_grid_can_be_the_limit(tmp_path: Path) -> None:
    half = {**GEMM, "grid": [66, 1, 1], "blocks per SM": 0.5, "warps per SM": 6.0}
    assert figures(open_kernels(tmp_path, half))[0] == [9.375]


def test_a_zero_that_is_rounded_stays(tmp_path: Path) -> None:
    trace = open_kernels(tmp_path, SMALL)
    assert figures(trace) == ([0], 0, 0)
    assert counted(trace) == {}


def test_a_possible_value_stays(tmp_path: Path) -> None:
    trace = open_kernels(tmp_path, {**GEMM, "est. achieved occupancy %": 7})
    assert figures(trace) == ([7], 7, 0)


UNKNOWN_DEVICES = (
    None,
    {**H200, "computeMajor": 42},
    {**H200, "name": "AMD Instinct MI210"},
)


@pytest.mark.parametrize("device", UNKNOWN_DEVICES)
def test_without_a_known_capability_it_is_unknown(
    tmp_path: Path, device: dict[str, Any] | None
) -> None:
    trace = open_kernels(tmp_path, GEMM, device=device)
    assert figures(trace) == ([None], None, 100)
    assert counted(trace) == {"occupancy of 0 unknown": 1}
    assert "occupancy unknown 100.0 %" in trace_text(trace)
    assert "(unknown 100.0 %)" in summary_html(Summary(trace))


@pytest.mark.parametrize("missing", ["registers per thread", "block"])
def test_without_the_launch_it_is_unknown(tmp_path: Path, missing: str) -> None:
    launch = {key: value for key, value in GEMM.items() if key != missing}
    trace = open_kernels(tmp_path, launch, {**GEMM, "est. achieved occupancy %": 30})
    assert figures(trace) == ([None, 30], 30, 50)


@pytest.mark.parametrize(
    ("left_out", "wanted"),
    [
        # blocks of twelve warps tell as much
        ({"warps per SM"}, 18.75),
        # how full the device was is unknown, but shared memory explains the 0
        ({"warps per SM", "blocks per SM"}, None),
        ({"warps per SM", "blocks per SM", "shared memory"}, 0),
        # blocks of one warp are the least
        ({"warps per SM", "block"}, None),
    ],
)
def test_what_is_left_of_a_launch_decides(
    tmp_path: Path, left_out: set[str], wanted: float | None
) -> None:
    launch = {key: value for key, value in GEMM.items() if key not in left_out}
    assert figures(open_kernels(tmp_path, launch))[0] == [wanted]


@pytest.mark.parametrize("block", ["many", [384, 1, "x"], [384, 1, 1.5], [-384, 1, 1], [1 << 40]])
def test_odd_blocks_are_unknown(tmp_path: Path, block: Any) -> None:
    assert figures(open_kernels(tmp_path, {**GEMM, "block": block}))[0] == [None]


def test_where_none_is_recorded_it_is_missing(tmp_path: Path) -> None:
    launch = {key: value for key, value in GEMM.items() if "occupancy" not in key}
    trace = open_kernels(tmp_path, launch)
    assert figures(trace) == ([None], None, None)
    assert counted(trace) == {}


def test_details_say_that_it_was_computed(tmp_path: Path) -> None:
    from nbprof.timeline.details.properties import device_facts

    model = open_kernels(tmp_path, GEMM, SMALL, {**GEMM, "registers per thread": -1}).model
    said = [dict(device_facts(model, row))["Occupancy"] for row in range(3)]
    assert said == ["18.8 %, computed", "0.0 %", "unknown"]


def test_an_export_keeps_what_was_recorded(tmp_path: Path) -> None:
    trace = open_kernels(tmp_path, GEMM)
    trace.to_chrome_trace(tmp_path / "again.pt.trace.json")
    again = nbprof.load(tmp_path / "again.pt.trace.json", progress=False).trace()
    assert again.model.column("device", "occupancy_pct").tolist() == [0]
    assert figures(again) == figures(trace)
