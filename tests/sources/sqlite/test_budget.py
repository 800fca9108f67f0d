"""Databases whose pages refer to each other, and so pretend to hold far more than they do."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.sources.defects import DefectLog
from nbprof.sources.sqlite import budget
from nbprof.sources.sqlite.budget import REASON, Budget
from nbprof.sources.sqlite.database import Database
from tests.sources.nsight.exports import write_export

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 4096
#: Children of each page, and pages above each other: 300¹² rows.
CHILDREN, DEPTH = 300, 12

#: Seconds for a file of 100 kB on a busy machine.
SECONDS = 30.0


def _root_of(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(connection.execute(query, (table,)).fetchone()[0])


def _inner_page(child: int) -> bytes:
    """Return a page of a table with the same child again and again."""
    cells = [child.to_bytes(4, "big") + bytes([at % 100 + 1]) for at in range(CHILDREN)]
    start = PAGE - 5 * CHILDREN
    places = b"".join((start + 5 * at).to_bytes(2, "big") for at in range(CHILDREN))
    head = b"\x05\0\0" + CHILDREN.to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0"
    head += child.to_bytes(4, "big") + places
    return head + bytes(start - len(head)) + b"".join(cells)


def endless(path: Path, table: str) -> Path:
    """Make a table of a database endless: its root becomes the first of pages above each other."""
    root = _root_of(path, table)
    data = bytearray(path.read_bytes())
    leaf, count = bytes(data[(root - 1) * PAGE : root * PAGE]), len(data) // PAGE
    data[(root - 1) * PAGE : root * PAGE] = _inner_page(count + 1)
    for depth in range(DEPTH - 1):
        data += _inner_page(count + depth + 2)
    data += leaf
    data[28:32] = (len(data) // PAGE).to_bytes(4, "big")
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "table",
    [
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "NVTX_EVENTS",
        "ThreadNames",
        "TARGET_INFO_GPU",
        "DIAGNOSTIC_EVENT",
        "GPU_METRICS",
    ],
)
def test_an_endless_table_is_left_out(tmp_path: Path, table: str) -> None:
    path = endless(write_export(tmp_path / "report.sqlite"), table)
    with closing(sqlite3.connect(path)) as connection:  # SQLite has no objection
        found = connection.execute(f"SELECT 1 FROM {table} LIMIT 100000").fetchall()
    assert len(found) == 100_000
    began = time.monotonic()
    trace = nbprof.load(path, progress=False, cache=False).trace()
    warnings = trace.warnings()["example"].to_pylist()
    assert time.monotonic() - began < SECONDS
    assert any(REASON[:27] in str(one) for one in warnings)


def test_the_other_tables_are_read(tmp_path: Path) -> None:
    path = endless(write_export(tmp_path / "report.sqlite"), "CUPTI_ACTIVITY_KIND_KERNEL")
    trace = nbprof.load(path, progress=False, cache=False).trace()
    assert trace.steps().num_rows == 2
    assert "cudaMalloc" in trace.slices()["name"].to_pylist()


def test_texts_on_shared_pages_are_not_read_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "_FREE_CHARACTERS", 0)
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (?)", ("x" * 1_000_000,))
        connection.commit()
    defects = DefectLog("a")
    with Database(endless(path, "t"), defects) as database:
        assert database.rows("SELECT a FROM t") == []
    assert REASON in str(defects.found())


def test_a_damaged_name_in_the_message_of_sqlite_is_no_other_error(tmp_path: Path) -> None:
    path = write_export(tmp_path / "report.sqlite")
    data = path.read_bytes()
    for old, new in ((b"CREATE TABLE ThreadNames", b"CREATE TABL\x95 \x95hreadNames"),):
        assert data.count(old) == 1
        path.write_bytes(data.replace(old, new))
    with pytest.raises(nbprof.TraceFormatError, match="database is damaged"):
        nbprof.load(path, progress=False, cache=False)


def test_virtual_tables_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("CREATE VIEW v AS SELECT a FROM t")
        try:
            connection.execute("CREATE VIRTUAL TABLE w USING fts4(a)")
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no full-text search")
        connection.commit()
    with Database(path, DefectLog("a")) as database:
        assert "t" in database.tables
        assert not {"v", "w"} & set(database.tables)


def test_recorded_exports_take_a_fraction_of_the_budget(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[float] = []
    monkeypatch.setattr(budget, "_STEPS", 1000)
    monkeypatch.setattr(budget, "_FREE_STEPS", 0)

    def step(self: Budget) -> int:
        self._steps -= budget._STEPS
        given = budget._STEPS_OF_BYTE * self._size + budget._FREE_STEPS
        taken.append((given - self._steps) / given)
        return 0

    monkeypatch.setattr(Budget, "_step", step)
    paths = [*(shared_data / "nsys").glob("*/*.sqlite"), *(shared_data / "nvprof").glob("*/*.sql")]
    if not paths:
        pytest.skip("no reference data: there are no exports")
    for path in paths:
        warnings = nbprof.load(path, progress=False, cache=False).trace().warnings()
        assert REASON[:27] not in str(warnings["example"].to_pylist())
    assert 0.001 < max(taken) < 0.1
