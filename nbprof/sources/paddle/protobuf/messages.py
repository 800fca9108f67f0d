"""Reads one field of many protobuf messages as an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.sources.paddle.protobuf.wire import (
    FIXED32,
    LENGTH,
    VARINT,
    Fields,
    Integers,
    Spans,
    Text,
    tag_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Messages:
    """Messages of one type.

    Attributes
    ----------
    text : Text
        The bytes that contain them.
    count : int
        Number of messages.
    fields : Fields
        Their fields.
    """

    text: Text
    count: int
    fields: Fields

    @classmethod
    def read(cls, text: Text, spans: Spans) -> Messages:
        """Read messages; a missing message has no fields."""
        return cls(text, len(spans), text.split(spans))

    def numbers(self, number: int, missing: int = -1) -> Integers:
        """Return a number field, shape (messages,); the last one if repeated."""
        numbers = np.full(self.count, missing, np.int64)
        rows = self._rows(number, VARINT)
        numbers[self.fields.message[rows]] = self.fields.value[rows]
        return numbers

    def floats(self, number: int) -> npt.NDArray[np.float64]:
        """Return a 32-bit float field, shape (messages,), NaN if missing."""
        numbers = np.full(self.count, np.nan)
        rows = self._rows(number, FIXED32)
        places = self.fields.value[rows][:, None] + np.arange(4)
        values = np.ascontiguousarray(self.text.array[places]).view("<f4")
        numbers[self.fields.message[rows]] = values.reshape(len(rows))
        return numbers

    def spans(self, number: int) -> Spans:
        """Return the spans of a text or message field, shape (messages,)."""
        start, end = np.zeros(self.count, np.int64), np.zeros(self.count, np.int64)
        rows = self._rows(number, LENGTH)
        start[self.fields.message[rows]] = self.fields.value[rows]
        end[self.fields.message[rows]] = self.fields.end[rows]
        return Spans(start, end)

    def has(self, number: int) -> npt.NDArray[np.bool_]:
        """Return which messages have a field, shape (messages,)."""
        is_present = np.zeros(self.count, bool)
        is_present[self.fields.message[self.fields.tag >> 3 == number]] = True
        return is_present

    def each(self, number: int) -> tuple[Integers, Spans]:
        """Return the message and the span of every element of a repeated field."""
        rows = self._rows(number, LENGTH)
        fields = self.fields
        if (np.diff(fields.message[rows]) < 0).any():
            rows = rows[np.argsort(fields.message[rows], kind="stable")]
        return fields.message[rows], Spans(fields.value[rows], fields.end[rows])

    def texts(self, number: int) -> Iterator[bytes]:
        """Return a text field as bytes."""
        data, spans = self.text.data, self.spans(number)
        return (
            bytes(data[start:end])
            for start, end in zip(spans.start.tolist(), spans.end.tolist(), strict=True)
        )

    def _rows(self, number: int, wire: int) -> Integers:
        """Return the fields with a number; fields of the wrong kind are counted."""
        tags = self.fields.tag
        right = np.flatnonzero(tags == tag_of(number, wire))
        low, high = tag_of(number, 0), tag_of(number, 7)
        wrong = int(np.count_nonzero((tags >= low) & (tags <= high))) - len(right)
        if wrong:
            self.text.defects["field of the wrong kind"] += wrong
        return right
