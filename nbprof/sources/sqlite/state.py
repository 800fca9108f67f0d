"""Recognises SQLite databases, and says why one cannot be read: cut off, or still changing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.model.units import format_bytes
from nbprof.sources.files.bytesource import ByteSource

if TYPE_CHECKING:
    from nbprof.sources.files.opening import AnyFile

#: The first bytes of every SQLite 3 database.
MAGIC: Final = b"SQLite format 3\x00"

#: Suffixes of files with content that the database does not have yet.
_UNFINISHED: Final = {
    "-wal": "it is still open in another program, or was not closed: some of its content is in the"
    " write-ahead log",
    "-journal": "a change of it was not completed: the rollback journal is",
}

_HEADER: Final = 100  # bytes
_PAGE_SIZE, _CHANGES, _PAGES, _PAGES_AS_OF = 16, 24, 28, 92
_LARGEST_PAGE: Final = 65536


def is_database(text: bytes) -> bool:
    """Whether a file is a SQLite database, by its first bytes."""
    return text.startswith(MAGIC)


def problem_of(path: AnyFile, text: bytes, size: int) -> str:
    """Return why a database cannot be read as it is; empty if it can.

    Parameters
    ----------
    path : Path or RemotePath
        The file; only beside local ones unfinished changes are looked for.
    text : bytes
        Its first bytes.
    size : int
        Its size in bytes, uncompressed; 0 if unknown.
    """
    if len(text) < _HEADER:
        return f"the SQLite database ends after {format_bytes(len(text))}: it is incomplete"
    announced = _announced_size(text)
    if 0 < size < announced:
        return (
            f"the SQLite database is incomplete: it has {format_bytes(size)} of the"
            f" {format_bytes(announced)} that its header announces; copy or export it again"
        )
    if isinstance(path, Path):
        for suffix, what in _UNFINISHED.items():
            beside = path.with_name(path.name + suffix)
            if beside.exists() and beside.stat().st_size:
                return (
                    f"{what} {beside.name}; wait until the export is complete, or open and close"
                    f" the file once with the program sqlite3"
                )
    return ""


def is_whole(path: AnyFile) -> bool:
    """Return whether a database certainly has all its pages and no unfinished changes."""
    try:
        with ByteSource(path) as source:
            text, size = source.read(_HEADER), source.total
            known = not source.packed and is_database(text)
    except OSError:
        return False
    return known and not problem_of(path, text, size) and _announced_size(text) > 0


def _announced_size(text: bytes) -> int:
    """Return the bytes of all pages; 0 if an old program wrote the header, which may be wrong."""
    page_size = int.from_bytes(text[_PAGE_SIZE : _PAGE_SIZE + 2], "big")
    page_size = _LARGEST_PAGE if page_size == 1 else page_size
    if text[_CHANGES : _CHANGES + 4] != text[_PAGES_AS_OF : _PAGES_AS_OF + 4]:
        return 0
    return page_size * int.from_bytes(text[_PAGES : _PAGES + 4], "big")
