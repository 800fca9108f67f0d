"""Formats columns as JSON text, one fragment per row, without a loop over rows.

Pieces are Arrow arrays of strings, or one string shared by all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.building import arrow_array, arrow_scalar

if TYPE_CHECKING:
    from collections.abc import Iterable

Pieces: TypeAlias = "pa.StringArray | str"


def encode(value: Any) -> str:
    """Return a value as JSON text."""
    return msgspec.json.encode(value).decode()


def join(*pieces: Pieces) -> pa.StringArray:
    """Concatenate pieces of text row by row; at least one of them is an array."""
    texts = (arrow_scalar(one) if isinstance(one, str) else one for one in pieces)
    return pc.binary_join_element_wise(*texts, arrow_scalar(""))


def numbers(values: npt.NDArray[np.integer[Any]]) -> pa.StringArray:
    """Format whole numbers as text."""
    return arrow_array(values).cast(pa.utf8())


def microseconds(nanoseconds: npt.NDArray[np.int64]) -> pa.StringArray:
    """Format nanoseconds as microseconds with three decimals, exactly."""
    # A decimal128 of scale 3 is the count of nanoseconds, in 16 bytes, low half first.
    halves = np.empty((len(nanoseconds), 2), np.int64)
    halves[:, 0] = nanoseconds
    halves[:, 1] = nanoseconds >> 63
    buffers = [None, pa.py_buffer(halves)]
    decimals = pa.Array.from_buffers(pa.decimal128(22, 3), len(nanoseconds), buffers)
    return decimals.cast(pa.utf8())


def floats(values: npt.NDArray[np.float64]) -> pa.StringArray:
    """Format numbers with the fewest digits that identify them; NaN and infinities in quotes."""
    text = arrow_array(values).cast(pa.utf8())
    finite = np.isfinite(values)
    if finite.all():
        return text
    return pc.if_else(arrow_array(finite), text, join('"', text, '"'))


def argument(key: str, values: npt.NDArray[Any]) -> Pieces:
    """Return ``,"key":value`` for rows that have the argument, and empty text for the others."""
    is_float = values.dtype.kind == "f"
    there = ~np.isnan(values) if is_float else values != -1
    if not there.any():
        return ""
    text = join(f",{encode(key)}:", floats(values) if is_float else numbers(values))
    return text if there.all() else pc.if_else(arrow_array(there), text, arrow_scalar(""))


class Fragments:
    """Text pieces that many rows share, made once for each distinct value.

    Parameters
    ----------
    pieces : iterable of str
        The piece for each code.
    missing : str
        The piece for code -1.
    """

    def __init__(self, pieces: Iterable[str], missing: str = "") -> None:
        # As an index, -1 refers to the last piece.
        self._pieces = arrow_array([*pieces, missing], pa.utf8())

    def of(self, codes: npt.NDArray[np.integer[Any]]) -> Pieces:
        """Return the piece of each row by code, shape (rows,)."""
        last = len(self._pieces) - 1
        if last == 0:
            return str(self._pieces[0].as_py())
        return self._pieces.take(arrow_array(np.where(codes < 0, last, codes)))


def raw_array(text: str) -> str:
    """Return JSON text unchanged if it is valid; otherwise, such as with NaN, as a JSON string."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return encode(text)
    return text


def to_bytes(lines: pa.StringArray) -> memoryview:
    """Return the text of all rows, concatenated, without a copy."""
    offsets = np.frombuffer(lines.buffers()[1], np.int32)
    first, last = int(offsets[lines.offset]), int(offsets[lines.offset + len(lines)])
    return memoryview(lines.buffers()[2])[first:last]


def without_first(lines: pa.StringArray) -> pa.StringArray:
    """Return text without its first character."""
    return pc.utf8_slice_codeunits(lines, 1)
