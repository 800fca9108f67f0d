"""`Database`: a SQLite database opened for reading, with its tables and columns."""

from __future__ import annotations

import sqlite3
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.sources.sqlite.budget import DAMAGE, REASON, Budget, TooMuchError
from nbprof.sources.sqlite.columns import Block, read_integers, read_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from nbprof.sources.chrome.dictionaries import CodeArray, TextDictionary
    from nbprof.sources.defects import DefectLog

#: Values that one query names, at most; SQLite allows 999 in old versions.
_NAMED_AT_ONCE: Final = 500
#: Tables that are looked at; exports have about a hundred.
_TABLES: Final = 2000


class Database:
    """A database that is only read.

    Tables that cannot be read are left out and counted, so that the others are still shown.

    Attributes
    ----------
    tables : dict of str to dict of str to str
        The declared types of the columns, by table and column.
    read : int
        Number of rows that were read so far.
    """

    def __init__(
        self, path: Path, defects: DefectLog, report: Callable[[int], None] | None = None
    ) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._defects = defects
        self._report = report
        self.read = 0
        try:
            self._budget = Budget(path.stat().st_size)
            self._connection = sqlite3.connect(self._uri, uri=True)
            self._connection.text_factory = _text
            self._budget.watch(self._connection)
            self.tables = self._layout()
        except DAMAGE as error:
            raise defects.failure(_damaged(error)) from error

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is a table with these columns."""
        return table in self.tables and all(one in self.tables[table] for one in columns)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the result of a query with a small result; empty if the file does not allow it."""
        self._budget.begin()
        try:
            cursor = self._connection.execute(query, values)
            return [row for rows in self._budget.fetched(cursor) for row in rows]
        except (*DAMAGE, TooMuchError) as error:
            self._note(query, error)
            return []

    def records(
        self, table: str, columns: Sequence[str], texts: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the rows of a small table as mappings; columns that are missing are None.

        Parameters
        ----------
        table : str
            A table, which may be missing.
        columns, texts : sequence of str
            Columns, which may be missing, and those that are not of whole numbers.
        """
        if table not in self.tables:
            return []
        own = [name for name in (*columns, *texts) if name in self.tables[table]]
        listed = ", ".join(map(_quoted, own)) or "1"
        rows = self.rows(f"SELECT {listed} FROM {_quoted(table)}")  # noqa: S608 - names are quoted
        nothing = dict.fromkeys((*columns, *texts))
        found = [{**nothing, **dict(zip(own, row, strict=False))} for row in rows]
        bad = 0
        for row, name in product(found, columns):
            if not (row[name] is None or isinstance(row[name], int)):
                bad, row[name] = bad + 1, None
        self._note_bad(table, bad)
        return found

    def integers(
        self, table: str, columns: Sequence[str], *, needs: Sequence[str] = (), where: str = ""
    ) -> Block:
        """Return columns of whole numbers, in the order of rows; -1 where nothing is recorded.

        Parameters
        ----------
        table : str
            A table, which may be missing.
        columns : sequence of str
            Columns, which may be missing.
        needs : sequence of str
            Columns without which the rows mean nothing: they are left out and counted.
        where : str
            A condition on rows.
        """
        if table not in self.tables:
            return Block.empty(columns)
        lacking = [name for name in needs if name not in self.tables[table]]
        if lacking:
            example = f"{table} has no column {lacking[0]}; its rows are left out"
            self._defects.note("tables without needed columns", 1, example)
            return Block.empty(columns)
        own = [name for name in columns if name in self.tables[table]]
        self._budget.begin()
        found, bad, error = read_integers(
            self._uri,
            self._connection,
            self._source(table, where),
            own,
            self._add,
            budget=self._budget,
        )
        self._note_bad(table, bad)
        if error is not None:
            rows = len(next(iter(found.values()), ()))
            self._note(f"{table} after {rows:,} rows", error)
        return Block.of(found, columns)

    def texts(self, table: str, column: str, codes: TextDictionary, where: str = "") -> CodeArray:
        """Return the codes of a column of text, in the order of rows."""
        self._budget.begin()
        found, error = read_texts(
            self._connection, self._source(table, where), column, codes, self._budget
        )
        if error is not None:
            self._note(f"{table}, {column}", error)
        return found

    def blobs(self, table: str, column: str, size: int) -> npt.NDArray[np.uint8]:
        """Return a column of blobs of one size, in the order of rows; zeros for those of others.

        Returns
        -------
        ndarray of uint8, shape (rows, size)
            Without rows if there is no such column.
        """
        if not self.has(table, column):
            return np.zeros((0, size), np.uint8)
        rows = self.rows(f"SELECT {_quoted(column)} FROM {_quoted(table)}")  # noqa: S608
        nothing = bytes(size)
        texts = [one if isinstance(one, bytes) and len(one) == size else nothing for (one,) in rows]
        return np.frombuffer(b"".join(texts), np.uint8).reshape(-1, size)

    def named(self, table: str, key: str, value: str, wanted: Sequence[int]) -> dict[int, str]:
        """Return the texts of some rows of a table, by their numbers."""
        found: dict[int, str] = {}
        if not self.has(table, key, value):
            return found
        for at in range(0, len(wanted), _NAMED_AT_ONCE):
            some = wanted[at : at + _NAMED_AT_ONCE]
            marks = ", ".join("?" * len(some))
            query = (
                f"SELECT {_quoted(key)}, {_quoted(value)} FROM {_quoted(table)}"  # noqa: S608
                f" WHERE {_quoted(key)} IN ({marks})"
            )
            found |= {one: str(text) for one, text in self.rows(query, *some) if text is not None}
        return found

    def count_bad(self, table: str, column: str) -> int:
        """Return the rows of a table in which a column is no whole number; 0 without the column."""
        if not self.has(table, column):
            return 0
        query = (
            f"SELECT count(*) FROM {_quoted(table)}"  # noqa: S608 - names are quoted
            f" WHERE typeof({_quoted(column)}) <> 'integer'"
        )
        return sum(count for (count,) in self.rows(query))

    def has_rows(self, table: str) -> bool:
        """Whether a table exists and has rows."""
        if table not in self.tables:
            return False
        return bool(self.rows(f"SELECT 1 FROM {_quoted(table)} LIMIT 1"))  # noqa: S608

    def _note(self, what: str, error: Exception) -> None:
        """Count an error of SQLite."""
        reason = REASON if self._budget.spent else error
        self._defects.note("tables that cannot be read in full", 1, f"{what}: {reason}")

    def _note_bad(self, table: str, count: int) -> None:
        """Count values that are no numbers of 64 bits."""
        self._defects.note("bad numbers", count, f"in {table}: no whole number; left out")

    def _source(self, table: str, where: str) -> str:
        return f"{_quoted(table)} WHERE {where}" if where else _quoted(table)

    def _add(self, rows: int) -> None:
        self.read += rows
        if self._report is not None:
            self._report(self.read)

    def _layout(self) -> Mapping[str, Mapping[str, str]]:
        names = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%'"
            " ESCAPE '~' AND rootpage > 0 LIMIT ?",  # virtual ones have no page
            (_TABLES,),
        ).fetchall()
        return {
            name: {
                row[1]: row[2] or ""
                for row in self._connection.execute(f"PRAGMA table_info({_quoted(name)})")
            }
            for (name,) in names
        }

    def __enter__(self) -> Database:  # noqa: PYI034 - typing.Self is newer than 3.10
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _quoted(name: str) -> str:
    """Return the name of a table or column as SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _damaged(error: Exception) -> str:
    return f"the SQLite database is damaged ({error}); copy or export it again"
