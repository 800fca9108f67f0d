"""Limits the number of processes of a job, so that lists of ranks stay small."""

from __future__ import annotations

from typing import Final

#: Maximum number of processes of a job, ten times that of the largest known jobs.
LARGEST_WORLD: Final = 1_000_000


def is_world_size(number: int) -> bool:
    """Return whether a job may have this many processes; other sizes count as not recorded."""
    return 0 <= number <= LARGEST_WORLD
