"""Memory records: the device and the host slice of each, and which ones the filter keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.memory.record_operators import names_of_records
from nbprof.model.filters import selection
from nbprof.model.filters.within import Within, match_within
from nbprof.model.lookup import rows_of_values
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class MemoryDevice:
    """A device with memory records.

    Attributes
    ----------
    type_code : int
        `c10::DeviceType`, -1 if unknown.
    number : int
        -1 is the CPU.
    rows : ndarray of int64, shape (n,)
        Its rows in the memory table, sorted by time; empty if only held blocks or components are
        known.
    """

    type_code: int
    number: int
    rows: Rows

    @property
    def type_name(self) -> str | None:
        """Kind of the device as shown in tables; its number if it has no name."""
        if self.type_code < 0:
            return None
        return kinds.DEVICE_TYPES.get(self.type_code, f"device{self.type_code}")

    @property
    def is_cpu(self) -> bool:
        """Whether this is host memory."""
        return self.type_name == "cpu"

    @property
    def shown_number(self) -> int | None:
        """Number of the device as shown in tables; the CPU has none."""
        return None if self.is_cpu or self.number < 0 else self.number


def memory_devices(model: TraceModel) -> tuple[MemoryDevice, ...]:
    """Return the devices with memory records, the CPU first; computed once."""
    return model.cached("memory devices", lambda: _devices(model))


def kept_devices(model: TraceModel, filter_: Filter) -> list[int]:
    """Return the indices of the memory devices that the filter keeps; all, or by number."""
    return [
        index
        for index, device in enumerate(memory_devices(model))
        if filter_.devices is None or device.shown_number in filter_.devices
    ]


def device_of_record(model: TraceModel) -> Rows:
    """Return the device index of each memory record, shape (records,); computed once."""
    return model.cached("device of memory record", lambda: _device_of_record(model))


def reserved_records(model: TraceModel) -> Mask:
    """Return which memory records are about reserved memory rather than memory in use."""
    if not separates_reserved(model):
        return np.zeros(model.tables["memory"].num_rows, bool)
    is_reserved: Mask = model.column("memory_extra", "is_reserved")
    return is_reserved


def separates_reserved(model: TraceModel) -> bool:
    """Return whether the recorder distinguishes reserved memory and memory in use."""
    return len(model.column("memory_extra", "is_reserved")) > 0


def records_name_operators(model: TraceModel) -> bool:
    """Return whether memory records name their operators."""
    return len(model.column("memory_names", "record")) > 0


def records_requests(model: TraceModel) -> bool:
    """Return whether the sizes that the program asked for are known besides what was taken."""
    return len(model.column("memory_requested", "total")) > 0


def slice_of_record(model: TraceModel) -> Rows:
    """Return the deepest host row running on the thread of each memory record.

    If records name their operators but no thread, it is the call of that operator, if found; of
    several concurrent calls the one that started last.

    Returns
    -------
    ndarray of int64, shape (records,)
        Host rows, -1 if nothing ran. A slice runs from its start until before its end. Computed
        once.
    """
    return model.cached("slice of memory record", lambda: _slice_of_record(model))


def kept_records(model: TraceModel, filter_: Filter) -> Mask:
    """Return which memory records the filter keeps, ignoring its name.

    `within` refers to the host row of a record or, without one, to the operator that it names.

    Returns
    -------
    ndarray of bool, shape (records,)
    """
    is_kept = selection.memory_records(model, filter_)
    if filter_.within is None:
        return is_kept
    made_in = slice_of_record(model)
    passes = np.append(Within.of(model, filter_.within).host, False)[made_in]
    names = names_of_records(model)
    named_so = np.append(match_within(names.texts, filter_.within), False)[names.code]
    return is_kept & np.where(made_in >= 0, passes, named_so)


def _devices(model: TraceModel) -> tuple[MemoryDevice, ...]:
    pairs = _device_codes(model, "memory")
    others = [_device_codes(model, table) for table in ("memory_held", "memory_components")]
    known = np.unique(np.concatenate([pairs, *others]))
    found = []
    rows = rows_of_values(pairs)
    for pair in known.tolist():  # devices, not records
        type_code, number = divmod(pair, 1 << 32)
        own = rows.get(pair, np.empty(0, np.int64))
        found.append(MemoryDevice(type_code - 1, number - 1, own))
    return tuple(sorted(found, key=lambda d: (not d.is_cpu, d.type_code, d.number)))


def _device_codes(model: TraceModel, table: str) -> Rows:
    """Return type and number of the device of each row, combined into one integer."""
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
    if records_name_operators(model):
        return _named_slices(model, time)
    slice_row = np.full(len(time), -1, np.int64)
    if len(model.column("host", "thread")):
        for number, here in rows_of_values(thread).items():
            slice_row[here] = _running_slices(model, number, time[here])
    return slice_row


def _running_slices(model: TraceModel, thread: int, time: Rows) -> Rows:
    """Return the deepest host row running on a thread at given times, -1 for none."""
    host_thread, start = model.column("host", "thread"), model.column("host", "start_ns")
    end = model.nesting.end  # an unclosed frame owns nothing after the frame that it began in
    first, last = np.searchsorted(host_thread, [thread, thread + 1]).tolist()
    place = np.searchsorted(start[first:last], time, side="right") - 1
    # The running slice is the last one that started, or one around it.
    return _nearest_enclosing(
        model,
        np.where(place >= 0, first + place, -1),
        lambda row, at: end[row] > time[at],
    )


def _named_slices(model: TraceModel, time: Rows) -> Rows:
    """Return the running operator call that each record names."""
    record = model.column("memory_names", "record")
    record = record[model.column("memory", "bytes")[record] > 0]  # who releases is not recorded
    wanted = _names_in_host(model)[record]
    names, start = model.column("host", "name"), model.column("host", "start_ns")
    is_operator = model.column("host", "kind") == kinds.OPERATOR
    slice_row = np.full(len(time), -1, np.int64)
    record, wanted = record[wanted >= 0], wanted[wanted >= 0]
    for number in range(model.tables["threads"].num_rows):
        row = _running_slices(model, number, time[record])
        row = _nearest_enclosing(
            model, row, lambda r, at: is_operator[r] & (names[r] == wanted[at])
        )
        later = (row >= 0) & ((slice_row[record] < 0) | (start[row] > start[slice_row[record]]))
        slice_row[record[later]] = row[later]
    return slice_row


def _names_in_host(model: TraceModel) -> Rows:
    """Return the codes of host rows for the names of memory records, -1 for none."""
    host = {text: code for code, text in enumerate(model.values("host", "name"))}
    code = [host.get(text, -1) for text in model.values("memory_names", "operator")]
    name_code = np.full(model.tables["memory"].num_rows, -1, np.int64)
    of_names = np.array([*code, -1], np.int64)[model.column("memory_names", "operator")]
    name_code[model.column("memory_names", "record")] = of_names
    return name_code


def _nearest_enclosing(model: TraceModel, row: Rows, is_it: Callable[[Rows, Rows], Mask]) -> Rows:
    """Return the innermost slice around each that satisfies a condition, -1 if none does."""
    parent = model.nesting.parent
    enclosing = row.copy()
    moving = np.flatnonzero(enclosing >= 0)
    while len(moving):
        moving = moving[~is_it(enclosing[moving], moving)]
        enclosing[moving] = parent[enclosing[moving]]
        moving = moving[enclosing[moving] >= 0]
    return enclosing
