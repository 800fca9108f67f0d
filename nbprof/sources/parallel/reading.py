"""Splits a large file among processes: this one reads the first part, helpers the others.

Possible ends of parts are chosen beforehand, at multiples of the window size. A part ends at one if
its reader arrives between two events with nothing left over that the next reader would miss (see
`EventWindows.cuts`). The parts together therefore equal what one reader would have read, including
every defect. If a helper fails, this process reads its part.

Helpers save wall-clock time, never processor time. So there are none for files below 164 MB of
JSON, and none while the machine has no free processor (`cpus.is_busy`).
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.sources.parallel import cpus as parallel_cpus
from nbprof.sources.parallel.helper import Helper
from nbprof.sources.parallel.helper_process import Job
from nbprof.sources.parallel.part import add_part
from nbprof.sources.parts.event_selection import ALL_EVENTS, EventSelection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.bytesource import ByteSource
    from nbprof.sources.parallel.part import Collected

#: Bytes of JSON that this process reads while a helper starts.
HEAD_START: Final = 36 << 20

#: Typical compression ratio of traces with gzip.
_PACKING: Final = 10

#: Minimum size of a part. On two cores, a helper costs about 0.3 s of processor time (the start of
#: Python, imports, and what it hands over), and saves as much time by the clock only where it reads
#: for longer than that, which is 40 MB. To read 93 MB takes 0.7 s of processor time in one process
#: and 0.9 s in two; 186 MB take 1.4 and 1.7 s.
SMALLEST_PART: Final = 64 << 20


class Helpers:
    """The processes that read the later parts of a file.

    Parameters
    ----------
    helpers : dict of int to Helper
        Helpers by the cut where their parts begin.
    defects : DefectLog
        Counts the defects of their parts.
    """

    def __init__(self, helpers: dict[int, Helper], defects: DefectLog) -> None:
        self._helpers = helpers
        self._defects = defects

    @property
    def done(self) -> int:
        """Number of bytes of the file that all helpers have read."""
        for helper in self._helpers.values():
            helper.listen()
        return sum(helper.done for helper in self._helpers.values())

    def close(self) -> None:
        """End the helpers; this process reads the whole file itself."""
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
        """Read all events into rows, the later parts of the file with helpers.

        Parameters
        ----------
        source, windows, rows
            The file, the windows that this process decodes, and the destination of events.
        report : callable
            Called with the number of bytes of the file read so far.
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
        """Add the parts after the cut where `windows` stopped.

        Parameters
        ----------
        windows, rows
            Those of the first part; unchanged if there is no other part.
        tick : callable
            Called regularly while helpers work.

        Returns
        -------
        bool
            Whether the file is complete; if not, the caller continues with `windows`.
        """
        parts = []
        at, exact = windows.stopped_at, windows.decoder.exact
        while at:
            helper = self._helpers.get(at)
            result = helper.result(tick) if helper else None
            if result is None or (exact and result[0].was_lax):
                windows.cuts.clear()
                self.close()
                return False
            parts.append(result)
            at, exact = result[0].stopped_at, exact or result[0].exact
        for part, tables in parts:
            add_part(rows, self._defects, part, tables)
            windows.closed, windows.tail = part.closed, part.tail
        return True


@contextmanager
def helpers_for(
    source: ByteSource,
    windows: EventWindows,
    *,
    path: object,
    defects: DefectLog,
    window: int,
    rows: type,
    selection: EventSelection = ALL_EVENTS,
    processes: int | None = None,
) -> Iterator[Helpers]:
    """Start helpers if the file is large enough, and end them when the `with` block exits.

    Parameters
    ----------
    source, windows
        The file, whose beginning has been read; the cuts are set on `windows`.
    path : Path or other
        Path of the file; only local files are read by several processes.
    defects : DefectLog
        Of the file.
    window : int
        As of `EventWindows`.
    rows : type
        The class of the rows that events become.
    selection : EventSelection
        As of these rows.
    processes : int, optional
        Number of processes, including this one, regardless of the size of the file.
    """
    size = wanted = 0
    spare = processes is not None or not parallel_cpus.is_busy()
    if isinstance(path, Path) and can_start() and spare:
        size = _content_size(source)
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
                strict=defects.strict,
                window=window,
                start=start,
                cuts=[cut for cut in starts if cut > start],
                bare=windows.bare,
                selection=selection,
                rows=f"{rows.__module__}:{rows.__qualname__}",
            )
            try:
                helpers[start] = Helper(job)
            except OSError:  # no more processes can be started
                break
            stack.callback(helpers[start].close)
        windows.cuts = set(helpers)
        yield Helpers(helpers, defects)


def part_starts(size: int, helpers: int, *, first: int, window: int, lead: int) -> list[int]:
    """Return the positions in the content where the parts of helpers begin.

    Parameters
    ----------
    size : int
        Bytes of content.
    helpers : int
        Maximum number of parts besides the first.
    first : int
        Position up to which the content has been read.
    window : int
        Parts begin at multiples of this size after `first`.
    lead : int
        Bytes by which the first part is longer than the others.
    """
    share = (size - lead) / (helpers + 1)
    begins = (lead + share * number for number in range(1, helpers + 1))
    counts = {round((begin - first) / window) for begin in begins}
    return [first + count * window for count in sorted(counts) if count > 0]


def _content_size(source: ByteSource) -> int:
    """Return the decompressed size of a file, estimated if it is compressed."""
    if not source.packed:
        return source.total
    # A gzip file ends with the size of its content modulo 2**32.
    facts = int.from_bytes(source.last(4), "little")
    return facts + (max(0, source.total * _PACKING - facts) >> 32 << 32)


def can_start() -> bool:
    """Return whether this process can start others with the same Python."""
    name = Path(sys.executable or "").name.lower()
    frozen = getattr(sys, "frozen", False)  # in a frozen program, the executable is not Python
    return os.name == "posix" and name.startswith("python") and not frozen
