"""Arrows of NPU traces: their targets, by times and lanes of both ends."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.sources.ascend.trace.flow_ids import arrow_ids
from tests.sources.ascend.reference import Reference, Rows, reference
from tests.support.recordings.ascend import Event, column
from tests.support.traces import to_ns

if TYPE_CHECKING:
    from pathlib import Path

CATEGORIES = {
    "HostToDevice": "launch",
    "async_npu": "operator",
    "async_task_queue": "queue",
    "fwdbwd": "fwdbwd",
}


@pytest.fixture(params=[0, 1])
def rank(request: pytest.FixtureRequest, shared_data: Path) -> Reference:
    return reference(shared_data, request.param)


def by_place(events: list[Event]) -> dict[tuple[int, int, str], Event]:
    """Return slices by process, thread and start."""
    return {(e["pid"], e["tid"], e["ts"]): e for e in events}


def place(event: Event) -> tuple[int, int, str]:
    return event["pid"], event["tid"], event["ts"]


def test_every_arrow_from_an_operator_leads_to_work(rank: Reference) -> None:
    begins = {e["id"]: e for e in rank.arrows("async_npu", "s")}
    operators = by_place([e for e in rank.slices("Python") if e["cat"] == "cpu_op"])
    work = by_place(rank.slices("Ascend Hardware", "HCCL"))
    expected: Rows = []
    for end in rank.arrows("async_npu", "f"):
        done = work[place(end)]
        operator = operators[place(begins[end["id"]])]
        expected.append((done["name"], rank.start(done), operator["name"], rank.start(operator)))
    model, links = rank.model, rank.model.links
    host, device = (column(model, name, "name") for name in ("host", "device"))
    begin, start = (model.column(name, "start_ns") for name in ("host", "device"))
    found = []
    for row in np.flatnonzero(links.operator >= 0).tolist():
        operator_row = int(links.operator[row])
        found.append((device[row], start[row], host[operator_row], begin[operator_row]))
    assert len(expected) == 210
    assert sorted(found) == sorted(expected)


def test_every_launch_is_the_call_that_its_arrow_starts_in(rank: Reference) -> None:
    begins = {e["id"]: e for e in rank.arrows("HostToDevice", "s")}
    calls = defaultdict(list)
    for call in rank.slices("CANN"):
        start = to_ns(call["ts"])
        calls[call["tid"]].append((to_ns(call["dur"]), start, call["name"]))
    work = by_place(rank.slices("Ascend Hardware", "HCCL"))
    model = rank.model
    rows: dict[tuple[str, int], int] = {
        (name, int(start)): row
        for row, (name, start) in enumerate(
            zip(column(model, "device", "name"), model.column("device", "start_ns"), strict=True)
        )
    }
    names, starts = column(model, "host", "name"), model.column("host", "start_ns")
    ends = rank.arrows("HostToDevice", "f")
    for end in ends:
        time = to_ns(begins[end["id"]]["ts"])
        inside = [one for one in calls[begins[end["id"]]["tid"]] if one[1] <= time <= sum(one[:2])]
        # Two calls may begin and end together, and only one of them is told to have launched.
        innermost = {(start, name) for *span, start, name in inside if span == [min(inside)[0]]}
        done = work[place(end)]
        launch = int(model.links.launch[rows[done["name"], rank.start(done)]])
        assert (starts[launch] + rank.zero, names[launch]) in innermost
    assert len(ends) == 215


def test_ends_are_on_threads_and_streams(rank: Reference) -> None:
    lanes: dict[tuple[int, int], tuple[int, int]] = {}
    device = {
        (row["group"], row["name"]): (row["place"], row["stream"])
        for row in rank.model.tables["lanes"].to_pylist()
        if row["side"] == "device"
    }
    for event in (e for e in rank.events if e["name"] == "thread_name"):
        key = event["pid"], event["tid"]
        lanes[key] = device.get((rank.processes[key[0]], event["args"]["name"]), key)
    ends = [e for e in rank.events if e["ph"] in {"s", "f"}]
    ends = sorted(ends, key=lambda event: to_ns(event["ts"]))
    expected = [
        (CATEGORIES[e["cat"]], e["ph"], rank.start(e), *lanes[e["pid"], e["tid"]]) for e in ends
    ]
    names = ("category", "phase", "time_ns", "pid", "tid")
    table = rank.model.tables["flows"].to_pylist()
    assert [tuple(row[name] for name in names) for row in table] == expected
    pairs = {(row["category"], row["id"], str(e["id"])) for row, e in zip(table, ends, strict=True)}
    assert len({pair[:2] for pair in pairs}) == len({pair[::2] for pair in pairs}) == len(pairs)
    assert min(number for _, number, _ in pairs) > 0


IDS = st.one_of(
    st.integers(0, 2**63),
    st.integers(2**61, 2**70),
    st.integers(0, 10**37),
    st.text(max_size=4),
    st.none(),
)


@given(st.lists(IDS, max_size=8), st.data())
def test_equal_ids_and_only_they_have_equal_numbers(values: list[Any], data: st.DataObject) -> None:
    spelled = [
        str(one) if isinstance(one, int) and data.draw(st.booleans()) else one for one in values
    ]
    numbers = arrow_ids(spelled)
    alone = [int(arrow_ids([one])[0]) for one in spelled]
    assert numbers.tolist() == alone
    known = {str(_plain(one)): number for one, number in zip(values, alone, strict=True)}
    assert len(set(known.values())) == len(known)
    assert all((number > 0) == (one is not None) for one, number in zip(values, alone, strict=True))


def _plain(value: Any) -> Any:
    try:
        return int(value)
    except (TypeError, ValueError):
        return value if value is None else f"text {value}"
