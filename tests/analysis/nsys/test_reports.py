"""Reports on calls and work are what plain SQL and statistics find in the reference exports."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.sources.cuda.names import api_name
from nbprof.tables import TABLES
from tests.analysis.nsys.exports import (
    COPIES,
    INNER,
    SAME,
    Export,
    check,
    grouped,
    inner_calls,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")


def test_cuda_api_sum(export: Export) -> None:
    calls = grouped([(api_name(name), end - start) for name, start, end, *_ in inner_calls(export)])
    check(export.table("nsys_cuda_api_sum"), calls, ("name",))


def test_cuda_api_trace(export: Export) -> None:
    rows = export.table("nsys_cuda_api_trace")
    calls = sorted(
        (start, end - start, api_name(name), tid & 0xFFFFFF)
        for name, start, end, tid, _ in inner_calls(export)
    )
    assert len(rows) == len(calls)
    ours = sorted((row["start_us"], row["duration_us"], row["name"], row["tid"]) for row in rows)
    for mine, theirs in zip(ours, calls, strict=True):
        assert mine[0] - ours[0][0] == pytest.approx((theirs[0] - calls[0][0]) / 1000)
        assert mine[1] == pytest.approx(theirs[1] / 1000)
        assert mine[2:] == theirs[2:]


def test_osrt_sum(export: Export) -> None:
    query = """
        SELECT s.value, o.end - o.start FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId
    """
    check(export.table("nsys_osrt_sum"), grouped(export.rows(query)), ("name",))


@pytest.mark.parametrize(
    ("group_by", "column"), [("name", "demangledName"), ("short_name", "shortName")]
)
def test_cuda_gpu_kern_sum(export: Export, group_by: str, column: str) -> None:
    query = f"""
        SELECT s.value, k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k
        JOIN StringIds s ON s.id = k.{column}
    """
    rows = export.table("nsys_cuda_gpu_kern_sum", group_by=group_by)
    check(rows, grouped(export.rows(query)), (group_by,))


def test_cuda_gpu_kern_gb_sum(export: Export) -> None:
    query = """
        SELECT s.value, printf('[%d, %d, %d]', gridX, gridY, gridZ),
            printf('[%d, %d, %d]', blockX, blockY, blockZ), k.end - k.start
        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName
    """
    rows = export.table("nsys_cuda_gpu_kern_gb_sum")
    check(rows, grouped(export.rows(query)), ("name", "grid", "block"))


def _memory(export: Export, value: str) -> dict[tuple[Any, ...], list[int]]:
    rows = export.rows(f"SELECT copyKind, {value} FROM CUPTI_ACTIVITY_KIND_MEMCPY")
    rows = [(f"[CUDA memcpy {COPIES[kind]}]", one) for kind, one in rows]
    sets = export.rows(f"SELECT {value} FROM CUPTI_ACTIVITY_KIND_MEMSET")
    return grouped([*rows, *(("[CUDA memset]", one) for (one,) in sets)])


def test_cuda_gpu_mem_time_sum(export: Export) -> None:
    rows = export.table("nsys_cuda_gpu_mem_time_sum")
    check(rows, _memory(export, "end - start"), ("operation",))


def test_cuda_gpu_mem_size_sum(export: Export) -> None:
    rows = export.table("nsys_cuda_gpu_mem_size_sum")
    check(rows, _memory(export, "bytes"), ("operation",), "bytes", 1.0)


def test_cuda_gpu_and_api_sums(export: Export) -> None:
    query = """
        SELECT 'CUDA_KERNEL', s.value, k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k
        JOIN StringIds s ON s.id = k.demangledName
    """
    memory = [
        ("MEMORY_OPER", name, one)
        for (name,), of in _memory(export, "end - start").items()
        for one in of
    ]
    work = [*export.rows(query), *memory]
    check(export.table("nsys_cuda_gpu_sum"), grouped(work), ("category", "operation"))
    calls = [
        ("CUDA_API", api_name(name), end - start) for name, start, end, *_ in inner_calls(export)
    ]
    rows = export.table("nsys_cuda_api_gpu_sum")
    check(rows, grouped([*calls, *work]), ("category", "operation"))


def test_cuda_gpu_trace(export: Export) -> None:
    query = """
        SELECT start, end - start, registersPerThread, staticSharedMemory, dynamicSharedMemory,
            NULL, contextId, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL
    """
    copies = """
        SELECT start, end - start, NULL, NULL, NULL, bytes, contextId, streamId
        FROM CUPTI_ACTIVITY_KIND_MEMCPY
    """
    sets = copies.replace("MEMCPY", "MEMSET")
    theirs = sorted(
        [*export.rows(query), *export.rows(copies), *export.rows(sets)], key=lambda row: row[0]
    )
    rows = export.table("nsys_cuda_gpu_trace")
    assert len(rows) == len(theirs)
    columns = ("registers", "static_shared_bytes", "dynamic_shared_bytes", "bytes", "context")
    for ours, row in zip(rows, theirs, strict=True):
        assert ours["duration_us"] == pytest.approx(row[1] / 1000)
        assert [ours[name] for name in (*columns, "stream")] == list(row[2:])
        if row[5] is not None:
            assert ours["throughput_gbps"] == pytest.approx(row[5] / row[1])


def test_cuda_kern_exec(export: Export) -> None:
    query = f"""
        SELECT r.globalTid & 16777215, rs.value, s.value, r.start, r.end, k.start, k.end
        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON {SAME}
        JOIN StringIds s ON s.id = k.demangledName JOIN StringIds rs ON rs.id = r.nameId
        WHERE {INNER}
    """
    theirs = export.rows(query)
    total: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    queue: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for tid, api, name, begin, end, start, stop in theirs:
        key = (tid, api_name(api), name)
        total[key].append(stop - begin)
        if start >= end:
            queue[key].append(start - end)
    rows = export.table("nsys_cuda_kern_exec_sum")
    assert {(row["tid"], row["api"], row["name"]) for row in rows} == set(total)
    for row in rows:
        key = (row["tid"], row["api"], row["name"])
        assert (row["instances"], row["queued"]) == (len(total[key]), len(queue[key]))
        assert row["total_us"] == pytest.approx(sum(total[key]) / 1000)
        assert row["total_median_us"] == pytest.approx(statistics.median(total[key]) / 1000)
        if queue[key]:
            assert row["queue_mean_us"] == pytest.approx(statistics.mean(queue[key]) / 1000)
        else:
            assert row["queue_mean_us"] is None
    each = export.table("nsys_cuda_kern_exec_trace")
    assert sorted(row["total_us"] for row in each) == pytest.approx(
        sorted((stop - begin) / 1000 for *_, begin, _, _, stop in theirs)
    )
    for row in each:
        assert (row["queue_us"] is None) == (row["queue_start_us"] is None)


def test_rules(export: Export) -> None:
    query = f"""
        SELECT rs.value, k.copyKind, k.srcKind, k.dstKind, k.end - k.start, k.bytes
        FROM CUPTI_ACTIVITY_KIND_MEMCPY k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON {SAME}
        JOIN StringIds rs ON rs.id = r.nameId WHERE {INNER}
    """
    expected: dict[str, list[float]] = defaultdict(list)
    for name, _, source, target, time, _ in export.rows(query):
        if "Async" not in name:
            expected["cuda_memcpy_sync"].append(time / 1000)
        elif 0 in (source, target):  # pageable
            expected["cuda_memcpy_async"].append(time / 1000)
    for name, start, end, *_ in inner_calls(export):
        if re.match(r"cuda(Device|Stream|Event)Synchronize", name):
            expected["cuda_api_sync"].append((end - start) / 1000)
    found: dict[str, list[float]] = defaultdict(list)
    for row in export.table("nsys_rules"):
        found[row["rule"]].append(row["duration_us"])
    assert found.keys() == expected.keys()
    for rule, times in expected.items():
        assert sorted(found[rule]) == pytest.approx(sorted(times)), rule


def test_gaps_and_utilization(export: Export) -> None:
    work = export.rows(
        """
        SELECT deviceId, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL
        UNION ALL SELECT deviceId, start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY
        """
    )
    work += export.rows("SELECT deviceId, start, end FROM CUPTI_ACTIVITY_KIND_MEMSET")
    gaps = []
    for device in {one for one, *_ in work}:
        reach = None
        for _, start, end in sorted(one for one in work if one[0] == device):
            if reach is not None and start - reach >= 1_000_000:
                gaps.append((start - reach) / 1000)
            reach = max(reach or end, end)
    rows = export.table("nsys_gpu_gaps", least_ms=1.0)
    assert [row["duration_us"] for row in rows] == pytest.approx(sorted(gaps, reverse=True))
    every = export.table("nsys_gpu_time_util", chunks=7, below_pct=101.0)
    assert len(every) == 7 * len({one for one, *_ in work})
    low = export.table("nsys_gpu_time_util", chunks=7)
    assert low == [row for row in every if row["utilization_pct"] < 50]
    if every:
        busy = sum(row["duration_us"] * row["utilization_pct"] / 100 for row in every)
        from nbprof.model import intervals

        times = np.array([(start, end) for _, start, end in work], np.int64).T
        assert busy == pytest.approx(intervals.measure(intervals.union(*times)) / 1000)


#: Tables whose rows come and go with the work or range that a filter keeps.
_BY_ROW = [
    name for name in TABLES.names() if name.startswith("nsys_") and not name.startswith("nsys_gpu_")
]


@pytest.mark.parametrize("name", _BY_ROW)
def test_filters_select_rows(shared_data: Path, name: str) -> None:
    trace = nbprof.load(shared_data / "nsys" / "fixture_lm_modern", cache=False).trace()
    whole = trace.table(name)
    half = trace.filter(time_us=(0.0, 2_340_000.0)).table(name)
    rest = trace.filter(time_us=(2_340_000.0, 1e9)).table(name)
    nothing = trace.filter(name="no such name").table(name)
    assert whole.schema == half.schema == rest.schema
    assert nothing.num_rows == 0
    if "instances" in whole.column_names:
        total = np.sum(whole["instances"].to_numpy())
        parts = np.sum(half["instances"].to_numpy()) + np.sum(rest["instances"].to_numpy())
        assert abs(total - parts) <= 40
    else:
        assert half.num_rows + rest.num_rows == whole.num_rows
