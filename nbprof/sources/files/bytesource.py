"""`ByteSource`: reads a plain or compressed file sequentially, tolerant of damaged compression."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from nbprof.sources.files.opening import open_binary, size_and_version
from nbprof.sources.limits.unpacking import over_budget, unpacking_budget
from nbprof.sources.packed.streams import MAGIC_BYTES, PackedStream, packing_of

if TYPE_CHECKING:
    import os

    from nbprof.sources.files.opening import AnyFile

#: Decompressed bytes per read when skipping.
SKIPPED: Final = 1 << 20


class ByteSource:
    """Reads a plain or compressed file sequentially, and never raises on damaged compression.

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

    def __init__(self, path: str | os.PathLike[str] | AnyFile) -> None:
        self._file, self.stamp = open_binary(path)
        self.total = self.stamp[0]
        self.done = 0
        self.position = 0
        self.damage = ""
        self._stream: PackedStream | None = None
        try:
            self._start = self._file.read(MAGIC_BYTES) or b""
            if packing := packing_of(self._start):
                self._stream = PackedStream(packing, self._fetch, self._rewind)
        except OSError:
            self._file.close()
            raise
        #: Bytes that the file takes in the archive that it belongs to, if it does.
        inside: int | None = getattr(self._file, "packed", None)
        self._unpacked = 0
        self._packed = self.total if inside is None else inside
        self._budget = unpacking_budget(self._packed)
        #: Whether the end of the content cannot be read alone.
        self.packed: Final = self._stream is not None or inside is not None

    @property
    def packing(self) -> str:
        """The name of the compressed format or archive; empty for other files."""
        name: str = self._stream.name if self._stream else getattr(self._file, "packing", "")
        return name

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
            piece = self._fetch(missing) if self._stream is None else self._unpack(missing)
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
            self._start = b""
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
        piece: bytes = self._start[:size] or self._file.read(size) or b""
        self._start = self._start[size:]
        self.done = min(self.done + len(piece), self.total)
        if not piece:  # of an archive, the rest cannot be read
            self.damage = self.damage or getattr(self._file, "damage", "")
        return piece

    def _rewind(self) -> None:
        self._file.seek(0)
        self._start = b""

    def _unpack(self, size: int) -> bytes:
        """Return up to `size` decompressed bytes; none at the end, at damage or over budget."""
        room = self._budget - self._unpacked
        if self._stream is None or room < 0:
            return b""
        piece = self._stream.read(min(size, room + 1))
        self._unpacked += len(piece)
        if len(piece) > room:
            self.damage = over_budget(self._packed, self._budget, self._stream.name)
            return piece[:room]
        self.damage = self.damage or self._stream.damage
        return piece
