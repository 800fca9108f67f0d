"""Work on NPUs and their hosts compared with the standard library's reading of two ranks."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nbprof.model.trace import kinds
from tests.sources.ascend.reference import Reference, Rows, reference
from tests.support.recordings.ascend import column
from tests.support.traces import to_ns

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=[0, 1])
def rank(request: pytest.FixtureRequest, shared_data: Path) -> Reference:
    return reference(shared_data, request.param)


def shapes(cell: str | None) -> str | None:
    """Return shapes as the plugin shows them, as far as it is right."""
    if cell is None:
        return None
    parts = cell.replace("\r", "").split("\n") if ";" in cell else [cell]
    numbers = (re.findall(r"\d+", part) for part in parts)
    return json.dumps([[int(number) for number in part] for part in numbers])


def test_counts_are_those_of_the_format(shared_data: Path) -> None:
    rank = reference(shared_data, 0)
    model = rank.model
    kind = model.column("host", "kind")
    names = np.array(model.values("host", "name"))[model.column("host", "name")]
    pids = np.array(column(model, "threads", "pid"))[model.column("host", "thread")]
    python = pids == "3096504"
    assert len(rank.events) == 10112
    assert int(np.isin(kind, (kinds.OPERATOR, kinds.STEP)).sum()) == 860
    assert int(np.isin(kind, (kinds.PYTHON, kinds.MODULE)).sum()) == 1282
    assert int((python & (names == "Enqueue")).sum()) == 159
    assert sum(name.startswith("Dequeue@") for name in names[python]) == 159
    assert int((~python).sum()) == 707
    assert set(kind[~python]) == {kinds.RUNTIME}
    arrows = Counter(
        zip(column(model, "flows", "category"), column(model, "flows", "phase"), strict=True)
    )
    assert arrows["operator", "s"] == arrows["operator", "f"] == 210
    assert arrows["fwdbwd", "s"] == arrows["fwdbwd", "f"] == 27
    assert arrows["queue", "s"] == arrows["queue", "f"] == 159
    groups = {
        (row["place"], row["stream"]): row["group"]
        for row in model.tables["lanes"].to_pylist()
        if row["side"] == "device"
    }
    pairs = zip(column(model, "device", "device"), column(model, "device", "stream"), strict=True)
    counted = Counter(groups[pair] for pair in pairs)
    # 296 parts of communication and its four operators.
    assert counted == {"Ascend Hardware": 535, "HCCL": 300, "Overlap Analysis": 382}
    assert model.tables["counters"].num_rows == 4431


def test_nothing_is_odd(rank: Reference) -> None:
    assert rank.model.warnings == []
    assert rank.model.metadata["epoch_ns"] == rank.zero


def test_host_rows_are_exact(rank: Reference) -> None:
    expected: Rows = []
    for event in rank.slices("Python", "CANN"):
        args = event.get("args", {})
        stack = args.get("Call stack") or ""
        expected.append(
            (
                event["name"],
                str(event["pid"]),
                event["tid"],
                rank.start(event),
                to_ns(event["dur"]),
                args.get("Sequence number", -1),
                args.get("Fwd thread id", -1),
                args.get("Python id", -1),
                args.get("Python parent id", -1),
                args.get("Python module id", -1),
                args.get("connection_id", -1),
                shapes(args.get("Input Dims")),
                re.sub(r";\s*", ";", stack).rstrip(";") or None,
            )
        )
    threads = rank.model.tables["threads"].to_pylist()
    numbers = ("sequence", "forward_thread", "python_id", "python_parent", "module_id")
    names = ("start_ns", "duration_ns", *numbers, "correlation", "input_shapes", "call_stack")
    found = []
    for row in rank.model.tables["host"].to_pylist():
        thread = threads[row["thread"]]
        place = (row["name"], thread["pid"], thread["tid"])
        found.append((*place, *(row[name] for name in names)))
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_types_are_a_list_of_texts(rank: Reference) -> None:
    expected = Counter(
        json.dumps(args["Input type"].replace("\r\n", "").split(";"))
        for event in rank.slices("Python")
        if "Input type" in (args := event.get("args", {}))
    )
    assert Counter(filter(None, column(rank.model, "host", "input_types"))) == expected


def test_device_rows_are_exact(rank: Reference) -> None:
    """All times are those of the trace but the durations of kernels, which `kernel_details` has."""
    durations = {
        (row["Name"], to_ns(row["Start Time(us)"].strip()) - rank.zero): to_ns(row["Duration(us)"])
        for row in rank.kernels
    }
    stream = {
        (row["group"], row["name"]): row["stream"]
        for row in rank.model.tables["lanes"].to_pylist()
        if row["side"] == "device"
    }
    threads = {
        (e["pid"], e["tid"]): e["args"]["name"] for e in rank.events if e["name"] == "thread_name"
    }
    expected: Rows = []
    for event in rank.slices("Ascend Hardware", "HCCL", "Overlap Analysis"):
        start, args = rank.start(event), event.get("args", {})
        named = threads.get((event["pid"], event["tid"]), event["name"])
        told = [durations.get((event["name"], start - early)) for early in (0, 1)]
        expected.append(
            (
                event["name"],
                stream[rank.processes[event["pid"]], named],
                start,
                next((one for one in told if one is not None), Decimal(event["dur"]) * 1000),
                args.get("connection_id", -1),
                args.get("size(Byte)", -1),
            )
        )
    names = ("name", "stream", "start_ns", "duration_ns", "correlation", "bytes")
    found = [tuple(row[name] for name in names) for row in rank.model.tables["device"].to_pylist()]
    for one, other in zip(sorted(found), sorted(expected), strict=True):
        assert (*one[:3], *one[4:]) == (*other[:3], *other[4:])
        # Parts of communication last fractions of a nanosecond, and half of one may go either way.
        assert abs(one[3] - other[3]) <= Decimal("0.5")
    assert set(column(rank.model, "device", "device")) == {rank.number}


def test_every_kernel_is_one_row(rank: Reference) -> None:
    table = rank.model.tables["npu_kernels"].to_pylist()
    rows = [row["row"] for row in table]
    assert len(rows) == 191
    assert rows == sorted(set(rows))
    kind = rank.model.column("device", "kind")
    assert rows == np.flatnonzero(kind == kinds.KERNEL).tolist()
    device = rank.model.tables["device"].take(rows).to_pylist()
    for kernel, row, known in zip(rank.kernels, device, table, strict=True):
        assert row["name"] == kernel["Name"]
        early = row["start_ns"] + rank.zero - to_ns(kernel["Start Time(us)"].strip())
        assert early in ({0, 1} if kernel["Accelerator Core"] == "HCCL" else {0})
        assert row["duration_ns"] == to_ns(kernel["Duration(us)"])
        assert known["accelerator_core"] == kernel["Accelerator Core"]
        assert known["task"] == (-1 if kernel["Task ID"] == "N/A" else int(kernel["Task ID"]))
        assert row["stream"] == (-2 if kernel["Stream ID"] == "N/A" else int(kernel["Stream ID"]))


def test_counters_are_exact(rank: Reference) -> None:
    expected: Rows = []
    for event in (e for e in rank.events if e["ph"] == "C"):
        args = {key: value for key, value in event["args"].items() if key != "acc_id"}
        for key, value in args.items():
            series = f"acc_id {event['args']['acc_id']}" if "acc_id" in event["args"] else key
            expected.append((event["name"], series, event["pid"], rank.start(event), float(value)))
    names = ("name", "series", "pid", "time_ns", "value")
    table = rank.model.tables["counters"].to_pylist()
    assert sorted(tuple(row[name] for name in names) for row in table) == sorted(expected)


def test_measured_operators_are_the_calls_of_operators(rank: Reference) -> None:
    model = rank.model
    rows = model.column("measured_operators", "row")
    assert len(rows) == len(set(rows.tolist())) == 859
    assert set(model.column("host", "kind")[rows].tolist()) == {kinds.OPERATOR}
    host = model.tables["host"].take(rows)
    measured = model.tables["measured_operators"]
    assert measured.column("name").to_pylist() == host.column("name").to_pylist()
    total = np.rint(measured.column("host_total_us").to_numpy() * 1000).astype(int)
    assert total.tolist() == host.column("duration_ns").to_pylist()
    assert np.all(np.diff(host.column("start_ns").to_numpy()) >= 0)
    for name in ("call_stack", "input_shapes"):
        pairs = zip(measured.column(name).to_pylist(), host.column(name).to_pylist(), strict=True)
        assert all(left == right for left, right in pairs if right)
