"""The memory records of a trace: on which devices, and in which host slice each was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds

if TYPE_CHECKING:
    from nbprof.model.filter import Filter
    from nbprof.model.trace_model import TraceModel

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MemoryDevice:
    """A device that has memory records.

    Attributes
    ----------
    type_code : int
        `c10::DeviceType`, -1 where the source does not tell.
    number : int
        -1 is the CPU.
    rows : ndarray of int64, shape (n,)
        Its rows in the memory table, in time order; of what is only held, none.
    """

    type_code: int
    number: int
    rows: Rows

    @property
    def type_name(self) -> str | None:
        """What tables call the kind of device; of one without a name, its number."""
        if self.type_code < 0:
            return None
        return kinds.DEVICE_TYPES.get(self.type_code, f"device{self.type_code}")

    @property
    def is_cpu(self) -> bool:
        """Whether this is the memory of the host."""
        return self.type_name == "cpu"

    @property
    def shown_number(self) -> int | None:
        """What tables call the device: the CPU has no number."""
        return None if self.is_cpu or self.number < 0 else self.number


def memory_devices(model: TraceModel) -> tuple[MemoryDevice, ...]:
    """Return the devices with memory records, the CPU first; computed once."""
    return model.cached("memory devices", lambda: _devices(model))


def kept_devices(model: TraceModel, filter_: Filter) -> list[int]:
    """Return which of the memory devices the filter keeps, as indices; all, or by number."""
    return [
        index
        for index, device in enumerate(memory_devices(model))
        if filter_.devices is None or device.shown_number in filter_.devices
    ]


def device_of_record(model: TraceModel) -> Rows:
    """Return the index of the device of every memory record, shape (records,); computed once."""
    return model.cached("device of memory record", lambda: _device_of_record(model))


def slice_of_record(model: TraceModel) -> Rows:
    """Return the deepest host row that was running on its thread at every memory record.

    Returns
    -------
    ndarray of int64, shape (records,)
        Host rows, -1 where nothing ran. A slice runs from its start until before its end. Computed
        once.
    """
    return model.cached("slice of memory record", lambda: _slice_of_record(model))


def _devices(model: TraceModel) -> tuple[MemoryDevice, ...]:
    pairs = _pairs(model, "memory")
    held = _pairs(model, "memory_held")
    known = np.unique(np.concatenate([pairs, held]))
    found = []
    for pair in known.tolist():  # devices, not records
        type_code, number = divmod(pair, 1 << 32)
        rows = np.flatnonzero(pairs == pair)
        found.append(MemoryDevice(type_code - 1, number - 1, rows))
    return tuple(sorted(found, key=lambda d: (not d.is_cpu, d.type_code, d.number)))


def _pairs(model: TraceModel, table: str) -> Rows:
    """Return type and number of the device of every row as one number."""
    type_code = np.maximum(model.column(table, "device_type").astype(np.int64), -1)
    number = np.maximum(model.column(table, "device").astype(np.int64), -1)
    return (type_code + 1) * (1 << 32) + number + 1


def _device_of_record(model: TraceModel) -> Rows:
    index = np.empty(model.tables["memory"].num_rows, np.int64)
    for place, device in enumerate(memory_devices(model)):
        index[device.rows] = place
    return index


def _slice_of_record(model: TraceModel) -> Rows:
    thread, time = model.column("memory", "thread"), model.column("memory", "time_ns")
    host_thread, start = model.column("host", "thread"), model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    found = np.full(len(time), -1, np.int64)
    if len(start) == 0:
        return found
    for number in np.unique(thread).tolist():  # threads, not records
        first, last = np.searchsorted(host_thread, [number, number + 1]).tolist()
        here = np.flatnonzero(thread == number)
        place = np.searchsorted(start[first:last], time[here], side="right") - 1
        found[here] = np.where(place >= 0, first + place, -1)
    # All slices that start later end the search: what runs is the last one started, or round it.
    parent = model.nesting.parent
    moving = np.flatnonzero(found >= 0)
    while len(moving):
        moving = moving[end[found[moving]] <= time[moving]]
        found[moving] = parent[found[moving]]
        moving = moving[found[moving] >= 0]
    return found
