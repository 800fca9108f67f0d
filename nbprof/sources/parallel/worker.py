"""A process that reads a part of a file for another.

Only `nbprof.sources.parallel.reading` starts it. Its argument is the descriptor of the file for the
result. It gets its job as a line of JSON on standard input, tells on standard output how many bytes
are done, and ends at once when that input is closed: so it never outlives who started it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from nbprof.sources.chrome.windows import EventWindows
from nbprof.sources.faults import Faults
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.parallel.part import write_part
from nbprof.sources.parts.taking import Taking

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_STDIN, _STDOUT = 0, 1

#: Exit status where the part cannot be read; the other process does that then, and says why.
USELESS = 3


class Job(msgspec.Struct, frozen=True):
    """What to read.

    Attributes
    ----------
    path : str
        The file.
    stamp : (int, int)
        What it looked like when it was opened first.
    strict : bool
        Whether to stop at the first fault.
    window : int
        As of `EventWindows`.
    start : int
        The cut where the part begins.
    cuts : list of int
        Those where it may end.
    bare : bool
        As of `EventWindows`.
    taking : Taking
        As of `Rows`.
    rows : str
        The class of the rows that events become, as ``"module:Class"``.
    """

    path: str
    stamp: tuple[int, int]
    strict: bool
    window: int
    start: int
    cuts: list[int]
    bare: bool
    taking: Taking
    rows: str


def main() -> None:
    """Do the job and end the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process ends this one
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with os.fdopen(int(sys.argv[1]), "wb") as output:
        done = read(job, output, lambda done: os.write(_STDOUT, b"%d\n" % done))
    os._exit(0 if done else USELESS)  # at once: nothing is to be tidied up


def read(job: Job, output: BinaryIO, tell: Callable[[int], object]) -> bool:
    """Read a part and write what was collected; return whether that could be done.

    Parameters
    ----------
    job : Job
        What to read.
    output : file
        Where to write it.
    tell : callable
        Called with the bytes of the file that have been read so far.
    """
    with ByteSource(job.path) as source:
        faults = Faults(job.path, strict=job.strict)
        module, _, name = job.rows.partition(":")
        kind = getattr(import_module(module), name)
        windows = EventWindows(
            source, faults, window=job.window, start=job.start, decoder=kind.decoder
        )
        if source.stamp != job.stamp or not windows.usable:
            return False
        windows.cuts = set(job.cuts)
        rows = kind.of_part(windows, faults, bare=job.bare, taking=job.taking)
        before = source.done
        with windows.reading_ahead() if source.slow else nullcontext():
            for one in windows:
                rows.add(one)
                del one
                tell(source.done - before)
        if source.changed:
            return False
    write_part(output, windows, rows, faults)
    return True


def _end_with_parent() -> None:
    while os.read(_STDIN, 1):
        pass
    os._exit(1)
