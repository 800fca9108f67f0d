"""Finds the remote files of a URL: a file, a glob, or a directory with its subdirectories."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from nbprof.sources.files import urls
from nbprof.sources.files.filesystems import connect
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.files.remote_globs import RemoteGlob

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.files.filesystems import Files
    from nbprof.sources.files.opening import AnyPath

_MAGIC = re.compile(r"[*\[]")


def find(url: str) -> list[RemotePath]:
    """Return what a URL refers to: a file, a directory, or the matches of a glob.

    Globs are those of `RemoteGlob`; ``?`` begins the query of the URL.

    Raises
    ------
    FileNotFoundError
        Nothing was found.
    OSError
        The file system cannot be used.
    """
    address, mark, query = url.partition("?")
    magic = _MAGIC.search(address) if "::" not in url else None
    if magic is None:
        files, path = connect(url)
        return [_found(url, files, path, urls.shown(url))]
    base, _, pattern = address[: magic.start()].rpartition("/")
    pattern += address[magic.start() :]
    files, path = connect(f"{base}{mark}{query}")
    top = _found(f"{base}{mark}{query}", files, path, urls.shown(base))
    wanted = RemoteGlob(pattern)
    prefix = len(top.as_posix()) + 1
    matches = [path for path in top.below() if wanted.matches(path.as_posix()[prefix:])]
    if not matches:
        message = "nothing matches"
        raise FileNotFoundError(message)
    return sorted(matches, key=str)


class RemoteTree:
    """The tree below a remote directory, for iteration as with `os.walk`.

    Parameters
    ----------
    top : RemotePath
        The directory.

    Raises
    ------
    OSError
        It cannot be listed.
    """

    def __init__(self, top: RemotePath) -> None:
        self._top = top
        self._files: dict[str, dict[str, AnyPath]] = defaultdict(dict)
        self._folders: dict[str, set[str]] = defaultdict(set)
        for path in sorted(top.below(), key=str):
            relative = path.as_posix()[len(top.as_posix()) :].lstrip("/")
            folder, _, name = relative.rpartition("/")
            self._files[folder][name] = path
            while folder:
                above, _, own = folder.rpartition("/")
                self._folders[above].add(own)
                folder = above

    def walk(self) -> Iterator[tuple[RemotePath, list[str], dict[str, AnyPath]]]:
        """Yield each directory with the names of its subdirectories and its files, top down.

        Names removed from the list are not visited.
        """
        waiting = [("", self._top)]
        while waiting:
            place, folder = waiting.pop()
            names = sorted(self._folders[place])
            yield folder, names, self._files[place]
            prefix = f"{place}/" if place else ""
            waiting += [(prefix + name, folder.folder_in(name)) for name in reversed(names)]


def _found(url: str, files: Files, path: str, shown: str) -> RemotePath:
    status = files.status(path)
    if status is None:
        message = "there is no such file"
        raise FileNotFoundError(message)
    return RemotePath(url, status, shown.rstrip("/"), files)
