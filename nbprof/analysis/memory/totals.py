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
from nbprof.analysis.memory.step_functions import UNKNOWN, MemorySteps, last_of

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
    devices = memory_devices(model)
    held = _held_bytes(model)
    found: dict[int, Totals] = {}
    with_records = []
    for index, device in enumerate(devices):
        rows = device.rows
        whole = all_allocators(model, index)
        if whole is not None or not (len(rows) or held[index]):
            times = model.column("memory", "time_ns")[rows]
            nothing = MemorySteps(rows[:0], rows[:0], rows[:0])
            found[index] = _from_allocators(whole or nothing, rows, times)
        elif len(rows):
            with_records.append(index)
        else:
            start, unknown = np.zeros(1, np.int64), np.full(1, UNKNOWN)
            found[index] = Totals(start, start + held[index], unknown, start - 1, start[:0] > 0, 0)
    found |= _from_records(model, with_records, held)
    return tuple(found[index] for index in range(len(devices)))


def _from_records(model: TraceModel, indices: list[int], held: Rows) -> dict[int, Totals]:
    """Return the totals of devices that have records, computed for all of them at once.

    Parameters
    ----------
    model : TraceModel
        The trace.
    indices : list of int
        Of these among the memory devices.
    held : ndarray of int64, shape (memory devices,)
        From `_held_bytes`.
    """
    if not indices:
        return {}
    rows_of = [memory_devices(model)[index].rows for index in indices]
    rows = np.concatenate(rows_of)
    lengths = np.array([len(own) for own in rows_of])
    parts = _Parts(np.cumsum(lengths) - lengths, np.repeat(np.arange(len(lengths)), lengths))
    first = parts.first
    times = model.column("memory", "time_ns")[rows]
    change = changes_in_use(model)[rows]
    stated = _consistent_totals(change, model.column("memory", "total_allocated")[rows], parts)
    uncounted, extra = np.zeros(len(rows), bool), np.zeros(len(rows), np.int64)
    for at in np.flatnonzero(parts.any(_lacks_itself(change, stated))).tolist():
        own = slice(int(first[at]), int(first[at] + lengths[at]))
        uncounted[own], extra[own] = _uncounted_records(model, indices[at], stated[own])
    before, base = _start_and_totals(change, stated, uncounted, held[indices], parts)
    known = np.flatnonzero(~uncounted & (stated >= 0))
    whose = parts.of[known]
    jumps = stated[known][1:] - change[known][1:] != stated[known][:-1]
    jumps &= whose[1:] == whose[:-1]
    jump_count = np.bincount(whose[1:][jumps], minlength=len(lengths)).tolist()
    reserved = np.where(uncounted, UNKNOWN, model.column("memory", "total_reserved")[rows])
    last = parts.last_of(reserved >= 0)
    reserved = np.where(last >= 0, reserved[np.maximum(last, 0)], UNKNOWN)
    # every device has a point at the start before those of its records
    time_ns, allocated, reserved, record = (
        np.insert(values, first, starts)
        for values, starts in (
            (times, np.minimum(0, times[first])),
            (base + extra, before),
            (reserved, np.full(len(lengths), UNKNOWN)),
            (rows, np.full(len(lengths), -1)),
        )
    )
    found = {}
    for at, (index, begin, length) in enumerate(
        zip(indices, first.tolist(), lengths.tolist(), strict=True)
    ):
        points = slice(begin + at, begin + at + length + 1)
        found[index] = Totals(
            time_ns[points],
            allocated[points],
            reserved[points],
            record[points],
            uncounted[begin : begin + length],
            jump_count[at],
        )
    return found


@dataclass(frozen=True)
class _Parts:
    """Where the records of each device are in arrays of those of all devices.

    Attributes
    ----------
    first : ndarray of int64, shape (devices,)
        Where those of each device begin; each has at least one.
    of : ndarray of int64, shape (records,)
        The place of each record's device.
    """

    first: Rows
    of: Rows

    def any(self, values: Mask) -> Mask:
        """Return of which devices any value is True, shape (devices,)."""
        found: Mask = np.logical_or.reduceat(values, self.first)
        return found

    def last_of(self, wanted: Mask) -> Rows:
        """Return for each record the last True one up to it of its device, -1 without one."""
        last = last_of(wanted)
        return np.where(last >= self.first[self.of], last, -1)

    def sums(self, values: Rows) -> Rows:
        """Return the running sum of the values of each device."""
        whole = np.cumsum(values)
        return whole - (whole - values)[self.first][self.of]


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


def _consistent_totals(change: Rows, stated: Rows, parts: _Parts) -> Rows:
    """Return the stated totals without those of devices whose allocations are in no total."""
    has_total = (change > 0) & (stated >= 0)
    inconsistent = parts.any(has_total) & ~parts.any(has_total & (stated >= change))
    return np.where(inconsistent[parts.of], UNKNOWN, stated)


def _lacks_itself(change: Rows, stated: Rows) -> Mask:
    """Return which allocations are not in their own total, which would be at least as large."""
    return (change > 0) & (stated >= 0) & (stated < change)


def _held_bytes(model: TraceModel) -> Rows:
    """Return the bytes of each memory device known to be in use all the time."""
    blocks = memory_blocks(model)
    held = np.flatnonzero(blocks.held >= 0)
    found = np.zeros(len(memory_devices(model)), np.int64)
    np.add.at(found, blocks.device[held], blocks.size[held])
    return found


def _start_and_totals(
    change: Rows, stated: Rows, uncounted: Mask, held: Rows, parts: _Parts
) -> tuple[Rows, Rows]:
    """Return the bytes allocated before the first record of each device and after each record.

    Uncounted records are left out.
    """
    run = parts.sums(np.where(uncounted, 0, change))
    least = np.minimum(np.minimum.reduceat(run, parts.first), 0)
    lowest = np.maximum(-least, held)
    anchor = ~uncounted & (stated >= 0)
    offset = stated - run
    places = np.where(anchor, np.arange(len(run)), len(run) - 1)
    first = offset[np.minimum.reduceat(places, parts.first)]
    last = parts.last_of(anchor)
    offset = np.where(last >= 0, offset[np.maximum(last, 0)], first[parts.of])
    has_anchor = parts.any(anchor)
    before = np.where(has_anchor, np.maximum(first, 0), lowest)
    moved = np.where(has_anchor[parts.of], np.maximum(run + offset, 0), run + lowest[parts.of])
    return before, moved


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
    left_out = _lacks_itself(change, stated)
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
