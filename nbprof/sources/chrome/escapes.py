r"""Repairs strings with escapes that JSON does not have, as in ``"C:\new\project"``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.structure import escapes, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Bytes to process at a time.
_BLOCK: Final = 1 << 18

#: Characters from one half of a surrogate pair to the other.
_UNIT: Final = 6

#: Every escape that JSON does not have, and some others.
_LONG: Final = re.compile(rb'\\[^"\\/bfnrt]')

_PAIR_OR_HALF: Final = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)

#: The value of a hexadecimal digit, by character.
_NO_DIGIT: Final = 255
_DIGITS: Final = np.full(256, _NO_DIGIT, np.uint8)
_DIGITS[list(b"0123456789abcdef")] = np.arange(16)
_DIGITS[list(b"ABCDEF")] = np.arange(10, 16)

#: Whether a character may follow a backslash, other than ``u``.
_SHORT: Final = np.zeros(256, bool)
_SHORT[list(b'"\\/bfnrt')] = True


class Escapes(NamedTuple):
    """Escapes that JSON does not have.

    Attributes
    ----------
    place : ndarray of int64, shape (escapes,)
        Positions of the character after the backslash, in order.
    is_half : ndarray of bool, shape (escapes,)
        Whether it is half of a surrogate pair, without the other half.
    """

    place: Places
    is_half: Mask


def mend_escapes(text: bytes) -> tuple[bytes, int, int]:
    r"""Double the backslashes of strings such as ``"C:\new\project"``.

    If a string contains an invalid escape, its backslashes are literal, except those before a
    quote. Half a surrogate pair is replaced.

    Parameters
    ----------
    text : bytes
        Valid UTF-8.

    Returns
    -------
    text : bytes
    count : int
        Number of strings that were repaired.
    first : int
        Where the first one starts in the text passed in.
    """
    if not _LONG.search(text):  # far quicker than what follows, and nearly always true
        return text, 0, 0
    bad = _bad_escapes(text)
    pieces, at, count, first = bytearray(), 0, 0, 0
    for start, end, halves, others in _strings(text, bad):
        string = text[start:end]
        if halves:
            string = _whole_pairs(string)
        if others:
            string = _doubled(string)
        pieces += text[at:start]
        pieces += string
        first = first if count else start
        at, count = end, count + 1
    pieces += text[at:]
    return bytes(pieces), count, first


def _bad_escapes(text: bytes) -> Escapes:
    """Find the escapes that JSON does not have."""
    other, unicode = _long_escapes(text)
    high, low = _surrogates(text, unicode)
    is_half = high | low
    # A high half is valid if a low half follows it directly.
    pairs = np.flatnonzero(high[:-1] & low[1:] & (np.diff(unicode) == _UNIT))
    is_half[pairs] = is_half[pairs + 1] = False
    broken = ~_is_hexadecimal(text, unicode) | is_half
    place = np.concatenate([other, unicode[broken]])
    halves = np.concatenate([np.zeros(len(other), bool), is_half[broken]])
    order = np.argsort(place, kind="stable")
    return Escapes(place[order], halves[order])


def _long_escapes(text: bytes) -> tuple[Places, Places]:
    """Return the positions of escapes that do not exist, and those of ``u``; block by block."""
    other, unicode = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    pending = False
    for start in range(0, len(text), _BLOCK):
        characters = np.frombuffer(text, np.uint8, min(_BLOCK, len(text) - start), start)
        after = escapes(characters, escaped=pending)
        pending = bool(len(after)) and int(after[-1]) == len(characters)
        after = after[: len(after) - pending]
        after = after[~_SHORT[characters[after]]]
        is_unicode = characters[after] == ord("u")
        other.append(after[~is_unicode] + start)
        unicode.append(after[is_unicode] + start)
    return np.concatenate(other), np.concatenate(unicode)


def _is_hexadecimal(text: bytes, unicode: Places) -> Mask:
    """Return whether four hexadecimal digits follow, shape (unicode,)."""
    valid = unicode + 4 < len(text)
    for place in range(1, 5):
        valid &= _digit(text, unicode + place) < _NO_DIGIT
    return valid


def _surrogates(text: bytes, unicode: Places) -> tuple[Mask, Mask]:
    """Return which escapes are the first and the second half of a pair, shape (unicode,)."""
    first, second = (_digit(text, unicode + place) for place in (1, 2))
    surrogate = _is_hexadecimal(text, unicode) & (first == 0xD) & (second >= 8)
    return surrogate & (second < 0xC), surrogate & (second >= 0xC)


def _digit(text: bytes, at: Places) -> npt.NDArray[np.uint8]:
    """Return the values of hexadecimal digits; positions after the text give its last character."""
    found: npt.NDArray[np.uint8] = _DIGITS[
        np.frombuffer(text, np.uint8)[np.minimum(at, len(text) - 1)]
    ]
    return found


def _strings(text: bytes, bad: Escapes) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield start and end of each string with bad escapes, and whether it has halves and others."""
    inside = scan(text).in_string.tobytes()
    at, count = 0, len(bad.place)
    while at < count:
        place = int(bad.place[at])
        after = at + 1
        if inside[place]:
            start, end = inside.rfind(0, 0, place) + 1, inside.find(0, place)
            if end < 0:  # not closed
                return
            after = int(np.searchsorted(bad.place, end))
            halves = bad.is_half[at:after]
            yield start, end + 1, bool(halves.any()), not halves.all()
        at = after


def _whole_pairs(string: bytes) -> bytes:
    """Replace halves of surrogate pairs."""
    new, at = bytearray(), 0
    for found in _PAIR_OR_HALF.finditer(string):
        if not found.group(1):
            new += string[at : found.start()]
            new += rb"\ufffd"
            at = found.end()
    return bytes(new + string[at:])


def _doubled(string: bytes) -> bytes:
    """Double the backslashes that neither are doubled nor precede a quote."""
    # Bytes that never occur in UTF-8 mark backslashes that are kept.
    for old, new in ((rb"\\", b"\xfe"), (rb"\"", b"\xff"), (b"\\", rb"\\")):
        string = string.replace(old, new)
    return string.replace(b"\xff", rb"\"").replace(b"\xfe", rb"\\")
