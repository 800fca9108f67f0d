"""Table `flame`: built by hand, and compared with plain loops on small random traces."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.modules.flame import flame
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.backward import forward_rows
from nbprof.sources import discover, read
from tests.analysis import slow
from tests.analysis.modules.generated import a_training_step, module, op, traces_with_modules
from tests.analysis.modules.slow_flame import Path_, Slow
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]


def boxes(model: TraceModel, filter_: Filter = NO_FILTER, **how: str) -> list[Row]:
    """Return the rows with `offset`, `total` and `self` in ns or bytes, and their path."""
    found: list[Row] = []
    for row in flame(model, filter_, **how).to_pylist():
        below = found[row["parent_id"]]["path"] if row["parent_id"] is not None else ()
        plain: Row = {"path": (*below, (row["kind"], row["name"]))}
        for name, value in row.items():
            is_time = name.endswith("_us")
            plain[name.removesuffix("_us").removesuffix("_bytes")] = (
                round(value * 1000) if is_time else value
            )
        found.append(plain)
    return found


def shown(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [
        (" > ".join(name for _, name in row["path"]), row["calls"], row["offset"], row["total"],
         row["self"])
        for row in rows
    ]  # fmt: skip


def test_left_heavy_puts_equal_stacks_and_the_backward_pass_together() -> None:
    forward = "Net_0 > net.py(3): forward"
    inner = f"{forward} > Linear_0"
    assert shown(boxes(a_training_step())) == [
        ("Net_0", 2, 0, 155, 15),
        ("Loss_0", 1, 155, 10, 4),
        ("AccumulateGrad", 1, 165, 10, 10),
        (forward, 1, 0, 113, 43),
        ("Net_0 > Linear_0", 1, 113, 20, 20),
        ("Net_0 > aten::sigmoid", 1, 133, 7, 7),
        ("Loss_0 > aten::nll_loss", 1, 155, 6, 6),
        (inner, 1, 0, 55, 6),
        (f"{forward} > Act_0", 1, 55, 10, 10),
        (f"{forward} > aten::relu", 1, 65, 5, 5),
        (f"{inner} > evaluate", 1, 0, 25, 5),
        (f"{inner} > aten::linear", 1, 25, 20, 2),
        (f"{inner} > aten::add", 1, 45, 4, 4),
        (f"{inner} > evaluate > AddmmBackward0", 1, 0, 20, 20),
        (f"{inner} > aten::linear > aten::addmm", 1, 25, 18, 18),
    ]
    kinds = {row["path"][-1] for row in boxes(a_training_step())}
    assert ("module", "Net_0") in kinds
    assert ("python", "net.py(3): forward") in kinds


def test_time_order_keeps_every_call_where_it_ran() -> None:
    rows = shown(boxes(a_training_step(), order="time"))
    assert rows[:5] == [
        ("Thread 1", 1, 0, 160, 20),
        ("Thread 2", 1, 160, 40, 5),
        ("Thread 1 > Net_0", 1, 0, 90, 2),
        ("Thread 1 > Net_0", 1, 100, 40, 13),
        ("Thread 1 > Loss_0", 1, 150, 10, 4),
    ]
    assert ("Thread 2 > evaluate > AddmmBackward0", 1, 162, 20, 20) in rows


def test_by_device_work_without_a_frame_is_one_of_its_own() -> None:
    rows = boxes(a_training_step(), by="device")
    assert shown(rows)[:4] == [
        ("Net_0", 2, 0, 60, 0),
        ("gemm", 1, 60, 29, 29),
        ("AccumulateGrad", 1, 89, 23, 23),
        ("Net_0 > net.py(3): forward", 1, 0, 60, 0),
    ]
    assert rows[1]["kind"] == "kernel"
    linear = boxes(a_training_step(), Filter(name="linear"), by="device")
    assert shown(linear) == [
        ("Linear_0", 2, 0, 49, 36),
        ("Linear_0 > aten::linear", 1, 0, 13, 13),
    ]
    # A name leaves none of the backward pass out.
    everywhere = [row["total"] for row in rows if row["path"][-1][1] == "Linear_0"]
    assert sum(everywhere) == linear[0]["total"]


def test_by_bytes_what_is_allocated_counts() -> None:
    record = {"thread": 0, "device_type": 0, "device": -1, "address": 1}
    model = make_model(
        [module("A_0", 0, 10), op("aten::empty", 2, 5)],
        memory=[
            {**record, "time_ns": 3, "bytes": 64},
            {**record, "time_ns": 4, "bytes": -64},
            {**record, "time_ns": 6, "bytes": 16, "device_type": 1, "device": 0},
            {**record, "time_ns": 20, "bytes": 100},
        ],
    )
    assert flame(model, by="bytes").column_names[-3:] == [
        "offset_bytes", "total_bytes", "self_bytes",
    ]  # fmt: skip
    assert shown(boxes(model, by="bytes")) == [
        ("[memory]", 1, 0, 100, 100),
        ("A_0", 1, 100, 80, 16),
        ("A_0 > aten::empty", 1, 100, 64, 64),
    ]
    assert shown(boxes(model, Filter(devices=(0,)), by="bytes")) == [("A_0", 1, 0, 16, 16)]


def test_slices_that_overlap_are_moved_apart() -> None:
    model = make_model([op("out", 0, 30), op("a", 5, 15), op("b", 10, 20), op("c", 12, 18)])
    rows = {row[0]: row[2:] for row in shown(boxes(model, order="time"))}
    assert rows["Thread 1 > out > a"] == (5, 10, 10)
    assert rows["Thread 1 > out > b"] == (15, 5, 2)
    assert rows["Thread 1 > out > b > c"] == (15, 3, 3)
    assert rows["Thread 1 > out"] == (0, 30, 15)


def test_circles_of_arrows_are_no_stacks() -> None:
    """A forward operator inside of its own backward operator is a mistake of the recorder."""
    rows = [
        op("back", 0, 50, sequence=1, forward_thread=1),
        module("A_0", 5, 40),
        op("forward", 6, 30, sequence=1, forward_thread=0),
    ]
    flows = [
        {"id": 1, "category": "fwdbwd", "phase": phase, "time_ns": time, "pid": 1, "tid": 1}
        for phase, time in (("s", 6), ("f", 0))
    ]
    model = make_model(rows, flows=flows)
    assert forward_rows(model).max() >= 0
    assert [row[0] for row in shown(boxes(model))] == ["back", "back > A_0", "back > A_0 > forward"]


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no by='area'; there are host, device, bytes"):
        flame(make_model(), by="area")
    with pytest.raises(UnknownNameError, match="no order='name'; there are left_heavy, time"):
        flame(make_model(), order="name")
    for by in ("host", "device", "bytes"):
        assert flame(make_model(), by=by).num_rows == 0


@st.composite
def flame_filters(draw: st.DrawFn) -> Filter:
    maybe = st.none
    bounds = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)
    return Filter(
        time_us=draw(maybe() | bounds.map(lambda pair: (pair[0] / 1000, pair[1] / 1000))),
        name=draw(maybe() | maybe() | st.sampled_from(["A", "/B|x/"])),
        kinds=draw(maybe() | maybe() | st.sampled_from([("operator",), ("module", "kernel")])),
        threads=draw(maybe() | st.just((1,))),
        streams=draw(maybe() | st.just((7,))),
    )


WORTHS = ("host", "device", "bytes")


@given(traces_with_modules(), flame_filters(), st.sampled_from(WORTHS))
def test_left_heavy(model: TraceModel, filter_: Filter, by: str) -> None:
    if by == "bytes" and filter_.kinds is not None:
        filter_ = filter_.replace(kinds=None)
    plain = Slow(model, filter_)
    getattr(plain, f"by_{by}")()
    rows = boxes(model, filter_, by=by)
    theirs = plain.stacks()
    assert {row["path"]: [row["total"], row["self"]] for row in rows} == {
        path: row[1:] for path, row in theirs.items()
    }
    for row in rows:
        assert row["calls"] == theirs[row["path"]][0] or row["kind"] in {*slow.WORK, "memory"}
    assert_fits(rows)
    beside: dict[Any, list[int]] = defaultdict(list)
    for row in rows:
        beside[row["parent_id"]].append(row["total"])
    assert all(totals == sorted(totals, reverse=True) for totals in beside.values())


@given(traces_with_modules(), flame_filters(), st.sampled_from(WORTHS))
def test_time_order(model: TraceModel, filter_: Filter, by: str) -> None:
    if by == "bytes" and filter_.kinds is not None:
        filter_ = filter_.replace(kinds=None)
    plain = Slow(model, filter_)
    getattr(plain, f"by_{by}")()
    rows = boxes(model, filter_, by=by, order="time")
    assert_fits(rows)
    stacks: dict[Path_, int] = defaultdict(int)
    for row in rows:
        path = row["path"][1:] if row["path"][0][0] == "thread" else row["path"]
        if path and row["self"]:
            stacks[path] += row["self"]
    theirs: dict[Path_, int] = defaultdict(int)
    for index, own in plain.own.items():
        theirs[plain.path(index, moved=False)] += own
    for path, own in plain.loose.items():
        theirs[path] += own
    assert stacks == {path: own for path, own in theirs.items() if own}
    for row in rows:
        if by == "host" and row["kind"] != "thread":
            assert row["calls"] == 1


def assert_fits(rows: list[Row]) -> None:
    """Frames fill themselves and those above them, and none lies on another."""
    inside: dict[Any, list[Row]] = defaultdict(list)
    for number, row in enumerate(rows):
        assert row["id"] == number
        assert row["parent_id"] is None or row["parent_id"] < number
        assert row["depth"] == len(row["path"]) - 1
        inside[row["parent_id"]].append(row)
    assert [row["depth"] for row in rows] == sorted(row["depth"] for row in rows)
    for parent, children in inside.items():
        ends = [row["offset"] + row["total"] for row in children]
        assert all(end <= row["offset"] for end, row in zip(ends, children[1:], strict=False))
        if parent is not None:
            below = rows[parent]
            assert below["offset"] <= children[0]["offset"]
            assert ends[-1] <= below["offset"] + below["total"]
            assert below["total"] == below["self"] + sum(row["total"] for row in children)
    for row in rows:
        assert row["total"] > 0
        assert row["self"] >= 0
        assert inside[row["id"]] or row["total"] == row["self"]


@pytest.mark.parametrize("name", ["kineto/b200_eager", "torchcpu/convnet_dl/logs"])
@pytest.mark.parametrize("order", ["left_heavy", "time"])
def test_recorded_stacks(shared_data: Path, name: str, order: str) -> None:
    model = read(discover(shared_data / name).files[0], progress=False)
    for by in ("host", "device", "bytes"):
        rows = boxes(model, by=by, order=order)
        assert_fits(rows)
        bottom = sum(row["total"] for row in rows if row["parent_id"] is None)
        if by == "device":
            work = [row for row in slow.rows_of(model, "device") if row.kind in slow.WORK]
            assert bottom == sum(row.duration for row in work)
        if by == "bytes":
            assert bottom == sum(max(size, 0) for size in model.column("memory", "bytes").tolist())
