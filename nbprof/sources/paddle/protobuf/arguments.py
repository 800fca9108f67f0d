"""Reads shapes, types and call stacks of operators from protobuf files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.sources.paddle.protobuf.messages import Messages
from nbprof.sources.paddle.protobuf.wire import LENGTH, PADDING, VARINT, Text, read_number

if TYPE_CHECKING:
    from nbprof.sources.chrome.dictionaries import CodeArray
    from nbprof.sources.paddle.raw_columns import RawColumns


class ArgumentsOf:
    """Reads arguments; results are cached by their bytes, as operators repeat."""

    def __init__(self, raw: RawColumns) -> None:
        self._raw = raw
        self._shapes: dict[bytes, int] = {}
        self._types: dict[bytes, int] = {}

    def read(self, nodes: Messages, is_operator: Any) -> tuple[CodeArray, CodeArray, CodeArray]:
        """Return the codes of shapes, types and call stacks, each of shape (nodes,)."""
        raw = self._raw
        codes = [np.full(nodes.count, -1, np.int32) for _ in range(3)]
        owner, parts = nodes.each(6)
        if len(parts) == 0:
            return codes[0], codes[1], codes[2]
        held = Messages.read(nodes.text, parts)
        said = Messages.read(nodes.text, held.spans(1))
        columns = (said.texts(5), said.texts(6), said.texts(7))
        for node, shapes, types, stack in zip(owner.tolist(), *columns, strict=True):
            if not is_operator[node]:
                continue
            if shapes not in self._shapes:
                text = _text(shapes, _shape)
                self._shapes[shapes] = raw.shapes[text]
            if types not in self._types:
                text = _text(types, _type)
                self._types[types] = raw.dtypes[text]
            codes[0][node], codes[1][node] = self._shapes[shapes], self._types[types]
            codes[2][node] = raw.stacks[stack.decode("utf-8", "replace")]
        return codes[0], codes[1], codes[2]


def _text(message: bytes, value: Any) -> bytes:
    """Return arguments as JSON text, from messages of keys and of values."""
    fields = _fields(message)
    keys = [part.decode("utf-8", "replace") for number, part in fields if number == 1]
    values = [[value(one) for _, one in _fields(part)] for number, part in fields if number == 2]
    return json.dumps(dict(zip(keys, values, strict=False)), ensure_ascii=False).encode()


def _shape(message: bytes) -> list[int]:
    """Return the sizes of one tensor, from single or packed numbers."""
    text = Text(message + bytes(PADDING))
    fields = text.split(text.whole())
    sizes: list[int] = []
    for tag, value, end in zip(*(column.tolist() for column in fields[1:]), strict=True):
        if tag & 7 == VARINT:
            sizes.append(value)
        elif tag & 7 == LENGTH:
            at = value
            while at < end:
                size, at = read_number(message, at, end)
                sizes.append(size - (1 << 64) if size >> 63 else size)
    return sizes


def _type(message: bytes) -> str:
    return message.decode("utf-8", "replace")


def _fields(message: bytes) -> list[tuple[int, bytes]]:
    """Return number and content of the message and text fields of a message."""
    text = Text(message + bytes(PADDING))
    fields = text.split(text.whole())
    return [
        (tag >> 3, message[value:end])
        for tag, value, end in zip(*(column.tolist() for column in fields[1:]), strict=True)
        if tag & 7 == LENGTH
    ]
