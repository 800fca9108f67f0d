"""Reads columns of whole numbers and of text from SQLite into arrays."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import joined
from nbprof.model.building import filled
from nbprof.sources.sqlite.budget import DAMAGE, TooMuchError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence

    from nbprof.sources.chrome.dictionaries import CodeArray, TextDictionary
    from nbprof.sources.sqlite.budget import Budget

Integers = npt.NDArray[np.int64]

#: Rows that the standard library fetches at once: more do not fit into the processor's cache.
_ROWS: Final = 4096
#: Rows of a batch of the Arrow reader.
_BATCH: Final = 65536
_MISSING: Final = -1

#: What is selected of a column: first whatever it holds, and where that ends with a value that is
#: no whole number of 64 bits, for the rest of the rows, NULL in place of such values.
_QUICK: Final = f"ifnull({{0}}, {_MISSING})"
_CAREFUL: Final = (
    f"CASE typeof({{0}}) WHEN 'integer' THEN {{0}} WHEN 'null' THEN {_MISSING}"
    " WHEN 'real' THEN CASE WHEN abs({0}) < 9.2e18 THEN CAST({0} AS INTEGER) END"
    " WHEN 'text' THEN CASE WHEN CAST(CAST({0} AS INTEGER) AS TEXT) = {0}"
    " THEN CAST({0} AS INTEGER) END END"
)
#: What such values cause in the first query; `DAMAGE` has one of them.
_NO_INTEGERS: Final = (ValueError, OverflowError)


class Block:
    """Columns of whole numbers with one length; columns that are not recorded are all -1.

    Attributes
    ----------
    rows : int
        Number of rows.
    """

    def __init__(self, columns: Mapping[str, Integers], rows: int) -> None:
        self._columns = dict(columns)
        self.rows = rows

    @classmethod
    def of(cls, found: Mapping[str, Integers], wanted: Sequence[str]) -> Block:
        """Return a block of the columns that were found."""
        rows = len(next(iter(found.values()))) if found else 0
        missing = np.broadcast_to(np.int64(_MISSING), rows)
        return cls({**dict.fromkeys(wanted, missing), **found}, rows)

    @classmethod
    def empty(cls, wanted: Sequence[str]) -> Block:
        """Return a block without rows."""
        return cls.of(dict.fromkeys(wanted, np.empty(0, np.int64)), wanted)

    def __getitem__(self, name: str) -> Integers:
        """Return a column, shape (rows,); it may be read-only."""
        return self._columns[name]

    def pop(self, name: str) -> Integers:
        """Return a column and forget it, so that its memory is free as soon as possible."""
        return self._columns.pop(name)

    def put(self, name: str, values: Integers) -> None:
        """Replace a column, shape (rows,)."""
        self._columns[name] = values

    def select(self, rows: npt.NDArray[Any]) -> Block:
        """Return some rows."""
        picked = {name: values[rows] for name, values in self._columns.items()}
        return Block(picked, len(next(iter(picked.values()))))


class _Columns:
    """Columns that grow as rows arrive.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    rows : int
        Number of rows, as far as it is known.

    Attributes
    ----------
    bad : int
        Values that were no whole numbers.
    """

    def __init__(self, names: Sequence[str], rows: int) -> None:
        self._columns = {name: np.empty(max(rows, _ROWS), np.int64) for name in names}
        self.rows = self.bad = 0

    def add(self, values: Sequence[Integers]) -> None:
        """Add the values of each column, shape (rows added,)."""
        end = self.rows + len(values[0])
        for name, added in zip(self._columns, values, strict=True):
            if end > len(self._columns[name]):
                grown = np.empty(2 * end, np.int64)
                grown[: self.rows] = self._columns[name][: self.rows]
                self._columns[name] = grown
            self._columns[name][self.rows : end] = added
        self.rows = end

    def add_rows(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows; None stands for a value that is no whole number."""
        width, count = len(rows[0]), len(rows) * len(rows[0])
        try:
            flat = np.fromiter(chain.from_iterable(rows), np.int64, count)
        except TypeError:
            values = list(chain.from_iterable(rows))
            self.bad += values.count(None)
            flat = np.array([_MISSING if one is None else one for one in values], np.int64)
        self.add([flat[place::width] for place in range(width)])

    def finished(self) -> dict[str, Integers]:
        """Return the columns, shape (rows,) each."""
        return {name: values[: self.rows] for name, values in self._columns.items()}


def read_integers(
    uri: str,
    connection: sqlite3.Connection,
    source: str,
    columns: Sequence[str],
    added: Callable[[int], None],
    *,
    budget: Budget,
) -> tuple[dict[str, Integers], int, Exception | None]:
    """Return columns of whole numbers, how many are none, and why not all rows could be read.

    Parameters
    ----------
    uri : str
        The database, for the Arrow reader.
    connection : sqlite3.Connection
        The same database.
    source : str
        What follows FROM.
    columns : sequence of str
        Names of the columns.
    added : callable
        Called with the number of rows after every few thousand.
    budget : Budget
        How many rows there may be.

    Returns
    -------
    columns : dict of str to ndarray of int64, shape (rows,)
        -1 for NULL, and for values that are no whole numbers of 64 bits.
    bad : int
        The number of such values.
    error : Exception or None
        The error that ended reading.
    """
    error: Exception | None = None
    count = 0
    try:
        count = budget.count(connection, source)
    except TooMuchError as failure:
        return dict.fromkeys(columns, np.empty(0, np.int64)), 0, failure
    except DAMAGE as failure:
        error = failure
    names = ['"' + name.replace('"', '""') + '"' for name in columns]
    found = _Columns(columns, count)
    connect = _arrow_reader() if count >= _BATCH else None
    for form in (_QUICK, _CAREFUL):
        values = ", ".join(form.format(name) for name in names)
        query = f"SELECT {values} FROM {source}"  # noqa: S608 - names are quoted
        if connect is not None:
            # Where it fails, the standard library goes on, and knows whether the file is damaged.
            with suppress(Exception):
                _with_arrow(connect, uri, _after(query, found), found, added)
            if found.rows >= count:
                break
            if form is _QUICK:
                continue
        try:
            _with_standard_library(connection, query, found, added)
            break
        except _NO_INTEGERS:
            continue
        except DAMAGE as failure:
            error = failure
            _until_the_damage(connection, query, found)
            break
    return found.finished(), found.bad, error


def _after(query: str, found: _Columns) -> str:
    """Return a query for the rows after those that were found."""
    return f"{query} LIMIT -1 OFFSET {found.rows}" if found.rows else query


def _with_standard_library(
    connection: sqlite3.Connection, query: str, found: _Columns, added: Callable[[int], None]
) -> None:
    """Read the rows of a query after those that were found."""
    cursor = connection.execute(_after(query, found))
    while rows := cursor.fetchmany(_ROWS):
        found.add_rows(rows)
        added(len(rows))


def _until_the_damage(connection: sqlite3.Connection, query: str, found: _Columns) -> None:
    """Read the rows between the last batch and the damage one by one."""
    with suppress(*DAMAGE):
        cursor = connection.execute(f"{query} LIMIT {_ROWS} OFFSET {found.rows}")
        while row := cursor.fetchone():
            found.add_rows([row])


def _with_arrow(
    connect: Any, uri: str, query: str, found: _Columns, added: Callable[[int], None]
) -> None:
    """Read the rows of a query with the Arrow reader."""
    with connect(uri) as connection, connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_BATCH)})
        cursor.execute(query)
        for batch in cursor.fetch_record_batch():
            if not all(pa.types.is_int64(values.type) for values in batch.columns):
                message = "a column holds other values than whole numbers"
                raise TypeError(message)
            bad = sum(values.null_count for values in batch.columns)
            found.add([joined(filled(one, _MISSING)) for one in batch.columns])
            found.bad += bad
            added(batch.num_rows)


@cache
def _arrow_reader() -> Any:
    """Return the function that connects the optional Arrow reader; None if it is not installed."""
    if find_spec("adbc_driver_sqlite") is None:
        return None
    try:
        return import_module("adbc_driver_sqlite.dbapi").connect
    except Exception:  # noqa: BLE001 - an installation that does not work is as good as none
        return None


def read_texts(
    connection: sqlite3.Connection,
    source: str,
    column: str,
    codes: TextDictionary,
    budget: Budget,
) -> tuple[CodeArray, Exception | None]:
    """Return the codes of a column of text, and why not all rows could be read.

    Returns
    -------
    codes : ndarray of int32, shape (rows,)
        -1 for NULL.
    error : Exception or None
        The error that ended reading.
    """
    name = '"' + column.replace('"', '""') + '"'
    pieces = [np.empty(0, np.int32)]
    try:
        cursor = connection.execute(f"SELECT {name} FROM {source}")  # noqa: S608
        pieces.extend(
            codes.encode((row[0] for row in rows), len(rows)) for rows in budget.fetched(cursor)
        )
    except (*DAMAGE, TooMuchError) as error:
        return np.concatenate(pieces), error
    return np.concatenate(pieces), None
