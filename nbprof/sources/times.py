"""Time stamps to whole nanoseconds, exactly.

Stamps are microseconds: whole numbers, decimals on a base, decimals since 1970, or text. A float64
holds three decimals up to 2**43 µs (101 days); beyond that the decimal text itself is parsed.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

Nanoseconds = npt.NDArray[np.int64]

#: Up to here the error of a float64 is below half a nanosecond, in µs.
FLOAT_LIMIT = 2.0**43

#: Beyond this (year 2112) differences of nanoseconds would leave int64, in µs.
RANGE_LIMIT = 4_500_000_000_000_000

#: Stands for a time that is not there or is no number.
NO_TIME = np.iinfo(np.int64).min


def nanoseconds(values: Sequence[Any]) -> Nanoseconds | None:
    """Return decoded microseconds as nanoseconds, or None where their decimal text is needed.

    Parameters
    ----------
    values : sequence of int, float, str, Decimal or None
        Microseconds. What is no time becomes `NO_TIME`.

    Returns
    -------
    ndarray of int64, shape (values,), or None
    """
    try:
        numbers = np.array(values)
    except (ValueError, OverflowError):
        return one_by_one(values)
    if numbers.dtype.kind == "i" and _below(numbers, RANGE_LIMIT):
        return numbers.astype(np.int64) * 1000
    if numbers.dtype.kind == "f" and len(numbers):
        if _below(numbers, FLOAT_LIMIT):
            # Apart: the product of the whole number would be rounded a second time.
            whole = np.floor(numbers)
            fraction: Nanoseconds = np.rint((numbers - whole) * 1000.0).astype(np.int64)
            exact: Nanoseconds = whole.astype(np.int64) * 1000 + fraction
            return exact
        return None
    return one_by_one(values)


def from_text(texts: Sequence[bytes]) -> Nanoseconds:
    """Return microseconds in decimal text (quoted or not) as nanoseconds, shape (texts,)."""
    try:
        decimals = pa.array(texts, pa.binary()).cast(pa.utf8()).cast(pa.decimal128(22, 3))
    except pa.ArrowException:
        return one_by_one([text.decode("utf-8", "replace").strip('" \t') for text in texts])
    if decimals.null_count:
        return one_by_one([text.decode() for text in texts])
    # A decimal128 of scale 3 is the count of nanoseconds, in 16 bytes, low half first.
    halves = np.frombuffer(decimals.buffers()[1], np.int64)
    start = 2 * decimals.offset
    low, high = halves[start::2][: len(texts)], halves[start + 1 :: 2][: len(texts)]
    if not np.array_equal(high, low >> 63):
        return one_by_one([text.decode() for text in texts])
    return low.copy()


def one_by_one(values: Sequence[Any]) -> Nanoseconds:
    """Return microseconds of whatever types as nanoseconds, shape (values,)."""
    return np.array([_nanosecond(value) for value in values], np.int64)


def _below(numbers: npt.NDArray[Any], limit: float) -> bool:
    # NaN compares false and so counts as beyond the limit.
    return bool(len(numbers) == 0 or (numbers.max() < limit and numbers.min() > -limit))


def _nanosecond(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        return NO_TIME
    try:
        exact = Decimal(repr(value) if isinstance(value, float) else value)
        if not exact.is_finite() or abs(exact) > RANGE_LIMIT:
            return NO_TIME
        return int((exact * 1000).to_integral_value())
    except (InvalidOperation, ValueError):
        return NO_TIME
