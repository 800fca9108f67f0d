"""Limits what a query of a database may take: damaged and hostile pages may refer to each other.

A page of a B-tree lists its children by number, and SQLite does not notice when several list the
same one, or one of their own parents. Twenty such pages may pretend to hold more rows than there
are atoms. Each row and each step of a query therefore costs some of a budget that is proportional
to the size of the file, far above what an intact database of this size needs.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The least bytes of a row: its length, number and header, and its place on the page.
_ROW_BYTES: Final = 5
#: Steps of SQLite's virtual machine between two looks at the budget.
_STEPS: Final = 100_000
#: Steps of a query for each byte of the file, and for any file; exports take a fifth of one.
_STEPS_OF_BYTE, _FREE_STEPS = 10, 5_000_000
#: Characters of the texts of a query, and of all, for each byte of the file, and for any file.
_CHARACTERS_OF_BYTE, _ALL_CHARACTERS_OF_BYTE, _FREE_CHARACTERS = 4, 64, 1 << 24
_BATCH: Final = 4096

#: Why a table is not read further.
REASON: Final = "it holds more than its size allows: its pages refer to each other"


#: What a damaged database causes. Python fails to decode messages that quote a damaged name.
DAMAGE: Final = (sqlite3.Error, UnicodeDecodeError, OverflowError)


class TooMuchError(Exception):
    """A database holds more than its size allows."""


class Budget:
    """What remains of the budget of a database.

    Parameters
    ----------
    size : int
        Bytes of the database.

    Attributes
    ----------
    rows : int
        Rows that a table may have.
    spent : bool
        Whether the last query was ended.
    """

    def __init__(self, size: int) -> None:
        self.rows = max(size // _ROW_BYTES, 1)
        self.spent = False
        self._size = size
        self._steps = self._characters = 0
        self._all_characters = _ALL_CHARACTERS_OF_BYTE * size + _FREE_CHARACTERS

    def begin(self) -> None:
        """Begin a query."""
        self.spent = False
        self._steps = _STEPS_OF_BYTE * self._size + _FREE_STEPS
        characters = _CHARACTERS_OF_BYTE * self._size + _FREE_CHARACTERS
        self._characters = min(characters, self._all_characters)

    def watch(self, connection: sqlite3.Connection) -> None:
        """End each query of a connection that has no steps left."""
        self.begin()
        connection.set_progress_handler(self._step, _STEPS)

    def _step(self) -> int:
        self._steps -= _STEPS
        self.spent = self.spent or self._steps < 0
        return int(self.spent)

    def count(self, connection: sqlite3.Connection, source: str) -> int:
        """Return the number of rows of what follows FROM.

        Raises
        ------
        TooMuchError
            There are more than the file can hold.
        """
        # Counting all rows would be one step, however long it takes.
        inner = f"SELECT 1 FROM {source} LIMIT {self.rows + 1}"  # noqa: S608
        (count,) = connection.execute(f"SELECT count(*) FROM ({inner})").fetchone()  # noqa: S608
        if count > self.rows:
            raise self._exceeded()
        return int(count)

    def fetched(self, cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a result, several at a time.

        Raises
        ------
        TooMuchError
            There are more of them, or their texts are longer, than the file can hold.
        """
        left = self.rows
        rows: list[tuple[Any, ...]] = []
        for row in cursor:
            rows.append(row)
            length = sum(len(one) for one in row if isinstance(one, (str, bytes)))
            self._characters -= length
            self._all_characters -= length
            left -= 1
            if self._characters < 0 or left < 0:
                raise self._exceeded()
            if len(rows) == _BATCH:
                yield rows
                rows = []
        yield rows

    def _exceeded(self) -> TooMuchError:
        self.spent = True
        return TooMuchError(REASON)
