"""Parses worker, time stamp and rank from file names, and sorts names naturally."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

_PROCESS = re.compile(r"pid_\d+$")
_RANK = re.compile(r"(?:rank|worker)[-_. ]?(\d+)", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"_(\d+)$")

#: Default worker names end in the process id, which is larger than this on most machines.
LARGEST_BARE_RANK = 1023

#: Digits of a rank; longer numbers in names are dates and the like.
LONGEST_RANK = 9


@dataclass(frozen=True)
class FileName:
    """The parts of a file's name.

    Attributes
    ----------
    worker : str
        Process.
    stamp : int
        Number that orders the spans of a worker, -1 without one.
    expected : bool
        Whether the profiler's own handlers use this form of name.
    """

    worker: str
    stamp: int
    expected: bool


def rank_in_name(worker: str) -> int | None:
    """Return the rank in a worker's name: ``rank0``, ``rank-0``, ``worker3``, ``node_3``."""
    rank = labelled_rank(worker)
    if rank is not None:
        return rank
    if _PROCESS.search(worker):  # a process id, however small, as Paddle names workers
        return None
    match = _LAST_NUMBER.search(worker)
    rank = int(match.group(1)) if match and len(match.group(1)) <= LONGEST_RANK else None
    return rank if rank is not None and rank <= LARGEST_BARE_RANK else None


def labelled_rank(worker: str) -> int | None:
    """Return the number in a worker's name that the name calls a rank: ``rank0``, ``worker3``."""
    match = _RANK.search(worker)
    return int(match.group(1)) if match and len(match.group(1)) <= LONGEST_RANK else None


def absolute(path: Path) -> Path:
    """Return an absolute path without ``.`` and ``..``, so that paths can be compared."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - links stay as they are called


def base_name(folder: PurePath) -> str:
    """Return the name of a directory, also for paths such as ``.``."""
    return (folder.resolve() if isinstance(folder, Path) else folder).name or str(folder)


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts rank2 before rank10; numbers have any length."""
    parts = re.split(r"([0-9]+)", name)
    return [
        (0, len(p.lstrip("0")), p.lstrip("0")) if p[0].isdecimal() else (1, 0, p)
        for p in parts
        if p
    ]
