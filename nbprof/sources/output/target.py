"""`Target`: what a path leads to, and whether that is replaced or written to."""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: As many links as Linux follows.
_MOST_LINKS: Final = 40

#: The names that systems give to the open files of a process; on Linux ``/dev/fd`` and
#: ``/dev/stdout`` are links to such.
_OPEN_FILE: Final = re.compile(r"(?:/proc/([0-9]+)(?:/task/[0-9]+)?|/dev)/fd/([0-9]{1,9})")

_SEPARATORS: Final = tuple(filter(None, (os.sep, os.altsep)))


@dataclass(frozen=True)
class Target:
    """What a path leads to.

    Attributes
    ----------
    place : Path
        Where its links lead.
    descriptor : int, optional
        The number of the open file of this process that it stands for, as ``/dev/stdout`` does.
    is_file : bool
        Whether a regular file is there.
    replaceable : bool
        Whether it may be replaced: a file, or nothing yet.
    """

    place: Path
    descriptor: int | None
    is_file: bool
    replaceable: bool

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Target:
        """Follow the links of a path.

        Raises
        ------
        OSError
            It is a folder or a socket, or its folder does not exist.
        """
        asked = Path(path)
        mode = _mode(asked)
        place, descriptor, foreign = _followed(asked)
        if descriptor is None:
            _expect_writable(place, mode)
        if os.fspath(path).endswith(_SEPARATORS):  # which `Path` drops, and which only folders have
            code = errno.EISDIR if mode is None else errno.ENOTDIR
            raise OSError(code, os.strerror(code), str(place))
        is_file = mode is not None and stat.S_ISREG(mode)
        replaceable = descriptor is None and not foreign and (is_file or mode is None)
        return cls(place, descriptor, is_file, replaceable)

    @property
    def is_stream(self) -> bool:
        """Whether it is written to as it comes: an open file, a device or a pipe."""
        return self.descriptor is not None or not (self.is_file or self.replaceable)


def _mode(path: Path) -> int | None:
    """Return the mode of what a path leads to; None if there is nothing.

    The system follows the links here, since it may forbid to follow one that another user made.
    """
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _expect_writable(place: Path, mode: int | None) -> None:
    """Raise OSError where no file can be, and nothing can be written to."""
    if mode is None and not place.parent.is_dir():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(place))
    if mode is not None and stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
    if mode is not None and stat.S_ISSOCK(mode):
        raise OSError(errno.ENXIO, "Is a socket", str(place))


def _followed(path: Path) -> tuple[Path, int | None, bool]:
    """Return where links lead, which open file that is, and whether it is another process's."""
    for _ in range(_MOST_LINKS):
        found = _OPEN_FILE.fullmatch(f"{os.path.realpath(path.parent)}/{path.name}")
        if found is not None:
            own = found[1] in {None, os.path.realpath("/proc/self").rpartition("/")[2]}
            return path, int(found[2]) if own else None, not own
        if not path.is_symlink():
            return path, None, False
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
