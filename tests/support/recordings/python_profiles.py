"""Profiles of Python for tests: of programs that run here, and of calls that are made up."""

from __future__ import annotations

import cProfile
import io
import marshal
import profile
import pstats
from typing import TYPE_CHECKING, Any

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

Key = tuple[str, int, str]


def fibonacci(number: int) -> int:
    """Call itself."""
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


def is_even(number: int) -> bool:
    """Call another function that calls this one."""
    return number == 0 or is_odd(number - 1)


def is_odd(number: int) -> bool:
    """Call the function that calls this one."""
    return number != 0 and is_even(number - 1)


def leaf(size: int) -> int:
    """Do something, also in functions that are not written in Python."""
    return sum(sorted(range(size), key=lambda one: -one))


def short() -> int:
    """Call the leaf for a short time."""
    return leaf(20)


def long() -> int:
    """Call the leaf for a long time."""
    return leaf(3000) + short()


def work() -> None:
    """Call all of the above."""
    for _ in range(3):
        short()
        long()
    fibonacci(9)
    is_even(7)


def recorded(folder: Path, name: str = "main.pstats", *, pure: bool = False) -> Path:
    """Write the profile of `work`; with `pure`, by the module `profile`."""
    recorder: Any = profile.Profile() if pure else cProfile.Profile()
    recorder.runcall(work)
    path = folder / name
    recorder.dump_stats(path)
    return path


def made_up(folder: Path, stats: dict[Key, Any], name: str = "main.pstats") -> Path:
    """Write the profile of calls that are given as `pstats` keeps them."""
    path = folder / name
    path.write_bytes(marshal.dumps(stats))
    return path


def trace_of(path: Path) -> Trace:
    """Read a profile."""
    return nbprof.load(path, progress=False).trace()


def printed(path: Path, sort: str) -> list[str]:
    """Return the lines of functions that `pstats` prints, without blanks at both ends."""
    out = io.StringIO()
    pstats.Stats(str(path), stream=out).sort_stats(sort).print_stats()
    lines = out.getvalue().splitlines()
    first = next(at for at, line in enumerate(lines) if line.lstrip().startswith("ncalls"))
    return [line.strip() for line in lines[first + 1 :] if line.strip()]
