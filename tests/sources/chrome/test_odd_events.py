"""Events with anything missing or of the wrong type: kept where possible, and counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.model.errors import TraceFormatError
from tests.support.traces import Event, kernel, op, read_trace, table_rows, warning_counts, write

if TYPE_CHECKING:
    from pathlib import Path


def test_ids_of_arrows_may_be_text(model_of: Any) -> None:
    flow = {"ph": "s", "pid": 1, "tid": 1, "ts": 1, "cat": "ac2g", "name": "a"}
    model = model_of(op(), *({**flow, "id": i} for i in ("17", "0x1f", "abc", "abc", "abd", None)))
    ids = [row["id"] for row in table_rows(model, "flows")]
    assert ids[:2] == [17, 31]
    assert ids[2] == ids[3] != ids[4]
    assert min(ids[2:5]) > 2**53
    assert ids[5] == -1


def test_numbers_beyond_the_columns_are_none(tmp_path: Path) -> None:
    device = {"id": 2**40, "name": "X", "numSms": 2**50, "computeMajor": 2**33}
    odd = {**kernel("b", 5, 5), "args": {"device": 2**40, "stream": 2**70, "correlation": 2**90}}
    path = write(tmp_path / "a.json", [kernel("a", 0, 5), odd], deviceProperties=[device])
    model = read_trace(path)
    [row] = table_rows(model, "devices")
    assert (row["device"], row["multiprocessors"], row["compute_major"]) == (0, -1, -1)
    assert [row["device"] for row in table_rows(model, "device")] == [0, -1]


def test_counters(model_of: Any) -> None:
    model = model_of(
        op(ts=1),
        {"ph": "C", "name": "GPU 0 Utilization", "pid": 0, "ts": 2, "args": {"a": 0.5, "b": 1}},
        {"ph": "C", "name": "GPU 0 Utilization", "pid": 0, "ts": 3, "args": {"a": "0.25"}},
        {"ph": "C", "name": "odd", "pid": 0, "ts": 3, "args": 5},
    )
    found = [(r["series"], r["time_ns"], r["value"]) for r in table_rows(model, "counters")]
    assert found == [("a", 1000, 0.5), ("b", 1000, 1.0), ("a", 2000, 0.25)]


def test_the_last_name_of_a_thread_holds(model_of: Any) -> None:
    def named(tid: Any, name: str) -> Event:
        args = {"name": name}
        return {"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "ts": 0, "args": args}

    model = model_of(named(1, "old"), op(), named(1, "new"), op(tid=2, ts=20), named(9, "unused"))
    assert table_rows(model, "threads") == [
        {"pid": "1", "tid": 1, "name": "new"},
        {"pid": "1", "tid": 2, "name": ""},
    ]


def test_threads_come_in_the_order_of_their_first_slice(model_of: Any) -> None:
    model = model_of(op(tid=5, ts=30), op(tid=4, ts=20), op(tid=5, ts=10))
    assert [row["tid"] for row in table_rows(model, "threads")] == [5, 4]
    assert [(r["thread"], r["start_ns"]) for r in table_rows(model)] == [
        (0, 0),
        (0, 20000),
        (1, 10000),
    ]


def test_thread_ids_may_be_numbers_in_text_or_words(model_of: Any) -> None:
    events = [op(tid="25", ts=1), op(tid=25, ts=2), op(tid=25.0, ts=3), op(tid="main", ts=4)]
    model = model_of(
        *events, op(tid="other", ts=5), {"ph": "X", "cat": "cpu_op", "name": "a", "ts": 6}
    )
    threads = table_rows(model, "threads")
    assert [row["thread"] for row in table_rows(model)] == [0, 0, 0, 1, 2, 3]
    assert threads[0]["tid"] == 25
    assert threads[1]["tid"] < -1
    assert threads[1]["tid"] != threads[2]["tid"]
    assert [thread["name"] for thread in threads] == ["", "main", "other", ""]
    assert threads[3] == {"pid": "", "tid": -1, "name": ""}
    assert warning_counts(model) == {
        "missing or impossible duration": 1,
        "missing thread id": 1,
        "thread id in words": 2,
    }
    again = model_of(op(tid="main"))
    assert table_rows(again, "threads")[0]["tid"] == threads[1]["tid"]


def test_a_missing_or_negative_duration_is_zero_and_counted(model_of: Any, tmp_path: Path) -> None:
    without = op("a")
    del without["dur"]
    model = model_of(
        without, op("b", dur=-7), op("c", dur=None), op("d", dur="2.5"), op("e", dur=0)
    )
    durations = {row["name"]: row["duration_ns"] for row in table_rows(model)}
    assert durations == {"a": 0, "b": 0, "c": 0, "d": 2500, "e": 0}
    assert warning_counts(model) == {"missing or impossible duration": 3}
    with pytest.raises(TraceFormatError, match="missing or impossible duration: 'a'"):
        read_trace(tmp_path / "a.json", strict=True)


def test_an_event_without_a_time_is_dropped_and_counted(model_of: Any) -> None:
    model = model_of(op("a"), op("b", ts=None), op("c", ts="soon"), op("d", ts=[1]))
    assert [row["name"] for row in table_rows(model)] == ["a"]
    assert warning_counts(model)["missing time stamp"] == 3


def test_a_time_of_zero_far_from_all_others_is_none(model_of: Any) -> None:
    day_us = 86_400 * 10**6
    model = model_of(op("a", ts=2 * day_us), kernel(ts=0), op("b", ts=2 * day_us + 1))
    assert [row["start_ns"] for row in table_rows(model)] == [0, 1000]
    assert warning_counts(model) == {"missing time stamp": 1}
    assert len(table_rows(model_of(op("a", ts=0), op("b", ts=1)))) == 2


def test_an_event_without_a_name_is_kept_and_counted(model_of: Any) -> None:
    without = op()
    del without["name"]
    model = model_of(without, op(name=None, ts=11), op(name="", ts=12), op(name=5, ts=13))
    assert [row["name"] for row in table_rows(model)] == ["<unnamed>"] * 3 + ["5"]
    assert warning_counts(model)["missing name"] == 3


def test_slices_without_a_category_are_operators(model_of: Any, tmp_path: Path) -> None:
    bare = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}
    model = model_of(bare)
    assert [row["kind"] for row in table_rows(model)] == ["operator"]
    assert warning_counts(model) == {"missing category": 1}
    # The EventList export is a bare array that has no categories at all.
    legacy = [
        {**bare, "pid": "CPU functions"},
        {**bare, "pid": "CUDA functions", "tid": 3, "ts": 2},
        {"ph": "s", "cat": "cpu_to_cuda", "id": 1, "pid": "CPU functions", "tid": 1, "ts": 1},
        {"ph": "f", "cat": "cpu_to_cuda", "id": 1, "pid": "CUDA functions", "tid": 3, "ts": 2},
    ]
    model = read_trace(write(tmp_path / "b.json", json.dumps(legacy)), strict=True)
    assert model.tables["host"].num_rows == 1
    assert [(r["kind"], r["device"]) for r in table_rows(model, "device")] == [("kernel", 3)]
    assert model.links.operator.tolist() == [0]


@pytest.mark.parametrize("args", [None, [], "text", 5, [1, 2]])
def test_arguments_that_are_no_object_are_none(model_of: Any, args: Any) -> None:
    model = model_of(op("a", args=args), op("b", args={"External id": 7}))
    assert [row["external_id"] for row in table_rows(model)] == [-1, 7]
    assert warning_counts(model) == ({} if args is None else {"odd types": 1})


def test_wrong_types_in_arguments_never_raise(model_of: Any) -> None:
    odd = {
        "External id": "12",
        "Sequence number": None,
        "Fwd thread id": [3],
        "Input Dims": "[[1,2],[]]",
        "Input type": 7,
        "Call stack": ["a", "b"],
        "correlation": {"x": 1},
    }
    hardware = {
        "device": "1",
        "stream": "stream 20",
        "grid": "[4, 1, 1]",
        "block": "none",
        "registers per thread": "32",
        "shared memory": 48.0,
        "blocks per SM": "1.5",
        "warps per SM": None,
        "est. achieved occupancy %": [],
        "correlation": True,
    }
    model = model_of(op(args=odd), kernel(**hardware))
    (row,) = table_rows(model)
    assert row["external_id"] == 12
    assert (row["sequence"], row["forward_thread"], row["correlation"]) == (-1, -1, -1)
    assert (row["input_shapes"], row["input_types"], row["call_stack"]) == (
        "[[1, 2], []]",
        None,
        None,
    )
    (row,) = table_rows(model, "device")
    assert (row["device"], row["stream"], row["grid"], row["block"]) == (1, 20, "[4, 1, 1]", None)
    assert (row["registers"], row["shared_memory_bytes"], row["blocks_per_sm"]) == (32, 48, 1.5)
    assert row["warps_per_sm"] != row["warps_per_sm"]
    assert row["correlation"] == 1


def test_things_that_are_no_events_are_skipped(model_of: Any) -> None:
    model = model_of(op(), 5, "text", None, [op()])  # type: ignore[arg-type]
    assert len(table_rows(model)) == 1
    assert warning_counts(model) == {"not an event": 4}


def test_any_number_of_devices(model_of: Any) -> None:
    model = model_of(*(kernel(device=i, ts=i) for i in (0, 64, 300)))
    assert [row["device"] for row in table_rows(model, "device")] == [0, 64, 300]


def test_device_properties_go_by_their_ids(model_of: Any) -> None:
    listed = [
        {"id": 3, "name": "B", "totalGlobalMem": 2**35, "computeMajor": 9, "numSms": 132},
        {"id": 1, "name": "A"},
        "junk",
    ]
    model = model_of(op(), deviceProperties=listed)
    found = table_rows(model, "devices")
    assert [(r["device"], r["name"], r["memory_bytes"]) for r in found] == [
        (1, "A", -1),
        (3, "B", 2**35),
    ]
    assert (found[1]["compute_major"], found[1]["compute_minor"]) == (9, -1)
    assert found[1]["multiprocessors"] == 132


def test_collectives_are_decoded_on_both_sides(model_of: Any) -> None:
    args = {
        "Collective name": "allreduce",
        "dtype": "Float",
        "In msg nelems": 100,
        "Out msg nelems": "100",
        "Group size": 8,
        "Process Group Name": "0",
        "Process Group Ranks": "[0, 1]",
    }
    model = model_of(
        op("later", ts=50),
        kernel("other", ts=60),
        op("record_param_comms", ts=40, args=args),
        kernel("ncclKernel", ts=45, **args),
    )
    found = table_rows(model, "collectives")
    assert [(r["side"], r["row"]) for r in found] == [("host", 0), ("device", 0)]
    for row in found:
        assert (row["collective"], row["dtype"], row["process_group"]) == (
            "allreduce",
            "Float",
            "0",
        )
        assert (row["in_elements"], row["out_elements"], row["group_size"]) == (100, 100, 8)
        assert row["ranks"] == "[0, 1]"


def test_equal_slices_stay_in_file_order(model_of: Any) -> None:
    names = ["outer", "middle", "inner"]
    categories = ["cpu_op", "python_function", "user_annotation"]
    model = model_of(*(op(n, cat=c) for n, c in zip(names, categories, strict=True)))
    assert [row["name"] for row in table_rows(model)] == names


def test_times_as_text_and_beyond_floats(model_of: Any) -> None:
    model = model_of(
        op("a", ts="1736405443881410.320", dur="1.001"), op("b", ts="1736405443881410.321")
    )
    assert [row["start_ns"] for row in table_rows(model)] == [0, 1]
    assert table_rows(model)[0]["duration_ns"] == 1001
    assert model.metadata["epoch_ns"] == 1736405443881410320


def test_the_base_time_is_part_of_the_epoch(model_of: Any) -> None:
    model = model_of(op(ts=1.5), baseTimeNanoseconds=1_790_857_026_000_000_000)
    assert model.metadata["epoch_ns"] == 1_790_857_026_000_001_500


def test_call_stacks_lose_the_separator_at_their_end(model_of: Any) -> None:
    model = model_of(op(args={"Call stack": "a.py(1): f;b.py(2): g;"}))
    assert table_rows(model)[0]["call_stack"] == "a.py(1): f;b.py(2): g"


def test_no_secret_of_the_file_is_kept(model_of: Any) -> None:
    secret = {"metadata": {"env": {"TOKEN": "s3cret"}}, "TOKEN": "s3cret", "trace_id": "s3cret"}
    model = model_of(op(args={"TOKEN": "s3cret"}), **secret, host_name="h", with_stack=1)
    assert "s3cret" not in repr(model.metadata)
    assert model.metadata["with_stack"] is True
    assert "with_flops" not in model.metadata


def test_what_is_read_without_a_category_is_the_same_once_written(tmp_path: Path) -> None:
    names = ("ProfilerStep#1", "aten::a", "[pl][profile]run", "[pl][module]torch.nn.Linear: a", "x")
    bare = [
        {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 20 - 2 * at}
        for at, name in enumerate(names, 1)
    ]
    write(tmp_path / "a.pt.trace.json", bare)
    first = next(iter(nbprof.load(tmp_path / "a.pt.trace.json")))
    wanted = ["step", "operator", "annotation", "module", "operator"]
    assert [row["kind"] for row in table_rows(first.model)] == wanted
    texts = []
    for name in ("b.json", "c.json"):
        first.to_chrome_trace(tmp_path / name)
        texts.append((tmp_path / name).read_text())
        first = next(iter(nbprof.load(tmp_path / name)))
    assert texts[0] == texts[1]
    assert [row["kind"] for row in table_rows(first.model)] == wanted
