"""Which calls count device work in `key_averages`, and on which thread calls count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbprof
from tests.analysis.operators.test_key_averages import averages
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path


def test_a_label_does_not_count_its_kernels_twice(tmp_path: Path) -> None:
    label = {"cat": "user_annotation", "args": {"External id": 1}}
    span = {"cat": "gpu_user_annotation", "pid": 0, "tid": 7, "args": {"External id": 1}}
    rows = nbprof.load(
        write(
            tmp_path / "w.pt.trace.json",
            [
                op("label", 0, 100, **label),
                op("aten::mm", 10, 20, args={"External id": 2}),
                kernel("gemm", 40, 30, **{"External id": 2}),
                op("label", 40, 30, **span),
            ],
        )
    ).trace()
    found = {(row["name"], row["device_type"]): row for row in rows.key_averages().to_pylist()}
    # The kernel, and not the range around it, as PyTorch 2.11 counts, too.
    assert found["label", "cpu"]["device_total_us"] == 30
    assert found["label", "cpu"]["device_self_us"] == 0
    assert found["aten::mm", "cpu"]["device_self_us"] == 30
    assert found["label", "gpu"]["device_self_us"] == 30
    assert found["gemm", "gpu"]["device_self_pct"] == 100
    text = nbprof.key_averages(rows).text()
    assert "Self CUDA time total: 30.000us" in text
    assert "CUDA time avg" in text


def call(name: str, ts: int, dur: int, /, *, correlation: int, **more: Any) -> dict[str, Any]:
    """Return a call of the runtime; with ``external`` it is of an operator."""
    args = {"correlation": correlation}
    if "external" in more:
        args["External id"] = more.pop("external")
    return op(name, ts, dur, cat="cuda_runtime", args=args, **more)


def test_runtime_calls_belong_to_the_thread_of_their_operator(tmp_path: Path) -> None:
    rows = averages(
        tmp_path,
        [
            op("aten::mm", 0, 50, args={"External id": 5}),
            call("cudaLaunchKernel", 10, 20, correlation=1, external=5, tid=99),
        ],
    )
    assert rows["aten::mm"]["host_self_us"] == 30


def test_runtime_calls_of_no_operator_count_on_the_main_thread(tmp_path: Path) -> None:
    # PyTorch puts what it knows no operator for on the thread that stopped the profiler, so a call
    # of any thread takes time from the label that is open on that one. All h200 oracles agree.
    rows = averages(
        tmp_path,
        [
            op("label", 0, 100, pid=7, tid=7, cat="user_annotation", args={"External id": 1}),
            op("aten::mm", 0, 50, pid=7, tid=8, args={"External id": 5}),
            call("cudaLaunchKernel", 10, 20, correlation=1, external=5, pid=7, tid=8),
            call("cudaFree", 35, 10, correlation=2, external=77, pid=7, tid=8),
        ],
    )
    assert rows["aten::mm"]["host_self_us"] == 30
    assert rows["label"]["host_self_us"] == 90


def test_the_work_of_the_profiler_is_a_row_and_takes_time_from_others(tmp_path: Path) -> None:
    own = {"cat": "overhead", "pid": -1, "tid": 0, "args": {}}
    rows = averages(
        tmp_path,
        [
            op("aten::copy_", 0, 100, args={"External id": 5}),
            call("cudaMemcpyAsync", 60, 20, correlation=1, external=5),
            op("Activity Buffer Request", 10, 40, **own),
            op("Buffer Flush", 300, 90, **own),
            op("Lazy Function Loading", 350, 90, **own),  # on another thread, as the file forgets
            kernel("copy", 200, 30, **{"External id": 5, "correlation": 1}),
        ],
    )
    assert rows["aten::copy_"]["host_self_us"] == 40
    assert rows["Activity Buffer Request"]["host_self_us"] == 40
    # Its id is that of the operator around it, whose work therefore counts twice.
    assert rows["Activity Buffer Request"]["device_self_us"] == 30
    assert rows["aten::copy_"]["device_self_us"] == 30
    assert rows["aten::copy_"]["device_total_us"] == 60
    assert rows["Buffer Flush"]["device_total_us"] == 0
    trace = nbprof.load(tmp_path / "w.pt.trace.json").trace()
    assert trace.warnings().num_rows == 0
    trace.to_chrome_trace(tmp_path / "again.pt.trace.json")
    again = nbprof.load(tmp_path / "again.pt.trace.json").trace()
    assert again.key_averages() == trace.key_averages()
    # Our own table counts work once.
    assert trace.operators()["device_total_us"].to_pylist() == [30]


def test_work_counts_again_where_ids_are_equal(tmp_path: Path) -> None:
    # PyTorch compares the correlation of a call that has no operator with the ids of operators.
    rows = averages(
        tmp_path,
        [
            op("aten::mm", 0, 50, args={"External id": 5}),
            call("cudaLaunchKernel", 10, 20, correlation=1, external=5),
            kernel("gemm", 30, 40, **{"External id": 5, "correlation": 1}),
            kernel("gemm", 80, 7, **{"External id": 5, "correlation": 2}),
            call("cudaEventRecord", 100, 5, correlation=5),
            call("cudaStreamWaitEvent", 110, 5, correlation=6),
        ],
    )
    assert rows["aten::mm"]["device_self_us"] == 47
    assert rows["cudaEventRecord"]["device_self_us"] == 47
    assert rows["cudaStreamWaitEvent"]["device_self_us"] == 0


def test_work_of_a_call_around_one_of_its_name_is_forgotten(tmp_path: Path) -> None:
    rows = averages(
        tmp_path,
        [
            op("aten::f", 0, 100, args={"External id": 1}),
            op("aten::f", 10, 80, args={"External id": 2}),
            kernel("outer", 100, 30, **{"External id": 1, "correlation": 11}),
            kernel("inner", 200, 5, **{"External id": 2, "correlation": 12}),
        ],
    )
    assert rows["aten::f"]["device_self_us"] == 5


def test_the_range_of_a_label_is_as_long_as_its_work(tmp_path: Path) -> None:
    # Kineto writes it a nanosecond longer on both sides; PyTorch's table has what was recorded.
    span = {"cat": "gpu_user_annotation", "pid": 0, "tid": 7, "args": {"External id": 1}}
    found = averages(
        tmp_path,
        [
            op("aten::mm", 10, 20, args={"External id": 2}),
            kernel("gemm", 40, 30, **{"External id": 2}),
            op("label", 39.999, 30.002, **span),
        ],
    )
    assert found["label"]["device_self_us"] == 30
    assert list(found)[-2:] == ["gemm", "label"]


def test_printed_names_are_those_that_were_recorded(tmp_path: Path) -> None:
    path = write(
        tmp_path / "w.pt.trace.json",
        [
            op("aten::mm", 10, 20, args={"External id": 2}),
            kernel("_ZN2at6native4gemmEv", 40, 30, **{"External id": 2}),
        ],
    )
    averages_ = nbprof.key_averages(str(path))
    assert averages_.table["name"].to_pylist()[-1] == "at::native::gemm()"
    assert "_ZN2at6native4gemmEv" in averages_.text()
