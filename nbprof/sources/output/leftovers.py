"""Names, locks and removal of the temporary files that killed writers leave."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

#: Where files cannot be locked, one that has not grown for so many seconds is abandoned.
_PATIENCE_S: Final = 3600

_SUFFIX: Final = ".part"


def new_name(target: str) -> str:
    """Return a name for a temporary file that nobody can guess, and that tells its target.

    Its length does not depend on that of the target's name, which may be as long as the file system
    allows.
    """
    return f"{_prefix(target)}{secrets.token_hex(8)}{_SUFFIX}"


def _prefix(target: str) -> str:
    return f".nbprof-{hashlib.sha256(os.fsencode(target)).hexdigest()[:16]}-"


def lock(handle: int) -> None:
    """Lock a file, if the file system can, as a sign that its writer lives."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)


def remove_leftovers(target: Path) -> None:
    """Remove the temporary files of a target whose writers are dead.

    Only files of the current user that bear exactly such a name are removed; failures are ignored.
    """
    name = re.compile(re.escape(_prefix(target.name)) + r"[0-9a-f]{16}" + re.escape(_SUFFIX))
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if name.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to the current user."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _remove_if_abandoned(path: Path) -> None:
    only_files = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, os.O_RDWR | only_files)
    try:
        status = os.fstat(handle)
        regular = stat.S_ISREG(status.st_mode) and is_own(status)
        # The lock is kept until the file is gone, so that no writer takes it meanwhile.
        if regular and _is_abandoned(handle, status) and os.path.samestat(path.lstat(), status):
            path.unlink()
    finally:
        os.close(handle)


def _is_abandoned(handle: int, status: os.stat_result) -> bool:
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # of a file system without locks
            pass
        else:
            return True
    return time.time() - status.st_mtime > _PATIENCE_S
