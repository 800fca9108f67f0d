"""Maps ids of flow events, which may exceed 64 bits, to integers."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import arrow_array, filled

Integers = npt.NDArray[np.int64]

#: Ids that are no integers below this are mapped to larger numbers, which no writer uses.
_LARGE: Final = 1 << 62

#: An odd factor, so multiplication modulo 2**64 is reversible: 2**64 / golden ratio.
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)

_LOW: Final = (1 << 64) - 1


def arrow_ids(values: list[Any]) -> Integers:
    """Return a positive number for each id; equal ids have equal numbers.

    Small ids are one more than in the file, since 0 means none elsewhere. Ids larger than 2**62, or
    no numbers, become hashes of 62 bits: among a million of them, two are equal with a probability
    of one in ten million.

    Parameters
    ----------
    values : list of int, str or None
        Decoded values; numbers may be text.

    Returns
    -------
    ndarray of int64, shape (values,)
        -1 for None.
    """
    try:
        numbers = np.array([-1 if value is None else int(value) for value in values], np.int64)
        if len(numbers) == 0 or (numbers.max() < _LARGE - 1 and numbers.min() >= -1):
            return numbers + (numbers >= 0)
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        return _wide([None if value is None else str(value) for value in values])
    except pa.ArrowException:
        return np.array([_one(value) for value in values], np.int64)


def _wide(texts: list[str | None]) -> Integers:
    """Implement the mapping for texts that are whole numbers of up to 38 digits."""
    decimals = filled(arrow_array(texts, pa.utf8()), "-1").cast(pa.decimal128(38, 0))
    halves = np.frombuffer(decimals.buffers()[1], np.int64)[: 2 * len(texts)]
    low, high = halves[::2], halves[1::2]
    small = (high == 0) & (low >= 0) & (low < _LARGE - 1)
    mixed = low.view(np.uint64) ^ (high.view(np.uint64) * _FACTOR)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * _FACTOR
    large = (mixed >> np.uint64(2)).astype(np.int64) | _LARGE
    wide = np.where(small, low + 1, large)
    return np.where((high == -1) & (low == -1), -1, wide)


def _one(value: Any) -> int:
    if value is None:
        return -1
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        text = str(value).encode("utf-8", "replace")
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") >> 2 | _LARGE
    if -1 <= number < _LARGE - 1:
        return number + (number >= 0)
    factor, low, high = int(_FACTOR), number & _LOW, number >> 64 & _LOW
    mixed = low ^ (high * factor & _LOW)
    mixed = (mixed ^ mixed >> 31) * factor & _LOW
    return mixed >> 2 | _LARGE
