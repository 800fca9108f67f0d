"""`MemoryFile`: a file that exists only in memory, with those methods of `Path` that are needed."""

from __future__ import annotations

import io
import itertools
import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from isal import igzip

if TYPE_CHECKING:
    from collections.abc import Callable

#: Fast, and a tenth of the size for JSON.
_LEVEL: Final = 1

_versions = itertools.count(1)


class MemoryStat(NamedTuple):
    """Status of a file in memory, with the attribute names of `os.stat_result`."""

    st_mode: int
    st_size: int
    st_mtime_ns: int


class MemoryFile:
    """The content of a file, kept compressed.

    Parameters
    ----------
    name : str
        Name of the file; recorders recognise files by it and name workers after it.
    content : bytes
        What the file would contain.
    run : str
        Name of the run that it belongs to.

    Attributes
    ----------
    size : int
        Bytes of the content, uncompressed.

    Examples
    --------
    >>> from nbprof.sources.live.memory_file import MemoryFile
    >>> file = MemoryFile("worker0.pt.trace.json", b'{"traceEvents": []}', run="live")
    >>> file.content()
    b'{"traceEvents": []}'
    """

    def __init__(self, name: str, content: bytes, *, run: str) -> None:
        self.name = name
        self.run = run
        self.size = len(content)
        self._packed = igzip.compress(content, _LEVEL)
        self._version = next(_versions)

    def content(self) -> bytes:
        """Return what the file contains."""
        unpack: Callable[[bytes], bytes] = igzip.decompress
        return unpack(self._packed)

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return PurePosixPath(self.name).stem

    def is_dir(self) -> bool:
        """Whether it is a directory: never."""
        return False

    def exists(self) -> bool:
        """Whether it exists: always."""
        return True

    def samefile(self, _other: object) -> bool:
        """Whether it is a file on disk: never."""
        return False

    def absolute(self) -> MemoryFile:
        """Return the file unchanged."""
        return self

    def resolve(self) -> MemoryFile:
        """Return the file unchanged."""
        return self

    def as_posix(self) -> str:
        """Return its name."""
        return self.name

    def stat(self) -> MemoryStat:
        """Return its status; the size is that of the content."""
        return MemoryStat(stat.S_IFREG, self.size, self._version)

    def open(self) -> OpenMemoryFile:
        """Open it for reading; what is read is the compressed content."""
        return OpenMemoryFile(self._packed, self._version)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"MemoryFile({self.name!r})"


class OpenMemoryFile(io.BytesIO):
    """An open file in memory.

    Attributes
    ----------
    opened : (int, int)
        Size and version of what is read.
    """

    def __init__(self, content: bytes, version: int) -> None:
        super().__init__(content)
        self.opened = len(content), version

    def status(self) -> tuple[int, int]:
        """Return the size and version, which never change."""
        return self.opened
