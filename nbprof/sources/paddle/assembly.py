"""Assembles the raw columns of a Paddle file into the sorted tables of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import dtype_of, joined
from nbprof.model.building import arrow_array, table_of, table_of_rows
from nbprof.model.trace import kinds, schema, schema_vendors
from nbprof.model.trace.model import TraceModel
from nbprof.sources.chrome.dictionaries import dictionary_array
from nbprof.sources.kineto.assembly import Columns
from nbprof.sources.kineto.rows import DAY_NS
from nbprof.sources.paddle.dialect import DIALECT, FORMAT

if TYPE_CHECKING:
    from nbprof.sources.paddle.raw_columns import RawColumns

Times = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Times before the first slice are whole microseconds away from it, as the stamps in JSON are.
_MICROSECOND = 1000


class _Kept(NamedTuple):
    """The kept rows, before they are sorted."""

    host: Mask
    device: Mask
    memory: Mask


class Parts:
    """The columns of host, device and memory rows, before they are sorted.

    Parameters
    ----------
    raw : RawColumns
        Its pieces are emptied.
    """

    def __init__(self, raw: RawColumns) -> None:
        self.raw = raw
        self.host = Columns(schema.HOST, raw.host)
        self.device = Columns(schema.DEVICE, raw.device)
        self.memory = Columns(schema.MEMORY, raw.memory)


def build(parts: Parts) -> TraceModel:
    """Build the model of a file.

    Raises
    ------
    TraceFormatError
        It has no events.
    """
    raw, host, device, memory = parts.raw, parts.host, parts.device, parts.memory
    if not host.rows and not device.rows and not memory.rows:
        losses = "; ".join(f"{one.kind}: {one.example}" for one in raw.defects.warnings())
        reason = f"it contains no events of hosts, devices or memory ({raw.events} others)"
        raise raw.defects.failure(f"{reason}. {losses}" if losses else reason)
    recorded = _recorded(parts)
    first = _rebase(parts, recorded)
    threads = _number_threads(parts, recorded)
    host_sort = _order(
        recorded.host,
        *(host.join("thread"), host.join("start_ns"), -host.join("duration_ns"), host.order),
    )
    device_sort = _order(
        recorded.device,
        *(device.join(name) for name in ("start_ns", "device", "stream")),
        device.order,
    )
    memory_sort = _order(recorded.memory, memory.join("time_ns"), memory.order)
    end = max(
        int((one.join("start_ns") + one.join("duration_ns"))[rows].max(initial=0))
        for one, rows in ((host, host_sort), (device, device_sort))
    )
    end = max(end, int(memory.join("time_ns")[memory_sort].max(initial=0)))
    types = host.take("event_type", np.int32)[host_sort]
    extra = {
        name: memory.take(name, dtype_of(kind))[memory_sort]
        for name, kind in _types_of(schema_vendors.MEMORY_EXTRA)
    }
    names = raw.names.texts
    tables = {
        "host": host.sorted_table(
            host_sort,
            {
                "name": names,
                "kind": kinds.HOST_KINDS,
                "input_shapes": raw.shapes.texts,
                "input_types": raw.dtypes.texts,
                "input_values": (),  # not recorded
                "call_stack": raw.stacks.texts,
            },
        ),
        "device": device.sorted_table(
            device_sort,
            {
                "name": names,
                "kind": kinds.DEVICE_KINDS,
                "grid": raw.extents.texts,
                "block": raw.extents.texts,
            },
        ),
        "memory": memory.sorted_table(memory_sort, {}),
        "memory_extra": table_of(extra, schema_vendors.MEMORY_EXTRA),
        "threads": threads,
        "host_types": pa.table(
            [dictionary_array(types, raw.types.texts)], schema=schema_vendors.HOST_TYPES
        ),
        "devices": table_of_rows(raw.devices, schema.DEVICES),
    }
    tables["flows"] = _arrows(tables)
    metadata: dict[str, Any] = {
        "format": FORMAT,
        "epoch_ns": raw.base_ns + first,
        "end_ns": end,
        "events": raw.events,
        **raw.metadata(),
        "device_type": "gpu" if _uses_device(tables) else "cpu",
    }
    return TraceModel(tables, metadata, raw.defects.warnings(), dialect=DIALECT)


def _types_of(layout: pa.Schema) -> list[tuple[str, Any]]:
    return [(field.name, field.type) for field in layout]


def _recorded(parts: Parts) -> _Kept:
    """Return which rows are within a day of the median slice; the others are counted.

    One of them would move the time zero of all others by as much.
    """
    starts = [one.join("start_ns") for one in (parts.host, parts.device)]
    times = parts.memory.join("time_ns")
    known = np.concatenate(starts)
    known = known if len(known) else times
    middle = int(np.partition(known, len(known) // 2)[len(known) // 2])
    recorded = _Kept(*(np.abs(one - middle) <= DAY_NS for one in (*starts, times)))
    far = sum(int((~one).sum()) for one in recorded)
    example = "a day or more from the others; dropped"
    parts.raw.defects.note("times of another clock", far, example)
    return recorded


def _order(kept: Mask, *keys: npt.NDArray[Any]) -> Times:
    """Return the kept rows, sorted by these keys, the most significant first."""
    sort = np.lexsort(keys[::-1])
    return sort if kept.all() else sort[kept[sort]]


def _rebase(parts: Parts, recorded: _Kept) -> int:
    """Make times relative to the first kept time, in place; return that time.

    Memory records in JSON are truncated to microseconds, which must not shift the slices of the
    JSON file against the protobuf file of the same recording. If a record comes before the first
    slice, time zero is therefore a whole number of microseconds before that slice.
    """
    starts = [one.join("start_ns") for one in (parts.host, parts.device)]
    times = parts.memory.join("time_ns")
    of_slices, of_memory = (
        [int(one[rows].min()) for one, rows in pairs if rows.any()]
        for pairs in (zip(starts, recorded[:2], strict=True), [(times, recorded.memory)])
    )
    first = min(of_slices or of_memory)
    if of_slices and of_memory and of_memory[0] < first:
        base = parts.raw.base_ns
        stamps = [(base + time) // _MICROSECOND for time in (first, of_memory[0])]
        first -= (stamps[0] - stamps[1] + 1) * _MICROSECOND
    for one in (*starts, times):
        np.subtract(one, first, out=one)
    return first


def _number_threads(parts: Parts, recorded: _Kept) -> pa.Table:
    """Renumber threads by their first row in time, in place; return the table of threads."""
    seen = parts.raw.threads.keys_seen
    first = np.full(len(seen), np.iinfo(np.int64).max)
    # Memory may be recorded on separate threads; those with slices come first.
    for columns, time, rows, shift in (
        (parts.host, "start_ns", recorded.host, 0),
        (parts.memory, "time_ns", recorded.memory, 1 << 62),
    ):
        np.minimum.at(first, columns.join("thread")[rows], columns.join(time)[rows] + shift)
    ids = np.argsort(sorted(range(len(seen)), key=lambda at: seen[at][:2]))
    arrival = np.lexsort((ids, first))
    number = np.empty(len(seen), np.int32)
    number[arrival] = np.arange(len(seen), dtype=np.int32)
    for columns in (parts.host, parts.memory):
        thread = columns.join("thread")
        thread[:] = number[thread]
    pids, tids = [seen[at][0] for at in arrival], [seen[at][1] for at in arrival]
    names = [
        parts.raw.name_of_thread(tid) or (seen[at][2] if tid < -1 else "")
        for at, tid in zip(arrival, tids, strict=True)
    ]
    return table_of({"pid": pids, "tid": tids, "name": names}, schema=schema.THREADS)


def _uses_device(tables: dict[str, pa.Table]) -> bool:
    return bool(tables["device"].num_rows or (joined(tables["host"]["correlation"]) > 0).any())


def _arrows(tables: dict[str, pa.Table]) -> pa.Table:
    """Return the ends of the arrows from calls to the device work that they launched.

    Arrows in JSON are truncated to whole microseconds, and protobuf has none, so they are made from
    correlation ids: from the start of a call to the start of its work.
    """
    host, device, threads = tables["host"], tables["device"], tables["threads"]
    calls, work = (joined(one["correlation"]) for one in (host, device))
    heads = np.flatnonzero((calls > 0) & np.isin(calls, work))
    tails = np.flatnonzero((work > 0) & np.isin(work, calls))
    thread = joined(host["thread"])[heads]
    pids = np.array([_number(pid) for pid in threads["pid"].to_pylist()], np.int64)
    columns = {
        "id": np.concatenate([calls[heads], work[tails]]),
        "time_ns": _both(host, heads, device, tails, "start_ns"),
        "pid": np.concatenate([pids[thread], joined(device["device"])[tails]]),
        "tid": np.concatenate([joined(threads["tid"])[thread], joined(device["stream"])[tails]]),
    }
    is_tail = np.repeat([0, 1], [len(heads), len(tails)]).astype(np.int32)
    sort = np.lexsort((is_tail, columns["time_ns"]))
    launch = dictionary_array(np.zeros(len(sort), np.int32), ["launch"])
    phase = dictionary_array(is_tail[sort], ["s", "f"])
    plain = {name: arrow_array(values[sort]) for name, values in columns.items()}
    found = {"category": launch, "phase": phase, **plain}
    return pa.table([found[name] for name in schema.FLOWS.names], schema=schema.FLOWS)


def _both(host: pa.Table, heads: Times, device: pa.Table, tails: Times, name: str) -> Times:
    return np.concatenate([joined(host[name])[heads], joined(device[name])[tails]])


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < len(str(1 << 62)) else -1
