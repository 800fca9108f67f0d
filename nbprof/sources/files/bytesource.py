"""`ByteSource`: reads a plain or gzipped file sequentially, tolerant of damaged compression."""

from __future__ import annotations

import contextlib
import io
import zlib
from typing import TYPE_CHECKING, Any

from isal import igzip_lib, isal_zlib

from nbprof.sources.files.opening import open_binary, size_and_version
from nbprof.sources.limits.unpacking import over_budget, unpacking_budget

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from nbprof.sources.files.remote import RemotePath
    from nbprof.sources.live.memory_file import MemoryFile

GZIP_MAGIC = b"\x1f\x8b"

_PackingError: Any = igzip_lib.IsalError

#: Compressed bytes per read.
PACKED_PIECE = 1 << 18

#: The same when a damaged file is decompressed again to recover as much as possible.
RESCUE_PIECE = 1 << 14

#: Decompressed bytes per read when skipping.
SKIPPED = 1 << 20

#: zlib's number for "with a gzip header".
GZIP_WINDOW_BITS = 31


class ByteSource:
    """Reads a plain or gzipped file sequentially, and never raises on damaged compression.

    Attributes
    ----------
    stamp : (int, int)
        Size and version of the file when it was opened.
    total : int
        Size of the file on disk, in bytes.
    done : int
        Number of those bytes read so far.
    position : int
        Number of decompressed bytes returned so far.
    damage : str
        Why decompression stopped before the end of the file; empty if it did not. `read` has
        returned everything up to that point.
    """

    def __init__(self, path: str | os.PathLike[str] | RemotePath | MemoryFile) -> None:
        self._file, self.stamp = open_binary(path)
        try:
            magic = self._file.read(2)
            self._file.seek(0)
        except OSError:
            self._file.close()
            raise
        self.total = self.stamp[0]
        self.done = 0
        self.position = 0
        self.damage = ""
        self._unpacker: Any = _unpacker() if magic == GZIP_MAGIC else None
        self._packed = b""
        self._unpacked = 0
        self._budget = unpacking_budget(self.total)
        self._members = 1
        self._rest: Iterator[bytes] = iter(())

    @property
    def packed(self) -> bool:
        """Whether the file is gzip."""
        return self._unpacker is not None

    @property
    def slow(self) -> bool:
        """Whether reads are slow, because they decompress or fetch data."""
        return self.packed or not isinstance(self._file, io.FileIO)

    @property
    def changed(self) -> bool:
        """Whether the file has been written to since it was opened."""
        return size_and_version(self._file) != self.stamp

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes of content; fewer only at the end."""
        pieces = []
        missing = size
        while missing > 0:
            piece = self._unpack(missing) if self.packed else self._fetch(missing)
            if not piece:
                break
            pieces.append(piece)
            missing -= len(piece)
        self.position += size - missing
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def skip_to(self, position: int) -> bool:
        """Skip to a position in the content; return whether the content extends that far."""
        if not self.packed:
            self._file.seek(position)
            self.position = self.done = min(position, self.total)
        while self.position < position and self.read(min(SKIPPED, position - self.position)):
            pass
        return self.position == position

    def last(self, size: int) -> bytes:
        """Return the last `size` bytes of the file as stored, without changing the position."""
        here = self._file.tell()
        self._file.seek(max(0, self.total - size))
        end = self._file.read(size) or b""
        self._file.seek(here)
        return end

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> ByteSource:  # noqa: PYI034 - typing.Self is newer than 3.10
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _fetch(self, size: int) -> bytes:
        piece = self._file.read(size) or b""
        self.done += len(piece)
        return piece

    def _unpack(self, size: int) -> bytes:
        """Return up to `size` decompressed bytes; none at the end or at damage."""
        while not self.damage:
            if self._unpacker.eof:
                # A gzip file may consist of several members; zeros may pad the last one.
                self._packed = self._unpacker.unused_data.lstrip(b"\0") or self._packed
                self._packed = self._packed or self._fetch(PACKED_PIECE).lstrip(b"\0")
                if not self._packed:
                    return b""
                if not self._packed.startswith(GZIP_MAGIC[:1]):
                    self.damage = "bytes after the end of the gzip data"
                    return b""
                self._unpacker = _unpacker()
                self._members += 1
            packed = self._packed or self._fetch(PACKED_PIECE)
            if not packed:
                self.damage = "the gzip data ends too early"
                return b""
            room = self._budget - self._unpacked
            try:
                piece: bytes = self._unpacker.decompress(packed, min(size, room + 1))
            except (_PackingError, EOFError, ValueError) as error:
                self.damage = f"the gzip data is damaged ({error})"
                if self._members == 1:
                    self._rest = self._recover()
                break
            self._unpacked += len(piece)
            if len(piece) > room:
                self.damage = over_budget(self.total, self._budget)
                return piece[:room]
            self._packed = b"" if self._unpacker.eof else self._unpacker.unconsumed_tail
            if piece:
                return piece
        return next(self._rest, b"")

    def _recover(self) -> Iterator[bytes]:
        """Decompress again in small steps, to recover bytes between the last output and damage."""
        self._file.seek(0)
        skip = self._unpacked
        unpacker = zlib.decompressobj(GZIP_WINDOW_BITS)
        while packed := self._file.read(RESCUE_PIECE):
            before = unpacker.copy()
            try:
                piece = unpacker.decompress(packed)
            except zlib.error:
                piece = _bytewise(before, packed)
                packed = b""
            fresh = piece[skip:]
            skip = max(0, skip - len(piece))
            if fresh:
                yield fresh
            if not packed or unpacker.eof:
                return


def _bytewise(unpacker: Any, packed: bytes) -> bytes:
    """Return the bytes that can be decompressed before an error."""
    pieces = []
    with contextlib.suppress(zlib.error):
        for at in range(len(packed)):
            pieces.append(unpacker.decompress(packed[at : at + 1]))  # noqa: PERF401 - until it fails
    return b"".join(pieces)


def _unpacker() -> Any:
    return isal_zlib.decompressobj(wbits=GZIP_WINDOW_BITS)
