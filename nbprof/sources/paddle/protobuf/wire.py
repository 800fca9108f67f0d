"""Decodes protobuf's wire format for many messages at once.

No data is trusted: a length beyond the end of its message is cut there, and a message ends at an
unterminated number or an unknown kind of field.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

#: Kinds of fields. Groups, which are obsolete, are not read.
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

#: Bytes of the longest number.
LONGEST: Final = 10

#: Zeros required after the end of the text.
PADDING: Final = 16

#: Fewer messages than this are read one by one, as arrays would be slower.
_FEW: Final = 24

_SIZES: Final = {FIXED64: 8, FIXED32: 4}


class Spans(NamedTuple):
    """Offsets of messages or texts; arrays have shape (spans,)."""

    start: Integers
    end: Integers

    def __len__(self) -> int:
        """Return the number of spans."""
        return len(self.start)

    def of(self, rows: Integers | Mask | slice) -> Spans:
        """Return some of the spans."""
        return Spans(self.start[rows], self.end[rows])


class Fields(NamedTuple):
    """Fields of messages; those of one message are in their order. Arrays of shape (fields,).

    Attributes
    ----------
    message : ndarray of int64
        Which message a field is of.
    tag : ndarray of int64
        Number and kind of field, as combined by `tag_of`.
    value : ndarray of int64
        The 64 bits of numbers; the start offset of other fields.
    end : ndarray of int64
        End offset.
    """

    message: Integers
    tag: Integers
    value: Integers
    end: Integers


def tag_of(number: int, kind: int) -> int:
    """Return the tag of a field with a number and kind."""
    return number << 3 | kind


class Text:
    """The bytes of a file, and the defects found in them.

    Parameters
    ----------
    data : bytes or bytearray
        The text, followed by `PADDING` zeros.

    Attributes
    ----------
    size : int
        Bytes of text.
    defects : Counter of str
        Number of incompletely read messages, by reason.
    cut : bool
        Whether a message exceeds the end of the text.
    """

    def __init__(self, data: bytes | bytearray) -> None:
        self.data = data
        self.array: Bytes = np.frombuffer(data, np.uint8)
        self.size = len(data) - PADDING
        self.defects: Counter[str] = Counter()
        self.cut = False

    def whole(self) -> Spans:
        """Return the text as one message."""
        return Spans(np.zeros(1, np.int64), np.array([self.size], np.int64))

    def split(self, messages: Spans) -> Fields:
        """Return the fields of messages."""
        found: list[tuple[Integers, ...]] = []
        rows = np.flatnonzero(messages.end > messages.start)
        at = messages.start[rows]
        while len(rows) > _FEW:
            fields, at, going = self._next_fields(rows, at, messages.end[rows])
            found.append(fields)
            rows, at = rows[going], at[going]
        if len(rows):
            found.append(self._one_by_one(rows, at, messages.end[rows]))
        if not found:
            return Fields(*(np.zeros(0, np.int64) for _ in Fields._fields))
        return Fields(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def _next_fields(
        self, rows: Integers, at: Integers, end: Integers
    ) -> tuple[tuple[Integers, ...], Integers, Mask]:
        """Read the next field of each message; return fields, next offsets, validity."""
        tag, after, good = self._numbers(at, end)
        wire = tag & 7
        value, following, fits = self._numbers(np.minimum(after, end - 1), end)
        is_length = wire == LENGTH
        simple = is_length | (wire == VARINT)
        for kind, size in _SIZES.items():
            fixed = wire == kind
            simple |= fixed
            value[fixed], following[fixed] = after[fixed], after[fixed] + size
            fits[fixed] = True
        fits &= after < end
        # Lengths are compared before they are added, as untrusted values could overflow.
        room = end - following
        over = is_length & fits & ((value < 0) | (value > room))
        over |= ~is_length & fits & (room < 0)
        stop = np.where(is_length, following + np.where(over, room, value), following)
        value = np.where(is_length, following, value)
        readable = good & simple & fits & (tag > 7) & (is_length | ~over)
        self._note(~readable & ~over, "unreadable field")
        self._note_over(good & simple & over, end)
        fields = tuple(np.asarray(column)[readable] for column in (rows, tag, value, stop))
        return fields, stop, readable & ~over & (stop < end)

    def _numbers(self, at: Integers, end: Integers) -> tuple[Integers, Integers, Mask]:
        """Return numbers, their end offsets, and whether they end within their messages."""
        byte = self.array[at]
        value = (byte & 0x7F).astype(np.uint64)
        length = np.ones(len(at), np.int64)
        going = np.flatnonzero(byte >= 0x80)
        for place in range(1, LONGEST):
            if len(going) == 0:
                break
            byte = self.array[at[going] + place]
            value[going] |= (byte & 0x7F).astype(np.uint64) << np.uint64(7 * place)
            length[going] = place + 1
            going = going[byte >= 0x80]
        good = at + length <= end
        good[going] = False
        return value.view(np.int64), at + length, good

    def _one_by_one(self, rows: Integers, at: Integers, end: Integers) -> tuple[Integers, ...]:
        """Read all fields of a few messages, one by one."""
        data = self.data
        numbers = array("q")
        add = numbers.extend
        for row, here, stop in zip(rows.tolist(), at.tolist(), end.tolist(), strict=True):
            place = here
            while place < stop:
                tag, place = data[place], place + 1
                if tag >= 0x80:
                    tag, place = read_number(data, place - 1, stop)
                wire = tag & 7
                if wire in {LENGTH, VARINT}:
                    if place < stop and data[place] < 0x80:
                        value, place = data[place], place + 1
                    else:
                        value, place = read_number(data, place, stop)
                else:
                    value, place = place, place + _SIZES.get(wire, stop)
                if tag <= 7 or tag >> 62 or value < 0 or (place > stop and wire != LENGTH):
                    self.defects["unreadable field"] += 1
                    break
                if wire == LENGTH:
                    value, place = place, place + value
                    if place > stop:
                        self._note_over(np.ones(1, bool), np.array([stop]))
                        place = stop
                if wire == VARINT and value >> 63:
                    value -= 1 << 64
                add((row, tag, value, place))
        return tuple(np.frombuffer(numbers, np.int64).reshape(-1, 4).T)

    def _note(self, rows: Mask, kind: str) -> None:
        if rows.any():
            self.defects[kind] += int(rows.sum())

    def _note_over(self, rows: Mask, end: Integers) -> None:
        """Count fields that exceed their messages; at the end of the text, it was truncated."""
        at_end = rows & (end >= self.size)
        self.cut |= bool(at_end.any())
        self._note(rows & ~at_end, "length beyond the message")


def read_number(data: bytes | bytearray, at: int, end: int) -> tuple[int, int]:
    """Return a number and its end offset, -1 if it is unterminated."""
    value = 0
    for place in range(min(LONGEST, end - at)):
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + place + 1
    return -1, end
