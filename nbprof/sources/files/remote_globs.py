"""Matches the paths below a URL with a glob, in time linear in the length of each name.

Names are matched one directory at a time: a single expression over the whole path would try every
way to divide it among the wildcards, which is exponential in their number.
"""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: Says whether a name matches; None stands for any number of directories.
    NameMatch = Callable[[str], object] | None


class RemoteGlob:
    """A glob: ``*`` and ``[…]`` match within a name, ``**`` matches any number of directories.

    Parameters
    ----------
    pattern : str
        The glob, relative to a directory. ``?`` is no wildcard in it.
    """

    def __init__(self, pattern: str) -> None:
        self._names = [_name_match(name) for name in pattern.rstrip("/").split("/")]

    def matches(self, path: str) -> bool:
        """Return whether the glob matches a path, or a directory above it."""
        return _matched([*self._names, None], path.split("/"))


def _name_match(name: str) -> NameMatch:
    if name == "**":
        return None
    # `fnmatch` writes each * as an atomic group, so that a name is never divided in two ways.
    return re.compile(translate(name.replace("?", "[?]"))).match


def _matched(wanted: Sequence[NameMatch], names: Sequence[str]) -> bool:
    """Return whether names match; on a mismatch only the last ``**`` has to take one more."""
    at = place = 0
    retry = -1
    while place < len(names):
        matches = wanted[at] if at < len(wanted) else _never
        if matches is None:
            at += 1
            retry, taken = at, place
        elif matches(names[place]):
            at, place = at + 1, place + 1
        elif retry >= 0:
            taken += 1
            at, place = retry, taken
        else:
            return False
    return all(one is None for one in wanted[at:])


def _never(_: str) -> bool:
    return False
