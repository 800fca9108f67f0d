"""Memory tables compared with plain loops, and their invariants."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from nbprof.analysis.memory.curve import memory_curve
from nbprof.analysis.memory.memory_events import memory_events
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak, memory_peak_holders
from nbprof.analysis.operators.calls import operator_calls
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter
from tests.analysis.generated import LENGTH, filters
from tests.analysis.memory.generated import Truth, recorded
from tests.analysis.memory.slow_owners import innermost_call

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]
NAMES = {0: "cpu", 1: "gpu", 17: "device17"}


def device_of(row: Row) -> tuple[str, int | None]:
    """Name a device as the tables do, of a row of the memory table."""
    name = NAMES[row["device_type"]]
    return name, None if name == "cpu" else row["device"]


def by_device(rows: list[Row]) -> dict[tuple[str, int | None], list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[row["device_type"], row["device"]].append(row)
    return dict(found)


def ns(value: float | None) -> int | None:
    return None if value is None else round(value * 1000)


def held_in_all(blocks: dict[int, int]) -> int:
    return sum(blocks.values())


def shown(device: tuple[int, int]) -> tuple[str, int | None]:
    return device_of({"device_type": device[0], "device": device[1]})


@given(recorded(totals=True))
def test_the_curve_is_what_the_allocator_knows(case: tuple[TraceModel, Truth]) -> None:
    model, truth = case
    curves = by_device(memory_curve(model).to_pylist())
    seen: dict[tuple[str, int | None], list[tuple[int, int]]] = defaultdict(list)
    records = model.tables["memory"].to_pylist()
    for record, after in zip(records, truth.after, strict=True):
        device = record["device_type"], record["device"]
        seen[shown(device)].append((record["time_ns"], held_in_all(after[device])))
    assert curves.keys() == seen.keys()
    for device, points in seen.items():
        rows = curves[device]
        assert [(ns(r["time_us"]), r["allocated_bytes"]) for r in rows[1:]] == points
        assert (rows[0]["time_us"], rows[0]["reserved_bytes"]) == (0, None)
        assert {row["reserved_bytes"] for row in rows[1:]} == {100}


@given(recorded(totals=False, complete=True))
def test_a_curve_without_totals_starts_as_low_as_it_can(case: tuple[TraceModel, Truth]) -> None:
    model, truth = case
    for device, rows in by_device(memory_curve(model).to_pylist()).items():
        values = [row["allocated_bytes"] for row in rows]
        (known,) = [held_in_all(b) for d, b in truth.before.items() if shown(d) == device]
        assert 0 <= values[0] <= known
        assert min(values) == 0 or values[0] == 0
        assert {row["reserved_bytes"] for row in rows} == {None}


@given(recorded(complete=True))
def test_events_are_the_blocks_of_the_allocator(case: tuple[TraceModel, Truth]) -> None:
    model, _ = case
    expected = defaultdict(list)
    live: dict[tuple[Any, ...], int] = {}
    for record in model.tables["memory"].to_pylist():
        where, time = (device_of(record), record["address"]), record["time_ns"]
        if record["bytes"] > 0:
            live[where] = time
            expected[where].append([record["bytes"], time, None])
        elif where in live:
            expected[where][-1][2] = time
            del live[where]
        else:
            expected[where].append([-record["bytes"], None, time])
    wanted = [(device, *block) for (device, _), blocks in expected.items() for block in blocks]
    rows = memory_events(model).to_pylist()
    found = [
        (
            (row["device_type"], row["device"]),
            row["size_bytes"],
            ns(row["allocation_us"]),
            ns(row["release_us"]),
        )
        for row in rows
    ]
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    for row in rows:
        whole = None not in {row["allocation_us"], row["release_us"]}
        length = row["release_us"] - row["allocation_us"] if whole else None
        assert row["duration_us"] == (pytest.approx(length, abs=1e-9) if whole else None)
    first = [
        row["release_us"] if row["allocation_us"] is None else row["allocation_us"] for row in rows
    ]
    assert first == sorted(first)


@given(recorded(totals=True, complete=True))
def test_holders_are_the_live_blocks(case: tuple[TraceModel, Truth]) -> None:
    model, truth = case
    records = model.tables["memory"].to_pylist()
    holders = by_device(memory_peak_holders(model).to_pylist())
    for peak in memory_peak(model).to_pylist():
        device = peak["device_type"], peak["device"]
        own = [i for i, r in enumerate(records) if device_of(r) == device]
        (key,) = [d for d in truth.before if shown(d) == device]
        levels = [held_in_all(truth.before[key])]
        levels += [held_in_all(truth.after[i][key]) for i in own]
        assert peak["peak_bytes"] == max(levels)
        at = levels.index(max(levels))
        # What was there before the first record, and has not been released since.
        before = dict(truth.before[key])
        for i in own[:at]:
            before.pop(records[i]["address"], None)
        rows = holders.get(device, [])
        rest = [row for row in rows if row["blocks"] is None]
        assert sum(row["bytes"] for row in rest) == held_in_all(before)
        assert sum(row["bytes"] for row in rows) == peak["peak_bytes"]
        live = truth.after[own[at - 1]][key] if at else truth.before[key]
        assert sum(row["blocks"] or 0 for row in rows) == len(live) - len(before)
        assert [row["bytes"] for row in rows] == sorted((r["bytes"] for r in rows), reverse=True)


@given(recorded(), filters())
def test_holders_add_up_to_the_peak_of_the_curve(
    case: tuple[TraceModel, Truth], filter_: Filter
) -> None:
    model, _ = case
    filter_ = filter_.replace(name=None, within=None, threads=None)
    curves = by_device(memory_curve(model, filter_).to_pylist())
    peaks = by_device(memory_peak(model, filter_).to_pylist())
    holders = by_device(memory_peak_holders(model, filter_).to_pylist())
    assert curves.keys() == peaks.keys()
    for device, rows in curves.items():
        (peak,) = peaks[device]
        highest = max(rows, key=lambda row: row["allocated_bytes"])
        assert peak["peak_bytes"] == highest["allocated_bytes"]
        assert peak["time_us"] == highest["time_us"]
        assert sum(row["bytes"] for row in holders.get(device, [])) == peak["peak_bytes"]


@given(recorded(), filters())
def test_a_filtered_curve_is_a_part_of_the_whole(
    case: tuple[TraceModel, Truth], filter_: Filter
) -> None:
    model, _ = case
    whole = by_device(memory_curve(model).to_pylist())
    window = selection.window(model, filter_)
    spans = [(0, LENGTH + 1)] if window is None else list(zip(*window, strict=True))
    moments = {t for a, b in spans for t in range(max(0, int(a)), int(b))}
    part = by_device(memory_curve(model, filter_).to_pylist())
    kept = filter_.kinds is None or "memory" in filter_.kinds
    for device, rows in whole.items():
        if not kept or (filter_.devices is not None and device[1] not in filter_.devices):
            assert device not in part
            continue
        for moment in moments:
            assert value_at(part[device], moment) == value_at(rows, moment)
        starts = {ns(row["time_us"]) for row in part.get(device, ())}
        assert starts <= moments | {0}


def value_at(rows: list[Row], moment: int) -> tuple[int, int | None]:
    last = [row for row in rows if (ns(row["time_us"]) or 0) <= moment][-1]
    return last["allocated_bytes"], last["reserved_bytes"]


@given(recorded(), filters())
def test_operators_add_up_their_records(case: tuple[TraceModel, Truth], filter_: Filter) -> None:
    model, _ = case
    filter_ = filter_.replace(kinds=None)
    calls = operator_calls(model)
    host = model.tables["host"].to_pylist()
    figures: dict[Any, list[int]] = defaultdict(lambda: [0] * 6)
    for record in model.tables["memory"].to_pylist():
        size = max(record["bytes"], 0)
        change = (record["bytes"], int(size > 0), size)
        call, is_own = innermost_call(model, record), True
        while call >= 0:
            for place, value in enumerate(change):
                figures[call, device_of(record)][2 * place] += value
                figures[call, device_of(record)][2 * place + 1] += value if is_own else 0
            call, is_own = int(calls.forest.parent[call]), False
    kept = selection.host_rows(model, filter_.replace(devices=None, streams=None))[calls.row]
    wanted: dict[Any, list[int]] = defaultdict(lambda: [0] * 6)
    for (call, device), values in figures.items():
        if kept[call] and (filter_.devices is None or device[1] in filter_.devices):
            name = host[calls.row[call]]["name"]
            wanted[name, device] = [
                a + b for a, b in zip(wanted[name, device], values, strict=True)
            ]
    wanted = {key: values for key, values in wanted.items() if any(values)}
    found = {}
    for row in memory_operators(model, filter_).to_pylist():
        kind, number, name, count, *values = row.values()
        found[name, (kind, number)] = values
        own = [host[r]["name"] == name for r in calls.row[kept]]
        assert count == sum(own)
    assert found == wanted


@given(recorded(), filters())
def test_filtered_events_start_in_the_range(
    case: tuple[TraceModel, Truth], filter_: Filter
) -> None:
    model, _ = case
    whole = memory_events(model).to_pylist()
    starts = [
        round(1000 * (r["release_us"] if r["allocation_us"] is None else r["allocation_us"]))
        for r in whole
    ]
    keep = set()
    for index, (row, start) in enumerate(zip(whole, starts, strict=True)):
        inside = filter_.time_us is None or filter_.time_us[0] * 1000 <= start
        inside &= filter_.time_us is None or start < filter_.time_us[1] * 1000
        inside &= filter_.devices is None or row["device"] in filter_.devices
        inside &= filter_.kinds is None or "memory" in filter_.kinds
        if inside:
            keep.add(index)
    narrow = filter_.replace(steps=None, name=None, within=None, threads=None)
    found = memory_events(model, narrow).to_pylist()
    assert found == [row for index, row in enumerate(whole) if index in keep]
    named = memory_events(model, Filter(name="mm")).to_pylist()
    assert named == [row for row in whole if "mm" in (row["operator"] or "")]
