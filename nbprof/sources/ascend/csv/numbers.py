"""Parses numeric cells: regular ones in bulk, irregular ones one by one; counts invalid ones.

Each function takes a text or dictionary column and returns one value per row, and a mask of the
cells that are not numbers. Each distinct text is parsed once.
"""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import floats_of, numpy_of
from nbprof.model.building import arrow_array, arrow_scalar, filled
from nbprof.sources.chrome.times import NO_TIME, RANGE_LIMIT, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable

#: Texts of empty cells.
MISSING: Final = ("", "N/A")

_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LARGEST: Final = np.iinfo(np.int64).max

#: Digits after the point that Arrow's decimals keep, of 38 in total.
_NANO: Final = pa.decimal128(22, 3)
_FINER: Final = pa.decimal128(38, 15)


class Numbers(NamedTuple):
    """The values of a column.

    Attributes
    ----------
    values : ndarray, shape (rows,)
        One per row; NaN, -1 or `NO_TIME` if missing.
    bad : ndarray of bool, shape (rows,)
        Cells that are neither empty nor a number.
    """

    values: npt.NDArray[Any]
    bad: npt.NDArray[np.bool_]


def floats(column: pa.ChunkedArray) -> Numbers:
    """Return a column as float64, NaN for empty cells."""
    return _converted(column, _to_floats, np.float64, np.nan)


def integers(column: pa.ChunkedArray) -> Numbers:
    """Return a column as int64, -1 for empty cells; whole decimals such as 3.0 are accepted."""
    return _converted(column, _to_integers, np.int64, -1)


def nanoseconds(column: pa.ChunkedArray) -> Numbers:
    """Return decimal microseconds as exact int64 nanoseconds; `NO_TIME` for empty cells.

    Digits beyond the nanosecond are rounded half to even.
    """
    return _converted(column, _to_nanoseconds, np.int64, NO_TIME)


def texts(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column as a dictionary of its stripped texts; null for empty cells."""
    pieces = []
    for chunk in column.chunks:
        encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        values = encoded.dictionary.cast(pa.utf8())
        clean = pc.utf8_trim_whitespace(values)
        clean = pc.if_else(
            pc.is_in(clean, arrow_array(MISSING)), arrow_scalar(None, pa.utf8()), clean
        )
        # Stripped texts may be equal or empty, so they are encoded again.
        again = clean.dictionary_encode()
        indices = again.indices.take(encoded.indices)
        pieces.append(pa.DictionaryArray.from_arrays(indices, again.dictionary))
    if not pieces:
        return arrow_array([], pa.utf8()).dictionary_encode()
    joined = pa.chunked_array(pieces).unify_dictionaries()
    one = joined.chunk(0) if joined.num_chunks == 1 else joined.combine_chunks()
    return one.chunk(0) if isinstance(one, pa.ChunkedArray) else one


def is_number(text: str) -> bool:
    """Whether a text is a finite decimal number."""
    return _NUMBER.fullmatch(text) is not None and np.isfinite(float(text))


def _converted(
    column: pa.ChunkedArray,
    convert: Callable[[pa.Array], Numbers],
    dtype: Any,
    nothing: float,
) -> Numbers:
    values, bad = [np.empty(0, dtype)], [np.empty(0, bool)]
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            converted = convert(_clean(chunk.dictionary))
            codes = numpy_of(filled(chunk.indices, -1))  # -1 takes what is appended
            values.append(np.append(converted.values, np.array([nothing], dtype))[codes])
            bad.append(np.append(converted.bad, False)[codes])
        else:
            converted = convert(_clean(chunk))
            values.append(converted.values)
            bad.append(converted.bad)
    return Numbers(np.concatenate(values), np.concatenate(bad))


def _clean(column: pa.Array) -> pa.Array:
    """Return stripped text, null for empty cells."""
    clean = pc.utf8_trim_whitespace(column.cast(pa.utf8()))
    return pc.if_else(pc.is_in(clean, arrow_array(MISSING)), arrow_scalar(None, pa.utf8()), clean)


def _to_floats(column: pa.Array) -> Numbers:
    try:
        values = floats_of(column)
        bad = np.zeros(len(column), bool)
        if np.isinf(values).any() or np.isnan(values).sum() != column.null_count:
            raise pa.ArrowInvalid  # noqa: TRY301 - as for any text that is no number
    except pa.ArrowInvalid:
        return _convert_one_by_one(column, float, np.float64, np.nan)
    return Numbers(values, bad)


def _to_integers(column: pa.Array) -> Numbers:
    try:
        values = numpy_of(filled(column.cast(pa.int64()), -1))
    except pa.ArrowInvalid:
        return _convert_one_by_one(column, _whole, np.int64, -1)
    return Numbers(values, np.zeros(len(column), bool))


def _to_nanoseconds(column: pa.Array) -> Numbers:
    try:
        decimals = column.cast(_NANO)
    except pa.ArrowInvalid:
        try:
            finer = pc.round(column.cast(_FINER), 3, "half_to_even")
            decimals = finer.cast(_NANO, safe=False)
        except pa.ArrowInvalid:
            return _convert_one_by_one(column, _nanosecond, np.int64, NO_TIME)
    # A decimal128 of scale 3 is the count of nanoseconds, in 16 bytes, low half first.
    halves = np.frombuffer(decimals.buffers()[1], np.int64)
    start, end = 2 * decimals.offset, 2 * (decimals.offset + len(decimals))
    low, high = halves[start:end:2], halves[start + 1 : end : 2]
    missing = numpy_of(decimals.is_null())
    known = low[~missing]
    if not np.array_equal(high[~missing], known >> 63) or (
        np.abs(known).max(initial=0) > RANGE_LIMIT * 1000
    ):
        return _convert_one_by_one(column, _nanosecond, np.int64, NO_TIME)
    return Numbers(np.where(missing, NO_TIME, low), np.zeros(len(column), bool))


def _convert_one_by_one(
    column: pa.Array, convert: Callable[[str], float], dtype: Any, nothing: float
) -> Numbers:
    """Convert cells one by one; invalid ones are missing and marked bad."""
    values = np.full(len(column), nothing, dtype)
    bad = np.zeros(len(column), bool)
    for at, text in enumerate(column.to_pylist()):
        if text is not None:
            bad[at] = True
            if is_number(text):
                with suppress(ValueError, ArithmeticError):
                    values[at] = convert(text)
                    bad[at] = False
    return Numbers(values, bad)


def _whole(text: str) -> int:
    number = Decimal(text)
    if number != number.to_integral_value() or abs(number) > _LARGEST:
        raise InvalidOperation(text)
    return int(number)


def _nanosecond(text: str) -> int:
    nanosecond = int(one_by_one([text])[0])
    if nanosecond == NO_TIME:
        raise InvalidOperation(text)
    return nanosecond
