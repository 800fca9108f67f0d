"""`Listing`: the size and version of every file that may be a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Listing:
    """The files that a search found.

    Attributes
    ----------
    files : mapping of str to (int, int)
        Size and version of each file, or directory of files, by path.
    seconds : float
        How long the search took.
    """

    files: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    seconds: float = 0.0
