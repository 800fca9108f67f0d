"""File systems that are not the machine's own, all of them by fsspec.

``s3``, ``gs``, ``abfs`` and ``hdfs`` are those of `pyarrow.fs` behind fsspec's face, so that they
need no further package. Whatever goes wrong becomes an `OSError` whose text has no credentials in
it.
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

#: What pyarrow reads by itself; fsspec is asked where this build of it does not.
ARROW_SCHEMES: Final = frozenset({"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"})

#: What file systems call the things that change when a file does, the surest first.
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
        As the file system names it.
    is_dir : bool
        Whether it is a directory.
    bytes : int
        Size.
    version : int
        A number that changes when the file does, from its time or its etag; 0 where nothing tells.
    """

    path: str
    is_dir: bool
    bytes: int
    version: int


class Handle(Protocol):
    """An open file, read at any place."""

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to so many bytes from there on."""

    def close(self) -> None:
        """Close it."""


class Files:
    """A file system of fsspec, whose errors are readable."""

    def __init__(self, system: Any, url: str) -> None:
        self._system = system
        self._url = url

    def status(self, path: str) -> Status | None:
        """Return what is there, None if nothing is; never from what fsspec remembers."""
        try:
            with readable_errors(self._url):
                self._system.invalidate_cache(path)
                return _status(self._system.info(path))
        except FileNotFoundError:
            return None

    def below(self, folder: str) -> list[Status]:
        """Return all files in a directory and below."""
        with readable_errors(self._url):
            self._system.invalidate_cache()
            found = self._system.find(folder, detail=True)
        return [_status(info) for info in found.values()]

    def open(self, path: str) -> Handle:
        """Open a file."""
        return _Handle(self._system, path, self._url)


class _Handle:
    """Ranges of a file: an open file of fsspec would fetch megabytes around every one."""

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
            self._whole = piece  # a server that knows no ranges has sent everything
        return self._whole[offset : offset + size]

    def close(self) -> None:
        self._whole = None


def connect(url: str) -> tuple[Files, str]:
    """Return the file system that a URL names, and the path in it.

    Raises
    ------
    OSError
        There is no such file system here, or it cannot be reached.
    """
    with readable_errors(url):
        found = _arrow(url) if urls.scheme(url) in ARROW_SCHEMES and "::" not in url else None
        return found or _fsspec(url)


#: The same for a path that came from another process: there, every rank would connect anew.
connect_once = lru_cache(maxsize=64)(connect)


def _arrow(url: str) -> tuple[Files, str] | None:
    import pyarrow as pa
    from pyarrow import fs

    # Blanks and letters beyond ASCII may stand in names, but not in what pyarrow parses.
    address = quote(url, safe="%:/?#[]@!$&'()*+,;=~")
    try:
        system, path = fs.FileSystem.from_uri(address)
    except (pa.ArrowNotImplementedError, ImportError):  # built without it
        return None
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem" in str(error):  # older than its support for this one
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
    """Turn whatever is raised inside into an `OSError` of one line and without credentials."""
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
    told = [f"{key}={info[key]}" for key in _VERSION_KEYS if info.get(key) is not None]
    digest = hashlib.sha256("\n".join(told).encode()).digest()[:_VERSION_BYTES]
    version = int.from_bytes(digest, "big") if told else 0
    is_dir = info.get("type") == "directory"
    return Status(str(info["name"]), is_dir, int(info.get("size") or 0), version)
