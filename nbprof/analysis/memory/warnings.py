"""Warnings about inconsistent memory records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.analysis.memory.blocks import addresses_on_several_devices, memory_blocks
from nbprof.analysis.memory.records import memory_devices
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.trace.warning import TraceWarning
from nbprof.model.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace.model import TraceModel


def memory_warnings(model: TraceModel) -> Iterator[TraceWarning]:
    """Yield warnings from pairing allocations and releases."""
    if model.tables["memory"].num_rows == 0:
        return
    blocks = memory_blocks(model)
    released_only = np.flatnonzero(blocks.released_only)
    if len(released_only):
        first = released_only[0]
        yield TraceWarning(
            "release without allocation",
            len(released_only),
            f"{format_bytes(blocks.size[first])} on {_device(model, blocks.device[first])}"
            " were allocated before the recording or outside its view",
        )
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
            "an allocator, such as that of shared memory, always reports a total of 0; its blocks "
            "are added to the curve",
        )
    jumps = [totals.jumps for totals in memory_totals(model)]
    if any(jumps):
        yield TraceWarning(
            "memory records out of order",
            sum(jumps),
            f"the total of {_device(model, int(np.argmax(np.array(jumps) > 0)))} does not follow "
            f"from the previous record and the bytes of this one",
        )


def _device(model: TraceModel, index: int) -> str:
    device = memory_devices(model)[index]
    number = "" if device.shown_number is None else f" {device.number}"
    return f"{device.type_name or 'a device'}{number}"
