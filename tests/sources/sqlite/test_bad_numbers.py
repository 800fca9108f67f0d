"""Any column of numbers may hold anything: it costs the value, and what is lost is counted."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

import pytest

import nbprof
from nbprof.sources.sqlite.database import Database
from tests.fuzz.contents import Sqlite
from tests.fuzz.seeds import seed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: Of another storage class than whole numbers, or beyond 64 bits.
WRONG: Final = {
    "text": "1e999999",
    "digits": "7" * 1_000_000,  # which takes hours, where the time is not linear
    "word": "many",
    "blob": b"\x00\xff7",
    "huge": -1e300,
    "infinite": float("inf"),
}
#: Whole numbers and nothing at all: they are odd, but may be what was recorded.
ODD: Final = {"negative": -5, "smallest": -(2**63), "largest": 2**63 - 1, "nothing": None}
SEEDS: Final = ("nsight", "nvprof_sql", "nvprof_nvvp")
#: Tables whose rows are events.
EVENTS: Final = ("host", "device", "memory", "counters", "unified_memory")


def _content(name: str) -> Sqlite:
    ((_, content),) = seed(name).items()
    assert isinstance(content, Sqlite)
    return content


def _read(content: Sqlite, name: str, folder: Path) -> list[nbprof.Trace]:
    """Return the traces of a file: another process is another worker."""
    ((path, _),) = seed(name).items()
    file = folder / path.rpartition("/")[2]
    file.write_bytes(content.encode())
    return list(nbprof.load(file, cache=False, progress=False))


def _columns(content: Sqlite) -> list[tuple[str, int]]:
    """Return the tables and places of columns of numbers."""
    return [
        (table, at)
        for table, (names, *rows) in content.tables.items()
        for at in range(len(names))
        if any(isinstance(row[at], (int, float)) for row in rows)
    ]


def _count(traces: list[nbprof.Trace]) -> int:
    return sum(trace.model.tables[name].num_rows for trace in traces for name in EVENTS)


def _warned(traces: list[nbprof.Trace]) -> dict[str, int]:
    return {one.kind: one.count for trace in traces for one in trace.model.warnings}


@pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")
@pytest.mark.parametrize("name", SEEDS)
@pytest.mark.parametrize("value", {**WRONG, **ODD})
def test_a_value_costs_no_more_than_its_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    read: set[tuple[str, str]] = set()
    integers, records = Database.integers, Database.records

    def see_integers(self: Database, table: str, columns: Sequence[str], **more: Any) -> Any:
        read.update((table, column) for column in columns)
        return integers(self, table, columns, **more)

    def see_records(self: Database, table: str, columns: Sequence[str], *more: Any) -> Any:
        read.update((table, column) for column in columns)
        return records(self, table, columns, *more)

    content = _content(name)
    whole = _read(content, name, tmp_path)
    count = _count(whole)
    monkeypatch.setattr(Database, "integers", see_integers)
    monkeypatch.setattr(Database, "records", see_records)
    for table, at in _columns(content):
        other = copy.deepcopy(content)
        column, *_ = other.tables[table][0][at : at + 1]
        other.tables[table][-1][at] = {**WRONG, **ODD}[value]
        read.clear()
        traces = _read(other, name, tmp_path)
        where = f"{table}, {column}"
        assert _count(traces) >= count - 1, where
        for trace in traces:
            assert trace.metadata["end_ns"] <= 1 << 56, where
            trace.operators()
        if value in WRONG and (table, column) in read:
            assert _warned(traces).get("bad numbers", 0) >= 1, where
        if _count(traces) < count and column != "eventType":  # of which there are others
            assert _warned(traces) != _warned(whole), where
