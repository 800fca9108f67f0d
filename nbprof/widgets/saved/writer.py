"""What a view, or a page, keeps for when there is no Python: its bytes, written.

``js/src/core/saved/savedstate.ts`` reads them, and says what the entries are called.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAGIC: Final = b"NBPSNAP1"

#: Raised with every change that an older reader could not cope with.
VERSION: Final = 2

#: Parts begin at a multiple of so many bytes, as Arrow's readers need them.
_ALIGNED: Final = 8

#: Bytes that are kept free to say what is left out, of small saved states less.
_FOR_SENTENCES: Final = 3000

#: Parts shorter than this are not worth compressing.
_LEAST_BYTES: Final = 256


@dataclass(frozen=True)
class _Entry:
    """An entry as it would stand in the header, its parts as stored, and what all of it takes."""

    plain: dict[str, Any]
    places: list[list[int]]
    stored: list[bytes]
    takes: int


class StateWriter:
    """Collects entries, as far as they fit.

    Parameters
    ----------
    max_bytes : int
        What all of it may take.
    key : (str, str, int) or (str, str, int, str)
        Run, worker and span.
    nbprof : str
        The version that writes.
    filter : mapping, optional
        What the tables are narrowed to, as plain values. No range of the memory curve does.
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
        """Whether there is an entry of a name."""
        return name in self._header["entries"]

    @property
    def room(self) -> int:
        """Bytes that are left for entries."""
        return self._max_bytes - self._spent - self._for_sentences

    def add(self, name: str, about: Any = None, parts: Sequence[bytes] = ()) -> bool:
        """Take an entry in; tell whether it fits, and leave everything as it was where not.

        Parameters
        ----------
        name : str
            Of the names that the reader knows.
        about : plain value, optional
            Stands in the header, so it should be short.
        parts : sequence of bytes
            Arrow streams or text; compressed where that makes them shorter.
        """
        entry = self._laid_out(name, about, parts)
        if entry.takes > self.room:
            return False
        self._header["entries"][name] = entry.plain
        self._header["parts"] += entry.places
        self._parts += entry.stored
        self._size += sum(_up(len(part)) for part in entry.stored)
        self._spent += entry.takes
        return True

    def names(self) -> list[str]:
        """Return the names of the entries, in the order in which they came."""
        return list(self._header["entries"])

    def about(self, name: str) -> Any:
        """Return what stands in the header of an entry."""
        return self._header["entries"][name].get("about")

    def part(self, name: str) -> bytes:
        """Return the first part of an entry, as it was added."""
        number = self._header["entries"][name]["parts"][0]
        stored = self._parts[number]
        return zlib.decompress(stored) if self._header["parts"][number][2] else stored

    def taken(self, name: str, about: Any = None, parts: Sequence[bytes] = ()) -> int:
        """Return how many bytes an entry would take."""
        return self._laid_out(name, about, parts).takes

    def leave_out(self, sentence: str) -> None:
        """Say what is not inside, as long as there is room for words."""
        size = len(_json(sentence)) + 1
        if size > self._for_sentences + max(self.room, 0):
            return
        self._header["left_out"].append(sentence)
        self._for_sentences = max(0, self._for_sentences - size)
        self._spent += size

    def to_bytes(self) -> bytes:
        """Return everything, at most ``max_bytes``."""
        header = _json(self._header).encode()
        start = len(_MAGIC) + 4 + len(header)
        pieces = [_MAGIC, len(header).to_bytes(4, "little"), header, bytes(_up(start) - start)]
        for part in self._parts:
            pieces += [part, bytes(_up(len(part)) - len(part))]
        return b"".join(pieces)

    def _laid_out(self, name: str, about: Any, parts: Sequence[bytes]) -> _Entry:
        plain: dict[str, Any] = {} if about is None else {"about": about}
        if parts:
            first = len(self._parts)
            plain["parts"] = list(range(first, first + len(parts)))
        places, stored, end = [], [], self._size
        for part in parts:
            packed, inflated = _packed(part)
            places.append([end, len(packed), inflated])
            stored.append(packed)
            end += _up(len(packed))
        words = len(_json({name: plain})) + len(_json(places)) + _ALIGNED
        return _Entry(plain, places, stored, words + end - self._size)

    def _header_size(self) -> int:
        return len(_MAGIC) + 4 + len(_json(self._header)) + _ALIGNED


def _packed(part: bytes) -> tuple[bytes, int]:
    """Return a part as it is stored, and how long it was where that is compressed."""
    if len(part) >= _LEAST_BYTES:
        smaller = zlib.compress(part, 6)
        if len(smaller) < len(part):
            return smaller, len(part)
    return part, 0


def _up(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _json(value: Any) -> str:
    # ASCII, so that it is as long as it will be, and any path of a file can be written.
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
