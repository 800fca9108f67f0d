"""Makes the row of a device from what a recorder says: figures may be values of any type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.chrome.columns import as_float
from nbprof.sources.defects import TOO_LARGE

if TYPE_CHECKING:
    from nbprof.sources.defects import DefectLog

#: Largest values of the columns. Processes that read a part of a file import no Arrow, and so not
#: the schema.
_LARGEST: Final = {
    "device": (1 << 31) - 1,
    "memory_bytes": (1 << 63) - 1,
    "compute_major": (1 << 31) - 1,
    "compute_minor": (1 << 31) - 1,
    "multiprocessors": (1 << 31) - 1,
}


def is_number(value: Any) -> bool:
    """Return whether a value is the number of a GPU."""
    return isinstance(value, int) and 0 <= value <= _LARGEST["device"]


def gpu_row(
    number: int, name: Any, defects: DefectLog | None = None, **figures: Any
) -> dict[str, Any]:
    """Return a row of the table ``devices``.

    Parameters
    ----------
    number : int
        Its number, as `is_number` accepts it.
    name : object
        Its name; empty if it is missing.
    defects : DefectLog, optional
        Counts the figures that are left out.
    **figures
        Its figures; None and -1 are missing. What is no number that fits is left out.

    Examples
    --------
    >>> row = gpu_row(0, "A GPU", memory_bytes=1 << 33, compute_major="nine", compute_minor=1 << 40)
    >>> row["memory_bytes"], row["compute_major"], row["compute_minor"], row["multiprocessors"]
    (8589934592, -1, -1, -1)
    """
    row = {"device": number, "name": str(name or "")}
    for column, largest in _LARGEST.items():
        value = figures.get(column)
        figure = value if isinstance(value, int) else as_float(value)
        fits = 0 <= figure <= largest
        row.setdefault(column, int(figure) if fits else -1)
        if defects and not fits and value is not None and figure != -1:
            kind = TOO_LARGE if figure > largest else "not a number"
            defects.note(kind, 1, f"{column} of devices is no number that fits; left out")
    return row
