"""`walk`: yields a local directory and its subdirectories, and does not leave it through links."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.defaults import options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Maximum number of directories that a search visits; a log has a few for every recording.
MOST_FOLDERS: Final = 100_000


def walk(
    top: Path, leave_out: Callable[[Path, str], None]
) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield every directory with the names of the directories and files in it, each real one once.

    Symbolic links to directories are followed if they lead to a directory below the top one, or if
    `nbprof.options.follow_links` is set. Unlike `os.walk`, this needs no recursion.

    Parameters
    ----------
    top : Path
        The directory where the search begins; it may itself be a link.
    leave_out : callable
        Receives every directory that is not searched, with the reason.

    Yields
    ------
    folder : Path
    names : list of str
        The directories in it; those that the caller removes are not searched.
    files : list of str
    """
    inside = os.path.realpath(top)
    seen: set[tuple[int, int]] = set()
    waiting = [os.fspath(top)]
    while waiting:
        folder = waiting.pop()
        try:
            place = os.stat(folder)  # noqa: PTH116 - a Path for each would be slow
            if (place.st_dev, place.st_ino) in seen:
                continue
            seen.add((place.st_dev, place.st_ino))
            names, files = _content(folder)
        except OSError as error:
            leave_out(Path(folder), f"cannot be listed: {error.strerror or error}")
            continue
        if len(seen) > MOST_FOLDERS:
            reason = f"the search ends here, after {MOST_FOLDERS:,} directories"
            leave_out(Path(folder), f"{reason}; pass a directory further down")
            return
        yield Path(folder), names, files
        for name in reversed(names):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.islink(path) and not _may_follow(path, inside):  # noqa: PTH114
                reason = f"it is a link that leads out of {top}"
                leave_out(
                    Path(path),
                    f"{reason}; pass it by itself, or set nbprof.options.follow_links = True",
                )
            else:
                waiting.append(path)


def _content(folder: str) -> tuple[list[str], list[str]]:
    """Return the names of the directories and of the files in a directory."""
    names: list[str] = []
    files: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                is_folder = entry.is_dir()
            except OSError:
                is_folder = False
            (names if is_folder else files).append(entry.name)
    return names, files


def _may_follow(link: str, inside: str) -> bool:
    if options.follow_links:
        return True
    target = os.path.realpath(link)
    return target == inside or target.startswith(inside.rstrip(os.sep) + os.sep)
