"""`Temporary`: a file that becomes its target once all is written."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.sources.output import leftovers
from nbprof.sources.output.rights import keep_rights

if TYPE_CHECKING:
    from nbprof.sources.output.target import Target

_BINARY: Final = getattr(os, "O_BINARY", 0)

#: Opens a file without a name, on Linux.
_UNNAMED: Final[int | None] = getattr(os, "O_TMPFILE", None)

#: Errors of a folder that admits no other file, or does not let go of the one it has: it belongs to
#: somebody else, is read-only, or the file is mounted there. The file itself may be written to.
_KEPT_FILES: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV})


class Temporary:
    """A temporary file beside its target, or elsewhere if the folder of the target admits none.

    It has no name where the system can make such files, so that nothing is left of it when its
    writer is killed. Elsewhere its name says which target it is for, and it is locked, so that the
    next writer can tell that it was left.

    Parameters
    ----------
    target : Target
        A regular file, or nothing yet.

    Raises
    ------
    OSError
        The target cannot be written.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._path: Path | None = None
        #: The target itself, opened if it can only be written in place.
        self._in_place: int | None = None
        self._handle = self._beside() if target.replaceable else self._elsewhere()

    def written(self) -> int:
        """Return a descriptor to write the content to; its owner closes it."""
        return os.dup(self._handle)

    def publish(self) -> None:
        """Let the file become its target.

        Raises
        ------
        OSError
            The target cannot be written.
        """
        if self._in_place is None:
            try:
                self._replace()
            except OSError as error:
                if not self._keeps_its_file(error) or self._handle < 0:
                    raise
                self._in_place = _open_in_place(self._target.place)
        if self._in_place is not None:
            os.ftruncate(self._in_place, 0)
            _copy(self._handle, self._in_place)

    def discard(self) -> None:
        """Close the file, and remove it unless it has become its target."""
        self._close()
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink()

    def _beside(self) -> int:
        target = self._target
        leftovers.remove_leftovers(target.place)
        handle = _unnamed(target.place.parent, self._mode())
        if handle is not None:
            return handle
        try:
            return self._named()
        except OSError as error:
            if not self._keeps_its_file(error):
                raise
            return self._elsewhere()

    def _mode(self) -> int:
        """Return the rights to begin with: what replaces a file gets those of the file later.

        From those of a new file the system takes what the user wants taken.
        """
        return 0o600 if self._target.is_file else 0o666

    def _named(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | _BINARY
        while True:
            path = self._new_path()
            try:
                handle = os.open(path, flags, self._mode())
            except FileExistsError:
                continue
            leftovers.lock(handle)
            if os.path.lexists(path):
                self._path = path
                return handle
            os.close(handle)  # another writer has removed it before it was locked

    def _new_path(self) -> Path:
        return self._target.place.with_name(leftovers.new_name(self._target.place.name))

    def _elsewhere(self) -> int:
        with tempfile.TemporaryFile() as file:
            self._in_place = _open_in_place(self._target.place)
            return os.dup(file.fileno())

    def _keeps_its_file(self, error: OSError) -> bool:
        return self._target.is_file and error.errno in _KEPT_FILES

    def _replace(self) -> None:
        path = self._path or self._give_name()
        place = self._target.place
        with suppress(OSError):
            now = place.lstat()
            if stat.S_ISREG(now.st_mode):
                keep_rights(self._handle, place, now)
        if os.name == "nt":
            self._close()  # Windows renames no file that is open
        path.replace(place)
        self._path = None

    def _give_name(self) -> Path:
        """Give the file a name, or copy it to one that has a name if that is not allowed."""
        self._path = path = self._new_path()
        try:
            # Given a folder, although none is needed, Python lets the system follow the link.
            link = _link_to(self._handle)
            os.link(link, path, src_dir_fd=self._handle, follow_symlinks=True)
        except OSError:
            unnamed, self._handle = self._handle, self._named()
            try:
                _copy(unnamed, self._handle)
            finally:
                os.close(unnamed)
        return self._path

    def _close(self) -> None:
        for handle in (self._handle, self._in_place):
            if handle is not None and handle >= 0:
                os.close(handle)
        self._handle, self._in_place = -1, None


def _unnamed(folder: Path, mode: int) -> int | None:
    """Return a file without a name that can be given one later, if the system has such."""
    if _UNNAMED is None:
        return None
    try:
        handle = os.open(folder, os.O_RDWR | _UNNAMED, mode)
    except OSError:  # also where the folder admits no file, which the next attempt finds out
        return None
    if not _link_to(handle).exists():
        os.close(handle)
        return None
    leftovers.lock(handle)
    return handle


def _link_to(handle: int) -> Path:
    return Path("/proc/self/fd", str(handle))


def _open_in_place(place: Path) -> int:
    # With the wish to create it, so that the system may forbid to write to what another user put
    # into a folder of all.
    return os.open(place, os.O_WRONLY | os.O_CREAT | _BINARY, 0o666)


def _copy(source: int, target: int) -> None:
    os.lseek(source, 0, os.SEEK_SET)
    with os.fdopen(os.dup(source), "rb") as content, os.fdopen(os.dup(target), "wb") as file:
        shutil.copyfileobj(content, file)
