"""The main function of a helper process, which reads a part of a file.

Only `nbprof.sources.parallel.reading` starts it. Its argument is the descriptor of the file for the
result. It receives its job as a line of JSON on standard input, reports the number of bytes read on
standard output, and exits when standard input closes, so that it never outlives its parent.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from nbprof.sources.chrome.windows import EventWindows
from nbprof.sources.defects import DefectLog
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.parallel.part import write_part
from nbprof.sources.parts.event_selection import EventSelection

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_STDIN, _STDOUT = 0, 1

#: Exit status if the part cannot be read; the parent then reads it and reports the error.
USELESS = 3


class Job(msgspec.Struct, frozen=True):
    """The job of a helper: which part to read, and how.

    Attributes
    ----------
    path : str
        The file.
    stamp : (int, int)
        Size and version when the parent opened it.
    strict : bool
        Whether to stop at the first defect.
    window : int
        As of `EventWindows`.
    start : int
        The cut where the part begins.
    cuts : list of int
        The cuts where it may end.
    bare : bool
        As of `EventWindows`.
    selection : EventSelection
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
    selection: EventSelection
    rows: str


def main() -> None:
    """Do the job and end the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    import_module(job.rows.partition(":")[0])
    gc.freeze()
    gc.enable()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with os.fdopen(int(sys.argv[1]), "wb") as output:
        done = read(job, output, lambda done: os.write(_STDOUT, b"%d\n" % done))
    os._exit(0 if done else USELESS)  # exits at once, since no cleanup is needed


def read(job: Job, output: BinaryIO, tell: Callable[[int], object]) -> bool:
    """Read a part and write its result; return whether that succeeded.

    Parameters
    ----------
    job : Job
        What to read.
    output : file
        File for the result.
    tell : callable
        Called with the number of bytes of the file read so far.
    """
    with ByteSource(job.path) as source:
        defects = DefectLog(job.path, strict=job.strict)
        module, _, name = job.rows.partition(":")
        kind = getattr(import_module(module), name)
        windows = EventWindows(
            source, defects, window=job.window, start=job.start, decoder=kind.decoder
        )
        if source.stamp != job.stamp or not windows.usable:
            return False
        windows.cuts = set(job.cuts)
        rows = kind.of_part(windows, defects, bare=job.bare, selection=job.selection)
        before = source.done
        with windows.reading_ahead() if source.slow else nullcontext():
            for one in windows:
                rows.add(one)
                del one
                tell(source.done - before)
        if source.changed:
            return False
    write_part(output, windows, rows, defects)
    return True


def _end_with_parent() -> None:
    while os.read(_STDIN, 1):
        pass
    os._exit(1)
