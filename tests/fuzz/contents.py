"""The content of a file as its format structures it, so that mutations can change one part."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sqlite3
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass
class Json:
    """JSON; `raw` stands for texts that no valid JSON has, such as ``NaN``."""

    value: Any

    def encode(self) -> bytes:
        return json.dumps(self.value).encode("utf-8", "surrogatepass")


@dataclass
class Csv:
    """A table of texts, the header first."""

    rows: list[list[str]]

    def encode(self) -> bytes:
        written = io.StringIO(newline="")
        csv.writer(written).writerows(self.rows)
        return written.getvalue().encode("utf-8", "surrogatepass")


@dataclass
class Field:
    """A field of a protobuf message: a number, raw bytes, or a message."""

    key: int
    wire: int
    value: int | bytes | list[Field]


@dataclass
class Protobuf:
    """A protobuf message, without knowledge of its schema."""

    fields: list[Field]

    def encode(self) -> bytes:
        return _message(self.fields)


@dataclass
class Pickle:
    """Plain objects as a pickle."""

    value: Any
    protocol: int = 4

    def encode(self) -> bytes:
        return pickle.dumps(self.value, self.protocol)


@dataclass
class Sqlite:
    """A database of one table, as profilers write them beside their text files."""

    rows: list[tuple[Any, ...]]

    def encode(self) -> bytes:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE TABLE task (name TEXT, start INTEGER, duration REAL)")
            connection.executemany("INSERT INTO task VALUES (?, ?, ?)", self.rows)
            data = bytes(connection.serialize()) if hasattr(connection, "serialize") else b""
        connection.close()
        return data or b"SQLite format 3\0" + bytes(4080)


Content: TypeAlias = "Json | Csv | Protobuf | Pickle | Sqlite"


def parse_protobuf(data: bytes) -> list[Field]:
    """Parse a message; raise ValueError for anything else."""
    fields: list[Field] = []
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        key, wire = tag >> 3, tag & 7
        if not key or wire not in (0, 1, 2, 5):
            message = "no message"
            raise ValueError(message)
        if wire == 0:
            value, at = _varint(data, at)
            fields.append(Field(key, wire, value))
            continue
        size = {1: 8, 5: 4}.get(wire, 0)
        if wire == 2:
            size, at = _varint(data, at)
        if at + size > len(data):
            message = "cut off"
            raise ValueError(message)
        piece, at = data[at : at + size], at + size
        fields.append(Field(key, wire, _nested(piece) if wire == 2 else piece))
    return fields


def _nested(piece: bytes) -> bytes | list[Field]:
    """Return a piece as a message if it is one; texts hardly ever are."""
    if len(piece) < 2 or piece.isascii():
        return piece
    try:
        return parse_protobuf(piece)
    except ValueError:
        return piece


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            message = "no number"
            raise ValueError(message)
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _number(value: int) -> bytes:
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _message(fields: list[Field]) -> bytes:
    found = []
    for one in fields:
        found.append(_number(one.key << 3 | one.wire))
        if isinstance(one.value, int):
            found.append(_number(one.value))
        else:
            piece = one.value if isinstance(one.value, bytes) else _message(one.value)
            found.append(_number(len(piece)) + piece if one.wire == 2 else piece)
    return b"".join(found)
