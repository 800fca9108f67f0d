"""Recordings with a secret in every field: each field has a record that differs in it alone.

A record is an event, a line of a table, a row of a database, an object in a list or a message. Its
copy has the secret in one field, so that the rest of the file is read as before.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from tests.fuzz.contents import Csv, Field, Json, Marshal, Pickle, Protobuf, Sqlite
from tests.fuzz.seeds import seed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fuzz.contents import Content

#: What a secret looks like; the number tells the field.
SECRET: Final = re.compile(r"SECRETFIELD(\d+)END")
#: Fields that tell the kind of a record; each kind has copies of its own.
_KINDS: Final = ("cat", "ph", "action")


class Planter:
    """Plants secrets, and knows the field of each."""

    def __init__(self) -> None:
        self.fields: list[str] = []
        self._known: set[str] = set()

    def secret(self, field: str) -> str | None:
        """Return a secret for a field; None if it has one."""
        if field in self._known:
            return None
        self._known.add(field)
        self.fields.append(field)
        return f"SECRETFIELD{len(self.fields) - 1}END"

    def seen(self, text: str) -> set[str]:
        """Return the fields whose secrets are in a text."""
        return {self.fields[int(number)] for number in SECRET.findall(text)}

    def write(self, name: str, folder: Path) -> Path:
        """Write a recording into a folder of logs, and return that folder."""
        for path, content in seed(name).items():
            target = folder / path.removeprefix("logs/")
            target.parent.mkdir(parents=True, exist_ok=True)
            place = re.sub(r"\d+", "", target.name)
            target.write_bytes(self._planted(place, content).encode())
        return folder

    def _planted(self, place: str, content: Content) -> Content:
        if isinstance(content, (Json, Pickle)):
            return type(content)(self._lists(place, content.value))
        if isinstance(content, Csv):
            return Csv(self._rows(place, content.rows))
        if isinstance(content, Sqlite):
            tables = {name: self._rows(name, rows) for name, rows in content.tables.items()}
            return Sqlite(tables, content.page_size)
        if isinstance(content, Marshal):
            return Marshal(self._functions(content.value))
        return Protobuf(self._messages(place, content.fields))

    def _lists(self, place: str, value: Any) -> Any:
        """Add copies to every list of objects."""
        if isinstance(value, dict):
            found = {key: self._lists(f"{place}.{key}", one) for key, one in value.items()}
            for key in [key for key, one in found.items() if isinstance(one, str)]:
                found = self._spare(place, key, found)
            return found
        if not isinstance(value, list):
            return value
        inner = [self._lists(place, one) for one in value]
        return [*inner, *self._copies(place, [one for one in inner if isinstance(one, dict)])]

    def _spare(self, place: str, key: str, found: dict[str, Any]) -> dict[str, Any]:
        """Add a field beside one, for recorders write more than is read."""
        secret = self.secret(f"{place}.{key}_")
        return found if secret is None else {**found, f"{key}_": secret}

    def _copies(self, place: str, records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for record in records:
            kind = next((f"{record[key]}" for key in _KINDS if key in record), "")
            for path in _leaves(record):
                secret = self.secret(f"{place}[{kind}].{'.'.join(path)}")
                if secret is not None:
                    yield _with(record, path, secret)

    def _rows(self, place: str, rows: list[list[Any]]) -> list[list[Any]]:
        header, *others = rows
        added = []
        for at, name in enumerate(header):
            secret = self.secret(f"{place}.{name}") if others else None
            if secret is not None:
                added.append([*others[0][:at], secret, *others[0][at + 1 :]])
        return [*rows, *added]

    def _functions(self, entries: Any) -> Any:
        function, *rest = entries[0]
        added = []
        for at in range(len(function)):
            secret = self.secret(f"function[{at}]")
            if secret is not None and isinstance(function[at], str):
                added.append([[*function[:at], secret, *function[at + 1 :]], *rest])
        return [*entries, *added]

    def _messages(self, place: str, fields: list[Field]) -> list[Field]:
        found = []
        for one in fields:
            own = f"{place}/{one.key}"
            if isinstance(one.value, list):
                value = self._messages(own, one.value)
                found.append(Field(one.key, one.wire, value))
                for at, inner in enumerate(value):
                    secret = isinstance(inner.value, bytes) and self.secret(f"{own}/{inner.key}")
                    if secret:
                        changed = [*value[:at], Field(inner.key, 2, secret.encode())]
                        found.append(Field(one.key, one.wire, [*changed, *value[at + 1 :]]))
            else:
                found.append(one)
        return found


def _leaves(record: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give the paths of all values of an object."""
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key)


def _with(record: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    changed = deepcopy(record)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed
