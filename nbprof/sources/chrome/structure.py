"""Finds where events begin and end in JSON text without parsing it.

There are two methods: a fast guess from the typical form of events, which decoding then confirms or
refutes; and a scan of all quotes and brackets, which is correct for any valid JSON.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

#: First keys of events, of all writers.
EVENT_KEYS = rb'"(?:ph|cat|name|pid|tid|ts|dur|id|args|bp|s|cname)"\s*:'

_BOUNDARY = re.compile(rb"\}\s*,\s*(?=\{\s*" + EVENT_KEYS + rb")")

#: Number of bytes at the end of a piece that are searched for a boundary first.
_NEAR_END = 1 << 16

_QUOTE, _BACKSLASH = ord('"'), ord("\\")


def last_boundary(text: bytes) -> tuple[int, int]:
    """Guess where the last complete event ends and the next one starts; (-1, -1) if unknown."""
    for start in (max(0, len(text) - _NEAR_END), 0):
        last = next(iter(deque(_BOUNDARY.finditer(text, start), maxlen=1)), None)
        if last is not None:
            return last.start() + 1, last.end()
        if start == 0:
            break
    return -1, -1


@dataclass(frozen=True)
class Structure:
    """Brackets of a piece of JSON text that starts outside of strings.

    Attributes
    ----------
    position : ndarray of int64, shape (brackets,)
        Of every bracket and brace outside of strings.
    depth : ndarray of int64, shape (brackets,)
        How deep the text is nested after it, 0 at the start.
    in_string : ndarray of bool, shape (bytes,)
        Whether a byte belongs to a string (its closing quote does not).
    """

    position: npt.NDArray[np.int64]
    depth: npt.NDArray[np.int64]
    in_string: npt.NDArray[np.bool_]

    @property
    def last_end(self) -> int:
        """Where the last complete top-level element ends before the array does, -1 if nowhere."""
        closed = np.flatnonzero(self.depth < 0)
        depth = self.depth[: closed[0]] if len(closed) else self.depth
        ends = np.flatnonzero(depth == 0)
        return int(self.position[ends[-1]]) + 1 if len(ends) else -1

    @property
    def closing(self) -> int:
        """Where the array that the text starts in is closed, -1 if it is not."""
        closed = np.flatnonzero(self.depth < 0)
        return int(self.position[closed[0]]) if len(closed) else -1


def scan(text: bytes) -> Structure:
    """Find all brackets of a text."""
    characters = np.frombuffer(text, np.uint8)
    quotes = characters == _QUOTE
    backslashes = np.flatnonzero(characters == _BACKSLASH)
    if len(backslashes):
        quotes[_escaped(backslashes, len(text))] = False
    # The parity of a running count; NumPy 1.24 gets logical_xor.accumulate wrong.
    in_string = (np.cumsum(quotes, dtype=np.uint8) & 1).astype(bool)
    # "[" and "{" differ from "]" and "}" by 2, and "[" from "{" by 32.
    folded = characters | 0x20
    opening, closing = folded == ord("{"), folded == ord("}")
    position = np.flatnonzero((opening | closing) & ~in_string)
    depth = np.cumsum(np.where(opening[position], 1, -1))
    return Structure(position, depth, in_string)


def _escaped(backslashes: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.int64]:
    """Return the positions that a backslash escapes, given where all backslashes are."""
    new_run = np.ones(len(backslashes), bool)
    new_run[1:] = backslashes[1:] != backslashes[:-1] + 1
    run = np.cumsum(new_run) - 1
    first = np.flatnonzero(new_run)
    place_in_run = np.arange(len(backslashes)) - first[run]
    escaped: npt.NDArray[np.int64] = backslashes[place_in_run % 2 == 0] + 1
    return escaped[escaped < length]
