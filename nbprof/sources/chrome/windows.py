"""Cuts the event array of a file into windows of a few megabytes at event boundaries.

A window is cut where the text looks like the gap between two events. If what is cut decodes as an
array, the cut was right: text that stops inside an event or a string is never a valid array. If it
does not, a scan of all brackets finds the true boundary, and if that does not decode either the
text is broken and is repaired, at worst event by event.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nbprof.sources.chrome.decoding import SYNTAX_ERRORS, Window, WindowDecoder
from nbprof.sources.chrome.repair import Repair, repair_json
from nbprof.sources.chrome.salvage import salvage
from nbprof.sources.chrome.structure import last_boundary, scan
from nbprof.sources.discovery import header as headers
from nbprof.sources.files.read_ahead import ReadAhead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.bytesource import ByteSource

#: Bytes of JSON that are decoded in one go: larger windows leave the processor's cache.
WINDOW = 4 << 20

#: Text that holds no whole event is read on up to here: an event may be larger than a window.
PATIENCE = 8 << 20

_EVENTS_KEY = re.compile(rb'"traceEvents"\s*:\s*(?=\[)')
_EVENTS_LENGTH = 64  # of the key, with blanks to spare
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_GAP = re.compile(rb"\s*(,?)\s*")


class EventWindows:
    """Iterates over the windows of a file.

    Parameters
    ----------
    source : ByteSource
        The file.
    defects : DefectLog
        Where oddities are counted.
    window : int
        Bytes of JSON that are decoded in one go.
    start : int
        A cut to start at in the place of the file's beginning.
    decoder : type of WindowDecoder
        What turns text into events.

    Attributes
    ----------
    bare : bool
        Whether the file is a bare array of events.
    head, tail : bytes
        The text before and after the array of events; `tail` is complete at the end.
    closed : bool
        Whether the array's end was met.
    cuts : set of int
        Positions in the content to stop at, if all before it has been given and another reader
        that starts there goes on as this one would: between two events, nothing left over. May
        be set before iterating; each is a whole number of windows after `next_read`.
    stopped_at : int
        The cut where iterating stopped; 0 before, and where it went on to the end. Iterating
        again goes on.
    usable : bool
        Whether there is a gap between events before `start`.
    decoder : WindowDecoder
        What turned text into events.
    """

    def __init__(
        self,
        source: ByteSource,
        defects: DefectLog,
        *,
        window: int = WINDOW,
        start: int = 0,
        decoder: type[WindowDecoder] = WindowDecoder,
    ) -> None:
        self._source: ByteSource | ReadAhead = source
        self._defects = defects
        self._size = window
        self.decoder = decoder(defects)
        self._at_end = False
        self._after_event = False
        self._piece = b""
        self._rest = b""
        self.closed = False
        self.head = b""
        self.tail = b""
        self.cuts: set[int] = set()
        self.stopped_at = 0
        self.usable = True
        if start:
            self._find_gap(start)
        else:
            self._find_array()
        self.bare = not self.head
        self._begun = bool(start)

    def __iter__(self) -> Iterator[Window]:
        """Yield the windows in file order."""
        if self._begun:
            piece = self._read()
        else:
            piece, self._rest = self._rest, b""
        self._begun, self.stopped_at = True, 0
        while not self.closed:
            if self._after_event:
                piece = self._pass_gap(self._rest + piece)
            window = None if self._at_end else self._quick(piece)
            if window is None:
                self._rest += piece
                before = len(self._rest)
                window = self._careful()
                if self._at_end and len(self._rest) == before:
                    break
            if window is not None:
                yield window
                del window
            if self._stands_on_cut():
                self.stopped_at = self._source.position
                return
            piece = b"" if self.closed else self._read()
        self._finish()

    @contextmanager
    def reading_ahead(self) -> Iterator[None]:
        """Read and unpack the next window while one is decoded; from now on."""
        if isinstance(self._source, ReadAhead):
            yield
            return
        with ReadAhead(self._source, self._size) as self._source:
            yield

    @property
    def next_read(self) -> int:
        """Position of the next read in the content."""
        return self._source.position

    def header(self) -> headers.Header:
        """Return what the file says outside of its events; after the last window."""
        if not self.bare:
            return headers.parse(self.head, self.tail, self._defects, closed=self.closed)
        after = self.tail.strip()
        if after:
            self._defects.note("text after the end", 1, after.decode("utf-8", "replace"))
        return {}

    def _read(self) -> bytes:
        # The remainder grows only while no event is complete: then read larger pieces.
        size = max(self._size, len(self._rest))
        piece = self._source.read(size)
        self._at_end = len(piece) < size
        self._piece = piece
        return piece

    def _find_gap(self, start: int) -> None:
        """Read the window before a cut and keep what follows its last gap between events."""
        self.usable = self._source.skip_to(start - self._size)
        piece = self._read()
        _, following = last_boundary(piece)
        self.usable &= following >= 0 and not self._at_end
        self._rest = piece[following:]

    def _stands_on_cut(self) -> bool:
        """Return whether a reader that starts where this one is now would go on as this one."""
        if self._source.position not in self.cuts or self._after_event or self._at_end:
            return False
        piece = self._piece[-self._size :]
        _, following = last_boundary(piece)
        is_plain = following >= 0 and not self.closed
        return is_plain and len(self._rest) == len(piece) - following

    def _find_array(self) -> None:
        """Read up to the opening bracket of the array of events."""
        text = self._read()
        while len(text.strip(_BLANK)) < len(_BOM) and not self._at_end:
            text += self._read()
        text = text.removeprefix(_BOM)
        if text.lstrip(_BLANK).startswith(b"["):
            self._rest = text.lstrip(_BLANK)[1:]
            return
        searched = 0
        while True:
            found = self._events_key(text, searched)
            if found is not None:
                self.head, self._rest = text[: found.end()], text[found.end() + 1 :]
                return
            if self._at_end:
                reason = "it contains no array of events (`traceEvents`)"
                raise self._defects.failure(reason)
            searched = max(0, len(text) - _EVENTS_LENGTH)
            text += self._read()

    @staticmethod
    def _events_key(text: bytes, start: int) -> re.Match[bytes] | None:
        """Find the key of the array at the top level; with broken text before it, anywhere."""
        found = list(_EVENTS_KEY.finditer(text, start))
        for match in found:
            structure = scan(text[: match.start()])
            depth = structure.depth[-1] if len(structure.depth) else 0
            # The byte of a quote that opens a string counts as in it, the one before does not.
            if depth == 1 and not structure.in_string[-1]:
                return match
        return found[0] if found else None

    def _pass_gap(self, text: bytes) -> bytes:
        """Return text that follows an event without the comma; empty while it is not all there."""
        gap = _GAP.match(text)
        after = text[gap.end() :] if gap else text
        if not after and not self._at_end:
            self._rest = text
            return b""
        self._rest = b""
        self._after_event = False
        comma = bool(gap and gap.group(1))
        example = after[:100].decode("utf-8", "replace")
        if after.startswith(b"]") and comma:
            self._defects.note("spare comma", 1, f"before {example}")
        elif after and not comma and not after.startswith(b"]"):
            self._defects.note("missing comma", 1, f"before {example}")
        return after

    def _quick(self, piece: bytes) -> Window | None:
        """Decode up to the last thing in a piece that looks like a gap between events."""
        end, following = last_boundary(piece)
        if end < 0:
            return None
        text = b"".join((b"[", self._rest, memoryview(piece)[:end], b"]"))
        try:
            window = self.decoder.decode(text)
        except SYNTAX_ERRORS:
            return None
        self._rest = piece[following:]
        return window

    def _careful(self) -> Window | None:
        """Decode what the brackets say is complete, repairing it where need be."""
        text = self._rest
        structure = scan(text)
        closing, end = structure.closing, structure.last_end
        cut = closing if closing >= 0 else end
        if cut < 0 and not self._at_end and len(text) < PATIENCE:
            return None
        if cut >= 0:
            window = self._decode_or_repair(text[:cut])
            if window is not None:
                if closing >= 0:
                    self.closed = True
                    self.tail = text[closing + 1 :]
                    self._rest = b""
                else:
                    self._rest = text[cut:]
                    self._after_event = True
                return window
        return self._salvage(text)

    def _decode_or_repair(self, text: bytes) -> Window | None:
        array = b"".join((b"[", text, b"]"))
        try:
            return self.decoder.decode(array)
        except SYNTAX_ERRORS:
            pass
        fixed, repairs = repair_json(array)
        try:
            window = self.decoder.decode(fixed)
        except SYNTAX_ERRORS:
            return None
        self._note(repairs)
        return window

    def _salvage(self, text: bytes) -> Window | None:
        """Take out of broken text every event that can be read by itself."""
        found = salvage(text, complete=self._at_end)
        self._note(found.repairs)
        self._rest = text[found.end :]
        self.closed, self.tail = found.closed, found.tail
        return self.decoder.from_objects(found.events) if found.events else None

    def _note(self, repairs: list[Repair]) -> None:
        for one in repairs:
            self._defects.note(one.kind, one.count, one.example)

    def _finish(self) -> None:
        """Read the rest after the events, and note what is missing."""
        while not self._at_end:
            self.tail += self._read()
        if self._source.damage:
            self._defects.note("damaged gzip", 1, self._source.damage)
        if self.closed:
            return
        rest = self._rest.strip(_BLANK + b",")
        if rest:
            self._defects.note("cut off", 1, f"the file ends inside: {rest[:100]!r}")
        else:
            self._defects.note("cut off", 1, "the file ends before its array of events is closed")
