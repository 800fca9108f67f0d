"""Cuts names that are far longer than any real one to their ends, which say what they are."""

from __future__ import annotations

from typing import Final

#: Of longer names, so much of each end is searched: the patterns that interpret names take time
#: with the square of the length of a name that is made of their beginnings.
_END: Final = 4096


def is_cut(name: str) -> bool:
    """Return whether `ends_of` cuts a name."""
    return len(name) > 2 * _END


def ends_of(name: str) -> str:
    """Return the beginning and the end of a long name, and other names as they are."""
    return f"{name[:_END]} {name[-_END:]}" if is_cut(name) else name
