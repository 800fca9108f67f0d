"""Repairs text that is almost JSON, as profilers and crashes leave it.

`repair_json` makes the repairs that need no context, and leaves valid text unchanged.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.escapes import mend_escapes
from nbprof.sources.chrome.structure import scan
from nbprof.sources.chrome.times import LONGEST_WHOLE
from nbprof.sources.defects import TOO_LARGE

if TYPE_CHECKING:
    from collections.abc import Callable

Mask = npt.NDArray[np.bool_]

#: The repaired text, the number of repairs, and the position of the first one in the original.
Mended = tuple[bytes, int, int]


@dataclass(frozen=True)
class Repair:
    """One kind of repair: how often, and the first one in words."""

    kind: str
    count: int
    example: str


# Forms of NaN and infinity that printf writes on Linux and Windows, and that Python writes.
_NO_NUMBER = re.compile(
    rb"(?<=[:\[,\s])[-+]?(?:nan(?:\([\w]*\))?|inf(?:inity)?|1\.#\w+|n/a|none|undefined)"
    rb"(?=\s*[,}\]])",
    re.IGNORECASE,
)
# Of numbers outside of the range of a float, only those with many digits or a long exponent are
# looked at; a whole number with more digits is not decoded, however small.
_LONG_NUMBER = re.compile(
    rb"(?<=[:\[,\s])-?(?:\d{300,}(?:\.\d+)?(?:[eE][-+]?\d+)?|\d+(?:\.\d+)?[eE]\+?\d{3,})"
    rb"(?=\s*[,}\]])"
)
# A run of them is one match; before another value, one of them stays.
_SPARE_COMMA = re.compile(rb",[\s,]*(?:(?=[}\]])|(,))")
_MISSING_COMMA = re.compile(rb"(?<=\})\s*(?=\{)")

_CONTROL = re.compile(rb"[\x00-\x1f]")

#: Control characters as JSON escapes them, by character.
_ESCAPES = np.array([list(b"\\u%04x" % code) for code in range(0x20)], np.uint8)
_ESCAPE_LENGTH = 6

#: Which characters are blanks between values.
_IS_BLANK = np.isin(np.arange(256), list(b" \t\r\n"))

#: Bytes to process at a time when control characters are escaped.
_BLOCK = 1 << 18

#: Length of the quoted text around the first repair of a kind.
_AROUND = 40


def repair_json(text: bytes) -> tuple[bytes, list[Repair]]:
    """Repair known kinds of damage in JSON text; return the text and the repairs.

    Time is linear in the length of the text, and memory a small multiple of it, however many
    repairs there are.
    """
    text, repairs = mend_encoding(text)
    mended, count, first = mend_escapes(text)
    if count:
        repairs.append(Repair("bad escape", count, _show(text, first)))
        text = mended
    structure = None
    for kind, pattern, step in _STEPS:
        if not pattern.search(text):  # far quicker than a scan, and nearly always true
            continue
        structure = structure or scan(text)
        mended, count, first = step(text, structure.in_string)
        if count:
            repairs.append(Repair(kind, count, _show(text, first)))
            text, structure = mended, None
    return text, repairs


def mend_encoding(text: bytes) -> tuple[bytes, list[Repair]]:
    """Replace bytes that are not UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        fixed = text.decode("utf-8", "replace")
        count = fixed.count("\ufffd") - text.count("\ufffd".encode())
        return fixed.encode(), [Repair("not UTF-8", count, _show(text, error.start))]
    return text, []


def _escape_controls(text: bytes, in_string: Mask) -> Mended:
    """Escape control characters in strings, and blank out others that are no blanks."""
    pieces, count, first = bytearray(), 0, 0
    for start in range(0, len(text), _BLOCK):
        characters = np.frombuffer(text, np.uint8, min(_BLOCK, len(text) - start), start)
        inside = in_string[start : start + _BLOCK]
        control = characters < len(_ESCAPES)
        stray = control & ~inside & ~_IS_BLANK[characters]
        control &= inside
        place = np.flatnonzero(control)
        found = len(place) + int(np.count_nonzero(stray))
        if not found:
            pieces += characters.data
            continue
        first = first if count else start + int(np.argmax(control | stray))
        count += found
        characters = np.where(stray, ord(" "), characters).astype(np.uint8)
        longer = np.where(control, _ESCAPE_LENGTH, 1)
        new = np.repeat(characters, longer)
        # Of the copies of a control character, each becomes one character of its escape.
        new[np.repeat(control, longer)] = _ESCAPES[characters[place]].ravel()
        pieces += new.data
    return bytes(pieces), count, first


def _is_too_large(number: bytes) -> bool:
    """Return whether a number is larger than any float, or has more digits than are decoded."""
    return math.isinf(float(number)) or (
        number.lstrip(b"-").isdigit() and len(number) > LONGEST_WHOLE
    )


def _replace(
    pattern: re.Pattern[bytes], new: bytes, is_wrong: Callable[[bytes], bool] | None = None
) -> Callable[[bytes, Mask], Mended]:
    """Return a function that replaces matches outside of strings, except their first group.

    With `is_wrong`, only matches of which it says so are replaced.
    """

    def step(text: bytes, in_string: Mask) -> Mended:
        inside = in_string.tobytes()
        pieces, at, count, first = bytearray(), 0, 0, 0
        for found in pattern.finditer(text):
            start, end = found.span()
            if (start < len(inside) and inside[start]) or (is_wrong and not is_wrong(found[0])):
                continue
            kept = found.group(1) if found.lastindex else None
            pieces += text[at:start]
            pieces += kept or new
            at, first = end, first if count else start
            count += max(1, text.count(b",", start, end) - bool(kept))
        pieces += text[at:]
        return bytes(pieces), count, first

    return step


def _show(text: bytes, at: int) -> str:
    """Return the text around a position."""
    return text[max(0, at - _AROUND) : at + _AROUND].decode("utf-8", "replace")


#: Repairs in order: kind, a condition for it, and the function.
_STEPS = (
    ("control character", _CONTROL, _escape_controls),
    ("not a number", _NO_NUMBER, _replace(_NO_NUMBER, b"null")),
    (TOO_LARGE, _LONG_NUMBER, _replace(_LONG_NUMBER, b"null", _is_too_large)),
    ("spare comma", _SPARE_COMMA, _replace(_SPARE_COMMA, b"")),
    ("missing comma", _MISSING_COMMA, _replace(_MISSING_COMMA, b",")),
)
