"""Cuts the event array of a file into windows of a megabyte at event boundaries.

A window is cut where the text looks like the gap between two events. If it decodes as an array, the
cut was right, since text that stops inside an event or a string is never a valid array. Otherwise a
scan of all brackets finds the true boundary. If that window does not decode either, the text is
broken and is repaired, at worst event by event. Several documents with events are read one after
the other.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nbprof.sources.chrome import documents
from nbprof.sources.chrome.decoding import SYNTAX_ERRORS, Window, WindowDecoder
from nbprof.sources.chrome.repair import Repair, repair_json
from nbprof.sources.chrome.salvage import salvage
from nbprof.sources.chrome.structure import is_beginning, last_boundary, scan
from nbprof.sources.defects import EXAMPLE_LENGTH
from nbprof.sources.discovery import header as headers
from nbprof.sources.files.read_ahead import ReadAhead
from nbprof.sources.limits.room import keep_freed_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.bytesource import ByteSource

#: Bytes of JSON to decode at a time. Events of larger windows exceed the processor's cache, so that
#: 4 MB take a sixth longer. In smaller ones, work that does not depend on their size weighs more.
WINDOW = 1 << 20

#: Maximum length of text without a complete event before it counts as broken.
PATIENCE = 8 << 20

#: Text that is the valid beginning of an event is read on up to here.
LARGEST_EVENT = 512 << 20

_EVENTS_LENGTH = 64  # of the key, with blanks to spare
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_PADDING = _BLANK + b"\0"
_GAP = re.compile(rb"\s*(,?)\s*")


class EventWindows:
    """Iterates over the windows of a file.

    Parameters
    ----------
    source : ByteSource
        The file.
    defects : DefectLog
        Counts irregularities.
    window : int
        Bytes of JSON to decode at a time.
    start : int
        A cut to start at instead of the beginning of the file.
    decoder : type of WindowDecoder
        Decodes text to events.

    Attributes
    ----------
    bare : bool
        Whether the file is a bare array of events.
    head, tail : bytes
        The text before and after the array of events of the last document; `tail` is complete at
        the end.
    closed : bool
        Whether the end of the array was reached.
    cuts : set of int
        Positions at which to stop if they are between two events with nothing left over, so that
        another reader can continue from there. May be set before iterating; each is a whole number
        of windows after `next_read`.
    stopped_at : int
        The cut where iteration stopped; 0 before iteration, and at the end of the file. Iterating
        again continues from there.
    usable : bool
        Whether there is a gap between events before `start`.
    decoder : WindowDecoder
        The decoder.
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
        self._documents: list[documents.Document] = []
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
        keep_freed_blocks()
        if self._begun:
            piece = self._read()
        else:
            piece, self._rest = self._rest, b""
        self._begun, self.stopped_at = True, 0
        while not self.closed:
            if self._after_event:
                piece = self._skip_gap(self._rest + piece)
                if self._after_event:
                    piece = self._read()
                    continue
            window = None if self._at_end else self._decode_quickly(piece)
            if window is None:
                self._rest += piece
                before = len(self._rest)
                window = self._decode_by_structure()
                if self._at_end and len(self._rest) == before:
                    break
            if window is not None:
                yield window
                del window
            if self._next_document():
                piece, self._rest = self._rest, b""
                continue
            if self._is_at_cut():
                self.stopped_at = self._source.position
                return
            piece = b"" if self.closed else self._read()
        self._finish()

    @contextmanager
    def reading_ahead(self) -> Iterator[None]:
        """From now on, read and decompress the next window while one is decoded."""
        if isinstance(self._source, ReadAhead):
            yield
            return
        with ReadAhead(self._source, self._size) as self._source:
            yield

    @property
    def next_read(self) -> int:
        """Position of the next read in the content."""
        return self._source.position

    def header(self, known: Sequence[str] = headers.KNOWN) -> headers.Header:
        """Return the known keys outside the arrays of events; call it after the last window."""
        last = documents.Document(self.head, self.tail, closed=self.closed)
        return documents.header_of([*self._documents, last], self._defects, known)

    def _next_document(self) -> bool:
        """After the end of a document, go on to the events of the next; return whether one is."""
        if not self.closed:
            return False
        text = self.tail
        while (found := documents.join(self.head, text)) is None and not self._at_end:
            self._rest = text
            piece = self._read()
            # There may be gigabytes of blanks.
            text = text + piece if piece.strip(_BLANK) else text.rstrip(_BLANK) + piece[:1]
        self._rest, self.tail = b"", text
        if not found or not found.ended:
            return False
        self._documents += found.ended
        self.head, self.tail, self._rest, self.closed = found.head, b"", found.events, False
        return True

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

    def _is_at_cut(self) -> bool:
        """Return whether another reader could continue from this position."""
        if self._source.position not in self.cuts or self._after_event or self._at_end:
            return False
        piece = self._piece[-self._size :]
        _, following = last_boundary(piece)
        is_plain = following >= 0 and not self.closed
        return is_plain and len(self._rest) == len(piece) - following

    def _find_array(self) -> None:
        """Read up to the opening bracket of the array of events."""
        text = self._read()
        while len(text) < len(_BOM) and not self._at_end:
            text += self._read()
        text = text.removeprefix(_BOM).lstrip(_BLANK)
        while not text and not self._at_end:
            text = self._read().lstrip(_BLANK)
        if text.startswith(b"["):
            self._rest = text[1:]
            return
        head, searched = bytearray(text), 0
        while True:
            found = documents.events_key(head, searched)
            if found is not None:
                end = found.end()
                # Through a view: Python complains on stderr where it has no memory for a slice of
                # a bytearray.
                with memoryview(head) as view:
                    self.head, self._rest = bytes(view[:end]), bytes(view[end + 1 :])
                return
            if self._at_end:
                reason = "it contains no array of events (`traceEvents`)"
                if self._source.damage:
                    reason = f"{reason}. {self._source.damage}"
                raise self._defects.failure(reason)
            searched = max(0, len(head) - _EVENTS_LENGTH)
            head += self._read()  # in place, so that a long head is not copied for every window

    def _skip_gap(self, text: bytes) -> bytes:
        """Drop the comma between events; return empty text while the gap is incomplete."""
        gap = _GAP.match(text)
        after = text[gap.end() :] if gap else text
        if not after and not self._at_end:
            self._rest = b"," if gap and gap.group(1) else b""
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

    def _decode_quickly(self, piece: bytes) -> Window | None:
        """Decode up to the last apparent gap between events in a piece."""
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

    def _decode_by_structure(self) -> Window | None:
        """Decode the elements that are complete by their brackets, repairing them if needed."""
        text = self._rest
        structure = scan(text)
        closing, end = structure.closing, structure.last_end
        cut = closing if closing >= 0 else end
        if cut < 0 and not self._at_end:
            if len(text) < PATIENCE:
                return None
            possible = len(text) < LARGEST_EVENT
            if possible and (is_beginning(text) or is_beginning(repair_json(text)[0])):
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
        self._note_repairs(repairs)
        return window

    def _salvage(self, text: bytes) -> Window | None:
        """Extract every event from broken text that can be decoded by itself."""
        found = salvage(text, complete=self._at_end)
        self._note_repairs(found.repairs)
        self._rest = text[found.end :]
        self.closed, self.tail = found.closed, found.tail
        return self.decoder.from_objects(found.events) if found.events else None

    def _note_repairs(self, repairs: list[Repair]) -> None:
        for one in repairs:
            self._defects.note(one.kind, one.count, one.example)

    def _finish(self) -> None:
        """Read the rest after the events, and note what is missing.

        Of text after the end, only a beginning is kept, and one character of padding, since there
        may be gigabytes of both.
        """
        pieces = [self.tail]
        is_over = not self._at_end and documents.is_over(self.head, self.tail)
        while not self._at_end:
            piece = self._read()
            if is_over:
                piece = piece.lstrip(_BLANK)[:EXAMPLE_LENGTH]
            pieces.append(piece if piece.strip(_PADDING) else piece[:1])
        self.tail = b"".join(pieces)
        if self._source.damage:
            self._defects.note(f"damaged {self._source.packing}", 1, self._source.damage)
        if self.closed:
            return
        rest = self._rest.strip(_BLANK + b",")
        if rest:
            self._defects.note("cut off", 1, f"the file ends inside: {rest[:100]!r}")
        else:
            self._defects.note("cut off", 1, "the file ends before its array of events is closed")
