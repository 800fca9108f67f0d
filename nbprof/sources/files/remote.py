"""`RemotePath`: a remote file, with the methods of `pathlib.Path` that reading needs."""

from __future__ import annotations

import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from nbprof.sources.files.filesystems import Status, connect_once
from nbprof.sources.files.remote_file import RemoteFile

if TYPE_CHECKING:
    from nbprof.sources.files.filesystems import Files


class RemoteStat(NamedTuple):
    """Status of a remote file, with the attribute names of `os.stat_result`."""

    st_mode: int
    st_size: int
    st_mtime_ns: int


class RemotePath:
    """A remote file or directory. Its texts omit credentials; pickling keeps them.

    Parameters
    ----------
    url : str
        URL of the file system.
    status : Status
        Path within the file system, and its status when it was found.
    shown : str
        Its URL without credentials.
    files : Files, optional
        The file system, if already connected.
    """

    def __init__(self, url: str, status: Status, shown: str, files: Files | None = None) -> None:
        self._url = url
        self._shown = shown
        self._files = files
        self.listed = status

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self._shown).name

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return PurePosixPath(self._shown).stem

    @property
    def folder(self) -> PurePosixPath:
        """The path itself if it is a directory, else its directory; only for comparing names."""
        path = PurePosixPath(self._shown)
        return path if self.listed.is_dir else path.parent

    @property
    def parent(self) -> RemotePath:
        """The directory that contains the path, without status."""
        above = Status(str(PurePosixPath(self.listed.path).parent), True, 0, 0)  # noqa: FBT003
        return RemotePath(self._url, above, self._shown.rpartition("/")[0], self._files)

    def folder_in(self, name: str) -> RemotePath:
        """Return a directory in this one, without status."""
        inside = Status(f"{self.listed.path.rstrip('/')}/{name}", True, 0, 0)  # noqa: FBT003
        return self._child(inside)

    @property
    def files(self) -> Files:
        """The file system."""
        if self._files is None:
            self._files = connect_once(self._url)[0]
        return self._files

    def is_dir(self) -> bool:
        """Whether it is a directory."""
        return self.listed.is_dir

    def exists(self) -> bool:
        """Whether it exists now."""
        return self.files.status(self.listed.path) is not None

    def samefile(self, _other: object) -> bool:
        """Whether it is a given local file: never."""
        return False

    def absolute(self) -> RemotePath:
        """Return the path unchanged."""
        return self

    def resolve(self) -> RemotePath:
        """Return the path unchanged."""
        return self

    def as_posix(self) -> str:
        """Return the URL without credentials."""
        return self._shown

    def stat(self) -> RemoteStat:
        """Request the current status.

        Raises
        ------
        OSError
            It does not exist or cannot be reached.
        """
        now = self.files.status(self.listed.path)
        if now is None:
            message = "there is no such file"
            raise FileNotFoundError(message)
        return _stat(now)

    def listed_stat(self) -> RemoteStat:
        """Return the status from when it was found, without a request."""
        return _stat(self.listed)

    def below(self) -> list[RemotePath]:
        """Return all files below the directory."""
        return [self._child(status) for status in self.files.below(self.listed.path)]

    def open(self) -> RemoteFile:
        """Open it for reading."""
        return RemoteFile(self._size_and_version, lambda: self.files.open(self.listed.path))

    def _size_and_version(self) -> tuple[int, int]:
        now = self.stat()
        return now.st_size, now.st_mtime_ns

    def _child(self, status: Status) -> RemotePath:
        relative = status.path[len(self.listed.path) :].lstrip("/")
        return RemotePath(self._url, status, f"{self._shown}/{relative}", self._files)

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return f"RemotePath({self._shown!r})"

    def __hash__(self) -> int:
        return hash((self._url, self.listed.path))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RemotePath):
            return NotImplemented
        return (self._url, self.listed.path) == (other._url, other.listed.path)

    def __reduce__(self) -> tuple[Any, ...]:
        # Connections are not pickled; each process opens its own.
        return RemotePath, (self._url, self.listed, self._shown)


def _stat(status: Status) -> RemoteStat:
    kind = stat.S_IFDIR if status.is_dir else stat.S_IFREG
    return RemoteStat(kind, status.bytes, status.version)
