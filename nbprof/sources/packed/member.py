"""`ArchiveMember`: a file in a zip or tar archive, with those methods of `Path` that are needed."""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from nbprof.registry import resolved
from nbprof.sources.live.memory_file import MemoryStat

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.sources.files.remote import RemotePath

#: The method of files in a zip archive that are not compressed.
STORED: Final = 0


@dataclass(frozen=True)
class ArchiveMember:
    """A file in an archive; it is shown as ``archive.zip/folder/name``.

    Parameters
    ----------
    archive : Path or RemotePath
        The archive.
    inner : str
        Its path in the archive, with slashes.
    packing : str
        ``"zip"`` or ``"tar"``.
    place : int
        Where it begins in the archive: the header of a zip archive, the content of an unpacked tar
        archive.
    size : int
        Bytes of its content.
    packed : int
        Bytes that it takes in the archive.
    version : int
        The version of the archive.
    method : int
        How it is compressed in a zip archive.
    checksum : int
        The CRC-32 of its content in a zip archive.
    """

    archive: Path | RemotePath
    inner: str
    packing: str
    place: int = 0
    size: int = 0
    packed: int = 0
    version: int = 0
    method: int = STORED
    checksum: int = 0

    @property
    def name(self) -> str:
        """The last part of its path."""
        return PurePosixPath(self.inner).name

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return PurePosixPath(self.inner).stem

    def is_dir(self) -> bool:
        """Whether it is a directory: never."""
        return False

    def exists(self) -> bool:
        """Whether the archive exists."""
        return self.archive.exists()

    def samefile(self, other: object) -> bool:
        """Whether a path is that of the archive, which must not be written over either."""
        return self.archive.samefile(other)  # type: ignore[arg-type]

    def absolute(self) -> ArchiveMember:
        """Return it with the absolute path of the archive."""
        return replace(self, archive=self.archive.absolute())

    def resolve(self) -> ArchiveMember:
        """Return it with the resolved path of the archive."""
        return replace(self, archive=self.archive.resolve())

    def as_posix(self) -> str:
        """Return its path with slashes."""
        return f"{self.archive.as_posix()}/{self.inner}"

    def stat(self) -> MemoryStat:
        """Return its status: the size of its content, and the version of the archive."""
        return MemoryStat(stat.S_IFREG, self.size, self.archive.stat().st_mtime_ns)

    def open(self) -> Any:
        """Return it as an `OpenMember`; that module opens archives, which are files, too."""
        return resolved("nbprof.sources.packed.opened:OpenMember")(self)

    def __str__(self) -> str:
        return f"{self.archive}/{self.inner}"
