"""Finds where events begin and end in JSON text without parsing it.

There are two methods: a fast guess from the typical form of events, which decoding then confirms or
refutes; and a scan of all quotes and brackets, which is correct for any valid JSON.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

#: First keys of events, of all writers.
EVENT_KEYS = rb'"(?:ph|cat|name|pid|tid|ts|dur|id|args|bp|s|cname)"\s*:'

#: What separates two events.
BOUNDARY = re.compile(rb"\}\s*,\s*(?=\{\s*" + EVENT_KEYS + rb")")

#: Number of bytes at the end of a piece that are searched for a boundary first.
_NEAR_END = 1 << 16

#: Bytes to scan at a time.
_BLOCK = 1 << 18

#: Checks JSON without building its values.
_skipper = msgspec.json.Decoder(list[msgspec.Raw])

_QUOTE, _BACKSLASH = ord('"'), ord("\\")


def last_boundary(text: bytes) -> tuple[int, int]:
    """Guess where the last complete event ends and the next one starts; (-1, -1) if unknown."""
    for start in (max(0, len(text) - _NEAR_END), 0):
        last = next(iter(deque(BOUNDARY.finditer(text, start), maxlen=1)), None)
        if last is not None:
            return last.start() + 1, last.end()
        if start == 0:
            break
    return -1, -1


def is_beginning(text: bytes) -> bool:
    """Return whether a text is the beginning of valid JSON, and not all of it."""
    # characters that a number may end with: an incomplete number would count as invalid
    cut = text.rstrip(b"0123456789+-.eE")
    try:
        _skipper.decode(b"".join((b"[", cut)))
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except RecursionError:
        return False
    return False


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

    def is_in_object(self, at: int) -> bool:
        """Return whether a position is directly inside the object that the text consists of."""
        before = int(np.searchsorted(self.position, at))
        # The byte of a quote that opens a string counts as in it, the one before does not.
        return before > 0 and self.depth[before - 1] == 1 and not self.in_string[at - 1]


def scan(text: bytes) -> Structure:
    """Find all brackets of a text.

    It is scanned by blocks, since a text that is all backslashes or brackets would otherwise need
    fifty times its size for intermediate results.
    """
    in_string = np.empty(len(text), bool)
    position, depth = [], []
    inside, deep, escaped = False, 0, False
    for start in range(0, len(text), _BLOCK):
        characters = np.frombuffer(text, np.uint8, min(_BLOCK, len(text) - start), start)
        quotes = characters == _QUOTE
        after = escapes(characters, escaped=escaped)
        escaped = bool(len(after)) and int(after[-1]) == len(characters)
        quotes[after[: len(after) - escaped]] = False
        # The parity of a running count; NumPy 1.24 gets logical_xor.accumulate wrong.
        parity = (np.cumsum(quotes, dtype=np.uint8) & 1).astype(bool) ^ inside
        in_string[start : start + len(characters)] = parity
        inside = bool(parity[-1])
        # "[" and "{" differ from "]" and "}" by 2, and "[" from "{" by 32.
        folded = characters | 0x20
        opening, closing = folded == ord("{"), folded == ord("}")
        found = np.flatnonzero((opening | closing) & ~parity)
        if len(found):
            position.append(found + start)
            depth.append(np.cumsum(np.where(opening[found], 1, -1)) + deep)
            deep = int(depth[-1][-1])
    empty = np.empty(0, np.int64)
    return Structure(np.concatenate([empty, *position]), np.concatenate([empty, *depth]), in_string)


def escapes(characters: npt.NDArray[np.uint8], *, escaped: bool = False) -> npt.NDArray[np.int64]:
    """Return the positions that a backslash escapes.

    Parameters
    ----------
    characters : ndarray of uint8, shape (characters,)
        Text.
    escaped : bool
        Whether the text before ended with a backslash that escapes the first character.

    Returns
    -------
    ndarray of int64, shape (escaped,)
        In order, with the first position if it is escaped; the last one is ``len(characters)`` if
        the text ends with such a backslash.
    """
    backslashes = np.flatnonzero(characters == _BACKSLASH)
    first = np.zeros(int(escaped), np.int64)
    if escaped and len(backslashes) and backslashes[0] == 0:
        backslashes = backslashes[1:]
    if not len(backslashes):
        return first
    new_run = np.ones(len(backslashes), bool)
    new_run[1:] = backslashes[1:] != backslashes[:-1] + 1
    starts = np.flatnonzero(new_run)
    place_in_run = np.arange(len(backslashes)) - starts[np.cumsum(new_run) - 1]
    return np.concatenate([first, backslashes[place_in_run % 2 == 0] + 1])
