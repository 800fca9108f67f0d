"""The directory of the cache: private, limited in size, with least recently used entries evicted.

Failures, such as a full disk or a directory of another user, are ignored without a message: the
cache only saves time, and nothing depends on it.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from nbprof.sources.cache.file import CacheFileError, read_header
from nbprof.sources.output.leftovers import is_own

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Environment variable with the directory, instead of the one in the user's cache directory.
FOLDER_VARIABLE: Final = "NBPROF_CACHE_DIR"

#: Maximum size of all entries together, small compared with disks and quotas.
LIMIT: Final = 4 * 1024**3

#: Maximum size of an entry, as a share of the free disk space.
SHARE_OF_FREE: Final = 0.25

#: Suffix of entries that are being written. One that has not grown for so many seconds is
#: abandoned: its writer was killed.
_PART: Final = ".part"
_ENTRY: Final = ".arrow"
_PATIENCE_S: Final = 3600


@dataclass(frozen=True)
class Entry:
    """One file of the cache.

    Attributes
    ----------
    path : Path
        The file.
    bytes : int
        Its size.
    used : float
        When it was last used, in seconds since 1970.
    key : dict
        The key of the entry, empty if it cannot be read.
    """

    path: Path
    bytes: int
    used: float
    key: dict[str, Any]


def root() -> Path:
    """Return the directory of the cache, whether it exists or not."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        # As `Path.absolute`, but an unknown user is not an error.
        return Path(os.path.expanduser(given)).absolute()  # noqa: PTH111
    import platformdirs

    return platformdirs.user_cache_path("nbprof", appauthor=False)


def folder() -> Path:
    """Return the directory of the entries, which only its owner may read."""
    return root() / "traces"


def belongs_to_user() -> bool:
    """Whether the directory of the entries exists and belongs to the current user.

    A link does not count: where others may write, it could lead anywhere.
    """
    try:
        status = folder().lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and is_own(status)


def problem() -> str:
    """Return why the cache cannot be used, and what to do; empty if it can."""
    place = folder()
    advice = f"set {FOLDER_VARIABLE} to a folder of your own"
    if not place.is_absolute():
        return f"there is no home directory; {advice}"
    try:
        while not os.path.lexists(place):
            place = place.parent
        if place == folder() and not belongs_to_user():
            return f"{place} belongs to another user or is not a folder; {advice}"
        if not os.access(place, os.W_OK | os.X_OK):
            return f"{place} cannot be written to; {advice}"
    except OSError as error:
        return f"{place}: {error.strerror}; {advice}"
    return ""


def path_of(name: str) -> Path:
    """Return the path of an entry."""
    return folder() / f"{name}{_ENTRY}"


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open an entry for reading.

    Raises
    ------
    OSError
        It does not exist, or belongs to another user.
    """
    with path.open("rb", buffering=0) as file:
        if not is_own(os.fstat(file.fileno())):
            message = f"{path} belongs to another user"
            raise PermissionError(message)
        yield file


@contextmanager
def writing(name: str, size: int, limit: int = LIMIT) -> Iterator[IO[bytes]]:
    """Open a new entry for writing; it appears when it is complete, or not at all.

    Least recently used entries are evicted first to make room.

    Parameters
    ----------
    name : str
        Name of the entry.
    size : int
        Approximate size in bytes.
    limit : int
        Maximum size of all entries together, in bytes.

    Raises
    ------
    OSError
        It cannot be written: the disk is full, the directory belongs to another user, or the entry
        is too large.
    """
    _make()
    clean()
    free = shutil.disk_usage(folder()).free
    if size > min(limit, free * SHARE_OF_FREE):
        message = f"{size} bytes exceed the limit of the cache"
        raise OSError(message)
    make_room(limit - size)
    prefix = f"{platform.node()}-{os.getpid()}-"
    # `mkstemp` creates files that only their owner may read.
    handle, part = tempfile.mkstemp(_PART, prefix, folder())
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(part).replace(path_of(name))
    finally:
        Path(part).unlink(missing_ok=True)
    make_room(limit)  # it may be larger than estimated


def touch(path: Path) -> None:
    """Mark an entry as used now."""
    with suppress(OSError):
        os.utime(path)


def entries(*, with_keys: bool = False) -> list[Entry]:
    """Return the entries, most recently used first."""
    found = []
    for path in _files(_ENTRY):
        with suppress(OSError):
            status = path.stat()
            key = _key(path) if with_keys else {}
            found.append(Entry(path, status.st_size, status.st_mtime, key))
    return sorted(found, key=lambda entry: -entry.used)


def make_room(limit: int) -> None:
    """Evict least recently used entries until all entries together fit into a limit."""
    kept = 0
    for entry in entries():
        kept += entry.bytes
        if kept > limit:
            with suppress(OSError):
                entry.path.unlink()


def clear() -> list[Entry]:
    """Remove all entries and abandoned files, and return the removed entries."""
    gone = []
    for entry in entries():
        with suppress(OSError):
            entry.path.unlink()
            gone.append(entry)
    clean(everything=True)
    return gone


def clean(*, everything: bool = False) -> None:
    """Remove files that killed writers left.

    Parameters
    ----------
    everything : bool
        Also remove files that are being written; their writers then give up.
    """
    for path in _files(_PART):
        with suppress(OSError):
            if everything or _is_left_over(path):
                path.unlink()


def _is_left_over(path: Path) -> bool:
    if time.time() - path.stat().st_mtime > _PATIENCE_S:
        return True
    host, _, rest = path.name.removesuffix(_PART).partition(f"{platform.node()}-")
    pid = rest.partition("-")[0]
    return not host and pid.isdecimal() and not _is_alive(int(pid))


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _files(suffix: str) -> list[Path]:
    if not belongs_to_user():
        return []
    try:
        return [path for path in folder().iterdir() if path.suffix == suffix]
    except OSError:
        return []


def _key(path: Path) -> dict[str, Any]:
    try:
        with opened(path) as file:
            key: dict[str, Any] = read_header(file)["key"]
    except (OSError, CacheFileError, LookupError, TypeError):
        return {}
    return key


def _make() -> None:
    """Create the directory, readable only for its owner."""
    if not root().is_absolute():
        message = "there is no home directory"
        raise FileNotFoundError(message)
    if not root().is_dir():
        root().mkdir(mode=0o700, parents=True, exist_ok=True)
    folder().mkdir(mode=0o700, exist_ok=True)
    if not belongs_to_user():
        message = f"{folder()} belongs to another user"
        raise PermissionError(message)
    if folder().stat().st_mode & 0o077:
        folder().chmod(0o700)
