"""The folder that the cache lies in: private, of limited size, what was not used for longest goes.

What cannot be done there, since the disk is full or the folder is somebody else's, is not done, and
nobody is told: the cache is there to save time, and nothing depends on it.
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

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The folder, in place of the one of the user's caches.
FOLDER_VARIABLE: Final = "NBPROF_CACHE_DIR"

#: Most bytes that all entries take together: of what disks and quotas of a home have, little.
LIMIT: Final = 4 * 1024**3

#: An entry may take this share of what is free on the disk.
SHARE_OF_FREE: Final = 0.25

#: What is being written has this ending. After so many seconds without a byte more, its writer was
#: killed.
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
        What it was read from, empty where that cannot be told.
    """

    path: Path
    bytes: int
    used: float
    key: dict[str, Any]


def root() -> Path:
    """Return the folder of the cache, whether it is there or not."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        # As `Path.absolute`, but a user who is not known is no error.
        return Path(os.path.expanduser(given)).absolute()  # noqa: PTH111
    import platformdirs

    return platformdirs.user_cache_path("nbprof", appauthor=False)


def folder() -> Path:
    """Return where the entries lie: a folder of their own, which nobody else may look into."""
    return root() / "traces"


def is_ours() -> bool:
    """Whether the folder of the entries is there and belongs to whoever runs this.

    A link does not count: in a folder that others may write to, it leads where they want.
    """
    try:
        status = folder().lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _is_mine(status)


def _is_mine(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def trouble() -> str:
    """Return why nothing is kept and what to do, in words; empty where nothing is in the way."""
    place = folder()
    advice = f"set {FOLDER_VARIABLE} to a folder of your own"
    if not place.is_absolute():
        return f"there is no home directory; {advice}"
    try:
        while not os.path.lexists(place):
            place = place.parent
        if place == folder() and not is_ours():
            return f"{place} is somebody else's, or no folder; {advice}"
        if not os.access(place, os.W_OK | os.X_OK):
            return f"{place} cannot be written to; {advice}"
    except OSError as error:
        return f"{place}: {error.strerror}; {advice}"
    return ""


def path_of(name: str) -> Path:
    """Return where an entry lies."""
    return folder() / f"{name}{_ENTRY}"


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open an entry for reading.

    Raises
    ------
    OSError
        It is not there, or somebody else put it there.
    """
    with path.open("rb", buffering=0) as file:
        if not _is_mine(os.fstat(file.fileno())):
            message = f"{path} belongs to somebody else"
            raise PermissionError(message)
        yield file


@contextmanager
def writing(name: str, size: int, limit: int = LIMIT) -> Iterator[IO[bytes]]:
    """Open a new entry for writing; it appears when all is written, or not at all.

    Room is made first: what was not used for longest goes.

    Parameters
    ----------
    name : str
        Of the entry.
    size : int
        About how many bytes it will take.
    limit : int
        Most bytes that all entries may take together.

    Raises
    ------
    OSError
        It cannot be written: the disk is full, the folder is not ours, it is larger than may be.
    """
    _make()
    clean()
    free = shutil.disk_usage(folder()).free
    if size > min(limit, free * SHARE_OF_FREE):
        message = f"{size} bytes are more than the cache may take"
        raise OSError(message)
    make_room(limit - size)
    prefix = f"{platform.node()}-{os.getpid()}-"
    # `mkstemp` makes files that only their owner may read.
    handle, part = tempfile.mkstemp(_PART, prefix, folder())
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(part).replace(path_of(name))
    finally:
        Path(part).unlink(missing_ok=True)
    make_room(limit)  # it may have become larger than was thought


def touch(path: Path) -> None:
    """Remember that an entry was used just now."""
    with suppress(OSError):
        os.utime(path)


def entries(*, with_keys: bool = False) -> list[Entry]:
    """Return the entries, what was used last first."""
    found = []
    for path in _files(_ENTRY):
        with suppress(OSError):
            status = path.stat()
            key = _key(path) if with_keys else {}
            found.append(Entry(path, status.st_size, status.st_mtime, key))
    return sorted(found, key=lambda entry: -entry.used)


def make_room(limit: int) -> None:
    """Remove what was not used for longest until all entries together take no more than this."""
    kept = 0
    for entry in entries():
        kept += entry.bytes
        if kept > limit:
            with suppress(OSError):
                entry.path.unlink()


def clear() -> list[Entry]:
    """Remove all entries, and what killed writers left, and return those that are gone."""
    gone = []
    for entry in entries():
        with suppress(OSError):
            entry.path.unlink()
            gone.append(entry)
    clean(everything=True)
    return gone


def clean(*, everything: bool = False) -> None:
    """Remove what killed writers left.

    Parameters
    ----------
    everything : bool
        Also what is being written; its writer then leaves it at that.
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
    if not is_ours():
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
    """Make the folder, for its owner alone."""
    if not root().is_absolute():
        message = "there is no home directory"
        raise FileNotFoundError(message)
    if not root().is_dir():
        root().mkdir(mode=0o700, parents=True, exist_ok=True)
    folder().mkdir(mode=0o700, exist_ok=True)
    if not is_ours():
        message = f"{folder()} belongs to somebody else"
        raise PermissionError(message)
    if folder().stat().st_mode & 0o077:
        folder().chmod(0o700)
