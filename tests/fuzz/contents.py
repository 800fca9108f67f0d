"""The content of a file as its format structures it, so that mutations can change one part."""

from __future__ import annotations

import csv
import io
import json
import marshal
import pickle
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path


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
class Marshal:
    """A profile of Python: lists of a function, its numbers and its callers, each in a list."""

    value: Any
    version: int = 4

    def encode(self) -> bytes:
        value = self.value if isinstance(self.value, list) else [self.value]
        return marshal.dumps(dict(map(_entry, value)), self.version)


def _entry(value: Any) -> tuple[Any, Any]:
    """Return the key and the value of a function; lists become tuples, those of callers a dict."""
    if not isinstance(value, list) or not value:
        return _frozen(value), None
    *numbers, callers = [None, *value[1:]]
    if isinstance(callers, list) and all(isinstance(one, list) and one for one in callers):
        callers = {_frozen(one[0]): _frozen(one[1:]) for one in callers}
    return _frozen(value[0]), (*map(_frozen, numbers[1:]), callers)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(map(_frozen, value.items()))
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


@dataclass
class Sqlite:
    """A database: for each table the names of its columns, then its rows."""

    tables: dict[str, list[list[Any]]]
    page_size: int = 4096

    def encode(self) -> bytes:
        with sqlite3.connect(":memory:") as connection:
            connection.execute(f"PRAGMA page_size = {self.page_size}")
            for name, (columns, *rows) in self.tables.items():
                _write_table(connection, name, columns, rows)
            connection.commit()
            data = bytes(connection.serialize())
        connection.close()
        return data

    @classmethod
    def read(cls, path: Path, rows: int) -> Sqlite:
        """Return the first rows of each table of a file that is not empty."""
        tables: dict[str, list[list[Any]]] = {}
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ):
                found = connection.execute(f'SELECT * FROM "{name}" LIMIT {rows}')
                columns = [column[0] for column in found.description]
                content = [list(row) for row in found]
                if content and not name.startswith("sqlite_"):
                    tables[name] = [columns, *content]
        return cls(tables)


def _write_table(
    connection: sqlite3.Connection, name: str, columns: list[str], rows: list[list[Any]]
) -> None:
    """Create a table; columns of equal names and values that no database has are left out."""
    distinct = {str(column).lower(): str(column) for column in columns}
    names = [_stored(one).replace("\0", "").replace('"', '""') for one in distinct.values()]
    shown = ", ".join(f'"{one}"' for one in names) or "a"
    connection.execute(f'CREATE TABLE "{name}" ({shown})')
    marks = ", ".join("?" * max(len(distinct), 1))
    for row in rows:
        values = [_stored(one) for one in row[: len(distinct)]]
        values += [None] * (max(len(distinct), 1) - len(values))
        connection.execute(f'INSERT INTO "{name}" VALUES ({marks})', values)


def _stored(value: Any) -> Any:
    """Return a value as a database stores it."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else float(min(value, 10**300))
    return value if value is None or isinstance(value, (float, bytes)) else str(value)


Content: TypeAlias = "Json | Csv | Protobuf | Pickle | Marshal | Sqlite"


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
