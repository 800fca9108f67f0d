"""Parts, phases and the spread of times of Paddle operators, compared with plain loops."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.devices.device_summary import DEVICE_SUMMARY, device_summary
from nbprof.analysis.operators.operator_columns import OPERATOR_EXTREMES
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.parts import operator_parts
from nbprof.analysis.operators.phases import operator_phases
from nbprof.analysis.operators.user_events import USER_EVENTS, user_events
from nbprof.model.filters import selection
from tests.analysis import slow
from tests.analysis.generated import filters, traces
from tests.analysis.steps import slow_stages
from tests.analysis.steps.generated_stages import paddle_traces

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

PHASES = ("infer_shape", "compute", "node_creation")


def has_work(model: TraceModel) -> bool:
    return any(row.kind in slow.WORK for row in slow.rows_of(model, "device"))


@given(paddle_traces(), filters())
def test_phases_sum_to_the_operator(model: TraceModel, filter_: Filter) -> None:
    table = operator_phases(model, filter_).to_pylist()
    if not any(slow_stages.phase_of(r.name) for r in slow.rows_of(model, "host")):
        assert not table
        return
    wanted = slow_stages.inside(model, filter_)
    if table or any(entry["phases"] for entry in wanted.values()):
        assert {row["name"] for row in table} == set(wanted)
    by_name = defaultdict(dict)
    for row in table:
        by_name[row["name"]][row["phase"]] = row
    for name, rows in by_name.items():
        entry = wanted[name]
        for phase in PHASES:
            mine = [times for found, *times in entry["phases"] if found == phase]
            assert rows[phase]["calls"] == len(mine)
            assert round(rows[phase]["host_us"] * 1000) == sum(host for host, _ in mine)
            if has_work(model):
                assert round(rows[phase]["device_us"] * 1000) == sum(time for _, time in mine)
        assert rows["others"]["calls"] == entry["calls"]
        for side in ("host", "device") if has_work(model) else ("host",):
            total = sum(row[f"{side}_us"] for row in rows.values())
            assert round(total * 1000) == entry[side]


@given(paddle_traces(), filters())
def test_parts(model: TraceModel, filter_: Filter) -> None:
    table = operator_parts(model, filter_).to_pylist()
    wanted = {
        (operator, name): (entry, [times for part, *times in entry["parts"] if part == name])
        for operator, entry in slow_stages.inside(model, filter_).items()
        for name in {part for part, *_ in entry["parts"]}
    }
    assert {(row["operator"], row["name"]) for row in table} == set(wanted)
    assert len(table) == len(wanted)
    for row in table:
        entry, parts = wanted[row["operator"], row["name"]]
        assert row["calls"] == len(parts)
        for i, side in enumerate(("host", "device")):
            if side == "host" or has_work(model):
                check_spread(row, side, [times[i] for times in parts], entry[side])
            else:
                assert row["device_total_us"] is row["device_pct"] is None


def check_spread(row: dict[str, Any], side: str, times: list[int], whole: int) -> None:
    for stem, value in {
        "total": sum(times),
        "mean": sum(times) / len(times),
        "max": max(times),
        "min": min(times),
    }.items():
        assert row.get(f"{side}_{stem}_us", value / 1000) * 1000 == pytest.approx(value), stem
    share = pytest.approx(100 * sum(times) / whole) if whole else None
    assert row[f"{side}_pct"] == share


@given(paddle_traces(), filters(), st.sampled_from(["name", "name+shape"]))
def test_operators_of_paddle(model: TraceModel, filter_: Filter, group_by: str) -> None:
    keys = ["name", "input_shapes"] if group_by == "name+shape" else ["name"]
    kept = selection.host_rows(model, filter_.replace(devices=None, streams=None))
    counted = slow.counted_device_rows(model, filter_)
    groups = defaultdict(list)
    for call in slow.calls(model):
        if kept[call.row.index]:
            launched = sum(
                row.duration for c in call.below() for row in c.device if counted[row.index]
            )
            key = tuple(call.row.more[k] for k in keys)
            groups[key].append((call.row.duration, launched))
    table = operators(model, filter_, group_by=group_by).to_pylist()
    assert len(table) == len(groups)
    for row in table:
        times = groups[tuple(row[key] for key in keys)]
        for i, side in enumerate(("host", "device") if has_work(model) else ("host",)):
            whole = sum(call[i] for calls in groups.values() for call in calls)
            check_spread(row, side, [call[i] for call in times], whole)


@given(paddle_traces(), filters())
def test_user_events_of_paddle(model: TraceModel, filter_: Filter) -> None:
    types, kept = slow_stages.types_of(model), selection.host_rows(model, filter_)
    counted = slow.counted_device_rows(model, filter_)
    rows = [
        row
        for row in slow.rows_of(model, "host")
        if types[row.index] == "PythonUserDefined" and kept[row.index]
    ]
    table = user_events(model, filter_).to_pylist()
    assert [row["calls"] for row in table] == ([len(rows)] if rows else [])
    for row in table:
        check_spread(row, "host", [r.duration for r in rows], sum(r.duration for r in rows))
        if has_work(model):
            host, work = (slow.rows_of(model, table) for table in ("host", "device"))
            times = [
                sum(
                    one.duration
                    for one in work
                    if counted[one.index]
                    and slow.is_in_time(host, slow_stages.source_of(model, one), r)
                )
                for r in rows
            ]
            check_spread(row, "device", times, sum(times))


@given(traces())
def test_other_recorders_have_none_of_it(model: TraceModel) -> None:
    assert operator_phases(model).num_rows == 0
    assert operator_parts(model).num_rows == 0
    names = {column.name for column in OPERATOR_EXTREMES}
    assert not names & set(operators(model).column_names)
    wanted = [column.name for column in USER_EVENTS]
    assert user_events(model).column_names == wanted
    wanted = [column.name for column in DEVICE_SUMMARY]
    assert device_summary(model).column_names == wanted
