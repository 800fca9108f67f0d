"""`keep_rights`: gives a new file the owner and the mode of the one that it replaces."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

#: Where Linux keeps the access list of a file.
_ACCESS_LIST: Final = "system.posix_acl_access"


def keep_rights(handle: int, place: Path, old: os.stat_result) -> None:
    """Give an open file the owner, mode and access list of another, and nobody more rights.

    Parameters
    ----------
    handle : int
        The open file.
    place : Path
        Path of the other.
    old : os.stat_result
        Its status.
    """
    if not hasattr(os, "fchown"):  # on Windows
        return
    for owner in (old.st_uid, -1):  # only root gives files away
        with suppress(OSError):
            os.fchown(handle, owner, old.st_gid)
            break
    mode = stat.S_IMODE(old.st_mode) & 0o777
    same_list = _keep_access_list(handle, place)
    if not same_list or os.fstat(handle).st_gid != old.st_gid:
        # Who belongs to which group is another question now: both have what either had.
        both = mode >> 3 & mode & 0o7
        mode = mode & 0o700 | both << 3 | both
    with suppress(OSError):
        os.fchmod(handle, mode)


def _keep_access_list(handle: int, place: Path) -> bool:
    """Copy an access list, or remove what the folder passed on; return whether that was done."""
    if not hasattr(os, "getxattr"):
        return True
    try:
        rules = os.getxattr(place, _ACCESS_LIST, follow_symlinks=False)
    except OSError:
        with suppress(OSError):
            os.removexattr(handle, _ACCESS_LIST)
        return True
    try:
        os.setxattr(handle, _ACCESS_LIST, rules)
    except OSError:
        return False
    return True
