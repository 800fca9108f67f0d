"""Selects the memory records and counter samples of a part of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import intervals

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Span = tuple[int, int]

#: Columns that identify a memory of a process.
_DEVICE = ("device_type", "device")
#: Columns that identify a block, although addresses may be reused.
_ADDRESS = (*_DEVICE, "address")


def records_in(model: TraceModel, span: Span, inside: Mask) -> Mask:
    """Return the memory records in a time range and its operators, shape (records,).

    Parameters
    ----------
    model : TraceModel
        The trace.
    span : (int, int)
        Nanoseconds.
    inside : ndarray of bool, shape (host rows,)
        Host rows that are in the part together with everything inside them.
    """
    time = model.column("memory", "time_ns")
    is_record = (time >= span[0]) & (time < span[1])
    return is_record | _within(model, np.flatnonzero(inside & (_ends(model) > span[1])))


def with_context(model: TraceModel, span: Span, records: Mask) -> Mask:
    """Return the records of a range together with those that they depend on.

    These are the allocations they release, the releases of their allocations, and the records that
    determine how much memory is in use on each device when the range begins.
    """
    is_context = records | _neighbours(model, records)
    return (
        is_context
        | last_before(model, "memory", _DEVICE, span[0])
        | _records_before(model, span[0])
    )


def last_started(model: TraceModel, records: Mask) -> Rows:
    """Return the last host row that started before each of some records, on its thread.

    The slice in which a record was made is found from there.
    """
    time, thread = model.column("memory", "time_ns"), model.column("memory", "thread")
    start, of_host = model.column("host", "start_ns"), model.column("host", "thread")
    rows = [np.empty(0, np.int64)]
    for number in np.unique(thread[records]).tolist():  # threads, not records
        first, last = np.searchsorted(of_host, [number, number + 1]).tolist()
        times = time[records & (thread == number)]
        place = np.searchsorted(start[first:last], times, side="right") - 1
        rows.append(first + place[place >= 0])
    return np.unique(np.concatenate(rows))


def last_before(model: TraceModel, table: str, keys: tuple[str, ...], time: int) -> Mask:
    """Return for every combination of keys the last row before a time, or else its first row."""
    is_last = np.zeros(model.tables[table].num_rows, bool)
    times = model.column(table, "time_ns")
    group, groups = _groups(model, table, keys)
    for rows in (np.flatnonzero(times < time)[::-1], np.arange(len(times))):
        missing = np.ones(groups, bool)
        missing[group[is_last]] = False
        wanted = rows[missing[group[rows]]]
        _, first = np.unique(group[wanted], return_index=True)
        is_last[wanted[first]] = True
    return is_last


def _records_before(model: TraceModel, time: int) -> Mask:
    """Return records needed for the memory in use at a time, besides the last ones before it.

    These are the last nonzero totals, and allocations still in use that no total includes.
    """
    before = model.column("memory", "time_ns") < time
    total, change = (model.column("memory", name) for name in ("total_allocated", "bytes"))
    counts = before & (total > 0)
    left_out = before & (total >= 0) & (total < change)
    is_record = np.zeros(len(before), bool)
    for wanted, of, keys in ((counts, counts, _DEVICE), (left_out, before, _ADDRESS)):
        if not wanted.any():
            continue
        group, _ = _groups(model, "memory", keys)
        rows = np.flatnonzero(of)[::-1]
        _, last = np.unique(group[rows], return_index=True)
        is_record[rows[last]] |= wanted[rows[last]]
    return is_record


def _within(model: TraceModel, host: Rows) -> Mask:
    """Return which records were made while given host rows were running on their thread."""
    time, thread = model.column("memory", "time_ns"), model.column("memory", "thread")
    start, end = model.column("host", "start_ns"), _ends(model)
    of_host = model.column("host", "thread")[host]
    is_within = np.zeros(len(time), bool)
    for number in np.unique(of_host).tolist():  # threads, not records
        rows = host[of_host == number]
        covered = intervals.union(start[rows], end[rows])
        index = np.searchsorted(covered[0], time, side="right") - 1
        running = (index >= 0) & (thread == number)
        running[running] = time[running] < covered[1][index[running]]
        is_within |= running
    return is_within


def _neighbours(model: TraceModel, wanted: Mask) -> Mask:
    """Return the previous and next records at the same address of the same device.

    They pair allocations with their releases.
    """
    group, _ = _groups(model, "memory", _ADDRESS)
    order = np.argsort(group, kind="stable")
    ordered, same = wanted[order], group[order][1:] == group[order][:-1]
    same &= model.column("memory", "address")[order][1:] != -1
    near = np.zeros(len(wanted), bool)
    near[1:] |= ordered[:-1] & same
    near[:-1] |= ordered[1:] & same
    is_neighbour = np.zeros(len(wanted), bool)
    is_neighbour[order] = near
    return is_neighbour


def _groups(model: TraceModel, table: str, keys: tuple[str, ...]) -> tuple[Rows, int]:
    """Return numbers for the distinct combinations of keys, and how many there are."""
    group = np.zeros(model.tables[table].num_rows, np.int64)
    count = 1
    for key in keys:
        _, code = np.unique(model.column(table, key), return_inverse=True)
        distinct, group = np.unique(group * (code.max(initial=0) + 1) + code, return_inverse=True)
        count = len(distinct)
    return group, count


def _ends(model: TraceModel) -> Rows:
    ends: Rows = model.column("host", "start_ns") + model.column("host", "duration_ns")
    return ends
