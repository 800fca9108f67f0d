"""One large file read by several processes: this one reads the first part, helpers the others.

Where the parts may end is decided beforehand, at multiples of the window. A part does end there if
its reader stands between two events, with nothing left over that the next one would not find
there by itself (see `EventWindows.cuts`); so the parts together are what one reader would have
read, fault by fault. Where a helper cannot do its part, this process reads on.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.sources.parallel import cpus as parallel_cpus
from nbprof.sources.parallel.helper import Helper
from nbprof.sources.parallel.part import add_part
from nbprof.sources.parallel.worker import Job
from nbprof.sources.parts.taking import TAKE_ALL, Taking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.faults import Faults
    from nbprof.sources.files.bytesource import ByteSource
    from nbprof.sources.parallel.part import Collected

#: JSON that this process reads in the time that a helper takes to start, in bytes.
HEAD_START: Final = 36 << 20

#: Traces are about so many times as large as what gzip makes of them.
_PACKING: Final = 10

#: No part is smaller: a helper costs memory of its own.
SMALLEST_PART: Final = 48 << 20


class Helpers:
    """The processes that read the later parts of a file.

    Parameters
    ----------
    helpers : dict of int to Helper
        By the cut where each begins.
    faults : Faults
        Where the faults of their parts are counted.
    """

    def __init__(self, helpers: dict[int, Helper], faults: Faults) -> None:
        self._helpers = helpers
        self._faults = faults

    @property
    def done(self) -> int:
        """How many bytes of the file all of them have read."""
        for helper in self._helpers.values():
            helper.listen()
        return sum(helper.done for helper in self._helpers.values())

    def close(self) -> None:
        """End the helpers; this process is to read the file by itself."""
        for helper in self._helpers.values():
            helper.close()
        self._helpers = {}

    def collect(
        self,
        source: ByteSource,
        windows: EventWindows,
        rows: Collected,
        report: Callable[[int], None],
    ) -> None:
        """Read all events into rows, the later parts of the file by helpers.

        Parameters
        ----------
        source, windows, rows
            The file, what is left of it to be decoded here, and where its events go.
        report : callable
            Is told how many bytes of the file have been read.
        """

        def tick() -> None:
            report(min(source.done + self.done, source.total))

        complete = False
        with windows.reading_ahead() if source.slow else nullcontext():
            while not complete:
                for one in windows:
                    rows.add(one)
                    del one
                    tick()
                complete = not windows.stopped_at or self.finish(windows, rows, tick)
        report(source.total)

    def finish(self, windows: EventWindows, rows: Collected, tick: Callable[[], None]) -> bool:
        """Add what comes after the cut where `windows` stopped.

        Parameters
        ----------
        windows, rows
            Of the first part. Where there is no other, they are left as they are.
        tick : callable
            Called now and then while helpers work.

        Returns
        -------
        bool
            Whether the file is complete; else `windows` is to be read on.
        """
        parts = []
        at, exact = windows.stopped_at, windows.decoder.exact
        while at:
            helper = self._helpers.get(at)
            found = helper.result(tick) if helper else None
            if found is None or (exact and found[0].was_lax):
                windows.cuts.clear()
                self.close()
                return False
            parts.append(found)
            at, exact = found[0].stopped_at, exact or found[0].exact
        for part, tables in parts:
            add_part(rows, self._faults, part, tables)
            windows.closed, windows.tail = part.closed, part.tail
        return True


@contextmanager
def helpers_for(
    source: ByteSource,
    windows: EventWindows,
    *,
    path: object,
    faults: Faults,
    window: int,
    rows: type,
    taking: Taking = TAKE_ALL,
    processes: int | None = None,
) -> Iterator[Helpers]:
    """Start helpers where that pays, and end them in whatever way the `with` is left.

    Parameters
    ----------
    source, windows
        The file, of which the beginning has been read; `windows` gets the cuts.
    path : Path or other
        Where the file is; only one of this machine is read by several processes.
    faults : Faults
        Of the file.
    window : int
        As of `EventWindows`.
    rows : type
        The class of the rows that events become.
    taking : Taking
        As of these rows.
    processes : int, optional
        To read in so many, this one included, whatever the size of the file.
    """
    size = wanted = 0
    if isinstance(path, Path) and can_start():
        size = content_size(source)
        wanted = (size - HEAD_START) // SMALLEST_PART - 1 if processes is None else processes - 1
    with ExitStack() as stack:
        granted = stack.enter_context(parallel_cpus.claimed(wanted, force=processes is not None))
        lead = HEAD_START if processes is None else 0
        starts = part_starts(size, granted, first=windows.next_read, window=window, lead=lead)
        helpers = {}
        for start in starts:
            job = Job(
                path=str(path),
                stamp=source.stamp,
                strict=faults.strict,
                window=window,
                start=start,
                cuts=[cut for cut in starts if cut > start],
                bare=windows.bare,
                taking=taking,
                rows=f"{rows.__module__}:{rows.__qualname__}",
            )
            try:
                helpers[start] = Helper(job)
            except OSError:  # no more processes can be started
                break
            stack.callback(helpers[start].close)
        windows.cuts = set(helpers)
        yield Helpers(helpers, faults)


def part_starts(size: int, helpers: int, *, first: int, window: int, lead: int) -> list[int]:
    """Return where in the content the parts of helpers begin.

    Parameters
    ----------
    size : int
        Bytes of content.
    helpers : int
        How many parts to make besides the first, at most.
    first : int
        Content up to here has been read.
    window : int
        Parts begin at multiples of it after `first`.
    lead : int
        By how much the first part is longer than others.
    """
    share = (size - lead) / (helpers + 1)
    begins = (lead + share * number for number in range(1, helpers + 1))
    counts = {round((begin - first) / window) for begin in begins}
    return [first + count * window for count in sorted(counts) if count > 0]


def content_size(source: ByteSource) -> int:
    """Return the bytes of content of a file, a guess where it is packed."""
    if not source.packed:
        return source.total
    # A gzip file ends with the size of its content modulo 2**32.
    told = int.from_bytes(source.last(4), "little")
    return told + (max(0, source.total * _PACKING - told) >> 32 << 32)


def can_start() -> bool:
    """Return whether this process can start others that run the same Python."""
    name = Path(sys.executable or "").name.lower()
    frozen = getattr(sys, "frozen", False)  # the executable is then no Python but the program
    return os.name == "posix" and name.startswith("python") and not frozen
