"""The columns that say which trace a row is of, in tables over several traces."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, text

PLACE: Final[Columns] = (
    text("run", "Directory of the profile, relative to the log directory."),
    text("worker", "Process that was profiled."),
    count("span", "Number of the recorded window, in time order, from 1."),
)


def over_workers(columns: Columns) -> Columns:
    """Return the columns that a table has over the workers of a run: which trace comes first.

    Parameters
    ----------
    columns : tuple of Column
        Those of the table of one trace, or of one span of every worker.
    """
    places = {column.name for column in PLACE}
    return (*PLACE, *(column for column in columns if column.name not in places))
