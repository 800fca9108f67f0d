"""Tables of windows compared with plain loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.steps.overview import overview as overview_table
from nbprof.analysis.steps.steps import steps
from tests.analysis import slow
from tests.analysis.generated import filters, traces

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

PARTS = (
    "kernel_us",
    "memcpy_us",
    "memset_us",
    "communication_us",
    "runtime_us",
    "dataloader_us",
    "cpu_exec_us",
    "other_us",
)


def in_ns(row: dict, names: tuple[str, ...]) -> dict:
    return {name: round(row[name] * 1000) for name in names}


@given(traces(), filters())
def test_steps_give_each_moment_to_the_first_category(model: TraceModel, filter_: Filter) -> None:
    ours = steps(model, filter_).to_pylist()
    theirs = slow.steps(model, filter_)
    assert [row["step"] for row in ours] == [row["step"] for row in theirs]
    for mine, plain in zip(ours, theirs, strict=True):
        assert in_ns(mine, PARTS) == {name: plain[name] for name in PARTS}
        assert in_ns(mine, ("start_us", "end_us")) == {
            "start_us": plain["start"],
            "end_us": plain["end"],
        }
        assert mine["complete"] == plain["complete"]
        assert sum(in_ns(mine, PARTS).values()) == round(mine["total_us"] * 1000)


@given(traces(), filters())
def test_overview_is_the_mean_of_complete_steps(model: TraceModel, filter_: Filter) -> None:
    rows = steps(model, filter_).to_pylist()
    used = [row for row in rows if row["complete"]] or rows
    overview = overview_table(model, filter_).to_pylist()
    assert len(overview) == 9
    assert overview[0]["category"] == "Average Step Time"
    for entry, name in zip(overview, ("total_us", *PARTS), strict=True):
        mean = float(np.mean([row[name] for row in used])) if used else None
        assert entry["avg_us"] == (None if mean is None else pytest.approx(mean))
    shares = [entry["pct"] for entry in overview[1:]]
    if None not in shares:
        assert overview[0]["pct"] == 100.0
        assert sum(shares) == pytest.approx(100.0)


@given(traces(), filters())
def test_device_time_looks_at_each_moment(model: TraceModel, filter_: Filter) -> None:
    ours = device_time(model, filter_, worker="w").to_pylist()
    theirs = slow.device_time(model, filter_)
    assert [row["device"] for row in ours] == [row["device"] for row in theirs]
    for mine, plain in zip(ours, theirs, strict=True):
        names = tuple(name for name in plain if name != "device")
        assert in_ns(mine, names) == {name: plain[name] for name in names}
        assert mine["worker"] == "w"
        hidden = plain["communication_us"] - plain["exposed_communication_us"]
        whole = plain["communication_us"]
        assert mine["overlap_pct"] == (pytest.approx(100 * hidden / whole) if whole else None)


@given(traces(), filters())
def test_device_summary_over_the_span_of_the_steps(model: TraceModel, filter_: Filter) -> None:
    windows = slow.step_windows(model, filter_)
    used = [w for w in windows if w["complete"]] or windows
    span: set[int] = set()
    if used:
        span = set(range(min(w["start"] for w in used), max(w["end"] for w in used)))
    rows = [r for r in slow.rows_of(model, "device") if r.kind in slow.WORK]
    for entry in device_summary(model, filter_).to_pylist():
        here = [row for row in rows if row.more["device"] == entry["device"]]
        kernels = [row for row in here if row.kind == "kernel"]
        running = set().union(*(row.moments for row in kernels)) & span
        busy = set().union(*(row.moments for row in here)) & span
        if not span:
            assert entry["utilization_pct"] is None
            continue
        assert entry["utilization_pct"] == pytest.approx(100 * len(running) / len(span))
        assert entry["idle_pct"] == pytest.approx(100 * (1 - len(busy) / len(span)))
        blocks = [(row.moments, row.more["blocks_per_sm"]) for row in kernels]
        level = sum(min(1.0, sum(b for m, b in blocks if b > 0 and t in m)) for t in span)
        if entry["sm_efficiency_pct"] is not None:
            assert entry["sm_efficiency_pct"] == pytest.approx(100 * level / len(span))
        measured = [row for row in kernels if slow.occupancy(row) >= 0]
        weights = [len(row.moments & span) for row in measured]
        if sum(weights):
            top = sum(slow.occupancy(r) * w for r, w in zip(measured, weights, strict=True))
            assert entry["occupancy_pct"] == pytest.approx(top / sum(weights))
        else:
            assert entry["occupancy_pct"] is None
        time = sum(len(row.moments & span) for row in kernels)
        if time and any(row.more["occupancy_pct"] >= 0 for row in slow.rows_of(model, "device")):
            unknown = 100 * (time - sum(weights)) / time
            assert entry["occupancy_unknown_pct"] == pytest.approx(unknown)
        else:
            assert entry["occupancy_unknown_pct"] is None
