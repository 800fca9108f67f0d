"""Extracts one attribute of many structs as a NumPy array.

Every function has a fast path for well-formed values, and a slow path, value by value, for numbers
written as text, nulls and the like. Neither raises.
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.times import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_DIGITS = "0123456789"
_TWO_64 = 1 << 64


def integers(structs: Sequence[Any], field: str, missing: int = -1) -> Integers:
    """Return a field as int64, `missing` for values that are not integers; shape (structs,)."""
    get = attrgetter(field)
    try:
        return np.fromiter(map(get, structs), np.int64, len(structs))
    except (TypeError, ValueError, OverflowError):
        return convert(map(get, structs), lambda value: as_integer(value, missing))


def floats(structs: Sequence[Any], field: str) -> Floats:
    """Return a field as float64, NaN for values that are not numbers; shape (structs,)."""
    get = attrgetter(field)
    try:
        return np.fromiter(map(get, structs), np.float64, len(structs))
    except (TypeError, ValueError, OverflowError):
        return np.array([as_float(get(struct)) for struct in structs], np.float64)


def convert(values: Iterable[Any], to_integer: Callable[[Any], int]) -> Integers:
    """Apply a function to every value."""
    return np.array([to_integer(value) for value in values], np.int64)


def as_integer(value: Any, missing: int = -1) -> int:
    """Return a value as an integer that int64 holds; larger ones keep their low 64 bits."""
    try:
        number = whole_number(value) if isinstance(value, str) else int(value)
    except (TypeError, ValueError, OverflowError):
        number_as_float = as_float(value)
        if not math.isfinite(number_as_float):
            return missing
        number = int(number_as_float)
    if -(_TWO_64 >> 1) <= number < _TWO_64 >> 1:
        return number
    number %= _TWO_64
    return number - _TWO_64 if number >= _TWO_64 >> 1 else number


def as_small(value: Any, missing: int = -1) -> int:
    """Return a value as an integer that int32 holds, `missing` for larger ones."""
    number = as_integer(value, missing)
    return number if abs(number) < 1 << 31 else missing


def as_float(value: Any) -> float:
    """Return a value as a float, NaN if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def last_number(value: Any) -> int | None:
    """Return the number that a value is or, as in ``"stream 7"``, ends with."""
    if isinstance(value, str):
        text = value.rstrip()
        before = text.rstrip(_DIGITS)
        digits = text[len(before) :]
        return as_integer(f"-{digits}" if before.endswith("-") else digits) if digits else None
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return as_integer(value)
    return None
