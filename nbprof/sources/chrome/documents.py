"""Joins the events of several JSON documents in a file, such as recordings that were appended.

Documents are separated by white space, commas or nothing. Only those with events count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nbprof.sources.chrome.structure import EVENT_KEYS, Structure, scan
from nbprof.sources.discovery import header as headers
from nbprof.sources.discovery.head import LONGEST_HEADER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.sources.defects import DefectLog

#: The key of the array of events in an object.
_EVENTS_KEY: Final = re.compile(rb'"traceEvents"\s*:\s*(?=\[)')

#: An array of events, by its first bytes.
_EVENTS: Final = re.compile(rb"\[\s*(?:\{\s*" + EVENT_KEYS + rb"|\])")

#: Bytes by which an array shows whether it is one of events.
_ENOUGH: Final = 256

#: What separates documents; text sequences begin each with the character 1E.
_BETWEEN: Final = b" \t\r\n,\x1e"
_GAP: Final = re.compile(rb"[\s,\x1e]*")

#: What follows the array of events in its object, up to the object's end or another key.
_IN_OBJECT: Final = re.compile(rb'\s*(?:(\})|,\s*")')

#: Keys that are looked at until one is at the top level of its document.
_MOST_KEYS: Final = 1000

#: Brackets that are looked at first to find where one is closed.
_FIRST_BRACKETS: Final = 64


@dataclass(frozen=True)
class Document:
    """One document of a file.

    Attributes
    ----------
    head, tail : bytes
        The text before and after its array of events; no head if it is that array.
    closed : bool
        Whether the array ends.
    """

    head: bytes
    tail: bytes
    closed: bool = True


class Joined(NamedTuple):
    """Several documents whose events were joined.

    Attributes
    ----------
    ended : list of Document
        All but the last; empty if there is no other than the first.
    head : bytes
        The text before the array of events of the last one.
    events : bytes
        The events of all but the first as those of one array, and what follows them.
    """

    ended: list[Document]
    head: bytes = b""
    events: bytes = b""


def join(head: bytes, text: bytes) -> Joined | None:
    """Join the events of the documents that follow an array of events.

    Parameters
    ----------
    head : bytes
        The text before that array in its document.
    text : bytes
        What follows the closing bracket of the array.

    Returns
    -------
    Joined or None
        None if the text ends too early to say whether there is another document.
    """
    brackets = _Brackets(text)
    found, end = _next_events(text, 0, brackets), 0
    if found is None:
        return None
    ended: list[Document] = []
    pieces: list[bytes] = []
    begin = 0
    while found:
        start, begin = found
        ended.append(Document(head, text[end:start].rstrip(_BETWEEN)))
        head = text[start : begin - 1]
        closing = brackets.closing(begin)
        end = closing + 1
        found = _next_events(text, end, brackets) if closing >= 0 else None
        if found and text[begin:closing].strip():
            pieces.append(text[begin:closing])
    last = text[begin:]
    if last.lstrip().startswith(b"{") or not pieces:
        pieces.append(last)
        last = b""
    return Joined(ended, head, b",".join(pieces) + last)


def is_over(head: bytes, tail: bytes) -> bool:
    """Return whether a document ends in the text after its array of events.

    Parameters
    ----------
    head, tail : bytes
        The text before and after the array, as those of `Document`.
    """
    return not head or _Brackets(tail).closing(0) >= 0


def events_key(text: bytes | bytearray, start: int = 0) -> re.Match[bytes] | None:
    """Return the key of the array of events, at the top level of an object.

    Parameters
    ----------
    text : bytes or bytearray
        The object, from its brace on.
    start : int
        Where to search.

    Returns
    -------
    match or None
        With broken text before all such keys, the first one.
    """
    if _EVENTS_KEY.search(text, start) is None:
        return None
    head = bytes(text)
    keys = _EVENTS_KEY.finditer(head, start)
    first = next(keys)
    if scan(head[: first.start()]).is_in_object(first.start()):
        return first
    others = list(keys)
    structure = scan(head[: others[-1].start()] if others else b"")
    return next((key for key in others if structure.is_in_object(key.start())), first)


def header_of(
    documents: Iterable[Document], defects: DefectLog, known: Sequence[str]
) -> headers.Header:
    """Return the known keys outside the arrays of events; those of earlier documents count."""
    found: headers.Header = {}
    for one in documents:
        if one.head:
            more = headers.parse(one.head, one.tail, defects, closed=one.closed, known=known)
            found = {**more, **found}
        elif after := one.tail.strip():
            defects.note("text after the end", 1, after.decode("utf-8", "replace"))
    return found


class _Brackets:
    """The brackets of a text, to find where one is closed."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    @cached_property
    def _structure(self) -> Structure:
        return scan(self._text)

    def level(self, at: int) -> int:
        """Return how deep the text is nested at a position, 0 at its start."""
        before = int(np.searchsorted(self._structure.position, at))
        return int(self._structure.depth[before - 1]) if before else 0

    def closing(self, at: int) -> int:
        """Return where the innermost bracket is closed that is open at a position, or -1."""
        level, size = self.level(at), _FIRST_BRACKETS
        position, depth = self._structure.position, self._structure.depth
        following = int(np.searchsorted(position, at))
        while following < len(position):
            closed = np.flatnonzero(depth[following : following + size] < level)
            if len(closed):
                return int(position[following + closed[0]])
            following, size = following + size, 2 * size
        return -1


def _next_events(text: bytes, at: int, brackets: _Brackets) -> tuple[int, int] | tuple[()] | None:
    """Return where the next document begins, and its events.

    Parameters
    ----------
    text : bytes
        The text.
    at : int
        Where the array of events of a document has ended.
    brackets : _Brackets
        Those of the text.

    Returns
    -------
    (int, int), () or None
        Nothing if something else follows; None if the text ends too early.
    """
    unknown = None if len(text) - at < LONGEST_HEADER else ()
    if rest := _IN_OBJECT.match(text, at):
        at = rest.end() if rest.group(1) else brackets.closing(at) + 1
        if not at:
            return unknown
    gap = _GAP.match(text, at)
    start = gap.end() if gap else at
    first = text[start : start + 1]
    events = start
    if first == b"{":
        keys = islice(_EVENTS_KEY.finditer(text, start), _MOST_KEYS)
        level = brackets.level
        own = (key.end() for key in keys if level(key.start()) == level(start) + 1)
        events = next(own, len(text))
    if _EVENTS.match(text, events):
        return start, events + 1
    return unknown if len(text) < events + _ENOUGH else ()
