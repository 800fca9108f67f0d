"""The slices inside an area by name, and the table of slices, compared with walks over events."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nbprof.analysis.operators.operators import operators
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.names.roles import operator_rows
from nbprof.timeline import slices_table
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.self_time import host_self_times, self_time_of
from nbprof.timeline.slice_summary import SLICE_SUMMARY, slice_summary, slices_in
from nbprof.timeline.slices import Slices
from nbprof.timeline.slices_table import SLICES, slices
from tests.analysis import slow
from tests.analysis.generated import LENGTH, filters, traces
from tests.oracle.traces import open_trace
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

RANGES = st.tuples(st.integers(0, LENGTH + 40), st.integers(0, LENGTH + 40)).map(sorted)


def _parts(model: TraceModel) -> dict[int, list[int]]:
    """Return what takes time from each host row: a walk up from every row."""
    rows = model.tables["host"].to_pylist()
    is_operator = operator_rows(model).tolist()
    parent = model.nesting.parent.tolist()
    found: dict[int, list[int]] = defaultdict(list)
    for row, one in enumerate(rows):
        up = parent[row]
        if up >= 0 and not is_operator[up]:
            found[up].append(row)
        if is_operator[row] or one["kind"] == "runtime":
            while up >= 0 and not is_operator[up] and rows[up]["kind"] != "runtime":
                up = parent[up]
            if up >= 0 and is_operator[up]:
                found[up].append(row)
    host = slow.rows_of(model, "host")
    for own in host:
        around = slow.call_around(host, own) if own.kind == "overhead" else None
        if around is not None and is_operator[around.index]:
            found[around.index].append(own.index)
    return found


def _self(model: TraceModel, low: int, high: int) -> list[int]:
    """Return what of each host row lies in a range and in none of its parts."""
    rows = model.tables["host"].to_pylist()
    moments = [
        set(range(max(one["start_ns"], low), min(one["start_ns"] + one["duration_ns"], high)))
        for one in rows
    ]
    parts = _parts(model)
    return [
        len(own.difference(*(moments[part] for part in parts[row])))
        for row, own in enumerate(moments)
    ]


@given(traces())
def test_self_times_equal_a_walk(model: TraceModel) -> None:
    expected = _self(model, 0, LENGTH * 3)
    assert host_self_times(model).tolist() == expected
    assert [self_time_of(model, row) for row in range(len(expected))] == expected


@given(traces(overhead=False))
def test_self_times_of_operators_add_up_to_the_table_of_operators(model: TraceModel) -> None:
    # Where slices overlap, one call is less than the two rows that were merged into it.
    assume(model.nesting.overlaps == 0)
    names = model.tables["host"].column("name").to_pylist()
    own: dict[str, float] = defaultdict(float)
    for row in np.flatnonzero(operator_rows(model)).tolist():
        own[names[row]] += host_self_times(model)[row] / 1000
    found = {row["name"]: row["host_self_us"] for row in operators(model).to_pylist()}
    assert found == pytest.approx(dict(own))


@given(traces(), filters(), RANGES, st.booleans())
def test_the_summary_equals_a_walk(
    model: TraceModel, filter_: Filter, bounds: list[int], few: bool
) -> None:
    low, high = bounds
    filter_ = filter_.replace(time_us=(low / 1000, high / 1000))
    keys = [lane.key for lane in lane_set(model).lanes]
    lanes = keys[::2] if few else None
    kept = {
        (row["side"], row["row"])
        for row in slices(model, filter_.replace(time_us=None)).to_pylist()
        if lanes is None or row["lane"] in lanes
    }
    self_ns = _self(model, low, high)
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0, 0])
    for side in ("host", "device"):
        for row, one in enumerate(model.tables[side].to_pylist()):
            start, end = one["start_ns"], one["start_ns"] + one["duration_ns"]
            inside = start < high and end > low if end > start else low <= start < high
            if (side, row) in kept and inside:
                entry = sums[side, one["name"]]
                entry[0] += 1
                entry[1] += min(end, high) - max(start, low)
                entry[2] += self_ns[row] if side == "host" else 0
    table = slice_summary(model, filter_, lanes=lanes)
    found = {
        (row["side"], row["name"]): [
            row["count"],
            round(row["total_us"] * 1000),
            round((row["self_us"] or 0) * 1000),
        ]
        for row in table.to_pylist()
    }
    assert found == dict(sums)
    assert len(found) == table.num_rows
    assert table.column_names == [column.name for column in SLICE_SUMMARY]
    for row in table.to_pylist():
        assert (row["self_us"] is None) == (row["side"] == "device")
        assert row["mean_us"] == pytest.approx(row["total_us"] / row["count"])
    totals = table.column("total_us").to_pylist()
    assert totals == sorted(totals, reverse=True)


@given(traces(), RANGES)
def test_slices_beside_each_other_never_take_more_than_the_range(
    model: TraceModel, bounds: list[int]
) -> None:
    low, high = bounds
    ids = slices_in(model, Filter(time_us=(low / 1000, high / 1000)))
    known = Slices.of(model)
    spent = np.minimum(known.end[ids], high) - np.maximum(known.start[ids], low)
    assert (spent >= 0).all()
    row = lane_set(model).row[ids]
    assert (np.bincount(row, weights=spent) <= high - low).all()


def test_of_a_range_only_what_is_inside_counts() -> None:
    model = make_model(
        [
            {"name": "outer", "start": 0, "end": 100},
            {"name": "inner", "start": 20, "end": 60},
            {"name": "call", "kind": "runtime", "start": 30, "end": 40, "correlation": 1},
            {"name": "elsewhere", "start": 70, "end": 80, "tid": 2},
        ],
        [{"name": "kernel", "start": 50, "end": 150, "correlation": 1}],
    )
    rows = slice_summary(model, Filter(time_us=(0.035, 0.075))).to_pylist()
    found = {row["name"]: (row["count"], row["total_us"], row["self_us"]) for row in rows}
    assert found == {
        "outer": (1, 0.04, 0.015),
        "inner": (1, 0.025, 0.02),
        "call": (1, 0.005, 0.005),
        "elsewhere": (1, 0.005, 0.005),
        "kernel": (1, 0.025, None),
    }
    # What a filter leaves out still takes time from what it keeps.
    (row,) = slice_summary(model, Filter(time_us=(0.035, 0.075), name="outer")).to_pylist()
    assert row["self_us"] == 0.015
    keys = ["cpu:1:2", "gpu:0:7", "no such lane"]
    rows = slice_summary(model, Filter(time_us=(0.035, 0.075)), lanes=keys).to_pylist()
    assert {row["name"] for row in rows} == {"elsewhere", "kernel"}
    assert slice_summary(model, lanes=[]).num_rows == 0


def test_a_slice_without_length_is_in_the_range_that_starts_with_it() -> None:
    rows = [{"name": str(time), "start": time, "end": time} for time in (9, 10, 15, 20)]
    found = slice_summary(make_model(rows), Filter(time_us=(0.01, 0.02)))
    assert found["name"].to_pylist() == ["10", "15"]


@given(traces(), filters())
def test_the_table_of_slices_holds_what_the_filter_keeps(
    model: TraceModel, filter_: Filter
) -> None:
    table = slices(model, filter_)
    assert table.column_names == [column.name for column in SLICES]
    if filter_ == NO_FILTER:
        sides = [model.tables[side].num_rows for side in ("host", "device")]
        assert table.num_rows == sum(sides)
    lanes = lane_set(model)
    for row in table.to_pylist():
        one = model.tables[row["side"]].slice(row["row"], 1).to_pylist()[0]
        assert row["name"] == one["name"]
        assert round(row["start_us"] * 1000) == one["start_ns"]
        assert round(row["duration_us"] * 1000) == one["duration_ns"]
        (lane,) = [lane for lane in lanes.lanes if lane.key == row["lane"]]
        assert 0 <= row["depth"] < lane.depths
        assert (lane.tid is None) == (row["side"] == "device")
        assert (row["self_us"] is None) == (row["side"] == "device")


def test_names_of_more_than_arrow_holds_in_one_array(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model([{"name": f"op{i % 3}", "start": i, "end": i + 1} for i in range(10)])
    whole = slices(model)
    monkeypatch.setattr(slices_table, "_CHUNK_BYTES", 10)
    parts = slices(model)
    assert (whole["name"].num_chunks, parts["name"].num_chunks) == (1, 4)
    assert parts.equals(whole)
    assert slices(make_model()).num_rows == 0


def test_an_area_of_a_real_trace_is_answered_by_its_events(shared_data: Path) -> None:
    model = open_trace(shared_data / "kineto" / "resnet50_num_workers_0")
    low, high = 425_600_000, 431_600_000
    table = slice_summary(model, Filter(time_us=(low / 1000, high / 1000)))
    plain: dict[tuple[str, Any], list[int]] = defaultdict(lambda: [0, 0])
    for side in ("host", "device"):
        columns = [model.tables[side].column(c).to_pylist() for c in ("name", "start_ns")]
        for name, start, length in zip(
            *columns, model.tables[side].column("duration_ns").to_pylist(), strict=True
        ):
            if start < high and (start + length > low or start >= low):
                plain[side, name][0] += 1
                plain[side, name][1] += min(start + length, high) - max(start, low)
    found = {
        (row["side"], row["name"]): [row["count"], round(row["total_us"] * 1000)]
        for row in table.to_pylist()
    }
    assert found == dict(plain)
    assert len(found) == 38


def test_a_slice_that_sticks_out_takes_no_time_from_others() -> None:
    # "inner" begins in "outer" and ends after it; the range begins where "outer" ends.
    model = make_model(
        [
            {"name": "outer", "kind": "python", "start": 1, "end": 4},
            {"name": "inner", "kind": "python", "start": 3, "end": 7},
            {"name": "moment", "kind": "python", "start": 3, "end": 3},
            {"name": "operator", "start": 5, "end": 10},
        ]
    )
    assert model.nesting.parent.tolist() == [-1, 0, 1, -1]
    table = slice_summary(model, Filter(time_us=(0.004, 0.006)))
    found = {row["name"]: round(row["self_us"] * 1000) for row in table.to_pylist()}
    assert found == {"inner": 2, "operator": 1}
