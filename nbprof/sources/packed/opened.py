"""`OpenMember`: an open file in a zip or tar archive."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.limits.unpacking import over_budget, unpacking_budget
from nbprof.sources.packed.member import STORED
from nbprof.sources.packed.streams import ZIP_METHODS, PackedStream

if TYPE_CHECKING:
    from nbprof.sources.packed.member import ArchiveMember

_ZIP_HEADER: Final = 30  # bytes
_ZIP_MARK: Final = b"PK\x03\x04"
_NAME_LENGTH: Final = slice(26, 28)
_EXTRA_LENGTH: Final = slice(28, 30)


class OpenMember:
    """An open file in an archive, to be read from its beginning.

    Parameters
    ----------
    member : ArchiveMember
        The file.

    Attributes
    ----------
    opened : (int, int)
        Size of the content, and version of the archive.
    packed : int
        Bytes that it takes in the archive.
    packing : str
        The kind of archive.
    damage : str
        Why the rest cannot be read; empty if all was read, or nothing was.

    Raises
    ------
    OSError
        The archive is gone, has changed, or is damaged at this place.
    """

    def __init__(self, member: ArchiveMember) -> None:
        self._member = member
        self._source = ByteSource(member.archive)
        self.packed, self.packing = member.packed, member.packing
        self.opened = member.size, self._source.stamp[1]
        self.damage = ""
        self._checksum = self._left = self._left_packed = self._content = 0
        self._stream: PackedStream | None = None
        try:
            self._check()
            self._begin()
        except OSError:
            self.close()
            raise

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes of content; none at the end or at damage."""
        size = min(size, self._left)
        if size <= 0 or self.damage:
            return b""
        piece = self._stored(size) if self._stream is None else self._stream.read(size)
        self._left -= len(piece)
        self._checksum = zlib.crc32(piece, self._checksum)
        self.damage = self._problem_after(piece)
        return piece

    def seek(self, _beginning: int) -> None:
        """Go back to the beginning, the only place that it can go to."""
        self._begin()

    def status(self) -> tuple[int, int]:
        """Return the current size and version; another one if the archive has changed."""
        return (-1, -1) if self._source.changed else self.opened

    def close(self) -> None:
        """Close the archive."""
        self._source.close()

    def _check(self) -> None:
        """Raise an error if the archive is no longer the one that was listed."""
        if self._member.version != self._source.stamp[1]:
            message = "the archive has changed since it was listed"
            raise OSError(message)

    def _begin(self) -> None:
        """Go to the beginning of the content."""
        member = self._member
        self.damage = ""
        self._checksum = 0
        self._left = min(member.size, unpacking_budget(member.packed))
        self._left_packed = member.size if member.method == STORED else member.packed
        self._stream = None
        if self._source.position > member.place and self._source.packed:
            self._source.close()
            self._source = ByteSource(member.archive)
            self._check()
        reached = self._source.skip_to(member.place)
        if reached and self.packing == "zip":
            header = self._source.read(_ZIP_HEADER)
            lengths = header[_NAME_LENGTH], header[_EXTRA_LENGTH]
            skipped = sum(int.from_bytes(one, "little") for one in lengths)
            reached = header.startswith(_ZIP_MARK) and len(header) == _ZIP_HEADER
            reached = reached and self._source.skip_to(self._source.position + skipped)
            if member.method != STORED:
                self._stream = PackedStream(ZIP_METHODS[member.method], self._stored, self._restart)
        if not reached:
            message = self._source.damage or f"the {self.packing} archive is damaged"
            raise OSError(message)
        self._content = self._source.position

    def _stored(self, size: int) -> bytes:
        """Return the next bytes as they are in the archive."""
        piece = self._source.read(min(size, self._left_packed))
        self._left_packed -= len(piece)
        return piece

    def _restart(self) -> None:
        """Go back to the beginning of the data that are decompressed."""
        self._source.skip_to(self._content)
        self._left_packed = self._member.packed

    def _problem_after(self, piece: bytes) -> str:
        """Return why the rest cannot be read, or why what was read is wrong."""
        member = self._member
        if not piece or (self._stream is not None and self._stream.damage):
            damage = self._stream.damage if self._stream else self._source.damage
            return damage or f"the {self.packing} data ends too early"
        if self._left:
            return ""
        budget = unpacking_budget(member.packed)
        if member.size > budget:
            return over_budget(member.packed, budget, self.packing)
        if self.packing == "zip" and self._checksum != member.checksum:
            return "the zip data is damaged (its check sum is another)"
        return ""
