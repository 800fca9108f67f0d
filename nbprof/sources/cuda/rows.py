"""`Rows`: collects the rows of a table in pieces, which have columns or single values."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


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
