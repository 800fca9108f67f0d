"""`Rows`: collects the rows of a table in pieces, which have columns or single values."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: Times beyond, in nanoseconds, overflow when they are subtracted.
_FAR: Final = 1 << 61


class Rows:
    """The rows of a table, piece by piece.

    Attributes
    ----------
    count : int
        Number of rows.
    """

    def __init__(self) -> None:
        self._pieces: list[tuple[int, dict[str, Any]]] = []
        self.count = 0
        self._taken: dict[str, Array] = {}

    def add(self, rows: int, **columns: Any) -> None:
        """Add rows, with an array or one value for each column."""
        if rows:
            self._pieces.append((rows, columns))
            self.count += rows

    def leave_out_timeless(self, name: str) -> int:
        """Leave rows out whose time is missing or one that no clock shows; return how many."""
        before = self.count
        for at, (rows, columns) in enumerate(self._pieces):
            times = np.broadcast_to(columns[name], rows)
            kept = (times != -1) & (times > -_FAR) & (times < _FAR)
            if not kept.all():
                some = {
                    key: values[kept] if isinstance(values, np.ndarray) else values
                    for key, values in columns.items()
                }
                self._pieces[at] = int(kept.sum()), some
                self.count -= rows - int(kept.sum())
        return before - self.count

    def has(self, name: str) -> bool:
        """Whether any piece has a column."""
        return name in self._taken or any(name in columns for _, columns in self._pieces)

    def peek(self, *names: str) -> list[Array]:
        """Return columns of the pieces that have all of them, each of shape (rows of these,)."""
        pieces = [piece for piece in self._pieces if all(name in piece[1] for name in names)]
        if not pieces:
            return [np.empty(0, np.int64) for _ in names]
        return [
            np.concatenate([np.broadcast_to(columns[name], rows) for rows, columns in pieces])
            for name in names
        ]

    def keep(self, name: str, dtype: Any) -> Array:
        """Return a column as `take` does, and keep it for the next time."""
        values = self.take(name, dtype)
        self.add_taken(name, values)
        return values

    def add_taken(self, name: str, values: Array) -> None:
        """Store a column of all rows, shape (rows,), in place of the pieces."""
        self._taken[name] = values

    def take(self, name: str, dtype: Any, missing: float = -1) -> Array:
        """Return a column, shape (rows,), and free its pieces; `missing` fills gaps."""
        if name in self._taken:
            return self._taken.pop(name)
        if len(self._pieces) == 1 and isinstance(self._pieces[0][1].get(name), np.ndarray):
            return np.asarray(self._pieces[0][1].pop(name), dtype)
        joined = np.empty(self.count, dtype)
        at = 0
        for rows, columns in self._pieces:
            joined[at : at + rows] = columns.pop(name, missing)
            at += rows
        return joined
