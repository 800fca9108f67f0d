"""`TRACE_KEY`: the columns run, worker and span, which come first in tables over several traces."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, text

TRACE_KEY: Final[Columns] = (
    text("run", "Directory of the profile, relative to the log directory."),
    text("worker", "Profiled process."),
    count("span", "Number of the recorded window, in time order, from 1."),
)


def over_workers(columns: Columns) -> Columns:
    """Return the columns of a table over the workers of a run, which begin with the trace key.

    Parameters
    ----------
    columns : tuple of Column
        Columns of the table of one trace, or of one span of every worker.
    """
    places = {column.name for column in TRACE_KEY}
    return (*TRACE_KEY, *(column for column in columns if column.name not in places))
