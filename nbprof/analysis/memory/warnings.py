"""Warnings about inconsistent memory records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.analysis.memory.blocks import addresses_on_several_devices, memory_blocks
from nbprof.analysis.memory.records import memory_devices
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.trace.warning import TraceWarning
from nbprof.model.units import format_bytes, format_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.memory.blocks import Blocks
    from nbprof.model.trace.model import TraceModel


def memory_warnings(model: TraceModel) -> Iterator[TraceWarning]:
    """Yield warnings from pairing allocations and releases."""
    if model.tables["memory"].num_rows == 0:
        return
    blocks = memory_blocks(model)
    yield from _releases_alone(model, blocks)
    lost = np.flatnonzero(blocks.implicitly_released)
    if len(lost):
        yield TraceWarning(
            "address allocated twice",
            len(lost),
            f"{format_bytes(blocks.size[lost[0]])} on {_device(model, blocks.device[lost[0]])}"
            " were released without a record, because their address is allocated again",
        )
    shared = addresses_on_several_devices(model)
    if shared:
        yield TraceWarning(
            "address on several devices", shared, "blocks are identified by device and address"
        )
    uncounted = [int(totals.uncounted.sum()) for totals in memory_totals(model)]
    if any(uncounted):
        yield TraceWarning(
            "memory in no total",
            sum(uncounted),
            f"{format_count(sum(uncounted), 'record')} of an allocator that reports no totals, such"
            " as that of shared memory, count in the curve nevertheless",
        )
    jumps = [totals.jumps for totals in memory_totals(model)]
    if any(jumps):
        yield TraceWarning(
            "memory records out of order",
            sum(jumps),
            f"the total of {_device(model, int(np.argmax(np.array(jumps) > 0)))} does not follow "
            f"from the previous record and the bytes of this one",
        )


def _releases_alone(model: TraceModel, blocks: Blocks) -> Iterator[TraceWarning]:
    """Yield releases without an allocation: from before the recording, or of a block released."""
    record = np.where(blocks.allocation >= 0, blocks.allocation, blocks.release)
    there = np.flatnonzero(record >= 0)
    address = model.column("memory", "address")[record[there]]
    keys = np.stack([blocks.device[there], blocks.reserved[there], address])
    _, first = np.unique(keys, axis=1, return_index=True)
    is_first = np.zeros(len(record), bool)
    is_first[there[first]] = True  # blocks are in the order of their first record
    before = np.flatnonzero(blocks.released_only & is_first)
    if len(before):
        size = format_bytes(int(blocks.size[before].sum()))
        yield TraceWarning(
            "allocated before the recording",
            len(before),
            f"{len(before):,} blocks ({size}) that were released had been allocated before the"
            " recording"
            if len(before) > 1
            else f"1 block ({size}) that was released had been allocated before the recording",
        )
    again = np.flatnonzero(blocks.released_only & ~is_first)
    if len(again):
        yield TraceWarning(
            "freed without a recorded allocation",
            len(again),
            f"{format_bytes(blocks.size[again[0]])} on {_device(model, blocks.device[again[0]])}"
            " were released at an address that was released before and not allocated since",
        )


def _device(model: TraceModel, index: int) -> str:
    device = memory_devices(model)[index]
    number = "" if device.shown_number is None else f" {device.number}"
    return f"{device.type_name or 'a device'}{number}"
