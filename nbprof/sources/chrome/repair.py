"""Repairs text that is almost JSON, as profilers and crashes leave it.

`repair_json` makes those repairs that follow from the text alone, and leaves valid text unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nbprof.sources.chrome.structure import Structure, scan

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Repair:
    """One kind of repair: how often, and the first one in words."""

    kind: str
    count: int
    example: str


class _Edit(NamedTuple):
    """Bytes to put in place of a range."""

    start: int
    end: int
    new: bytes
    kind: str


_STRING_WITH_BACKSLASH = re.compile(rb'"[^"\\]*\\(?:[^"\\]|\\.)*"', re.DOTALL)
_BAD_ESCAPE = re.compile(
    rb'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}'
    rb"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\)",
    re.DOTALL,
)
_LONE_SURROGATE = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_BACKSLASHES = re.compile(rb'\\\\|\\"|(\\)')

# Forms of NaN and infinity that printf writes on Linux and Windows, and that Python writes.
_NO_NUMBER = re.compile(
    rb"(?<=[:\[,\s])[-+]?(?:nan(?:\([\w]*\))?|inf(?:inity)?|1\.#\w+|n/a|none|undefined)"
    rb"(?=\s*[,}\]])",
    re.IGNORECASE,
)
_SPARE_COMMA = re.compile(rb",(?=\s*[}\],])")
_MISSING_COMMA = re.compile(rb"(?<=\})\s*(?=\{)")

#: Length of the quoted text around the first repair of a kind.
_AROUND = 40


def repair_json(text: bytes) -> tuple[bytes, list[Repair]]:
    """Repair known kinds of damage in JSON text; return the text and the repairs."""
    repairs: list[Repair] = []
    for step in (_mend_encoding, _mend_escapes, _mend_rest):
        text, found = step(text)
        repairs += found
    return text, repairs


def _mend_encoding(text: bytes) -> tuple[bytes, list[Repair]]:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        fixed = text.decode("utf-8", "replace")
        count = fixed.count("\ufffd") - text.count("\ufffd".encode())
        return fixed.encode(), [Repair("not UTF-8", count, _show(text, error.start))]
    return text, []


def _mend_escapes(text: bytes) -> tuple[bytes, list[Repair]]:
    r"""Double the backslashes of strings such as ``"C:\new\project"``.

    In a string with an escape that does not exist no backslash was meant as one, except before a
    quote.
    """
    edits = []
    for string in _STRING_WITH_BACKSLASH.finditer(text):
        old = new = string.group()
        if any(found.group(1) for found in _BAD_ESCAPE.finditer(new)):
            new = _LONE_SURROGATE.sub(lambda found: found.group(1) or rb"\ufffd", new)
        if any(found.group(1) for found in _BAD_ESCAPE.finditer(new)):
            new = _BACKSLASHES.sub(lambda found: rb"\\" if found.group(1) else found.group(), new)
        if new != old:
            edits.append(_Edit(*string.span(), new, "bad escape"))
    return _apply(text, edits)


def _mend_rest(text: bytes) -> tuple[bytes, list[Repair]]:
    structure = scan(text)
    edits = [
        *_control_characters(text, structure),
        *_outside(text, structure, _NO_NUMBER, b"null", "not a number"),
        *_outside(text, structure, _SPARE_COMMA, b"", "spare comma"),
        *_outside(text, structure, _MISSING_COMMA, b",", "missing comma"),
    ]
    return _apply(text, sorted(edits))


def _control_characters(text: bytes, structure: Structure) -> Iterator[_Edit]:
    characters = np.frombuffer(text, np.uint8)
    for at in np.flatnonzero((characters < 0x20) & structure.in_string).tolist():
        yield _Edit(at, at + 1, b"\\u%04x" % text[at], "control character")


def _outside(
    text: bytes, structure: Structure, pattern: re.Pattern[bytes], new: bytes, kind: str
) -> Iterator[_Edit]:
    """Edit what matches outside of strings."""
    for found in pattern.finditer(text):
        if not structure.in_string[found.start()]:
            yield _Edit(*found.span(), new, kind)


def _apply(text: bytes, edits: list[_Edit]) -> tuple[bytes, list[Repair]]:
    if not edits:
        return text, []
    pieces, at = [], 0
    first: dict[str, _Edit] = {}
    count: dict[str, int] = {}
    for edit in edits:
        pieces += [text[at : edit.start], edit.new]
        at = edit.end
        first.setdefault(edit.kind, edit)
        count[edit.kind] = count.get(edit.kind, 0) + 1
    repairs = [Repair(kind, count[kind], _show(text, first[kind].start)) for kind in count]
    return b"".join([*pieces, text[at:]]), repairs


def _show(text: bytes, at: int) -> str:
    """Return the text around a position."""
    return text[max(0, at - _AROUND) : at + _AROUND].decode("utf-8", "replace")
