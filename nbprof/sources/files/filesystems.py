"""Connects to remote file systems through fsspec.

``s3``, ``gs``, ``abfs`` and ``hdfs`` use the file systems of `pyarrow.fs` through fsspec's
interface, so they need no further package. Every failure becomes an `OSError` whose message
contains no credentials.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from urllib.parse import quote

from nbprof.sources.files import urls

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Schemes that pyarrow reads; fsspec is used where this build of pyarrow lacks one.
ARROW_SCHEMES: Final = frozenset({"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"})

#: Names under which file systems report the version of a file, most reliable first.
_VERSION_KEYS: Final = (
    "ETag", "etag", "checksum", "content_hash", "md5", "md5Hash", "generation",
    "LastModified", "last_modified", "mtime", "modified", "updated", "Last-Modified", "created",
)  # fmt: skip

_VERSION_BYTES: Final = 7  # fits a signed 64-bit number


class Status(NamedTuple):
    """One file or directory.

    Attributes
    ----------
    path : str
        Path within the file system.
    is_dir : bool
        Whether it is a directory.
    bytes : int
        Size.
    version : int
        A number that changes with the file, from its modification time or etag; 0 if unknown.
    """

    path: str
    is_dir: bool
    bytes: int
    version: int


class Handle(Protocol):
    """An open file that can be read at any position."""

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes from a position."""

    def close(self) -> None:
        """Close it."""


class Files:
    """An fsspec file system that raises readable errors."""

    def __init__(self, system: Any, url: str) -> None:
        self._system = system
        self._url = url

    def status(self, path: str) -> Status | None:
        """Return the status of a path, None if nothing is there; bypasses fsspec's cache."""
        try:
            with readable_errors(self._url):
                self._system.invalidate_cache(path)
                return _status(self._system.info(path))
        except FileNotFoundError:
            return None

    def below(self, folder: str) -> list[Status]:
        """Return all files below a directory."""
        with readable_errors(self._url):
            self._system.invalidate_cache()
            entries = self._system.find(folder, detail=True)
        return [_status(info) for info in entries.values()]

    def open(self, path: str) -> Handle:
        """Open a file."""
        return _Handle(self._system, path, self._url)


class _Handle:
    """Reads ranges of a file; open files of fsspec would fetch megabytes around each range."""

    def __init__(self, system: Any, path: str, url: str) -> None:
        self._system = system
        self._path = path
        self._url = url
        self._whole: bytes | None = None

    def read_at(self, offset: int, size: int) -> bytes:
        if self._whole is None:
            with readable_errors(self._url):
                piece: bytes = self._system.cat_file(self._path, start=offset, end=offset + size)
            if len(piece) <= size:
                return piece
            self._whole = piece  # a server without support for ranges has sent the whole file
        return self._whole[offset : offset + size]

    def close(self) -> None:
        self._whole = None


def connect(url: str) -> tuple[Files, str]:
    """Return the file system that a URL names, and the path in it.

    Raises
    ------
    OSError
        The file system is not supported or cannot be reached.
    """
    with readable_errors(url):
        system = _arrow(url) if urls.scheme(url) in ARROW_SCHEMES and "::" not in url else None
        return system or _fsspec(url)


#: The same, cached, for paths unpickled in another process, where every rank would connect again.
connect_once = lru_cache(maxsize=64)(connect)


def _arrow(url: str) -> tuple[Files, str] | None:
    import pyarrow as pa
    from pyarrow import fs

    # Names may contain spaces and non-ASCII characters, but URLs that pyarrow parses may not.
    address = quote(url, safe="%:/?#[]@!$&'()*+,;=~")
    try:
        system, path = fs.FileSystem.from_uri(address)
    except (pa.ArrowNotImplementedError, ImportError):  # pyarrow was built without it
        return None
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem" in str(error):  # this pyarrow is too old for it
            return None
        raise
    from nbprof.sources.files.arrow_system import ArrowSystem

    return Files(ArrowSystem(system), url), path


def _fsspec(url: str) -> tuple[Files, str]:
    from fsspec.core import url_to_fs

    system, path = url_to_fs(url)
    return Files(system, url), path


@contextmanager
def readable_errors(url: str) -> Iterator[None]:
    """Convert any exception raised inside to a one-line `OSError` without credentials."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(_reason(error, url)) from None
    except Exception as error:  # noqa: BLE001 - every client library has errors of its own
        raise OSError(_reason(error, url)) from None


def _reason(error: Exception, url: str) -> str:
    lines = str(error).strip().splitlines()
    text = urls.without_secrets(lines[0], url) if lines else ""
    return text or type(error).__name__


def _status(info: dict[str, Any]) -> Status:
    stamps = [f"{key}={info[key]}" for key in _VERSION_KEYS if info.get(key) is not None]
    digest = hashlib.sha256("\n".join(stamps).encode()).digest()[:_VERSION_BYTES]
    version = int.from_bytes(digest, "big") if stamps else 0
    is_dir = info.get("type") == "directory"
    return Status(str(info["name"]), is_dir, int(info.get("size") or 0), version)
