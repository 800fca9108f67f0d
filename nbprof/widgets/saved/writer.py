"""`StateWriter`: encodes saved state as bytes, within a size limit.

``js/src/core/saved/savedstate.ts`` decodes them and documents the names of entries.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAGIC: Final = b"NBPSNAP1"

#: Incremented with every change that older readers could not handle.
VERSION: Final = 3

#: Alignment of parts in bytes, as Arrow's readers require.
_ALIGNED: Final = 8

#: Bytes reserved for sentences about what is left out; less for small saved states.
_FOR_SENTENCES: Final = 3000

#: Parts shorter than this are not worth compressing.
_LEAST_BYTES: Final = 256


@dataclass(frozen=True)
class _Entry:
    """An entry of the header, its parts as stored, and their total size."""

    plain: dict[str, Any]
    places: list[list[int]]
    stored: list[bytes]
    takes: int


class StateWriter:
    """Collects entries as long as they fit.

    Parameters
    ----------
    max_bytes : int
        Maximum size of the saved state.
    key : (str, str, int) or (str, str, int, str)
        Run, worker and span.
    nbprof : str
        Version of nbprof.
    filter : mapping, optional
        The filter of the tables, as plain values; it does not include the range of the memory
        curve.
    """

    def __init__(
        self,
        max_bytes: int,
        key: tuple[str | int, ...],
        nbprof: str,
        *,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the trait's name
    ) -> None:
        self._header: dict[str, Any] = {
            "version": VERSION,
            "nbprof": nbprof,
            "key": list(key),
            "filter": dict(filter or {}),
            "entries": {},
            "parts": [],
            "left_out": [],
            "limits": {"max_bytes": max_bytes},
        }
        #: The scripts of the views that have entries.
        self.scripts: list[str] = []
        self._parts: list[bytes] = []
        self._max_bytes = max_bytes
        self._size = 0
        self._spent = self._header_size()
        self._for_sentences = min(_FOR_SENTENCES, max_bytes // 8)

    def __contains__(self, name: str) -> bool:
        """Return whether there is an entry with a name."""
        return name in self._header["entries"]

    @property
    def room(self) -> int:
        """Bytes left for entries."""
        return self._max_bytes - self._spent - self._for_sentences

    def add(self, name: str, about: Any = None, parts: Sequence[bytes] = ()) -> bool:
        """Add an entry if it fits, and return whether it does.

        Parameters
        ----------
        name : str
            A name that the reader knows.
        about : plain value, optional
            Stored in the header, so it should be short.
        parts : sequence of bytes
            Arrow streams or text; compressed if that makes them shorter.
        """
        entry = self._entry(name, about, parts)
        if entry.takes > self.room:
            return False
        self._header["entries"][name] = entry.plain
        self._header["parts"] += entry.places
        self._parts += entry.stored
        self._size += sum(_aligned(len(part)) for part in entry.stored)
        self._spent += entry.takes
        return True

    def names(self) -> list[str]:
        """Return the names of the entries in the order of addition."""
        return list(self._header["entries"])

    def about(self, name: str) -> Any:
        """Return the value stored in the header for an entry."""
        return self._header["entries"][name].get("about")

    def part(self, name: str) -> bytes:
        """Return the first part of an entry, as it was added."""
        number = self._header["entries"][name]["parts"][0]
        stored = self._parts[number]
        return zlib.decompress(stored) if self._header["parts"][number][2] else stored

    def size_of(self, name: str, about: Any = None, parts: Sequence[bytes] = ()) -> int:
        """Return the size that an entry would have."""
        return self._entry(name, about, parts).takes

    def leave_out(self, sentence: str) -> None:
        """Add a sentence about what is missing, if it fits."""
        size = len(_json(sentence)) + 1
        if size > self._for_sentences + max(self.room, 0):
            return
        self._header["left_out"].append(sentence)
        self._for_sentences = max(0, self._for_sentences - size)
        self._spent += size

    def to_bytes(self) -> bytes:
        """Return the saved state, at most ``max_bytes`` long."""
        header = _json(self._header).encode()
        start = len(_MAGIC) + 4 + len(header)
        pieces = [_MAGIC, len(header).to_bytes(4, "little"), header, bytes(_aligned(start) - start)]
        for part in self._parts:
            pieces += [part, bytes(_aligned(len(part)) - len(part))]
        return b"".join(pieces)

    def _entry(self, name: str, about: Any, parts: Sequence[bytes]) -> _Entry:
        plain: dict[str, Any] = {} if about is None else {"about": about}
        if parts:
            first = len(self._parts)
            plain["parts"] = list(range(first, first + len(parts)))
        places, stored, end = [], [], self._size
        for part in parts:
            packed, inflated = _compressed(part)
            places.append([end, len(packed), inflated])
            stored.append(packed)
            end += _aligned(len(packed))
        words = len(_json({name: plain})) + len(_json(places)) + _ALIGNED
        return _Entry(plain, places, stored, words + end - self._size)

    def _header_size(self) -> int:
        return len(_MAGIC) + 4 + len(_json(self._header)) + _ALIGNED


def _compressed(part: bytes) -> tuple[bytes, int]:
    """Return a part as it is stored, and its length before compression, 0 if uncompressed."""
    if len(part) >= _LEAST_BYTES:
        smaller = zlib.compress(part, 6)
        if len(smaller) < len(part):
            return smaller, len(part)
    return part, 0


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _json(value: Any) -> str:
    # ASCII: the length is known, and any file path can be written.
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
