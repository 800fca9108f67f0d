"""Converts decimal time stamps to whole nanoseconds exactly.

Stamps are microseconds: whole numbers, decimals on a base, decimals since 1970, or text. A float64
holds three decimals up to 2**43 µs (101 days); beyond that the decimal text itself is parsed, with
Arrow, which is imported only then: a helper process that needs no Arrow starts in half the time.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

Nanoseconds = npt.NDArray[np.int64]

#: Microseconds up to which the error of a float64 is below half a nanosecond.
FLOAT_LIMIT = 2.0**43

#: Microseconds (year 2112) beyond which differences in nanoseconds overflow int64.
RANGE_LIMIT = 4_500_000_000_000_000

#: Digits of a whole number, at most: what msgspec decodes.
LONGEST_WHOLE: Final = 4300

#: Characters of a number with decimals that are kept exactly; those that are written have 20.
_LONGEST_DECIMAL: Final = 100

#: Stands for a time that is missing or invalid.
NO_TIME = np.iinfo(np.int64).min


def nanoseconds(values: Sequence[Any]) -> Nanoseconds | None:
    """Return decoded microseconds as nanoseconds, or None where their decimal text is needed.

    Parameters
    ----------
    values : sequence of int, float, str, Decimal or None
        Microseconds. Invalid values become `NO_TIME`.

    Returns
    -------
    ndarray of int64, shape (values,), or None
    """
    if len(values) and (isinstance(values[0], str) or isinstance(values[-1], str)):
        return _texts(values)
    try:
        # At once where all are whole: NumPy alone would look at each twice.
        are_whole = len(values) > 0 and type(values[0]) is int and {*map(type, values)} == {int}
        numbers = np.fromiter(values, np.int64, len(values)) if are_whole else np.array(values)
    except (ValueError, OverflowError):
        return one_by_one(values)
    if numbers.dtype.kind == "i" and _below(numbers, RANGE_LIMIT):
        return numbers.astype(np.int64) * 1000
    if numbers.dtype.kind == "f" and len(numbers):
        if _below(numbers, FLOAT_LIMIT):
            # Separately, since the product of the whole number would be rounded a second time.
            whole = np.floor(numbers)
            fraction: Nanoseconds = np.rint((numbers - whole) * 1000.0).astype(np.int64)
            exact: Nanoseconds = whole.astype(np.int64) * 1000 + fraction
            return exact
        return None
    return one_by_one(values)


def from_text(texts: Sequence[bytes]) -> Nanoseconds:
    """Return microseconds in decimal text (quoted or not) as nanoseconds, shape (texts,)."""
    import pyarrow as pa

    try:
        times = _decimals(_plain_texts(texts))
    except pa.ArrowException:
        times = None
    if times is None:
        return one_by_one([text.decode("utf-8", "replace").strip('" \t') for text in texts])
    return times


def _plain_texts(texts: Sequence[bytes]) -> pa.Array:
    """Return texts as Arrow has them, without quotes, and null where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from nbprof.model.building import arrow_array, arrow_scalar

    plain = pc.utf8_trim(arrow_array(texts, pa.binary()).cast(pa.utf8()), '" \t')
    missing = pc.is_in(plain, value_set=arrow_array(["", "null"]))
    return (
        pc.if_else(missing, arrow_scalar(None, pa.utf8()), plain)
        if pc.any(missing).as_py()
        else plain
    )


def _texts(values: Sequence[Any]) -> Nanoseconds | None:
    """Implement `nanoseconds` for values that include text."""
    import pyarrow as pa

    from nbprof.model.building import arrow_array

    try:
        times = _decimals(arrow_array(values, pa.utf8()))
    except (pa.ArrowException, UnicodeError):  # some are not text, or not decimals
        times = None
    if times is not None:
        return times
    if any(isinstance(value, float) and not abs(value) < FLOAT_LIMIT for value in values):
        return None
    return one_by_one(values)


def _decimals(texts: pa.Array) -> Nanoseconds | None:
    """Return texts as nanoseconds, `NO_TIME` for null; None if they do not fit into int64.

    Raises
    ------
    pyarrow.ArrowException
        A value is not a decimal with at most three digits after the point.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from nbprof.model.arrays import numpy_of

    decimals = texts.cast(pa.decimal128(22, 3))
    # A decimal128 of scale 3 is the count of nanoseconds, in 16 bytes, low half first.
    halves = np.frombuffer(decimals.buffers()[1], np.int64)
    start = 2 * decimals.offset
    low, high = (halves[start + half :: 2][: len(texts)].copy() for half in (0, 1))
    if decimals.null_count:
        null = numpy_of(pc.is_null(decimals))
        low[null] = high[null] = NO_TIME
        high[null] >>= 63
    fits = np.array_equal(high, low >> 63)
    return low if fits and _within_range(low) else None


def _within_range(times: Nanoseconds) -> bool:
    """Whether differences of times, shape (times,), fit into int64; NO_TIME does not count."""
    if not len(times):
        return True
    low = int(times.min())
    if low == NO_TIME:
        low = int(times.min(initial=0, where=times != NO_TIME))
    limit = RANGE_LIMIT * 1000
    return low >= -limit and int(times.max()) <= limit


def one_by_one(values: Sequence[Any]) -> Nanoseconds:
    """Return microseconds of whatever types as nanoseconds, shape (values,)."""
    return np.array([_nanosecond(value) for value in values], np.int64)


def decimal_number(text: str) -> Decimal | float:
    """Return the JSON text of a number with decimals, exactly if it is of a length that is written.

    Raises
    ------
    ValueError
        It is larger than any float, as decoders of JSON have it: as an integer, ``1e9999999`` has
        ten million digits, whose computation takes a minute.
    """
    number = float(text)
    if math.isinf(number):
        message = "number out of range"
        raise ValueError(message)
    return Decimal(text) if number and len(text) <= _LONGEST_DECIMAL else number


def whole_number(text: str, base: int = 10) -> int:
    """Return the text of a whole number; raise a ValueError where it has too many digits.

    The time that Python takes grows with their square, and not every version of it has a limit.
    """
    if len(text) > LONGEST_WHOLE:
        message = "number out of range"
        raise ValueError(message)
    return int(text, base)


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
    except (ArithmeticError, ValueError):  # no number, or one of more digits than Decimal computes
        return NO_TIME
