"""Counts the processors that this process may use, and shares them among its concurrent reads."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.sources.parallel.forks import in_children

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Environment variable: maximum number of reading processes, including this one; 1 starts none.
VARIABLE: Final = "NBPROF_PROCESSES"

#: The limit of a container: microseconds of processor time in each period, or "max".
_CONTAINER_LIMIT: Final = Path("/sys/fs/cgroup/cpu.max")

#: Number of running or waiting programs per processor from which the machine counts as busy;
#: reading files one after the other in several processes does not reach it.
_BUSY: Final = 1.5

_lock = threading.Lock()
_claimed = 0


def _reset_after_fork() -> None:
    global _lock, _claimed
    _lock, _claimed = threading.Lock(), 0


in_children(_reset_after_fork)


def usable() -> int:
    """Return the number of processors this process may use, at least 1."""
    facts = os.environ.get(VARIABLE, "")
    if facts.isdecimal():
        return max(1, int(facts))
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # not available on every system
        count = os.cpu_count() or 1
    return max(1, min(count, _container_limit() or count))


def is_busy() -> bool:
    """Return whether other programs keep all processors of the machine busy.

    A number of processes that the user set is used regardless.
    """
    if os.environ.get(VARIABLE, "").isdecimal():
        return False
    try:
        waiting = os.getloadavg()[0]  # of the last minute, of the whole machine
    except (AttributeError, OSError):  # not available on every system
        return False
    return waiting >= _BUSY * (os.cpu_count() or 1)


def _container_limit() -> int | None:
    try:
        quota, period = _CONTAINER_LIMIT.read_text().split()
        return -(-int(quota) // int(period))
    except (OSError, ValueError):  # no container, or one without a limit
        return None


@contextlib.contextmanager
def claimed(wanted: int, *, force: bool = False) -> Iterator[int]:
    """Reserve processors for other processes for the duration of a `with` block.

    Grants as many as are free, or, if forced, as many as requested.
    """
    global _claimed  # noqa: PLW0603 - one number for the whole process
    with _lock:
        granted = max(0, wanted if force else min(wanted, usable() - 1 - _claimed))
        _claimed += granted
    try:
        yield granted
    finally:
        with _lock:
            _claimed -= granted
