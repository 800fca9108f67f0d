"""Build a large export of Nsight Systems by repeating a recorded one.

Rows with a time are repeated, each repetition later by the length of the recording and with
correlation ids moved on; strings and the tables about the machine stay as they are.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

#: Columns that are times, and ids that must differ between repetitions.
_TIMES: Final = ("start", "end", "timestamp")
_IDS: Final = ("correlationId", "rangeId")
#: Call chains have no time, but belong to rows that have one.
_CHAINS: Final = "CALLCHAINS"


def build(source: Path, target: Path, size: int) -> int:
    """Write an export of about a size in bytes; return the number of repetitions."""
    target.unlink(missing_ok=True)
    shutil.copy(source, target)
    target.chmod(0o644)
    with closing(sqlite3.connect(target, isolation_level=None)) as out:
        for pragma in ("journal_mode = off", "synchronous = off"):
            out.execute(f"PRAGMA {pragma}")
        out.execute("ATTACH ? AS source", (str(source),))
        tables = {
            name: [
                (column[1], bool(column[5]))
                for column in out.execute(f'PRAGMA source.table_info("{name}")')
            ]
            for (name,) in out.execute("SELECT name FROM source.sqlite_master WHERE type = 'table'")
        }
        repeated = {
            name: columns
            for name, columns in tables.items()
            if name.endswith(_CHAINS) or any(column in _TIMES for column, _ in columns)
        }
        length = max(_largest(out, name, column) for name, column in _wanted(repeated, _TIMES))
        step = 1 + max(_largest(out, name, column) for name, column in _wanted(repeated, _IDS))
        times = 1
        while target.stat().st_size < size:
            more = 1 if times == 1 else max(1, times * size // target.stat().st_size - times)
            for name, columns in repeated.items():
                _repeat(
                    out,
                    name,
                    columns,
                    turns=range(times, times + more),
                    length=length,
                    step=step,
                )
            times += more
    return times


def _wanted(
    tables: dict[str, list[tuple[str, bool]]], columns: tuple[str, ...]
) -> list[tuple[str, str]]:
    return [(name, one) for name, own in tables.items() for one, _ in own if one in columns]


def _largest(out: sqlite3.Connection, table: str, column: str) -> int:
    query = f'SELECT max("{column}") FROM source."{table}"'  # noqa: S608 - its own names
    (value,) = out.execute(query).fetchone()
    return int(value or 0)


def _repeat(
    out: sqlite3.Connection,
    table: str,
    columns: list[tuple[str, bool]],
    *,
    turns: range,
    length: int,
    step: int,
) -> None:
    values = []
    for column, is_key in columns:
        if column in _TIMES:
            values.append(f'"{column}" + turn.k * {length}')
        elif column in _IDS:
            values.append(f'"{column}" + turn.k * {step}')
        elif is_key:
            values.append(f'"{column}" + turn.k * {1 + _largest(out, table, column)}')
        else:
            values.append(f'"{column}"')
    turns_of = "WITH RECURSIVE turn(k) AS (SELECT ? UNION ALL SELECT k + 1 FROM turn WHERE k < ?)"
    parts = (turns_of, "INSERT INTO", f'"{table}"', "SELECT", ", ".join(values))
    query = " ".join((*parts, f'FROM turn, source."{table}"'))
    out.execute(query, (turns.start, turns.stop - 1))


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), Path(sys.argv[2]), int(float(sys.argv[3]) * 1e6)))
