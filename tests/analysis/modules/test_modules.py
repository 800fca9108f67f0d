"""Table `modules`: built by hand, and compared with plain loops on small random traces."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.modules.modules import modules
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.backward import linked_forward_rows
from nbprof.sources import discover, read
from tests.analysis import slow
from tests.analysis.modules.generated import a_training_step, traces_with_modules
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]
TIMES = ("host_total_us", "host_self_us", "device_total_us", "device_self_us",
         "backward_host_us", "backward_device_us")  # fmt: skip


def rows_by_name(model: TraceModel, filter_: Filter = NO_FILTER) -> dict[str, Row]:
    """Return the rows by the names from the top down to them, times in nanoseconds."""
    found: dict[str, Row] = {}
    by_id: dict[int, str] = {}
    for row in modules(model, filter_).to_pylist():
        above = by_id[row["parent_id"]] + " > " if row["parent_id"] is not None else ""
        by_id[row["module_id"]] = above + row["name"]
        for time in TIMES:
            row[time] = None if row[time] is None else round(row[time] * 1000)
        found[by_id[row["module_id"]]] = row
    return found


def figures(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("occurrences", "operators", *TIMES))


def test_a_training_step() -> None:
    found = rows_by_name(a_training_step())
    assert list(found) == ["Loss_0", "Net_0", "Net_0 > Linear_0", "Net_0 > Act_0"]
    # two calls of 90 and 40; inside them two of Linear, of 30 and 20, and one of Act, of 10
    assert figures(found["Net_0"]) == (2, 2, 130, 130 - 60 - 5 - 7, 11 + 13 + 17, 11, 25, 19)
    assert figures(found["Net_0 > Linear_0"]) == (2, 3, 50, 50 - 24 - 6, 13 + 17, 30, 25, 19)
    assert figures(found["Net_0 > Act_0"]) == (1, 0, 10, 10, 0, 0, 0, 0)
    assert figures(found["Loss_0"]) == (1, 1, 10, 4, 0, 0, 0, 0)


def test_ids_stay_and_parents_are_the_next_ones_out() -> None:
    model = a_training_step()
    whole, linear = rows_by_name(model), rows_by_name(model, Filter(name="linear"))
    assert list(linear) == ["Linear_0"]
    assert linear["Linear_0"] == {**whole["Net_0 > Linear_0"], "parent_id": None}
    assert list(rows_by_name(model, Filter(kinds=("operator",)))) == []


def test_a_range_counts_the_backward_pass_where_it_ran() -> None:
    model = a_training_step()
    found = rows_by_name(model, Filter(time_us=(0.3, 9.0)))
    assert list(found) == ["Net_0", "Net_0 > Linear_0"]
    assert figures(found["Net_0 > Linear_0"]) == (0, 0, 0, 0, 0, 0, 25, 19)
    forward = rows_by_name(model, Filter(time_us=(0.0, 0.3)))
    assert figures(forward["Net_0"])[-2:] == (0, 0)
    other_stream = rows_by_name(model, Filter(streams=(9,)))
    assert figures(other_stream["Net_0"])[-4:] == (0, 0, 25, 19)


def test_a_module_called_by_two_others_has_the_same_figures_under_both() -> None:
    def module(name: str, start: int, end: int) -> Row:
        return {"name": f"nn.Module: {name}", "kind": "module", "module_id": 0,
                "start": start, "end": end}  # fmt: skip

    rows = [
        module("A_0", 0, 10), module("Shared_0", 1, 5),
        module("B_0", 20, 30), module("Shared_0", 21, 24),
    ]  # fmt: skip
    found = rows_by_name(make_model(rows))
    assert list(found) == ["A_0", "A_0 > Shared_0", "B_0", "B_0 > Shared_0"]
    assert found["A_0 > Shared_0"]["host_total_us"] == found["B_0 > Shared_0"]["host_total_us"] == 7
    assert found["A_0"]["host_self_us"] == 6


def test_what_the_trace_does_not_hold_is_null() -> None:
    table = modules(make_model([{"name": "nn.Module: A_0", "kind": "module", "module_id": 0,
                                 "start": 0, "end": 5}]))  # fmt: skip
    (row,) = table.to_pylist()
    assert [name for name, value in row.items() if value is None] == [
        "parent_id", "device_total_us", "device_self_us", "backward_host_us", "backward_device_us",
    ]  # fmt: skip
    empty = modules(make_model([{"name": "aten::mm", "start": 0, "end": 1}]))
    assert (empty.num_rows, empty.schema) == (0, table.schema)


class Slow:
    """The same figures, one row after another."""

    def __init__(self, model: TraceModel, filter_: Filter) -> None:
        self.model = model
        self.host = slow.rows_of(model, "host")
        self.parent = model.nesting.parent.tolist()
        self.forward = linked_forward_rows(model).tolist()
        self.kept = selection.host_rows(model, filter_)
        self.anytime = selection.host_rows(model, filter_.replace(steps=None, time_us=None))
        self.in_range = selection.host_rows_in_range(model, filter_)
        counted = slow.counted_device_rows(model, filter_)
        links = model.links
        self.device = [
            (int(links.launch[row.index]) if links.launch[row.index] >= 0
             else int(links.operator[row.index]), row.duration)
            for row in slow.rows_of(model, "device")
            if counted[row.index]
        ]  # fmt: skip

    def up(self, row: int) -> list[int]:
        """Return a row and all round it, the innermost first."""
        found = []
        while row >= 0:
            found.append(row)
            row = self.parent[row]
        return found

    def around(self, row: int) -> list[int]:
        """Return the calls of modules that a row is or runs in, the innermost first."""
        return [one for one in self.up(row) if self.host[one].kind == "module"]

    def linked(self, row: int) -> int:
        """Return the innermost linked row that a row is or runs in, -1 without one."""
        return next((one for one in self.up(row) if self.forward[one] >= 0), -1)

    def own(self, row: int, stops: Any) -> int:
        """Return the moments of a row that nothing straight inside it which `stops` names covers.

        What lies deeper may stick out of the row around it by a rounding of its times; those
        moments stay with the outer row.
        """
        moments = set(self.host[row].moments)
        for other in self.host:
            around = self.up(other.index)[1:]
            if stops(other) and row in around:
                between = around[: around.index(row)]
                if not any(stops(self.host[one]) for one in between):
                    moments -= other.moments
        return len(moments)

    def key(self, row: int) -> tuple[str, int]:
        return self.host[row].name, self.host[row].more["module_id"]

    def path(self, row: int) -> tuple[Any, ...]:
        return tuple(self.key(one) for one in reversed(self.around(row)))

    def table(self) -> tuple[set[Any], dict[Any, dict[str, int]]]:
        sums: dict[Any, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        paths = set()
        for call in self.host:
            if call.kind == "module" and self.kept[call.index]:
                paths.add(self.path(call.index))
                self.add_forward(sums[self.key(call.index)], call)
        for row, target in enumerate(self.forward):
            if target >= 0 and self.in_range[row]:
                time = self.own(row, lambda other: self.forward[other.index] >= 0)
                device = sum(t for s, t in self.device if s >= 0 and self.linked(s) == row)
                for call in self.around(target):
                    if self.anytime[call]:
                        paths.add(self.path(call))
                        sums[self.key(call)]["backward_host_us"] += time
                        sums[self.key(call)]["backward_device_us"] += device
        return paths, sums

    def add_forward(self, into: dict[str, int], call: slow.Row) -> None:
        def stops(row: slow.Row) -> bool:
            return row.kind in ("module", "runtime") or slow.is_operator(row)

        def direct(row: slow.Row) -> bool:
            between = self.up(row.index)[1:]
            between = between[: between.index(call.index)]
            return stops(row) and not any(stops(self.host[one]) for one in between)

        inside = [r for r in self.host if r.index != call.index and call.index in self.up(r.index)]
        into["occurrences"] += 1
        into["operators"] += sum(direct(row) and slow.is_operator(row) for row in inside)
        into["host_total_us"] += call.duration
        into["host_self_us"] += self.own(call.index, stops)
        for source, time in self.device:
            into["device_total_us"] += time * slow.is_in_time(self.host, source, call)
            into["device_self_us"] += time * (self.around(source)[:1] == [call.index])


@st.composite
def module_filters(draw: st.DrawFn) -> Filter:
    maybe = st.none
    bounds = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)
    return Filter(
        time_us=draw(maybe() | bounds.map(lambda pair: (pair[0] / 1000, pair[1] / 1000))),
        name=draw(maybe() | st.sampled_from(["A", "/B|C/"])),
        threads=draw(maybe() | st.just((1,))),
        streams=draw(maybe() | st.just((7,))),
    )


@given(traces_with_modules(), module_filters())
def test_modules(model: TraceModel, filter_: Filter) -> None:
    paths, sums = Slow(model, filter_).table()
    table = modules(model, filter_).to_pylist()
    assert [row["module_id"] for row in table] == sorted(row["module_id"] for row in table)
    assert len({row["module_id"] for row in table}) == len(table) == len(paths)
    has_device = any(row.kind in slow.WORK for row in slow.rows_of(model, "device"))
    for row in table:
        plain = sums[f"nn.Module: {row['name']}", 0]
        assert row["occurrences"] == plain["occurrences"]
        assert row["operators"] == plain["operators"]
        for time in TIMES:
            if row[time] is None:
                source = has_device if "device" in time else plain["backward_host_us"] > 0
                assert not source or (time.startswith("backward") and not plain[time])
            else:
                assert round(row[time] * 1000) == plain[time], time


@given(traces_with_modules())
def test_own_times_add_up(model: TraceModel) -> None:
    """Every launch inside modules is in one module's own time, and totals hold what is inside."""
    rows = {row["name"]: row for row in modules(model).to_pylist()}
    plain = Slow(model, NO_FILTER)
    launched = sum(time for source, time in plain.device if plain.around(source))
    own = sum(row["device_self_us"] or 0.0 for row in rows.values())
    assert own * 1000 == pytest.approx(launched)
    for row in rows.values():
        assert 0 <= row["host_self_us"] <= row["host_total_us"]
        assert (row["device_self_us"] or 0) <= (row["device_total_us"] or 0)


@pytest.mark.parametrize("name", ["kineto/b200_eager", "torchcpu/convnet_dl/logs"])
def test_recorded_modules(shared_data: Path, name: str) -> None:
    model = read(discover(shared_data / name).files[0], progress=False)
    table = modules(model).to_pylist()
    by_id = {row["module_id"]: row for row in table}
    children: dict[int, float] = defaultdict(float)
    for row in table:
        if row["parent_id"] is not None and "Rotary" not in row["name"]:  # which many others call
            assert row["parent_id"] < row["module_id"]
            children[row["parent_id"]] += row["host_total_us"]
    assert children
    for number, inside in children.items():
        assert inside <= by_id[number]["host_total_us"] - by_id[number]["host_self_us"] + 1e-6
