"""Reports on NVTX ranges are what plain SQL finds in the reference exports."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import pytest

from tests.analysis.nsys.exports import (
    RANGES,
    STYLE,
    Export,
    check,
    grouped,
)


def test_nvtx_sum(export: Export) -> None:
    rows = [(label, STYLE[kind], e - s) for s, e, _, kind, label in export.rows(RANGES)]
    check(export.table("nsys_nvtx_sum"), grouped(rows), ("name", "style"))
    for style, name in (("PushPop", "pushpop"), ("StartEnd", "startend")):
        own = grouped([(label, time) for label, of, time in rows if of == style])
        check(export.table(f"nsys_nvtx_{name}_sum"), own, ("name",))


def test_nvtx_pushpop_trace(export: Export) -> None:
    query = f"""
        WITH r AS ({RANGES}) SELECT a.s, a.e, a.label, (SELECT count(*) FROM r b WHERE
            b.tid = a.tid AND b.kind = 59 AND b.s <= a.s AND b.e >= a.e
            AND (b.s < a.s OR b.e > a.e)) FROM r a WHERE a.kind = 59 ORDER BY a.s, a.e DESC
    """
    theirs = export.rows(query)
    rows = export.table("nsys_nvtx_pushpop_trace")
    assert len(rows) == len(theirs)
    assert sorted((row["name"], row["level"]) for row in rows) == sorted(
        (label, level) for *_, label, level in theirs
    )
    inside: dict[int, list[dict[str, Any]]] = defaultdict(list)
    by_id = {row["range_id"]: row for row in rows}
    for row in rows:
        if row["parent_id"] is not None:
            inside[row["parent_id"]].append(row)
            above = by_id[row["parent_id"]]
            assert row["range_stack"] == f"{above['range_stack']}:{row['range_id']}"
            assert above["start_us"] <= row["start_us"]
            assert row["level"] == above["level"] + 1
    for row in rows:
        own = inside[row["range_id"]]
        assert row["children"] == len(own)
        time = math.fsum(one["duration_us"] for one in own)
        assert row["children_us"] == pytest.approx(time)
        assert row["self_us"] == pytest.approx(row["duration_us"] - time, abs=1e-6)


_PROJECTION = f"""
    WITH r AS ({RANGES}), w AS (
        SELECT k.start, k.end, c.start cs, c.end ce, c.globalTid tid, k.name FROM (
            SELECT start, end, correlationId, globalPid, demangledName name
            FROM CUPTI_ACTIVITY_KIND_KERNEL %s) k
        JOIN CUPTI_ACTIVITY_KIND_RUNTIME c ON c.correlationId = k.correlationId
        AND (c.globalTid >> 24) & 16777215 = (k.globalPid >> 24) & 16777215
        AND coalesce(c.eventClass, 0) IN (0, 1))
"""


def _work(export: Export, *tables: str) -> str:
    """Return the query for ranges and the work launched inside them."""
    unions = [
        "UNION ALL SELECT start, end, correlationId, globalPid, NULL"
        f" FROM CUPTI_ACTIVITY_KIND_{table}"
        for table in tables
        if export.rows(f"SELECT 1 FROM CUPTI_ACTIVITY_KIND_{table} LIMIT 1")
    ]
    return _PROJECTION % " ".join(unions)


def test_nvtx_gpu_proj(export: Export) -> None:
    query = f"""
        {_work(export, "MEMCPY", "MEMSET")}
        SELECT r.label, r.kind, r.s, r.e, min(w.start), max(w.end), count(*) FROM r JOIN w
        ON w.tid = r.tid AND w.cs >= r.s AND w.ce <= r.e GROUP BY r.s, r.e, r.tid, r.label, r.kind
    """
    theirs = export.rows(query)
    rows = export.table("nsys_nvtx_gpu_proj_trace")
    assert sorted((row["name"], row["operations"]) for row in rows) == sorted(
        (label, count) for label, *_, count in theirs
    )
    assert sorted(row["projected_us"] for row in rows) == pytest.approx(
        sorted((high - low) / 1000 for *_, low, high, _ in theirs)
    )
    for row in rows:
        assert 0 < row["busy_us"] <= row["projected_us"] + 1e-6
    values = grouped(
        [(label, STYLE[kind], high - low) for label, kind, _, _, low, high, _ in theirs]
    )
    summary = export.table("nsys_nvtx_gpu_proj_sum")
    check(summary, values, ("name", "style"))
    for row in summary:
        own = [one for one in theirs if (one[0], STYLE[one[1]]) == (row["name"], row["style"])]
        assert row["operations"] == sum(one[-1] for one in own)
        assert row["mean_operations"] == pytest.approx(row["operations"] / len(own))
        assert row["range_us"] == pytest.approx(sum(e - s for _, _, s, e, *_ in own) / 1000)


def test_nvtx_kern_sum(export: Export) -> None:
    query = f"""
        {_work(export)}
        SELECT r.label, r.kind, n.value, r.s, w.end - w.start FROM r JOIN w ON w.tid = r.tid
        AND w.cs >= r.s AND w.ce <= r.e JOIN StringIds n ON n.id = w.name
    """
    theirs = export.rows(query)
    values = grouped([(label, STYLE[kind], name, time) for label, kind, name, _, time in theirs])
    rows = export.table("nsys_nvtx_kern_sum")
    # In these exports no two threads have ranges with the same text and kernel.
    for row in rows:
        row.pop("time_pct", None)
    check(rows, values, ("name", "style", "kernel"))
    for row in rows:
        key = (row["name"], row["style"], row["kernel"])
        own = {s for label, kind, name, s, _ in theirs if (label, STYLE[kind], name) == key}
        assert row["ranges"] == len(own)
