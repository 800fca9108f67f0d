"""Operators of NPUs compared with plain loops, under filters and cut into steps."""

from __future__ import annotations

from typing import Any

import pytest

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.analysis.operators.measured_calls import device_times, linked_times
from nbprof.analysis.operators.operator_columns import OPERATOR_GROUPS
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.steps.step_parts_tables import operator_parts
from nbprof.model.filters.filter import Filter
from nbprof.model.trace.model import TraceModel
from tests.analysis.generated_npu import STEP, recording
from tests.analysis.steps.test_parts import regrouped, same

Row = dict[str, Any]

KEYS = {"name": ("name",), "name+shape": ("name", "shapes"), "name+stack": ("name", "stack")}
SUMS = (
    "host_self_us",
    "host_total_us",
    "device_self_us",
    "device_total_us",
    "ai_core_self_us",
    "ai_core_total_us",
)


def wanted(calls: list[Row], group_by: str) -> dict[tuple[str, ...], Row]:
    """Add up calls by their keys, one by one."""
    found: dict[tuple[str, ...], Row] = {}
    for call in calls:
        row = found.setdefault(tuple(call[key] for key in KEYS[group_by]), dict.fromkeys(SUMS, 0.0))
        row["calls"] = row.get("calls", 0) + 1
        for name in SUMS:
            row[name] += call[name]
    return found


def check(model: TraceModel, filter_: Filter, calls: list[Row], group_by: str) -> None:
    table = operators(model, filter_, group_by=group_by)
    keys = OPERATOR_GROUPS[group_by]
    expected = wanted(calls, group_by)
    assert table.num_rows == len(expected)
    for row in table.to_pylist():
        told = expected[tuple(row[key] for key in keys)]
        assert row["calls"] == told["calls"]
        for name in SUMS[:4]:
            assert row[name] == pytest.approx(told[name], abs=1e-9)
        for part in ("self", "total"):
            whole, share = told[f"device_{part}_us"], row[f"ai_core_{part}_pct"]
            if not whole:
                assert share is None
            else:
                assert share == pytest.approx(100 * told[f"ai_core_{part}_us"] / whole)
        assert row["ai_core_eligible"] == (told["ai_core_total_us"] > 0)


@pytest.mark.parametrize("group_by", KEYS)
@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_operators_are_sums_of_calls(seed: int, timed: bool, group_by: str) -> None:
    model, calls = recording(seed, timed=timed)
    check(model, Filter(), calls, group_by)
    named = [call for call in calls if "op1" in call["name"]]
    check(model, Filter(name="OP1"), named, group_by)
    check(model, Filter(kinds=("operator",)), calls, group_by)
    check(model, Filter(kinds=("kernel",)), [], group_by)


@pytest.mark.parametrize("seed", range(6))
def test_calls_are_kept_by_their_start_and_thread(seed: int) -> None:
    model, calls = recording(seed)
    check(model, Filter(steps=(5, 6)), [c for c in calls if c["step"] >= 1], "name")
    low, high = STEP / 1000 * 0.002, STEP / 1000 * 1.004
    inside = [c for c in calls if low * 1000 <= c["start"] < high * 1000]
    check(model, Filter(time_us=(low, high)), inside, "name+shape")
    check(model, Filter(threads=(2,)), [c for c in calls if c["thread"] == 2], "name+stack")


@pytest.mark.parametrize(
    "filter_",
    [
        Filter(steps=(4, 6)),
        Filter(time_us=(0, 1e9)),
        Filter(threads=(1, 2)),
        Filter(streams=(2,)),
        Filter(devices=(3,)),
        Filter(kinds=("operator", "memcpy")),
    ],
)
def test_calls_without_times_are_left_out_where_a_filter_needs_them(filter_: Filter) -> None:
    model, calls = recording(0, timed=False)
    check(model, filter_, [], "name")
    # What keeps all device work needs no times.
    check(model, Filter(devices=(0,), kinds=("operator", "kernel")), calls, "name")


@pytest.mark.parametrize("seed", range(6))
def test_sums_of_the_recorder_are_those_of_what_its_arrows_lead_to(seed: int) -> None:
    model, calls = recording(seed)
    told, ours = device_times(model, Filter()), linked_times(model, work_rows(model))
    for name in ("own", "total", "ai_core_own", "ai_core_total"):
        assert getattr(ours, name) == pytest.approx(getattr(told, name), abs=1e-9)
    assert told.total.sum() > 0 or not any(call["kernels"] for call in calls)


@pytest.mark.parametrize("seed", range(6))
def test_streams_narrow_what_operators_asked_for(seed: int) -> None:
    model, calls = recording(seed)
    whole = operators(model).to_pylist()
    parts = [operators(model, Filter(streams=(s,))).to_pylist() for s in (2, 3)]
    for row in whole:
        ours = [next(r for r in part if r["name"] == row["name"]) for part in parts]
        for name in ("device_self_us", "device_total_us"):
            assert sum(r[name] for r in ours) == pytest.approx(row[name], abs=1e-9)
        assert all(r["calls"] == row["calls"] for r in ours)
        ai_core = [r["ai_core_self_pct"] or 0.0 for r in ours]
        times = [r["device_self_us"] for r in ours]
        together = sum(a * t for a, t in zip(ai_core, times, strict=True))
        assert together == pytest.approx((row["ai_core_self_pct"] or 0.0) * row["device_self_us"])
    assert sum(len(call["kernels"]) for call in calls) == model.tables["device"].num_rows


@pytest.mark.parametrize("group_by", KEYS)
@pytest.mark.parametrize("base", [Filter(), Filter(streams=(2,)), Filter(threads=(1,))])
def test_steps_add_up(base: Filter, group_by: str) -> None:
    model, _ = recording(3)
    whole = operators(model, base, group_by=group_by)
    parts = operator_parts(model, whole, group_by, base)
    for first, last in ((4, 6), (5, 5), (99, 99)):
        chosen = operators(model, base.replace(steps=(first, last)), group_by=group_by)
        same(regrouped(whole, parts, first, last), chosen.to_pylist())


def test_without_sums_of_the_recorder_operators_are_those_of_the_trace() -> None:
    model, calls = recording(1)
    tables = {**model.tables, "measured_operators": model.tables["measured_operators"].slice(0, 0)}
    bare = TraceModel(tables, model.metadata, dialect=model.dialect)
    table = operators(bare)
    assert table.column_names[-3:] == ["ai_core_eligible", "ai_core_self_pct", "ai_core_total_pct"]
    rows = {row["name"]: row for row in table.to_pylist()}
    for row in operators(model).to_pylist():
        assert rows[row["name"]]["device_self_us"] == pytest.approx(row["device_self_us"])
    whole = operators(bare)
    parts = operator_parts(bare, whole, "name")
    chosen = operators(bare, Filter(steps=(5, 5)))
    same(regrouped(whole, parts, 5, 5), chosen.to_pylist())
    assert calls


def test_nothing_is_said_of_cores_that_are_not_known() -> None:
    model, _ = recording(1)
    gone = {name: model.tables[name].slice(0, 0) for name in ("measured_operators", "npu_kernels")}
    table = operators(TraceModel({**model.tables, **gone}, model.metadata, dialect=model.dialect))
    assert table["ai_core_self_pct"].null_count == table.num_rows
    assert table["ai_core_eligible"].null_count == table.num_rows
