"""Reference exports have in the model what plain SQL finds in them."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.model.trace import kinds
from nbprof.sources.cuda.names import api_name

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

EXPORTS = (
    "0x822a5b87_report1",
    "EfficientCenterFormer_baseline",
    "fixture_lm_inline_text",
    "fixture_lm_modern",
    "pipit_cloverleaf_perlmutter",
    "pipit_saxpy_mpi_perlmutter0",
)
_INNER = "coalesce(eventClass, 0) IN (0, 1)"


class Recorded:
    """An export: its model, and queries on the file."""

    def __init__(self, path: Path) -> None:
        self.model: TraceModel = nbprof.load(path, cache=False).trace().model
        self._path = path

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the result of a query; empty if the export lacks the table."""
        uri = f"{self._path.as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            needed = set(re.findall(r"(?:FROM|JOIN) (\w+)", query))
            return connection.execute(query).fetchall() if needed <= tables else []

    def sums(self, side: str, kind: int) -> dict[str, tuple[int, int]]:
        """Return the number and total time of rows by their recorded name."""
        rows = self.model.column(side, "kind") == kind
        names = self.model.recorded(side)
        found: dict[str, tuple[int, int]] = {}
        for code, time in zip(
            self.model.column(side, "name")[rows].tolist(),
            self.model.column(side, "duration_ns")[rows].tolist(),
            strict=True,
        ):
            count, total = found.get(names[code], (0, 0))
            found[names[code]] = count + 1, total + time
        return found


@pytest.fixture(scope="module", params=EXPORTS)
def export(request: pytest.FixtureRequest, shared_data: Path) -> Recorded:
    """One of the reference exports."""
    return Recorded(shared_data / "nsys" / request.param / "report.sqlite")


def test_kernels(export: Recorded) -> None:
    query = """
        SELECT s.value, count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k
        JOIN StringIds s ON s.id = k.demangledName GROUP BY 1
    """
    expected = {name: (count, total) for name, count, total in export.rows(query)}
    assert export.sums("device", kinds.KERNEL) == expected


def test_copies(export: Recorded) -> None:
    query = "SELECT count(*), sum(end - start), sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY"
    count, total, amount = export.rows(query)[0] if export.rows(query) else (0, None, None)
    rows = export.model.column("device", "kind") == kinds.MEMCPY
    assert rows.sum() == count
    assert export.model.column("device", "duration_ns")[rows].sum() == (total or 0)
    assert export.model.column("device", "bytes")[rows].sum() == (amount or 0)


def test_calls(export: Recorded) -> None:
    query = f"""
        SELECT s.value, count(*), sum(r.end - r.start) FROM CUPTI_ACTIVITY_KIND_RUNTIME r
        JOIN StringIds s ON s.id = r.nameId WHERE {_INNER} GROUP BY 1
    """
    expected: dict[str, tuple[int, int]] = {}
    for name, count, total in export.rows(query):
        before = expected.get(api_name(name), (0, 0))
        expected[api_name(name)] = before[0] + count, before[1] + total
    found = export.sums("host", kinds.RUNTIME)
    alone = f"""
        SELECT s.value FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId
        WHERE NOT {_INNER} AND NOT EXISTS (
            SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME i WHERE i.correlationId = r.correlationId
            AND i.globalTid = r.globalTid AND i.eventClass < 2)
    """
    wrappers = {name for (name,) in export.rows(alone)}
    assert {name: of for name, of in found.items() if name not in wrappers} == expected


def test_library_calls(export: Recorded) -> None:
    query = """
        SELECT s.value, count(*), sum(r.end - r.start) FROM OSRT_API r
        JOIN StringIds s ON s.id = r.nameId GROUP BY 1
    """
    expected = {name: (count, total) for name, count, total in export.rows(query)}
    assert export.sums("host", kinds.LIBRARY) == expected


def test_ranges(export: Recorded) -> None:
    query = """
        SELECT coalesce(n.text, s.value), count(*), sum(n.end - n.start) FROM NVTX_EVENTS n
        LEFT JOIN StringIds s ON s.id = n.textId WHERE n.eventType IN (59, 60) GROUP BY 1
    """
    expected = {name: (count, total) for name, count, total in export.rows(query)}
    model = export.model
    duration = model.column("host", "duration_ns")
    found: dict[str, tuple[int, int]] = {}
    for one in model.tables["nvtx_ranges"].to_pylist():
        count, total = found.get(one["label"], (0, 0))
        found[one["label"]] = count + 1, total + int(duration[one["row"]])
    assert found == expected


def test_launches(export: Recorded) -> None:
    query = f"""
        SELECT k.start, r.start FROM CUPTI_ACTIVITY_KIND_KERNEL k
        JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
        AND (r.globalTid >> 24) & 16777215 = (k.globalPid >> 24) & 16777215 WHERE {_INNER}
    """
    model = export.model
    is_kernel = model.column("device", "kind") == kinds.KERNEL
    launch = model.links.launch[is_kernel]
    assert (launch >= 0).all()
    starts = model.column("device", "start_ns")[is_kernel]
    ours = np.stack([starts, model.column("host", "start_ns")[launch]], axis=1)
    theirs = np.array(export.rows(query), np.int64).reshape(-1, 2)
    zero = theirs.min(initial=0) if not len(theirs) else theirs[:, 0].min() - starts.min()
    assert sorted((ours + zero).tolist()) == sorted(theirs.tolist())


def test_views_have_rows(export: Recorded) -> None:
    metadata = export.model.metadata
    assert metadata["events"] == sum(
        export.model.tables[name].num_rows for name in ("host", "device", "memory", "counters")
    )
    assert not any("/" in str(value) for value in metadata.values())
