"""A written export is read with everything that it holds."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

import nbprof
from nbprof.model.trace import kinds
from tests.sources.nsight.exports import SECRET, Export, tid, write_export

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


@pytest.fixture
def trace(tmp_path: Path) -> nbprof.Trace:
    """The trace of an export of one process."""
    return nbprof.load(write_export(tmp_path / "report.sqlite"), cache=False).trace()


def _rows(model: TraceModel, side: str, kind: int) -> list[dict[str, object]]:
    of_kind = model.column(side, "kind") == kind
    return model.tables[side].take(np.flatnonzero(of_kind)).to_pylist()


def test_calls_are_named_without_versions(trace: nbprof.Trace) -> None:
    calls = _rows(trace.model, "host", kinds.RUNTIME)
    assert {one["name"] for one in calls} == {
        "cudaLaunchKernel",
        "cudaMemcpyAsync",
        "cuLaunchKernelEx",
        "cudaMemsetAsync",
        "cudaStreamSynchronize",
        "cudaGraphLaunch",
        "cudaMalloc",
    }
    assert [one["name"] for one in _rows(trace.model, "host", kinds.LIBRARY)] == ["poll", "poll"]


def test_every_device_row_has_its_launch(trace: nbprof.Trace) -> None:
    model = trace.model
    names = model.values("host", "name")
    of_launch = [names[code] for code in model.column("host", "name")[model.links.launch]]
    work = [one["name"] for one in model.tables["device"].to_pylist()]
    assert sorted(set(zip(work, of_launch, strict=True))) == [
        ("CUDA graph 12", "cudaGraphLaunch"),
        ("Context sync", "cudaStreamSynchronize"),
        ("Memcpy HtoD (Pageable -> Device)", "cudaMemcpyAsync"),
        ("Memset", "cudaMemsetAsync"),
        ("dgrad", "cuLaunchKernelEx"),
        ("gemm<float>(int)", "cudaLaunchKernel"),
    ]


def test_kernels_have_their_properties(trace: nbprof.Trace) -> None:
    kernel = _rows(trace.model, "device", kinds.KERNEL)[0]
    assert (kernel["grid"], kernel["block"]) == ("[2, 1, 1]", "[64, 1, 1]")
    assert (kernel["registers"], kernel["shared_memory_bytes"]) == (24, 48)
    # The process sees the second GPU only, which has three multiprocessors.
    assert trace.model.tables["devices"].to_pylist()[0]["name"] == "Small GPU"
    assert kernel["blocks_per_sm"] == pytest.approx(2 / 3)
    assert kernel["warps_per_sm"] == pytest.approx(4 / 3)
    work = trace.model.tables["cuda_work"].to_pylist()[0]
    assert work["short_name"] == "gemm"
    assert (work["static_shared_bytes"], work["dynamic_shared_bytes"]) == (16, 32)
    assert (work["launch_type"], work["context"]) == ("Regular", 1)


def test_copies_have_bytes_and_bandwidth(trace: nbprof.Trace) -> None:
    copy = _rows(trace.model, "device", kinds.MEMCPY)[0]
    assert (copy["bytes"], copy["bandwidth_gbps"]) == (4096, pytest.approx(409.6))
    (sync, _) = _rows(trace.model, "device", kinds.SYNC)
    assert sync["stream"] == -1


def test_steps_and_operators(trace: nbprof.Trace) -> None:
    assert trace.steps()["step"].to_pylist() == [0, 1]
    operators = {row["name"]: row for row in trace.operators().to_pylist()}
    assert operators["aten::mm"]["calls"] == 2
    assert operators["aten::mm"]["device_total_us"] == pytest.approx(0.2)
    assert operators["MmBackward0"]["device_total_us"] == pytest.approx(0.12)
    shapes = trace.operators(group_by="name+shape")["input_shapes"].to_pylist()
    assert "[[2, 3], [3, 4]]" in shapes


def test_backward_operators_find_their_forward_operator(trace: nbprof.Trace) -> None:
    from nbprof.model.links.backward import linked_forward_rows

    model = trace.model
    forward = linked_forward_rows(model)
    names = model.values("host", "name")
    code = model.column("host", "name")
    sequence = model.column("host", "sequence")
    pairs = [(names[code[b]], names[code[f]]) for b, f in enumerate(forward) if f >= 0]
    assert pairs == [("MmBackward0", "aten::mm")] * 2
    assert all(sequence[b] == sequence[f] for b, f in enumerate(forward) if f >= 0)


def test_ranges_keep_their_text_domain_and_style(trace: nbprof.Trace) -> None:
    model = trace.model
    host = model.tables["host"].to_pylist()
    ranges = model.tables["nvtx_ranges"].to_pylist()
    said = {(one["style"], one["domain"], one["label"]) for one in ranges}
    assert ("PushPop", None, "aten::mm, seq = 0, op_id = 5, sizes = [[2, 3], [3, 4]]") in said
    assert ("PushPop", "NCCL", "all_reduce") in said
    assert ("StartEnd", None, "request 1") in said
    assert {host[one["row"]]["name"] for one in ranges if one["domain"]} == {"NCCL:all_reduce"}
    (mark,) = [host[one["row"]] for one in ranges if one["style"] == "Mark"]
    assert (mark["name"], mark["duration_ns"]) == ("here", 0)


def test_overlapping_ranges_have_lanes_of_their_own(trace: nbprof.Trace) -> None:
    model = trace.model
    assert model.nesting.overlaps == 0
    threads = model.tables["threads"].to_pylist()
    host = model.tables["host"].to_pylist()
    lanes = [threads[one["thread"]] for one in host if one["name"].startswith("request")]
    assert [one["name"] for one in lanes] == ["Overlapping ranges of MPI Rank 0"] * 2
    assert lanes[0]["tid"] != lanes[1]["tid"]
    assert all(one["tid"] < 0 for one in lanes)
    origin = [one["thread"] for one in model.tables["nvtx_ranges"].to_pylist()]
    assert {threads[one]["name"] for one in origin} == {"MPI Rank 0", "autograd"}


def test_counters_and_memory(trace: nbprof.Trace) -> None:
    counters = trace.model.tables["counters"].to_pylist()
    assert [(one["name"], one["value"]) for one in counters] == [
        ("SMs Active [%]", 10.0),
        ("SMs Active [%]", 90.0),
    ]
    memory = trace.model.tables["memory"].to_pylist()
    assert [one["bytes"] for one in memory] == [1024, -1024] * 2
    assert [one["total_allocated"] for one in memory] == [1024, 0] * 2
    assert {one["device"] for one in memory} == {0}
    threads = trace.model.tables["threads"].to_pylist()
    assert {threads[one["thread"]]["name"] for one in memory} == {"MPI Rank 0"}
    assert trace.table("memory_curve").num_rows > 0


def test_times_and_machine(trace: nbprof.Trace) -> None:
    assert trace.model.metadata["epoch_ns"] == 1_700_000_000_000_000_000
    assert [one.kind for one in trace.model.warnings] == ["nsys: Some events were dropped"]


def test_environments_are_never_loaded(trace: nbprof.Trace) -> None:
    model = trace.model
    known = [json.dumps(table.to_pylist(), default=str) for table in model.tables.values()]
    known += [str(model.metadata), str(model.warnings), str(trace.metadata)]
    assert not any(SECRET in text or "do-not-load" in text for text in known)


def test_each_process_with_cuda_work_is_a_worker(tmp_path: Path) -> None:
    path = write_export(tmp_path / "report.sqlite", pids=(100, 205))
    alone = nbprof.load(write_export(tmp_path / "alone.sqlite"), cache=False).trace()
    profile = nbprof.load(path, cache=False)
    runs = profile.runs().to_pylist()
    assert [(one["worker"], one["rank"]) for one in runs] == [
        ("report process 100", 0),
        ("report process 205", 1),
    ]
    first, second = profile
    # Ids of correlation repeat in every process, and must not be mixed up.
    assert first.kernels().equals(alone.kernels())
    mine, other = (one.kernels().sort_by("name") for one in (first, second))
    assert other["total_us"].to_pylist() == [2 * one for one in mine["total_us"].to_pylist()]
    assert second.model.tables["devices"].to_pylist()[0]["name"] == "Big GPU"
    assert second.model.metadata["end_ns"] > first.model.metadata["end_ns"]


@pytest.mark.parametrize("value", [None, "many", str((100 << 24) | 100), 1e15, b"100"])
def test_rows_that_name_no_process_are_counted(tmp_path: Path, value: object) -> None:
    path = write_export(tmp_path / "report.sqlite", pids=(100, 205))
    whole = [one.model.tables for one in nbprof.load(path, cache=False)]
    lost = {"CUPTI_ACTIVITY_KIND_KERNEL": "globalPid", "CUPTI_ACTIVITY_KIND_RUNTIME": "globalTid"}
    with closing(sqlite3.connect(path)) as connection:
        for table, column in lost.items():
            last = f"rowid = (SELECT max(rowid) FROM {table})"
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {last}", (value,))
        connection.commit()
    traces = list(nbprof.load(path, cache=False, progress=False))
    for table in ("device", "host"):
        assert sum(one.model.tables[table].num_rows for one in traces) == (
            sum(tables[table].num_rows for tables in whole) - 1
        )
    for trace in traces:
        (row,) = [
            one for one in trace.warnings().to_pylist() if one["kind"] == "rows without a process"
        ]
        assert row["count"] == 2
        assert "CUPTI_ACTIVITY_KIND_RUNTIME: globalTid is no whole number" in row["example"]
    with pytest.raises(nbprof.TraceFormatError, match="rows without a process"):
        next(iter(nbprof.load(path, cache=False, strict=True, progress=False))).kernels()


def test_processes_of_one_trace_do_not_share_ids(tmp_path: Path) -> None:
    from dataclasses import replace

    from nbprof.sources.reading import read

    path = write_export(tmp_path / "report.sqlite", pids=(100, 205))
    file = replace(nbprof.load(path, cache=False).files[0], process=None)
    model = read(file, progress=False)
    threads = model.tables["threads"].to_pylist()
    thread_of = model.column("host", "thread")
    assert (model.links.launch >= 0).all()
    pids = {threads[thread_of[row]]["pid"] for row in model.links.launch.tolist()}
    assert pids == {"100", "205"}


def test_a_call_recorded_twice_counts_once(tmp_path: Path) -> None:
    out = Export(tmp_path / "report.sqlite")
    main = tid(7, 7)
    out.call("cudaLaunchKernel", 0, 30, main, 5, eventClass=67)
    out.call("cudaLaunchKernel_v7000", 5, 25, main, 5)
    out.call("cudaAlone", 40, 50, main, 6, eventClass=67)
    out.kernel("k", 26, 28, tid(7, 0), 5)
    model = nbprof.load(out.close(), cache=False).trace().model
    calls = [(one["name"], one["duration_ns"]) for one in model.tables["host"].to_pylist()]
    assert calls == [("cudaLaunchKernel", 20), ("cudaAlone", 10)]
    assert model.links.launch.tolist() == [0]
    assert [one.kind for one in model.warnings] == ["calls recorded twice"]


def test_open_ranges_end_with_the_recording(tmp_path: Path) -> None:
    out = Export(tmp_path / "report.sqlite")
    out.range("open", 0, None, tid(7, 7))
    out.range("closed", 10, 50, tid(7, 7))
    model = nbprof.load(out.close(), cache=False).trace().model
    assert [one["duration_ns"] for one in model.tables["host"].to_pylist()] == [50, 40]
    assert [one.kind for one in model.warnings] == ["ranges that were not closed"]


@pytest.mark.parametrize("label", ["ProfilerStep#{}", "step {}", "Iteration #{}", "iter_{}"])
def test_labels_that_count_are_steps(tmp_path: Path, label: str) -> None:
    out = Export(tmp_path / "report.sqlite")
    for step in range(3, 6):
        out.range(label.format(step), 100 * step, 100 * step + 90, tid(7, 7))
    trace = nbprof.load(out.close(), cache=False).trace()
    assert trace.steps()["step"].to_pylist() == [3, 4, 5]


def test_other_labels_are_candidates(tmp_path: Path) -> None:
    out = Export(tmp_path / "report.sqlite")
    for step in range(4):
        out.range("forward", 100 * step, 100 * step + 90, tid(7, 7))
    path = out.close()
    trace = nbprof.load(path, cache=False).trace()
    assert [one.pattern for one in trace.step_candidates()] == ["forward"]
    chosen = nbprof.load(path, cache=False, step="forward").trace()
    assert chosen.steps().num_rows == 4
    assert nbprof.load(path, cache=False, step="forward", steps=2).trace().steps().num_rows == 1


def test_the_text_may_be_in_the_row(tmp_path: Path) -> None:
    out = Export(tmp_path / "report.sqlite")
    out.range("among the strings", 0, 10, tid(7, 7))
    out.range("x", 20, 30, tid(7, 7), textId=None, text="in the row")
    names = nbprof.load(out.close(), cache=False).trace().model.values("host", "name")
    assert names == ["among the strings", "in the row"]


def test_a_failed_call_has_a_result(tmp_path: Path) -> None:
    out = Export(tmp_path / "report.sqlite")
    out.call("cudaMalloc_v3020", 0, 5, tid(7, 7), 1)
    out.call("cudaMalloc_v3020", 6, 9, tid(7, 7), 2, returnValue=2)
    model = nbprof.load(out.close(), cache=False).trace().model
    assert model.tables["call_results"].to_pylist() == [{"row": 1, "result": 2}]


@pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")
def test_a_filter_narrows_every_table(trace: nbprof.Trace) -> None:
    from tests.support.tables import TRACE_TABLES

    narrowed = trace.filter(steps=1)
    assert narrowed.kernels()["calls"].to_pylist() == [1, 1, 1]
    for name in TRACE_TABLES:
        assert narrowed.table(name).num_columns
