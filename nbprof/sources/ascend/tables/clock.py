"""Finds the common time zero of the files of a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from nbprof.sources.defects import DefectLog

#: Longer than any recording: times further from the median of a file are invalid.
LONGEST_NS: Final = 86_400 * 10**9

#: Memory is sampled before and after the rest is recorded, but at most this long.
AROUND_NS: Final = 3_600 * 10**9

#: Marks unknown times.
UNKNOWN: Final = -1


class Clock:
    """Finds the start and end of a recording from the times of its files.

    Files are added in order of reliability. The first file with times determines the period, which
    the others may extend. Times of a file from another period are kept and counted.

    Parameters
    ----------
    defects : DefectLog
        Where they are counted.
    """

    def __init__(self, defects: DefectLog) -> None:
        self._defects = defects
        self._first: int | None = None
        self._end = 0

    @property
    def zero_ns(self) -> int:
        """Time of the first event, 0 if no file has times."""
        return 0 if self._first is None else self._first

    @property
    def end_ns(self) -> int:
        """Time of the last end."""
        return self._end

    def add(self, name: str, times: npt.ArrayLike, ends: npt.ArrayLike | None = None) -> None:
        """Add the times of a file, absolute nanoseconds, shape (rows,), and optional ends."""
        start = np.asarray(times, np.int64)
        end = start if ends is None else np.asarray(ends, np.int64)
        if not len(start):
            return
        middle = int(np.partition(start, len(start) // 2)[len(start) // 2])
        first, last, away = middle, middle, LONGEST_NS
        if self._first is not None:
            first, last, away = self._first, self._end, AROUND_NS
        near = (start >= first - away) & (start <= last + away)
        if near.any():
            low, high = int(start[near].min()), int(end[near].max())
            self._end = high if self._first is None else max(self._end, high)
            self._first = low if self._first is None else min(self._first, low)
        far = int((~near).sum())
        self._defects.note(
            "times of another clock", far, f"{name} has times far from the others", fatal=False
        )

    def add_table(self, name: str, table: pa.Table | None, column: str) -> None:
        """Add the known times of a column."""
        if table is not None and table.num_rows:
            times = joined(table.column(column))
            self.add(name, times[times != UNKNOWN])

    def add_slices(self, name: str, table: pa.Table, start: str, duration: str) -> None:
        """Add the starts and ends of slices."""
        starts = joined(table.column(start))
        self.add(name, starts, starts + joined(table.column(duration)))

    def relative(self, table: pa.Table) -> pa.Table:
        """Return a table with its times (time_ns, start_ns) relative to zero, in the same order."""
        for name in ("time_ns", "start_ns"):
            if name in table.column_names:
                times: Any = joined(table.column(name))
                known = times != UNKNOWN if name == "start_ns" else np.ones(len(times), bool)
                place = table.schema.get_field_index(name)
                moved = arrow_array(np.where(known, times - self.zero_ns, UNKNOWN))
                table = table.set_column(place, table.schema.field(place), moved)
        return table
