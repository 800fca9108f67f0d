"""Makes the row of a GPU from what a database says, where a cell may hold a value of any type."""

from __future__ import annotations

from typing import Any

from nbprof.model.trace.schema import DEVICES

#: Largest values of the columns.
_LARGEST = {
    field.name: (1 << field.type.bit_width - 1) - 1 for field in DEVICES if field.name != "name"
}


def is_number(value: Any) -> bool:
    """Return whether a cell holds the number of a GPU."""
    return isinstance(value, int) and 0 <= value <= _LARGEST["device"]


def gpu_row(number: int, name: Any, **figures: Any) -> dict[str, Any]:
    """Return a row of the table ``devices``.

    Parameters
    ----------
    number : int
        Its number, as `is_number` accepts it.
    name : object
        Its name; empty if it is missing.
    **figures
        Cells with its figures. What is no whole number that fits is missing.

    Examples
    --------
    >>> row = gpu_row(0, "A GPU", memory_bytes=1 << 33, compute_major="nine", compute_minor=1 << 40)
    >>> row["memory_bytes"], row["compute_major"], row["compute_minor"], row["multiprocessors"]
    (8589934592, -1, -1, -1)
    """
    row = {"device": number, "name": str(name or "")}
    for column, largest in _LARGEST.items():
        value = figures.get(column)
        fits = isinstance(value, int) and 0 <= value <= largest
        row.setdefault(column, value if fits else -1)
    return row
