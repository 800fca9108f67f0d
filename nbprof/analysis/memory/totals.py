"""`Totals`: bytes allocated and reserved on a device after each of its records.

Most allocators report the total with every record. These totals are used if present, because no
recording contains every allocation. Some allocators of host memory, such as that for shared memory
between data loader workers, always report 0: their blocks are in no total and are added while they
are known to be in use. Without totals, changes are summed from the smallest start value that keeps
the sum from falling below 0. If a recorder tracks the allocators themselves, its totals are used
instead of those in block records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.memory.blocks import NEVER, blocks_of_device, memory_blocks
from nbprof.analysis.memory.components import all_allocators
from nbprof.analysis.memory.records import memory_devices, reserved_records
from nbprof.analysis.memory.step_functions import UNKNOWN, MemorySteps, last_known, last_of

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Totals(MemorySteps):
    """The memory of a device as a step function with a point at the start and at each record.

    If the recorder tracks allocators, the points are the recorder's; devices without either have
    none.

    Attributes
    ----------
    record : ndarray of int64, shape (points,)
        Row of the last memory record up to the point, -1 for the start.
    uncounted : ndarray of bool, shape (records of the device,)
        Whether the record's allocator leaves it out of the totals.
    jumps : int
        Number of records whose total does not follow from the previous record.
    """

    record: Rows
    uncounted: Mask
    jumps: int


def memory_totals(model: TraceModel) -> tuple[Totals, ...]:
    """Return the totals of each memory device, in order; computed once."""
    return model.cached("memory totals", lambda: _all_totals(model))


def _all_totals(model: TraceModel) -> tuple[Totals, ...]:
    return tuple(_totals(model, index) for index in range(len(memory_devices(model))))


def _totals(model: TraceModel, index: int) -> Totals:
    rows = memory_devices(model)[index].rows
    times = model.column("memory", "time_ns")[rows]
    whole = all_allocators(model, index)
    held = _held_bytes(model, index)
    if whole is not None or not (len(rows) or held):
        return _from_allocators(whole or MemorySteps(rows[:0], rows[:0], rows[:0]), rows, times)
    change = changes_in_use(model)[rows]
    stated = _consistent_totals(change, model.column("memory", "total_allocated")[rows])
    reserved = model.column("memory", "total_reserved")[rows]
    uncounted, extra = _uncounted_records(model, index, stated)
    before, base = _start_and_totals(change, stated, uncounted, held)
    counted = ~uncounted
    known = np.flatnonzero(counted & (stated >= 0))
    jumps = stated[known][1:] - change[known][1:] != stated[known][:-1]
    reserved = last_known(np.where(counted, reserved, UNKNOWN))
    start = min(0, int(times[0])) if len(rows) else 0
    return Totals(
        time_ns=np.append(start, times),
        allocated=np.append(before, base + extra),
        reserved=np.append(UNKNOWN, reserved),
        record=np.append(-1, rows),
        uncounted=uncounted,
        jumps=int(jumps.sum()),
    )


def changes_in_use(model: TraceModel) -> Rows:
    """Return the change of memory in use by each record, shape (records,)."""
    return model.cached(
        "changes in use",
        lambda: np.where(reserved_records(model), 0, model.column("memory", "bytes")),
    )


def _from_allocators(whole: MemorySteps, rows: Rows, times: Rows) -> Totals:
    """Return the recorder's totals of the allocators, with the record that each point follows."""
    is_known = whole.allocated >= 0
    time = whole.time_ns[is_known]
    record = np.append(rows, -1)[np.searchsorted(times, time, side="right") - 1]
    apart = np.zeros(len(rows), bool)
    return Totals(time, whole.allocated[is_known], whole.reserved[is_known], record, apart, 0)


def _consistent_totals(change: Rows, stated: Rows) -> Rows:
    """Return the stated totals, or none of them if no allocation is part of its own total."""
    has_total = (change > 0) & (stated >= 0)
    inconsistent = has_total.any() and bool((stated < change)[has_total].all())
    return np.full(len(stated), UNKNOWN) if inconsistent else stated


def _held_bytes(model: TraceModel, index: int) -> int:
    """Return the bytes of a device known to be in use all the time."""
    blocks = memory_blocks(model)
    here = blocks_of_device(model, index)
    return int(blocks.size[here][blocks.held[here] >= 0].sum())


def _start_and_totals(change: Rows, stated: Rows, uncounted: Mask, held: int) -> tuple[int, Rows]:
    """Return the bytes allocated before the first record and after each, without uncounted ones."""
    run = np.cumsum(np.where(uncounted, 0, change))
    anchor = ~uncounted & (stated >= 0)
    if not anchor.any():
        start = max(0, -int(run.min(initial=0)), held)
        return start, run + start
    offset = stated - run
    last = last_of(anchor)
    first = int(offset[np.argmax(anchor)])
    offset = np.where(last >= 0, offset[np.maximum(last, 0)], first)
    return max(first, 0), np.maximum(run + offset, 0)


def _uncounted_records(model: TraceModel, index: int, stated: Rows) -> tuple[Mask, Rows]:
    """Find the records that are included in no total.

    Returns
    -------
    uncounted : ndarray of bool, shape (n,)
    extra : ndarray of int64, shape (n,)
        Bytes in use after each record that the totals leave out.
    """
    rows = memory_devices(model)[index].rows
    change = changes_in_use(model)[rows]
    uncounted = np.zeros(len(rows), bool)
    extra = np.zeros(len(rows), np.int64)
    has_total = stated >= 0
    grows = change > 0
    # A total that includes an allocation is at least as large.
    left_out = grows & has_total & (stated < change)
    if not left_out.any():
        return uncounted, extra
    blocks = memory_blocks(model)
    here = blocks_of_device(model, index)
    here = here[(blocks.held[here] < 0) & ~blocks.reserved[here]]
    allocated = here[blocks.allocation[here] >= 0]
    place = np.searchsorted(rows, blocks.allocation[allocated])
    apart = allocated[left_out[place]]
    uncounted[left_out] = True
    released = blocks.release[apart]
    uncounted[np.searchsorted(rows, released[released >= 0])] = True
    np.add.at(extra, np.searchsorted(rows, blocks.allocation[apart]), blocks.size[apart])
    ends = apart[blocks.end[apart] < NEVER]
    np.add.at(extra, np.searchsorted(rows, blocks.end[ends]), -blocks.size[ends])
    # Releases of such blocks from before the recording report 0, although the previous total is not
    # reduced to it.
    lone = np.zeros(len(rows), bool)
    lone[np.searchsorted(rows, blocks.release[here[blocks.released_only[here]]])] = True
    lone &= has_total & (stated == 0)
    previous = last_of(has_total & ~uncounted & ~lone)
    total = np.where(previous >= 0, stated[np.maximum(previous, 0)], 0)
    uncounted |= lone & (total + change != 0)
    return uncounted, np.cumsum(extra)
