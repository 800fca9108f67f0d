"""Reference exports, queries on their files, and the comparison of a summary with its values."""

from __future__ import annotations

import re
import sqlite3
import statistics
from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import nbprof

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

INNER = "coalesce(r.eventClass, 0) IN (0, 1)"
SAME = """r.correlationId = k.correlationId
    AND (r.globalTid >> 24) & 16777215 = (k.globalPid >> 24) & 16777215"""
#: Ranges with their texts; the default domain has no name.
RANGES = """
    SELECT n.start s, n.end e, n.globalTid tid, n.eventType kind,
        CASE WHEN coalesce(n.domainId, 0) = 0 THEN '' ELSE (
            SELECT d.text || ':' FROM NVTX_EVENTS d WHERE d.eventType = 75
            AND d.domainId = n.domainId AND d.globalTid >> 24 = n.globalTid >> 24) END
        || coalesce(n.text, (SELECT value FROM StringIds WHERE id = n.textId)) label
    FROM NVTX_EVENTS n WHERE n.eventType IN (59, 60)
"""
STYLE = {59: "PushPop", 60: "StartEnd"}
COPIES = {1: "Host-to-Device", 2: "Device-to-Host", 8: "Device-to-Device"}


class Export:
    """An export: its trace, and queries on the file."""

    def __init__(self, path: Path) -> None:
        self.trace = nbprof.load(path, cache=False).trace()
        self._uri = f"{path.as_uri()}?mode=ro&immutable=1"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the result of a query; empty if the export lacks a table of it."""
        with closing(sqlite3.connect(self._uri, uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            needed = set(re.findall(r"(?:FROM|JOIN) ([A-Z]\w+)", query))
            return connection.execute(query).fetchall() if needed <= tables else []

    def table(self, name: str, **options: Any) -> list[dict[str, Any]]:
        """Return a table as rows."""
        return self.trace.table(name, **options).to_pylist()


def check(
    rows: Iterable[dict[str, Any]],
    values: dict[Any, list[int]],
    key: tuple[str, ...],
    unit: str = "us",
    scale: float = 1000.0,
) -> None:
    """Compare a summary with the values of each of its rows."""
    rows = list(rows)
    found = {tuple(row[name] for name in key): row for row in rows}
    assert len(found) == len(rows)
    assert found.keys() == values.keys()
    whole = sum(map(sum, values.values()))
    for name, row in found.items():
        of = values[name]
        assert row["instances"] == len(of)
        expected = {
            "total": sum(of),
            "mean": statistics.mean(of),
            "median": statistics.median(of),
            "min": min(of),
            "max": max(of),
            "stddev": statistics.stdev(of) if len(of) > 1 else 0,
        }
        for column, value in expected.items():
            assert row[f"{column}_{unit}"] == pytest.approx(value / scale, rel=1e-9), (name, column)
        if "time_pct" in row:
            assert row["time_pct"] == pytest.approx(100 * sum(of) / whole)
    totals = [row[f"total_{unit}"] for row in rows]
    assert totals == sorted(totals, reverse=True)


def grouped(rows: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[int]]:
    """Collect the last value of each row by the others."""
    found: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for *key, value in rows:
        found[tuple(key)].append(value)
    return dict(found)


def inner_calls(export: Export) -> list[tuple[Any, ...]]:
    """Return the calls that are kept: those that no other call with their id is inside."""
    return export.rows(
        """
        SELECT s.value, r.start, r.end, r.globalTid, r.correlationId
        FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId
        WHERE coalesce(r.eventClass, 0) IN (0, 1) OR NOT EXISTS (
            SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME i WHERE i.correlationId = r.correlationId
            AND i.globalTid = r.globalTid AND i.eventClass IN (0, 1))
        """
    )
