"""Memory that operator calls keep, in `operators`: bytes allocated less bytes released."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import sums
from nbprof.analysis.memory.owners import operator_call_of_record
from nbprof.analysis.memory.records import (
    MemoryDevice,
    kept_devices,
    memory_devices,
    records_name_operators,
    reserved_records,
)
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.analysis.operators.calls import OperatorCalls
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Floats = npt.NDArray[np.float64]

#: Memory that is on the host although a device owns it: it counts on neither side.
_NEITHER: Final = kinds.DEVICE_TYPES[kinds.PINNED_TYPE]


def call_memory(model: TraceModel, filter_: Filter, calls: OperatorCalls) -> dict[str, Floats]:
    """Return the bytes that each call kept, by side and by what of it.

    A record belongs to the innermost operator that was running on its thread, a release to the
    operator that released. Memory that the allocator reserves does not count.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Its devices count; all if it has none.
    calls : OperatorCalls
        The calls of the trace.

    Returns
    -------
    dict of str to ndarray of float64, shape (calls,)
        Whole numbers by ``host_memory_self``, ``host_memory_total``, ``device_memory_self`` and
        ``device_memory_total``. A side without records is missing; so are both if the recorder
        names who allocates, but not who releases.
    """
    if records_name_operators(model):
        return {}
    kept = frozenset(kept_devices(model, filter_))
    found: dict[str, Floats] = {}
    for side, devices in _devices_of_sides(model).items():
        counted = tuple(device for device in devices if device in kept)
        key = "memory of calls", counted
        own, total = model.cached(key, partial(_sum_records, model, calls, counted))
        found[f"{side}_memory_self"], found[f"{side}_memory_total"] = own, total
    return found


def _devices_of_sides(model: TraceModel) -> dict[str, list[int]]:
    """Return the indices of the memory devices with records, of the host and of all devices."""
    sides: dict[str, list[int]] = {}
    for index, device in enumerate(memory_devices(model)):
        side = _side_of(device)
        if side and len(device.rows):
            sides.setdefault(side, []).append(index)
    return sides


def _side_of(device: MemoryDevice) -> str:
    if device.type_name in {None, _NEITHER}:
        return ""
    return "host" if device.is_cpu else "device"


def _sum_records(
    model: TraceModel, calls: OperatorCalls, devices: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Return the bytes that each call kept on some devices, alone and with nested calls."""
    none = np.empty(0, np.int64)
    rows = np.concatenate([none, *(memory_devices(model)[one].rows for one in devices)])
    call = operator_call_of_record(model)[rows]
    counts = (call >= 0) & ~reserved_records(model)[rows]
    own = sums(call[counts], model.column("memory", "bytes")[rows[counts]], len(calls.row))
    return own, calls.forest.totals(own)
