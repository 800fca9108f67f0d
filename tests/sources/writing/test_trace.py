"""A trace written as Chrome JSON and read back is equal, whole or in part."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nbprof
from nbprof.model.filters.filter import Filter
from nbprof.sources import write_chrome_trace
from tests.sources.writing.chrome_models import filters, traces
from tests.sources.writing.round_trip import (
    assert_same_model,
    assert_same_part,
    assert_same_whole,
    trace_of,
    written,
)
from tests.support.models import make_model
from tests.support.traces import kernel, op, read_trace, table_rows, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

with_tmp_path = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@with_tmp_path
@given(traces())
def test_a_whole_trace_comes_back_row_by_row(tmp_path: Path, model: TraceModel) -> None:
    trace = trace_of(model, tmp_path)
    again = written(trace, tmp_path)
    assert_same_model(model, again.model)
    assert_same_whole(trace, again)


@with_tmp_path
@given(traces(), filters(), st.data())
def test_a_part_gives_the_same_tables(
    tmp_path: Path, model: TraceModel, filter_: Filter, data: st.DataObject
) -> None:
    trace = trace_of(model, tmp_path).filter(filter_)
    again = written(trace, tmp_path)
    assert_same_part(trace, again.filter(filter_), has_odd_ids=True)
    if filter_.time_us and abs(filter_.time_us[0]) + abs(filter_.time_us[1]) < 1e6:
        low, high = (round(bound * 1000) for bound in filter_.time_us)
        inner = sorted(data.draw(st.tuples(*[st.integers(low, high)] * 2)))
        within = filter_.replace(time_us=(inner[0] / 1000, inner[1] / 1000))
        assert_same_part(trace.filter(within), again.filter(within))


def test_a_wait_that_outlasts_its_step_is_kept(tmp_path: Path) -> None:
    host = [
        {"name": "ProfilerStep#2", "kind": "step", "start": 0, "end": 10},
        {
            "name": "cudaDeviceSynchronize",
            "kind": "runtime",
            "start": 5,
            "end": 9,
            "correlation": 1,
        },
    ]
    wait = {"name": "Context Sync", "kind": "sync", "start": 20, "end": 20, "correlation": 1}
    filter_ = Filter(steps=(2, 2), time_us=(0.015, 1.0))
    trace = trace_of(make_model(host, [wait]), tmp_path).filter(filter_)
    assert trace.slice_summary().num_rows == 1
    assert_same_part(trace, written(trace, tmp_path).filter(filter_))


def test_a_part_of_counters_has_no_step(tmp_path: Path) -> None:
    counter = {"name": "q", "series": "n", "pid": 1, "time_ns": 5, "value": 1.0}
    filter_ = Filter(time_us=(0.0, 0.02))
    trace = trace_of(make_model(counters=[counter]), tmp_path).filter(filter_)
    assert trace.steps().num_rows == 0
    assert_same_part(trace, written(trace, tmp_path).filter(filter_))


@with_tmp_path
@given(traces(), filters())
def test_a_part_of_a_part_is_a_part(tmp_path: Path, model: TraceModel, filter_: Filter) -> None:
    trace = trace_of(model, tmp_path).filter(filter_)
    once = written(trace, tmp_path).filter(filter_)
    assert_same_part(trace, written(once, tmp_path).filter(filter_), has_odd_ids=True)


#: Names of any characters; some say what an event is, and make something else of a slice.
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(
    lambda name: not name.startswith(("[memory]", "[pl]", "ProfilerStep#"))
)


@with_tmp_path
@given(st.lists(NAMES, min_size=1, max_size=4), NAMES)
def test_names_and_stacks_of_any_characters_come_back(
    tmp_path: Path, names: list[str], stack: str
) -> None:
    rows = [
        {"name": name, "start": 2 * i, "end": 2 * i + 1, "call_stack": f"{stack}|"}
        for i, name in enumerate(names)
    ]
    again = written(trace_of(make_model(rows, rows), tmp_path), tmp_path)
    host = table_rows(again.model)
    assert [row["name"] for row in host] == names
    assert {row["call_stack"] for row in host} == {f"{stack}|"}
    assert [row["name"] for row in table_rows(again.model, "device")] == names


ODD = 'a "b" \\ \n\t\x00\x1f é 漢 😀 </script> \u202e \ufffe'


def test_odd_names_in_all_places_come_back(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json",
        [
            op(ODD, args={"Call stack": f"{ODD};x.py(1): f", "Input Dims": [[1, 2.5], ODD, None]}),
            op(ODD, 20, cat="user_annotation", pid=ODD, tid=f"worker {ODD}"),
            op("nccl:x", 30, args={"Collective name": ODD, "Process Group Ranks": [0, 1]}),
            kernel(ODD, grid=[1, 2, 3]),
            {"ph": "C", "name": ODD, "pid": 1, "ts": 3, "args": {ODD: 1.5, "n": 1e999}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": ODD}},
        ],
        host_name=ODD,
        deviceProperties=[{"id": 0, "name": ODD}],
        distributedInfo={"rank": 3, "world_size": 8, "backend": "nccl"},
        with_stack=1,
        record_shapes=0,
    )
    trace = nbprof.load(path).trace()
    again = written(trace, tmp_path)
    assert_same_model(trace.model, again.model)
    assert_same_whole(trace, again)
    assert trace.metadata["host_name"] == ODD
    assert "host_name" not in again.metadata
    assert again.file.rank == 3


def test_text_that_is_none_is_written_as_it_was_read(tmp_path: Path) -> None:
    """Lone surrogates and bytes that are no UTF-8 are mended while reading, and counted once."""
    text = (
        b'{"host_name": "\\ud800", "traceEvents": ['
        b'{"ph":"X","cat":"cpu_op","name":"a\\udc00b","pid":1,"tid":1,"ts":1,"dur":1},'
        b'{"ph":"X","cat":"cpu_op","name":"a\xffb","pid":1,"tid":1,"ts":3,"dur":1}]}'
    )
    trace = nbprof.load(write(tmp_path / "a.json", text)).trace()
    assert trace.warnings().num_rows > 0
    again = written(trace, tmp_path)
    assert_same_model(trace.model, again.model)
    assert_same_whole(trace, again)


def test_times_keep_their_nanoseconds_and_their_base(tmp_path: Path) -> None:
    events = [
        op("a", 1_700_000_000_123_456.789, 0.001),
        op("b", "1700000000123457.001", 1e9),
        kernel("k", 1_700_000_000_123_458.125, 86_400_000_000.001),
    ]
    path = write(tmp_path / "a.json", json.dumps({"traceEvents": events}))
    trace = nbprof.load(path).trace()
    assert trace.metadata["epoch_ns"] > 1_700_000_000_123_456_000
    for range_us in (None, (0.1, 1.0), (1e9, 2e10)):
        again = written(trace, tmp_path, time_us=range_us)
        for name in ("epoch_ns", "end_ns"):
            assert again.metadata[name] == trace.metadata[name]
        kept = table_rows(again.model)
        assert [row for row in table_rows(trace.model) if row["name"] in {r["name"] for r in kept}]
        starts = {row["name"]: row["start_ns"] for row in table_rows(trace.model)}
        assert {row["name"]: row["start_ns"] for row in kept} == {
            name: start for name, start in starts.items() if name in {r["name"] for r in kept}
        }


def test_a_trace_beyond_a_day_keeps_its_first_event(tmp_path: Path) -> None:
    """In such a file the time zero would mean that there is no time."""
    model = make_model([{"name": "a", "start": 0, "end": 5}, {"name": "b", "start": 10**14,
                                                            "end": 10**14 + 1}])  # fmt: skip
    again = written(trace_of(model, tmp_path), tmp_path)
    assert_same_model(model, again.model)


def test_an_event_before_the_told_zero_is_the_new_zero(tmp_path: Path) -> None:
    model = make_model([{"name": "a", "start": 0, "end": 5}])
    path = tmp_path / "a.json"
    write_chrome_trace(model, path, Filter(time_us=(0, 1)))
    found = json.loads(path.read_text())
    found["traceEvents"].append(op("early", -1, 1))
    again = read_trace(write(path, json.dumps(found)))
    rows = [(row["name"], row["start_ns"]) for row in table_rows(again)]
    assert rows == [("early", 0), ("a", 1000)]
    assert "steps" not in again.metadata


@pytest.mark.parametrize(
    "told",
    [None, 3, [], {}, {"zero_ns": "x", "threads": [[1]], "steps": [[1, 2]], "warnings": [7]},
     {"zero_ns": 2**80, "end_ns": True, "recorded_ns": [1], "steps": [[0, 0, 0, 0, 0]]},
     {"zero_ns": 0, "steps": [[0, 1, 2, 2**70, True]], "device_type": 7},
     {"zero_ns": 0, "steps": [[9, 1, 5, -2, True]] * 3, "threads": [["", 2**90]]}],
)  # fmt: skip
def test_nonsense_about_the_recording_is_ignored(tmp_path: Path, told: Any) -> None:
    path = write(tmp_path / "a.json", [op(), kernel()], nbprof=told)
    trace = nbprof.load(path, strict=True).trace()
    plain = nbprof.load(write(tmp_path / "b.json", [op(), kernel()])).trace()
    if not (isinstance(told, dict) and told.get("zero_ns") == 0):
        assert_same_model(plain.model, trace.model)
    for name in ("steps", "operators", "kernels", "overview"):
        trace.table(name)


def test_what_is_written_is_what_kineto_writes(tmp_path: Path) -> None:
    model = make_model(
        [
            {"name": "aten::mm", "start": 0, "end": 5_000, "external_id": 3, "sequence": 4},
            {"name": "cudaLaunchKernel", "kind": "runtime", "start": 1_000, "end": 1_500,
             "correlation": 9},
            {"name": "cuLaunchKernel", "kind": "runtime", "start": 2_000, "end": 2_500},
        ],
        [{"name": "gemm", "start": 3_000, "end": 4_001, "correlation": 9, "grid": "[1, 2, 3]"}],
    )  # fmt: skip
    path = tmp_path / "a.json"
    write_chrome_trace(model, path)
    found = json.loads(path.read_text())
    slices = [event for event in found["traceEvents"] if event["ph"] == "X"]
    assert [(e["cat"], e["ts"], e["dur"], e["pid"], e["tid"], e["args"]) for e in slices] == [
        ("cpu_op", 0, 5, 1, 1, {"External id": 3, "Sequence number": 4}),
        ("cuda_runtime", 1, 0.5, 1, 1, {"correlation": 9}),
        ("cuda_driver", 2, 0.5, 1, 1, {}),
        ("kernel", 3, 1.001, 0, 7, {"device": 0, "stream": 7, "correlation": 9, "grid": [1, 2, 3]}),
    ]
    about = {event["name"] for event in found["traceEvents"] if event["ph"] == "M"}
    assert about == {"process_name", "process_labels", "process_sort_index", "thread_name"}
    assert found["displayTimeUnit"] == "ms"


def test_a_packed_file_holds_the_same(tmp_path: Path) -> None:
    trace = trace_of(make_model([{"name": "a", "start": 0, "end": 5}]), tmp_path)
    for name in ("a.json", "a.json.gz", "b.json.gz"):
        trace.to_chrome_trace(tmp_path / name)
    assert (
        gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == (tmp_path / "a.json").read_bytes()
    )
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert_same_whole(trace, written(trace, tmp_path, ".json.gz"))


def test_the_range_is_that_of_the_filter_unless_another_is_given(tmp_path: Path) -> None:
    rows = [{"name": f"op {i}", "start": 1000 * i, "end": 1000 * i + 500} for i in range(9)]
    trace = trace_of(make_model(rows), tmp_path).filter(time_us=(2, 4), name="op 7", threads=[8])

    def names(**options: Any) -> list[str]:
        return [row["name"] for row in table_rows(written(trace, tmp_path, **options).model)]

    assert names() == ["op 2", "op 3"]
    assert names(time_us=(6, 7)) == ["op 6"]
    with pytest.raises(nbprof.FilterError):
        names(time_us=(7, 6))


def test_nothing_is_left_of_a_file_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model([{"name": "a", "start": 0, "end": 5}])
    with pytest.raises(FileNotFoundError):
        write_chrome_trace(model, tmp_path / "no" / "a.json")
    (tmp_path / "a.json").write_text("before")

    def fail(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("nbprof.sources.writing.trace.events", fail)
    with pytest.raises(MemoryError):
        write_chrome_trace(model, tmp_path / "a.json")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == "before"


def test_the_recording_itself_is_not_written_over(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [op()])
    (tmp_path / "link.json").symlink_to(path)
    before = path.read_bytes()
    for name in ("a.json", "link.json"):
        with pytest.raises(FileExistsError, match="read from"):
            nbprof.load(path).trace().to_chrome_trace(tmp_path / name)
    assert path.read_bytes() == before
