"""Tables `memory_peak` and `memory_peak_holders`: peak memory, and who holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, sums, texts_at, us
from nbprof.analysis.memory.blocks import Blocks, blocks_of_device, memory_blocks
from nbprof.analysis.memory.columns import (
    DEVICE_COLUMNS,
    codes_matching,
    device_columns,
    known,
)
from nbprof.analysis.memory.curve import holds_memory
from nbprof.analysis.memory.owners import (
    module_of_record,
    operator_of_record,
    stack_of_record,
    stacks_of_held_blocks,
)
from nbprof.analysis.memory.records import (
    kept_devices,
    kept_records,
    memory_devices,
    records_requests,
)
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

MEMORY_PEAK: Final[Columns] = (
    *DEVICE_COLUMNS,
    size(
        "peak_bytes",
        "Most memory in use at one time; of memory snapshots, the bytes that the allocator took, "
        "as torch.cuda.max_memory_allocated counts them.",
    ),
    size(
        "requested_bytes",
        "The bytes that the program asked for in the blocks in use then. Only memory snapshots "
        "record them.",
    ),
    time("time_us", "When this peak was first reached."),
    size("capacity_bytes", "Total memory of the device, if recorded."),
)

MEMORY_PEAK_HOLDERS: Final[Columns] = (
    *DEVICE_COLUMNS,
    text("operator", "Operator that allocated the blocks; empty if none was running."),
    text("module", "Innermost module around the operator, or around its forward operator."),
    text("call_stack", "Python frames around the allocation, joined by ;."),
    size(
        "bytes",
        "Bytes of the blocks that are in use at the peak; of memory snapshots, those that the "
        "allocator took.",
    ),
    size(
        "requested_bytes",
        "The bytes that the program asked for in these blocks. Only memory snapshots record them.",
    ),
    count(
        "blocks",
        "Number of blocks; empty in the row of memory allocated before the recording.",
    ),
)


Rows = npt.NDArray[np.int64]

#: Number of blocks of memory allocated before the recording: unknown.
_UNKNOWN_COUNT = -1


@dataclass(frozen=True)
class Peak:
    """The peak of memory in use on a device.

    Attributes
    ----------
    device : int
        Index among the memory devices.
    size : int
        Bytes.
    time_ns : int
        Time at which it was first reached.
    record : int
        Row in the memory table that reaches it, -1 for the start of the recording.
    requested : int or None
        The bytes that the program asked for, None for recorders without them.
    """

    device: int
    size: int
    time_ns: int
    record: int
    requested: int | None


def memory_peak(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the peak of memory in use on each device within the filter's range.

    It is the maximum of `memory_curve` under the same filter.
    """
    peaks = _find_peaks(model, filter_)
    return make_table(
        MEMORY_PEAK,
        {
            **device_columns(model, np.array([peak.device for peak in peaks], np.int64)),
            "peak_bytes": [peak.size for peak in peaks],
            "requested_bytes": [peak.requested for peak in peaks],
            "time_us": us(np.array([peak.time_ns for peak in peaks], np.int64)),
            "capacity_bytes": [_capacity(model, peak.device) for peak in peaks],
        },
    )


def memory_peak_holders(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return who holds the memory at the peak of each device, largest first.

    Rows group the blocks in use at the time of `memory_peak` by operator, innermost module and call
    stack. Memory without records, in use since before the recording, has a separate row with none
    of these and no number of blocks. Without a filter on names, threads or `within`, the rows of a
    device sum to its peak. If unrecorded releases make the blocks exceed the memory in use, that
    separate row is negative.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Range in which to find the peak, and devices; names of operators, threads and `within`
        select rows.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_PEAK_HOLDERS`; no rows for devices whose records have no addresses.
    """
    peaks = _find_peaks(model, filter_)
    blocks = memory_blocks(model)
    # All devices at once: a table for each would take longer than finding the blocks.
    device, live = _in_use(blocks, peaks, len(memory_devices(model)))
    peak_bytes = np.array([peak.size for peak in peaks], np.int64)
    held, held_requested = (
        sums(device, values[live], len(peaks)).astype(np.int64)
        for values in (blocks.size, blocks.requested)
    )
    operator, module, stack, texts = _codes(model, blocks, live)
    keep = codes_matching(operator, texts[0], filter_.name)
    narrow = Filter(threads=filter_.threads, within=filter_.within)
    if narrow:
        mine = np.append(kept_records(model, narrow), False)  # last: held throughout
        keep &= mine[blocks.allocation[live]]
    device, live, operator, module, stack = (
        values[keep] for values in (device, live, operator, module, stack)
    )
    group, first = dense(device, operator, module, stack)
    size, requested = (
        sums(group, values[live], len(first)).astype(np.int64)
        for values in (blocks.size, blocks.requested)
    )
    number = np.bincount(group, minlength=len(first))
    keys = [device[first], operator[first], module[first], stack[first]]
    # Without any block, memory from before the recording cannot be told apart.
    if filter_.name is None and not narrow:
        has_blocks = np.array([len(blocks_of_device(model, one.device)) for one in peaks], bool)
        rest = np.flatnonzero(has_blocks & (peak_bytes != held))
        size = np.append(size, (peak_bytes - held)[rest])
        asked = np.array([peak.requested or 0 for peak in peaks], np.int64)
        requested = np.append(requested, (asked - held_requested)[rest])
        number = np.append(number, np.full(len(rest), _UNKNOWN_COUNT))
        unknown = np.full(len(rest), -1)
        keys = [np.append(keys[0], rest), *(np.append(key, unknown) for key in keys[1:])]
    order = np.lexsort((-size, keys[0]))
    names = [texts_at(text, key[order]) for key, text in zip(keys[1:], texts, strict=True)]
    places = np.array([peak.device for peak in peaks], np.int64)
    return make_table(
        MEMORY_PEAK_HOLDERS,
        {
            **device_columns(model, places[keys[0][order]]),
            **dict(zip(("operator", "module", "call_stack"), names, strict=True)),
            "bytes": size[order],
            "requested_bytes": arrow_array(
                requested[order], mask=np.full(len(order), not records_requests(model))
            ),
            "blocks": known(number[order]),
        },
    )


def _find_peaks(model: TraceModel, filter_: Filter = NO_FILTER) -> list[Peak]:
    """Return the peaks of the devices that the filter keeps, if its range covers anything."""
    window = selection.window(model, filter_)
    found = []
    for device in kept_devices(model, filter_) if holds_memory(filter_) else ():
        totals = memory_totals(model)[device]
        index, time = totals.points(window)
        if len(index):
            at = int(np.argmax(totals.allocated[index]))
            place = int(index[at])
            size, record = int(totals.allocated[place]), int(totals.record[place])
            asked = _requested(model, device, record)
            found.append(Peak(device, size, int(time[at]), record, asked))
    return found


def _requested(model: TraceModel, device: int, record: int) -> int | None:
    """Return the bytes requested in the blocks in use after a record, -1 for the start."""
    rows = memory_devices(model)[device].rows
    if not records_requests(model) or not len(rows):
        return None
    row = record if record >= 0 else rows[0]
    total, change = (int(model.column("memory_requested", one)[row]) for one in ("total", "bytes"))
    return total if record >= 0 else total - change


def _capacity(model: TraceModel, device: int) -> int | None:
    one = memory_devices(model)[device]
    if one.is_cpu:
        return None
    there = np.flatnonzero(model.column("devices", "device") == one.number)
    size = int(model.column("devices", "memory_bytes")[there[0]]) if len(there) else 0
    return size if size > 0 else None


def _in_use(blocks: Blocks, peaks: Sequence[Peak], devices: int) -> tuple[Rows, Rows]:
    """Return the blocks in use at the peaks of their devices.

    Returns
    -------
    peak, block : ndarray of int64, shape (n,)
        Index of the peak and of the block, sorted by both.
    """
    place, record = np.full(devices, -1, np.int64), np.full(devices, -1, np.int64)
    of_peak = np.array([peak.device for peak in peaks], np.int64)
    place[of_peak] = np.arange(len(peaks))
    record[of_peak] = [peak.record for peak in peaks]
    some = np.flatnonzero(place[blocks.device] >= 0)
    live = blocks.in_use(some, record[blocks.device[some]])
    live = live[np.argsort(place[blocks.device[live]], kind="stable")]
    return place[blocks.device[live]], live


def _codes(
    model: TraceModel, blocks: Blocks, live: Rows
) -> tuple[Rows, Rows, Rows, tuple[list[str], list[str], list[str]]]:
    """Return operator, module and call stack of blocks as codes, and their texts."""
    record, held = blocks.allocation[live], blocks.held[live]
    operators, modules, stacks = (
        operator_of_record(model),
        module_of_record(model),
        stack_of_record(model),
    )
    of_held = stacks_of_held_blocks(model)
    operator, module, stack = (
        np.append(one.code, -1)[record] for one in (operators, modules, stacks)
    )
    stack = np.where(held >= 0, np.append(of_held.code, -1)[held], stack)
    return operator, module, stack, (operators.texts, modules.texts, of_held.texts)


PEAK_TABLE: Final = TableSpec(
    name="memory_peak",
    summary="the most memory in use on every device",
    columns=MEMORY_PEAK,
    make=memory_peak,
    keys=("device_type", "device"),
    nouns=("peak", "peaks"),
    needs="memory",
)

HOLDERS_TABLE: Final = TableSpec(
    name="memory_peak_holders",
    summary="who holds the memory at the peak",
    columns=MEMORY_PEAK_HOLDERS,
    make=memory_peak_holders,
    keys=("device_type", "device", "operator", "module", "call_stack"),
    sort=("bytes",),
    sums=("bytes", "requested_bytes", "blocks"),
    nouns=("holder", "holders"),
    needs="memory",
    empty_texts={"memory": "The records have no addresses, which are needed to identify blocks."},
)
