"""Spoils the structure of each format: rows and headers, fields and wires, opcodes, pages."""

from __future__ import annotations

import copy
import pickletools
import sqlite3
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tests.fuzz.contents import Csv, Field, Json, Marshal, Pickle, Protobuf, Sqlite
from tests.fuzz.mutation.absurd import long_text, with_many_threads
from tests.fuzz.mutation.bytewise import spoil_bytes
from tests.fuzz.mutation.values import NUMBERS, TEXTS, spoil_all, spoil_value

if TYPE_CHECKING:
    from random import Random

    from tests.fuzz.contents import Content

#: What a hostile pickle would create if its code ran; a check looks for it.
EXECUTED: Final = "executed-by-a-pickle"


def spoil_content(content: Content, chance: Random) -> None:
    """Change a content in place, in a way that its format knows."""
    if isinstance(content, Json):
        spoil = spoil_all if chance.random() < 0.35 else spoil_value
        content.value = spoil(content.value, chance)
        if chance.random() < 0.01:
            content.value = with_many_threads(content.value, chance)
    elif isinstance(content, Csv):
        _spoil_table(content.rows, chance)
    elif isinstance(content, Protobuf):
        _spoil_message(content.fields, chance)
    elif isinstance(content, Pickle):
        content.value = spoil_value(content.value, chance)
        if chance.random() < 0.2:
            content.protocol = chance.randrange(6)
    elif isinstance(content, Marshal):
        content.value = spoil_value(content.value, chance)
        if chance.random() < 0.2:
            content.version = chance.randrange(5)
    elif isinstance(content, Sqlite):
        _spoil_database(content, chance)


def encoded(content: Content, chance: Random) -> bytes:
    """Return the bytes of a content; those of a pickle may hold other opcodes."""
    try:
        data = content.encode()
    except (ValueError, RecursionError, TypeError, struct.error, sqlite3.Error):
        # Lone surrogates, 10⁴⁰⁰, lists that are too deep for an encoder, two columns of one name.
        return b"[" * 2000
    if isinstance(content, Pickle) and chance.random() < 0.4:
        return _opcodes(data, chance)
    if isinstance(content, Sqlite) and chance.random() < 0.5:
        return spoil_bytes(data, chance)
    return data


def _spoil_database(content: Sqlite, chance: Random) -> None:
    """Change a value, a whole column, a row or a column's name; drop, empty or rename a table."""
    if not content.tables:
        content.tables["t"] = [["a"], [1]]
    name = chance.choice(list(content.tables))
    ways = (_spoil_tables, _spoil_columns, *[_spoil_values] * 4)
    chance.choice(ways)(content, name, chance)


def _spoil_tables(content: Sqlite, name: str, chance: Random) -> None:
    how = chance.randrange(4)
    if how == 0:
        del content.tables[name]
    elif how == 1:
        del content.tables[name][1:]
    elif how == 2:
        content.tables[f"{name}_{chance.randrange(9)}"] = content.tables.pop(name)
    else:
        content.page_size = chance.choice((512, 1024, 65536))


def _spoil_columns(content: Sqlite, name: str, chance: Random) -> None:
    columns, *rows = content.tables[name]
    at, how = chance.randrange(len(columns) + 1), chance.randrange(3)
    if how == 0 and rows:
        content.tables[name] += [list(chance.choice(rows))] * chance.choice((1, 5, 300))
    elif how == 1:
        columns[at : at + 1] = [chance.choice((*TEXTS[:20], *columns))]
    else:
        for row in content.tables[name]:
            del row[at : at + 1]


def _spoil_values(content: Sqlite, name: str, chance: Random) -> None:
    columns, *rows = content.tables[name]
    if not rows or not columns:
        return
    at, value = chance.randrange(len(columns)), _stored_value(chance)
    share = chance.choice((0.0, 0.0, 0.3, 1.0))
    for row in [row for row in rows if chance.random() < share] or [chance.choice(rows)]:
        if at < len(row):
            row[at] = value if chance.random() < 0.7 else _stored_value(chance)


def _stored_value(chance: Random) -> Any:
    return chance.choice(
        (chance.choice(NUMBERS), chance.choice(NUMBERS), chance.choice(TEXTS), None, b"\xff\xfe\0")
    )


def _spoil_table(rows: list[list[str]], chance: Random) -> None:
    """Change a cell, a row, a column or the header."""
    if not rows or not rows[0]:
        rows.append([chance.choice(TEXTS)])
        return
    chance.choice((_spoil_cell, _spoil_cell, _spoil_row, _spoil_column, _spoil_header))(
        rows, chance
    )


def _spoil_cell(rows: list[list[str]], chance: Random) -> None:
    cells = chance.choice(rows)
    if cells:
        at = chance.randrange(len(cells))
        cells[at] = _cell(cells[at], chance)


def _spoil_row(rows: list[list[str]], chance: Random) -> None:
    row = chance.randrange(len(rows))
    cells = rows[row]
    how = chance.randrange(4)
    if how == 0:
        del rows[row]
    elif how == 1:
        rows[row:row] = [list(cells)] * chance.choice((1, 5))
    elif how == 2:
        del cells[len(cells) // 2 :]
    else:
        cells += [chance.choice(TEXTS)] * chance.choice((1, 30))


def _spoil_column(rows: list[list[str]], chance: Random) -> None:
    at = chance.randrange(len(rows[0]))
    if chance.random() < 0.4:
        for one in rows:
            del one[at : at + 1]
        return
    for one in rows[1:]:
        if at < len(one):
            one[at] = _cell(one[at], chance)


def _spoil_header(rows: list[list[str]], chance: Random) -> None:
    header = rows[0]
    at = chance.randrange(len(header))
    old = header[at]
    header[at] = chance.choice((chance.choice(header), old.lower(), f" {old}\t", ""))


def _cell(old: str, chance: Random) -> str:
    number = chance.choice(NUMBERS)
    if chance.random() < 0.02:
        return long_text(chance)
    text = "1" * 400 if number == 10**400 else str(number)
    return chance.choice((text, chance.choice(TEXTS), old + "0" * 20, f"-{old}", f"{old}\t", ""))


def _spoil_message(fields: list[Field], chance: Random) -> None:
    """Change a field of a message or of one inside it."""
    if not fields:
        fields.append(Field(chance.randrange(1, 20), 0, chance.randrange(2**64)))
        return
    at = chance.randrange(len(fields))
    one = fields[at]
    if isinstance(one.value, list) and chance.random() < 0.85:
        _spoil_message(one.value, chance)
        return
    how = chance.randrange(7)
    if how == 0:
        del fields[at]
    elif how == 1:
        fields[at:at] = [copy.deepcopy(one) for _ in range(chance.choice((1, 20)))]
    elif how == 2:
        fields[at] = replace(one, key=chance.choice((one.key + 1, 1, 15, 16, 2**28)))
    elif how == 3:
        chance.shuffle(fields)
    elif isinstance(one.value, int):
        extremes = (0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1, 10**18, one.value + 1)
        one.value = chance.choice(extremes)
    elif isinstance(one.value, bytes) and one.wire == 2:
        text = chance.choice(TEXTS).encode("utf-8", "surrogatepass")
        one.value = chance.choice((text, one.value + text, spoil_bytes(one.value, chance), b"\xff"))
    elif isinstance(one.value, bytes):
        one.value = chance.choice((bytes(len(one.value)), b"\xff" * len(one.value), one.value[:1]))
    else:
        fields[at] = Field(one.key, chance.choice((0, 2)), chance.choice((7, b"", b"\x0a\x0a\x0a")))


class _Runs:
    """What a hostile pickle holds: code that would leave a folder behind."""

    def __reduce__(self) -> tuple[Any, ...]:
        import os

        return os.mkdir, (EXECUTED,)


def _opcodes(data: bytes, chance: Random) -> bytes:
    """Return a pickle with an opcode dropped, doubled, moved or added."""
    import pickle

    if chance.random() < 0.2:
        return pickle.dumps({"segments": [_Runs()], "device_traces": []}, chance.randrange(6))
    places = [at for _, _, at in pickletools.genops(data) if at is not None]
    starts = sorted(chance.sample(places, min(3, len(places))))
    first, last = starts[0], starts[-1]
    pieces = (
        *(
            b"}",
            b"]",
            b")",
            b"N",
            b"0",
            b"1",
            b"2",
            b"t",
            b"s",
            b"u",
            b"a",
            b"e",
            b"d",
            b"l",
            b"\x85",
        ),
        *(
            b"h\xff",
            b"j\xff\xff\xff\xff",
            b"r\xff\xff\xff\x7f",
            b"Q",
            b"P1\n",
            b"I99999999999999\n",
        ),
        *(
            b"\x8b\xff\xff\xff\x7f",
            b"\x8e" + b"\xff" * 8,
            b"B\xff\xff\xff\x7f",
            b"T\xff\xff\xff\x7f",
        ),
        *(b"G" + b"\x7f\xf0" + bytes(6), b"L" + b"9" * 5000 + b"L\n", b"\x92", b"R", b"b", b"("),
        *(
            b"cos\nmkdir\n(V" + EXECUTED.encode() + b"\ntR",
            b"(" * 5000,
            b"]" * 5000,
            b"\x98",
            b"\x96",
        ),
    )
    how = chance.randrange(4)
    if how == 0:
        return data[:first] + data[last:]
    if how == 1:
        return data[:last] + data[first:]
    if how == 2:
        return data[:first] + chance.choice(pieces) + data[first:]
    return data[:first]
