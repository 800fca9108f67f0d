"""Returns the table of a selection in the timeline: slices, names, or an area of time and lanes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbprof.model.arrays import encoded, joined
from nbprof.model.building import arrow_array
from nbprof.model.errors import NbprofError
from nbprof.timeline.slice_summary import slice_summary
from nbprof.timeline.slices import Slices
from nbprof.timeline.slices_table import slice_rows
from nbprof.widgets.views.timeline.joined import joined_summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.trace import Trace
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.traits import Selection


def selected(session: Session, state: State, group_by: str, rows: Selection) -> pa.Table:
    """Return the table of a selection.

    Parameters
    ----------
    session, state : Session, State
        The trace on screen and the filter; rows may name another worker of its run.
    group_by : str
        The grouping of the lanes.
    rows : list of dict
        A validated selection.

    Returns
    -------
    pyarrow.Table
        For slices, their rows in the table ``slices`` in the order selected, ignoring the filter,
        because the timeline also shows excluded slices. For an area, the table ``slice_summary``
        under the filter's other fields.
    """

    def trace_of(row: Mapping[str, Any]) -> Trace:
        if row.get("baseline"):
            other = session.baseline(state)
            if other is None:
                message = "selection: a slice of a baseline is selected, but there is no baseline."
                raise NbprofError(message)
            return other
        worker = row.get("worker") or state.worker
        return session.trace(replace(state, worker=worker))

    if rows and "start_us" in rows[0]:
        by_worker: dict[tuple[str, bool], Selection] = {}
        for row in rows:
            by_worker.setdefault(_owner(row), []).append(row)
        return joined_summary(
            [_in_area(trace_of(own[0]), group_by, own) for own in by_worker.values()]
        )
    runs = itertools.groupby(rows, key=lambda row: _owner(row) if "row" in row else ("", False))
    tables = [
        _slices(trace_of({"worker": worker, "baseline": baseline}), list(own))
        for (worker, baseline), own in runs
    ]
    return pa.concat_tables(tables or [_slices(trace_of({}), [])])


def _owner(row: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the worker of a row, empty for that on screen, and whether it is the baseline."""
    return row.get("worker") or "", bool(row.get("baseline"))


def _in_area(trace: Trace, group_by: str, rows: Selection) -> pa.Table:
    """Return the sums of an area of one worker, which all rows name."""
    every = any("lane" not in row for row in rows)
    return slice_summary(
        trace.model,
        trace.active_filter.replace(time_us=(float(rows[0]["start_us"]), float(rows[0]["end_us"]))),
        lanes=None if every else [row["lane"] for row in rows],
        group_by=group_by,
    )


def _slices(trace: Trace, rows: Selection) -> pa.Table:
    """Return slices of one worker; those that do not exist are left out."""
    slices = Slices.of(trace.model)
    if rows and "row" not in rows[0]:
        names = {row.get("name") for row in rows}
        whole = slice_rows(trace.model, np.arange(len(slices)))
        coded = encoded(whole["name"])
        codes = [at for at, one in enumerate(coded.dictionary.to_pylist()) if one in names]
        return whole.take(arrow_array(np.flatnonzero(np.isin(joined(coded.indices), codes))))
    counts = {"host": slices.host_rows, "device": len(slices) - slices.host_rows}
    ids = [
        row["row"] if row["side"] == "host" else slices.host_rows + row["row"]
        for row in rows
        if row["row"] < counts[row["side"]]
    ]
    return slice_rows(trace.model, np.array(ids, np.int64))
