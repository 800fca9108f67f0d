"""Tables of counts and sums compared with plain loops."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.user_events import user_events
from nbprof.analysis.steps.steps import steps
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER
from tests.analysis import slow
from tests.analysis.generated import filters, traces

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

KEYS = {"name": ["name"], "name+shape": ["name", "input_shapes"]}


@given(traces(), filters(), st.sampled_from(sorted(KEYS)))
def test_operators(model: TraceModel, filter_: Filter, group_by: str) -> None:
    keys = KEYS[group_by]
    theirs = slow.operators(model, filter_, keys)
    table = operators(model, filter_, group_by=group_by).to_pylist()
    ours = {tuple(row[key] for key in keys): row for row in table}
    assert len(ours) == len(table)
    assert set(ours) == set(theirs)
    has_device = any(row.kind in slow.WORK for row in slow.rows_of(model, "device"))
    for key, plain in theirs.items():
        row = ours[key]
        assert row["calls"] == plain["calls"]
        columns = ["host_self_us", "host_total_us"]
        columns += ["device_self_us", "device_total_us"] if has_device else []
        for column in columns:
            assert round(row[column] * 1000) == plain[column], column
        if not has_device:
            assert row["device_self_us"] is row["tensor_core_eligible"] is None
            continue
        assert row["tensor_core_eligible"] == (plain["eligible"] > 0)
        for part in ("self", "total"):
            whole = plain[f"device_{part}_us"]
            share = pytest.approx(100 * plain[f"tensor_{part}"] / whole) if whole else None
            assert row[f"tensor_core_{part}_pct"] == share


@given(traces(), filters(), st.sampled_from(sorted(KEYS)))
def test_means_and_shares_of_operators(model: TraceModel, filter_: Filter, group_by: str) -> None:
    rows = operators(model, filter_, group_by=group_by).to_pylist()
    for side in ("host", "device"):
        if rows and rows[0][f"{side}_self_us"] is None:
            names = ("mean_us", "self_pct", "total_pct")
            assert {row[f"{side}_{name}"] for row in rows for name in names} == {None}
            continue
        whole = sum(row[f"{side}_self_us"] for row in rows)
        for row in rows:
            mean = row[f"{side}_total_us"] / row["calls"]
            assert row[f"{side}_mean_us"] == pytest.approx(mean)
            for part in ("self", "total"):
                share = 100 * row[f"{side}_{part}_us"] / whole if whole else None
                assert row[f"{side}_{part}_pct"] == (
                    share if share is None else pytest.approx(share)
                )


@given(traces())
def test_own_times_add_up(model: TraceModel) -> None:
    """Own device time is what operators launched; own host time is never negative."""
    rows = operators(model).to_pylist()
    assert all(row["host_self_us"] >= 0 for row in rows)
    launched = [
        row.duration
        for row in slow.rows_of(model, "device")
        if row.kind in slow.WORK and model.links.operator[row.index] >= 0
    ]
    own = sum(row["device_self_us"] or 0.0 for row in rows)
    assert own * 1000 == pytest.approx(sum(launched))


@given(traces(), filters(), st.sampled_from(["name", "properties"]))
def test_kernels(model: TraceModel, filter_: Filter, group_by: str) -> None:
    keep = selection.device_rows(model, filter_)
    host = slow.rows_of(model, "host")

    def owner(link: int) -> str | None:
        return host[link].name if link >= 0 else None

    groups = defaultdict(list)
    for row in slow.rows_of(model, "device"):
        if row.kind != "kernel" or not keep[row.index]:
            continue
        key = (row.name,)
        if group_by == "properties":
            registers = row.more["registers"]
            key += (
                owner(model.links.operator[row.index]),
                owner(model.links.launched_by[row.index]),
                row.more["grid"],
                registers if registers >= 0 else None,
            )
        groups[key].append(row)
    table = kernels(model, filter_, group_by=group_by).to_pylist()
    names = ("name", "operator", "launched_by", "grid", "registers")
    ours = {tuple(row[n] for n in names if n in row): row for row in table}
    assert len(ours) == len(table)
    assert set(ours) == set(groups)
    whole = sum(row.duration for rows in groups.values() for row in rows)
    for key, rows in groups.items():
        mine, times = ours[key], [row.duration for row in rows]
        assert mine["calls"] == len(rows)
        for column, value in (
            ("total_us", sum(times)),
            ("mean_us", sum(times) / len(times)),
            ("max_us", max(times)),
            ("min_us", min(times)),
        ):
            assert mine[column] * 1000 == pytest.approx(value), column
        assert mine["pct"] == (pytest.approx(100 * sum(times) / whole) if whole else None)
        assert mine["tensor_core_used"] == ("s884" in rows[0].name)
        for column, value_of in (
            ("mean_blocks_per_sm", lambda row: row.more["blocks_per_sm"]),
            ("mean_occupancy_pct", slow.occupancy),
        ):
            there = [row for row in rows if not math.isnan(value_of(row))]
            weight = sum(row.duration for row in there)
            top = sum(value_of(row) * row.duration for row in there)
            assert mine[column] == (pytest.approx(top / weight) if weight else None)


@given(traces(), filters())
def test_user_events(model: TraceModel, filter_: Filter) -> None:
    host = slow.rows_of(model, "host")
    kept = selection.host_rows(model, filter_)
    counted = slow.counted_device_rows(model, filter_)
    device = [r for r in slow.rows_of(model, "device") if r.kind in slow.WORK]

    wanted = defaultdict(list)
    for row in host:
        if row.kind == "annotation" and row.name in ("forward", "loss") and kept[row.index]:
            wanted[row.name].append(row)
    table = {row["name"]: row for row in user_events(model, filter_).to_pylist()}
    assert set(table) == set(wanted)
    for name, rows in wanted.items():
        mine, times = table[name], [row.duration for row in rows]
        assert mine["calls"] == len(rows)
        assert mine["host_total_us"] * 1000 == pytest.approx(sum(times))
        assert mine["host_max_us"] * 1000 == pytest.approx(max(times))
        assert mine["host_min_us"] * 1000 == pytest.approx(min(times))
        if not device:
            assert mine["device_total_us"] is None
            continue
        launched = sum(
            event.duration
            for row in rows
            for event in device
            if counted[event.index]
            and slow.is_in_time(host, int(model.links.launch[event.index]), row)
        )
        assert mine["device_total_us"] * 1000 == pytest.approx(launched)


@given(traces())
def test_tables_do_not_depend_on_what_was_asked_before(model: TraceModel) -> None:
    first = operators(model, NO_FILTER)
    operators(model, NO_FILTER.replace(name="aten"), group_by="name+shape")
    steps(model, NO_FILTER.replace(streams=(7,)))
    assert operators(model, NO_FILTER).equals(first)
    assert steps(model).num_rows == len(model.steps.number)
