"""Columns to JSON text: every function makes one piece of text per row, without a loop over rows.

Pieces are Arrow arrays of strings, or one string where all rows have the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

Pieces: TypeAlias = "pa.StringArray | str"


def encode(value: Any) -> str:
    """Return a value as JSON text."""
    return msgspec.json.encode(value).decode()


def join(*pieces: Pieces) -> pa.StringArray:
    """Put pieces of text one after another; at least one of them is an array."""
    return pc.binary_join_element_wise(*pieces, "")


def numbers(values: npt.NDArray[np.integer[Any]]) -> pa.StringArray:
    """Return whole numbers as text."""
    return pa.array(values).cast(pa.utf8())


def microseconds(nanoseconds: npt.NDArray[np.int64]) -> pa.StringArray:
    """Return nanoseconds as microseconds with three decimals, exactly."""
    # A decimal128 of scale 3 is the count of nanoseconds, in 16 bytes, low half first.
    halves = np.empty((len(nanoseconds), 2), np.int64)
    halves[:, 0] = nanoseconds
    halves[:, 1] = nanoseconds >> 63
    buffers = [None, pa.py_buffer(halves)]
    decimals = pa.Array.from_buffers(pa.decimal128(22, 3), len(nanoseconds), buffers)
    return decimals.cast(pa.utf8())


def floats(values: npt.NDArray[np.float64]) -> pa.StringArray:
    """Return numbers in the fewest digits that name them; those that JSON lacks in quotes."""
    text = pa.array(values).cast(pa.utf8())
    finite = np.isfinite(values)
    if finite.all():
        return text
    return pc.if_else(pa.array(finite), text, join('"', text, '"'))


def argument(key: str, values: npt.NDArray[Any]) -> Pieces:
    """Return ``,"key":value`` of every row that has the argument, nothing of the others."""
    is_float = values.dtype.kind == "f"
    there = ~np.isnan(values) if is_float else values != -1
    if not there.any():
        return ""
    text = join(f",{encode(key)}:", floats(values) if is_float else numbers(values))
    return text if there.all() else pc.if_else(pa.array(there), text, "")


class Fragments:
    """Pieces that many rows share, made once for each distinct value.

    Parameters
    ----------
    pieces : iterable of str
        The piece of every code.
    missing : str
        That of the code -1.
    """

    def __init__(self, pieces: Iterable[str], missing: str = "") -> None:
        # Picked by position, -1 counts from the end.
        self._pieces = pa.array([*pieces, missing], pa.utf8())

    def of(self, codes: npt.NDArray[np.integer[Any]]) -> Pieces:
        """Return the piece of each row by its code, shape (rows,)."""
        last = len(self._pieces) - 1
        if last == 0:
            return str(self._pieces[0].as_py())
        return self._pieces.take(pa.array(np.where(codes < 0, last, codes)))


def raw_array(text: str) -> str:
    """Return JSON text as it is; what only Python reads, such as NaN, in quotes."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return encode(text)
    return text


def to_bytes(lines: pa.StringArray) -> memoryview:
    """Return the text of all rows, one after another, without a copy."""
    offsets = np.frombuffer(lines.buffers()[1], np.int32)
    first, last = int(offsets[lines.offset]), int(offsets[lines.offset + len(lines)])
    return memoryview(lines.buffers()[2])[first:last]


def without_first(lines: pa.StringArray) -> pa.StringArray:
    """Return text without its first character."""
    return pc.utf8_slice_codeunits(lines, 1)
