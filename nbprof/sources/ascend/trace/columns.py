"""Joins the column pieces of a `trace_view.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.ascend.tables.clock import LONGEST_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.sources.ascend.trace.processes import Processes
    from nbprof.sources.ascend.trace.rows import Rows
    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.defects import DefectLog

Columns = dict[str, npt.NDArray[Any]]

_COMMON: Final = {
    "order": np.int64,
    "name": np.int32,
    "lane": np.int32,
    "start_ns": np.int64,
    "duration_ns": np.int64,
}
_CODES: Final = ("input_shapes", "input_types", "call_stack")
_NUMBERS: Final = ("sequence", "forward_thread", "python_id", "python_parent", "module_id")

#: Columns and their types.
HOST: Final = {
    **_COMMON,
    "kind": np.int8,
    "is_call": np.int8,  # 1: an operator that has a row in `operator_details.csv`
    **dict.fromkeys(_NUMBERS, np.int64),
    **dict.fromkeys(_CODES, np.int32),
}
SLICES: Final = {
    **_COMMON,
    "connection": np.int64,
    "task_type": np.int32,
    "part_type": np.int32,
    "task": np.int64,
    "bytes": np.int64,
    "bandwidth_gbps": np.float64,
    "dtype": np.int32,
    "elements": np.int64,
}
FLOWS: Final = {
    "order": np.int64,
    "id": np.int64,
    "category": np.int32,
    "phase": np.int32,
    "time_ns": np.int64,
    "lane": np.int32,
}
COUNTERS: Final = {
    "order": np.int64,
    "name": np.int32,
    "series": np.int32,
    "pid": np.int64,
    "time_ns": np.int64,
    "value": np.float64,
}


@dataclass
class TraceRows:
    """The columns of a `trace_view.json`; times are in absolute nanoseconds.

    Attributes
    ----------
    first_ns, end_ns : int
        The first start and the last end of all events.
    events : int
        Number of events.
    host, slices, flows, counters : dict of str to ndarray
        Columns, in the order of the file: `HOST`, `SLICES`, `FLOWS`, `COUNTERS`. ``slices`` is
        CANN calls and device slices, which only their process distinguishes.
    texts : dict of str to list of str
        Texts by the codes in columns.
    lanes : list of (str, int)
        Process and thread of each lane.
    processes : Processes
        Metadata of the processes.
    """

    first_ns: int
    end_ns: int
    events: int
    host: Columns
    slices: Columns
    flows: Columns
    counters: Columns
    texts: dict[str, list[str]]
    lanes: list[tuple[str, int]]
    processes: Processes


def columns_of(rows: Rows) -> TraceRows | None:
    """Return the collected columns and empty `rows`; None if there are none."""
    tables = (
        _joined(rows.host, HOST),
        _joined(rows.slices, SLICES),
        _joined(rows.counters, COUNTERS),
        _joined(rows.flows, FLOWS),
    )
    host, slices, counters, flows = _recorded(tables, rows.context.defects)
    starts = [one["start_ns"] for one in (host, slices)] + [counters["time_ns"]]
    if not any(map(len, starts)):
        return None
    types = rows.task_types.texts
    texts = {
        "name": rows.context.names.texts,
        "input_shapes": rows.shapes.texts,
        "input_types": rows.types.texts,
        "call_stack": rows.stacks.texts,
        "task_type": types,
        "part_type": types,
        "dtype": types,
        "series": rows.series.texts,
    }
    ends = [one["start_ns"] + one["duration_ns"] for one in (host, slices)] + [counters["time_ns"]]
    if not rows.frames:  # the recording is as long without them
        is_kept = host["kind"] != kinds.PYTHON
        host = {name: values[is_kept] for name, values in host.items()}
    return TraceRows(
        first_ns=min(int(start.min()) for start in starts if len(start)),
        end_ns=max(int(end.max()) for end in ends if len(end)),
        events=rows.events,
        host=host,
        slices=slices,
        flows=flows,
        counters=counters,
        texts=texts,
        lanes=[key[:2] for key in rows.context.threads.keys_seen],
        processes=rows.processes,
    )


def _recorded(tables: tuple[Columns, ...], defects: DefectLog) -> tuple[Columns, ...]:
    """Drop rows whose time is more than a day from the median of the first tables.

    A single such row would shift the time zero of the trace.
    """
    times = [one["start_ns" if "start_ns" in one else "time_ns"] for one in tables]
    known = np.concatenate(times[:-1])
    if not len(known):
        return tables
    middle = int(np.partition(known, len(known) // 2)[len(known) // 2])
    is_recorded = [np.abs(one - middle) <= LONGEST_NS for one in times]
    far = sum(int((~one).sum()) for one in is_recorded)
    if not far:
        return tables
    defects.note("times of another clock", far, "a day or more from the others; dropped")
    return tuple(
        {name: values[mask] for name, values in one.items()}
        for one, mask in zip(tables, is_recorded, strict=True)
    )


def _joined(pieces: list[Pieces], layout: Mapping[str, Any]) -> Columns:
    """Join and free the pieces of a table; missing numbers are -1 or NaN."""
    lengths = [len(piece["order"]) for piece in pieces]
    columns = {}
    for name, dtype in layout.items():
        missing = np.nan if dtype is np.float64 else -1
        joined, at = np.empty(sum(lengths), dtype), 0
        for piece, length in zip(pieces, lengths, strict=True):
            joined[at : at + length] = piece.pop(name, missing)
            at += length
        columns[name] = joined
    pieces.clear()
    return columns
