"""Allocated and reserved memory are distinguished; compared with plain loops."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.advice.warnings import warnings
from nbprof.analysis.memory.columns import MEMORY_OPERATORS
from nbprof.analysis.memory.curve import MEMORY_CURVE, MEMORY_CURVE_PEAKS, memory_curve
from nbprof.analysis.memory.memory_events import MEMORY_EVENTS, memory_events
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak_holders
from nbprof.analysis.modules.flame import flame
from nbprof.model.filters.filter import Filter
from nbprof.model.trace import kinds, schema_vendors
from nbprof.tables import TABLES
from tests.analysis.memory.generated import recorded
from tests.analysis.steps.test_parts import regrouped, same
from tests.support.memory_tables import replaced, with_kinds
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from tests.analysis.memory.generated import Truth

HOST = (
    {"name": "ProfileStep#1", "kind": "step", "start": 0, "end": 1000},
    {"name": "conv2d dygraph", "start": 10, "end": 300},
    {"name": "infer_meta", "kind": "phase", "start": 20, "end": 40},
    {"name": "conv2d compute", "kind": "phase", "start": 50, "end": 200},
    {"name": "empty dygraph", "start": 60, "end": 80},
    {"name": "lone compute", "kind": "phase", "start": 400, "end": 500},
    {"name": "my_loss", "kind": "annotation", "start": 600, "end": 700},
)


def record(time: int, size: int, address: int = 1, **more: Any) -> dict[str, Any]:
    row = {"time_ns": time, "thread": 0, "bytes": size, "address": address, "device_type": 0}
    return {**row, "device": -1, **more}


def owners(model: TraceModel, filter_: Filter | None = None) -> dict[tuple[str, str], list[int]]:
    rows = memory_operators(model, filter_ or Filter()).to_pylist()
    columns = ("calls", "allocation_count", "self_allocation_count", "release_count")
    return {(row["name"], row["memory_type"]): [row[name] for name in columns] for row in rows}


def test_each_record_is_credited_once_to_the_innermost_event() -> None:
    rows = [record(30, 8), record(55, 8, 2), record(70, 8, 3), record(450, 8, 4)]
    rows += [record(650, -8, 3), record(900, -8, 4), record(1500, -8, 2)]
    assert owners(with_kinds(make_model(HOST), rows)) == {
        # calls, allocations in all, own, releases in all
        ("conv2d dygraph", "allocated"): [1, 3, 2, 0],  # of both of its phases
        ("empty dygraph", "allocated"): [1, 1, 1, 0],  # and not also of the operator round it
        ("ProfileStep#1", "allocated"): [1, 4, 1, 2],  # of a phase in no operator
        ("my_loss", "allocated"): [1, 0, 0, 1],
    }


def test_what_the_allocator_takes_is_not_in_use() -> None:
    rows = [
        record(30, 64, 1, is_reserved=True, total_allocated=0, total_reserved=64),
        record(35, 16, 1, total_allocated=16, total_reserved=64),
        record(650, -16, 1, total_allocated=0, total_reserved=64),
        record(900, -64, 1, is_reserved=True, total_allocated=0, total_reserved=0),
    ]
    model = with_kinds(make_model(HOST), rows)
    events = memory_events(model).to_pylist()
    assert [(row["memory_type"], row["size_bytes"], row["release_us"]) for row in events] == [
        ("reserved", 64, 0.9),
        ("allocated", 16, 0.65),
    ]
    assert [(row["operator"], row["release_operator"]) for row in events] == [
        ("conv2d dygraph", "ProfileStep#1"),
        ("conv2d dygraph", "my_loss"),
    ]
    assert {row["address"] for row in events} == {"0x1"}
    [holder] = memory_peak_holders(model).to_pylist()
    assert (holder["bytes"], holder["blocks"]) == (16, 1)
    assert warnings(model).num_rows == 0
    frames = flame(model, by="bytes").to_pylist()
    assert max(row["total_bytes"] for row in frames) == 16


def test_the_curve_has_the_peaks_that_are_recorded() -> None:
    rows = [record(30, 4, total_allocated=4, peak_allocated=9, peak_reserved=20)]
    rows += [record(60, 8, 2, total_allocated=12, peak_allocated=12)]
    table = memory_curve(with_kinds(make_model(HOST), rows))
    assert table["peak_allocated_bytes"].to_pylist() == [None, 9, 12]
    assert table["peak_reserved_bytes"].to_pylist() == [None, 20, None]
    assert table.schema.names[-2:] == [c.name for c in MEMORY_CURVE_PEAKS]


def test_kinds_of_events_narrow_the_table() -> None:
    model = with_kinds(make_model(HOST), [record(30, 8), record(650, -8)])
    assert set(owners(model, Filter(kinds=("operator",)))) == {("conv2d dygraph", "allocated")}
    annotations = owners(model, Filter(kinds=("annotation",)))
    assert set(annotations) == {("ProfileStep#1", "allocated"), ("my_loss", "allocated")}
    assert len(owners(model, Filter(kinds=("memory",)))) == 3
    assert owners(model, Filter(kinds=("kernel",))) == {}


def test_addresses_are_the_64_bits_that_they_are() -> None:
    rows = [record(30, 8, 0x7F00_0000_0100), record(35, 8, 0), record(40, 8, -2)]
    events = memory_events(with_kinds(make_model(HOST), rows)).to_pylist()
    assert [row["address"] for row in events] == ["0x7f0000000100", "0x0", "0xfffffffffffffffe"]


@st.composite
def told_apart(draw: st.DrawFn) -> TraceModel:
    """Draw records of which some are of what the allocator holds."""
    case: tuple[TraceModel, Truth] = draw(recorded(totals=False, complete=True))
    model, _ = case
    count = model.tables["memory"].num_rows
    flags = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    columns = {"is_reserved": flags, "peak_allocated": [-1] * count, "peak_reserved": [-1] * count}
    extra = pa.table(columns, schema=schema_vendors.MEMORY_EXTRA)
    return replaced(model, memory_extra=extra)


@given(told_apart())
def test_blocks_are_paired_within_their_kind(model: TraceModel) -> None:
    flags = model.tables["memory_extra"]["is_reserved"].to_pylist()
    expected: dict[Any, list[list[Any]]] = defaultdict(list)
    opened: dict[Any, bool] = {}
    for row, reserved in zip(model.tables["memory"].to_pylist(), flags, strict=True):
        key = (row["device_type"], row["device"], row["address"], reserved)
        if row["bytes"] > 0:
            expected[key].append([row["bytes"], row["time_ns"], None])
            opened[key] = True
        elif opened.pop(key, False):
            expected[key][-1][2] = row["time_ns"]
        else:
            expected[key].append([-row["bytes"], None, row["time_ns"]])
    wanted = [
        (hex(key[2]), "reserved" if key[3] else "allocated", *block)
        for key, blocks in expected.items()
        for block in blocks
    ]
    found = [
        (
            row["address"],
            row["memory_type"],
            row["size_bytes"],
            *(
                None if row[name] is None else round(row[name] * 1000)
                for name in ("allocation_us", "release_us")
            ),
        )
        for row in memory_events(model).to_pylist()
    ]
    assert sorted(found, key=str) == sorted(wanted, key=str)


@given(told_apart())
def test_figures_are_those_of_a_loop(model: TraceModel) -> None:
    host = [
        (row["thread"], row["start_ns"], row["start_ns"] + row["duration_ns"], at)
        for at, row in enumerate(model.tables["host"].to_pylist())
    ]
    names = model.tables["host"]["name"].to_pylist()
    kind = model.tables["host"]["kind"].to_pylist()
    parent = model.nesting.parent.tolist()
    wanted_kinds = [
        kinds.HOST_KINDS[code] for code in (kinds.OPERATOR, kinds.ANNOTATION, kinds.STEP)
    ]
    own: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    flags = model.tables["memory_extra"]["is_reserved"].to_pylist()
    for row, reserved in zip(model.tables["memory"].to_pylist(), flags, strict=True):
        running = [one for one in host if one[0] == row["thread"] and one[1] <= row["time_ns"]]
        at = running[-1][3] if running else -1
        while at >= 0 and host[at][2] <= row["time_ns"]:
            at = parent[at]
        while at >= 0 and kind[at] not in wanted_kinds:
            at = parent[at]
        if at >= 0:
            device = "cpu" if row["device_type"] == 0 else row["device"]
            key = (device, names[at], "reserved" if reserved else "allocated")
            own[key][row["bytes"] < 0] += abs(row["bytes"])
    found = {}
    for row in memory_operators(model).to_pylist():
        device = "cpu" if row["device_type"] == "cpu" else row["device"]
        sizes = [row["self_allocation_size_bytes"], row["self_release_size_bytes"]]
        assert row["self_size_increase_bytes"] == sizes[0] - sizes[1]
        assert row["allocation_size_bytes"] >= sizes[0]
        if any(sizes):
            found[device, row["name"], row["memory_type"]] = sizes
    assert found == dict(own)


@given(told_apart())
def test_steps_add_up(model: TraceModel) -> None:
    from nbprof.analysis.steps.step_parts_memory import memory_operator_parts

    numbers = model.steps.number.tolist()
    whole = memory_operators(model)
    parts = memory_operator_parts(model, whole, "")
    for first, last in ((numbers[0], numbers[len(numbers) // 2]), (numbers[-1], numbers[-1])):
        wanted = memory_operators(model, Filter(steps=(first, last)))
        same(regrouped(whole, parts, first, last), wanted.to_pylist())


@given(recorded())
def test_other_recordings_have_the_columns_that_they_had(case: tuple[TraceModel, Truth]) -> None:
    model, _ = case
    for name, columns in (
        ("memory_curve", MEMORY_CURVE),
        ("memory_operators", MEMORY_OPERATORS),
        ("memory_events", MEMORY_EVENTS),
    ):
        table = TABLES[name].make(model)
        assert table.column_names == [column.name for column in columns]
