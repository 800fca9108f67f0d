"""Sorts what was read from a file into the tables of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import dtype_of
from nbprof.model.building import arrow_array, table_of_rows
from nbprof.model.trace import kinds, schema, schema_vendors
from nbprof.model.trace.model import TraceModel
from nbprof.sources.chrome.dictionaries import dictionary_array
from nbprof.sources.cuda.ranges import PUSH_POP

if TYPE_CHECKING:
    from nbprof.model.trace.dialect import Dialect
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.cuda.rows import Rows

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]

#: Bits for the time within a thread in a sort key; 78 hours.
_TIME_BITS: Final = 48
_KINDS: Final = {"host": kinds.HOST_KINDS, "device": kinds.DEVICE_KINDS}


def build(events: Events, dialect: Dialect, format_: str) -> TraceModel:
    """Build the model of a file.

    Raises
    ------
    TraceFormatError
        It has no events.
    """
    host, device, memory, counters = events.host, events.device, events.memory, events.counters
    timeless = host.leave_out_timeless("start_ns") + device.leave_out_timeless("start_ns")
    timeless += sum(one.leave_out_timeless("time_ns") for one in (memory, counters, events.unified))
    events.defects.note(
        "missing time stamp", timeless, "an event has none, or one that no clock shows; left out"
    )
    count = host.count + device.count + memory.count + counters.count
    if not count:
        losses = "; ".join(f"{kind}: {example}" for kind, _, example in events.defects.found())
        reason = "it holds no calls, ranges or device work that nbprof shows"
        raise events.defects.failure(f"{reason}. {losses}" if losses else reason)
    uses_cuda = bool((events.host.peek("correlation")[0] > 0).any())
    times = {
        "host": host.take("start_ns", np.int64),
        "device": device.take("start_ns", np.int64),
        "memory": memory.take("time_ns", np.int64),
        "counters": counters.take("time_ns", np.int64),
        "unified": events.unified.take("time_ns", np.int64),
    }
    first = min(int(one.min()) for one in times.values() if len(one))
    for name, one in times.items():
        times[name] = one - first
    tables: dict[str, pa.Table] = {"devices": table_of_rows(events.devices, schema.DEVICES)}
    instants = ("memory", "counters", "unified")
    ends = [int(times[name].max()) for name in instants if len(times[name])]
    threads, number = _threads(events, times["host"])
    tables["threads"] = threads
    ends.append(_host(events, times.pop("host"), number, tables))
    ends.append(_device(events, times.pop("device"), tables))
    _instants(events, "memory", times["memory"], number, tables)
    _instants(events, "counters", times["counters"], number, tables)
    if len(times["unified"]):
        sort = np.argsort(times["unified"], kind="stable")
        known: dict[str, Array] = {"time_ns": times["unified"][sort]}
        layout = schema_vendors.UNIFIED_MEMORY
        tables["unified_memory"] = _table(events, "unified", layout, sort, known)
    if events.lanes:
        tables["lanes"] = table_of_rows(events.lanes, schema_vendors.LANES)
    metadata = {
        **events.metadata,
        "format": format_,
        "epoch_ns": events.metadata.get("epoch_ns", 0) + first,
        "end_ns": max(ends),
        "events": count,
        "device_type": "gpu" if tables["device"].num_rows or uses_cuda else "cpu",
    }
    return TraceModel(tables, metadata, events.defects.warnings(), dialect=dialect)


def _threads(events: Events, start: Integers) -> tuple[Any, npt.NDArray[np.int32]]:
    """Return the table of threads by their first row, and the new number of each."""
    count = len(events.threads)
    first = np.full(count, np.iinfo(np.int64).max)
    thread = events.host.take("thread", np.int32)
    if len(thread):
        np.minimum.at(first, thread, start)
    order = np.argsort(first, kind="stable")
    number = np.empty(count + 1, np.int32)
    number[order] = np.arange(count, dtype=np.int32)
    number[-1] = -1
    events.host.add_taken("thread", number[thread])
    return events.threads.table(order), number


def _host(
    events: Events, start: Integers, number: npt.NDArray[np.int32], tables: dict[str, pa.Table]
) -> int:
    """Make the table of host rows, and those beside it; return their last end."""
    rows = events.host
    thread, duration = rows.take("thread", np.int32), rows.take("duration_ns", np.int64)
    end = int((start + duration).max(initial=0))
    if start.max(initial=0) < 1 << _TIME_BITS:
        key = thread.astype(np.int64) << _TIME_BITS
        key |= start
        sort = _sorted_by(key, -duration)
    else:
        sort = np.lexsort((-duration, start, thread))
    known = {
        "thread": thread[sort],
        "start_ns": start[sort],
        "duration_ns": duration[sort],
    }
    del thread, start, duration
    tables["host"] = _table(events, "host", schema.HOST, sort, known)
    if rows.has("label"):
        style = rows.take("style", np.int32)[sort]
        at = np.flatnonzero(style >= 0)
        moved = number[rows.take("origin", np.int32)[sort[at]]]
        own = {"row": at, "style": style[at], "thread": moved}
        if events.says_more:
            tables["range_texts"] = _texts(events, sort, style)
        tables["nvtx_ranges"] = _table(events, "host", schema_vendors.NVTX_RANGES, sort[at], own)
    if rows.has("library"):
        library = rows.keep("library", np.int32)[sort]
        at = np.flatnonzero(library >= 0)
        layout = schema_vendors.LIBRARY_CALLS
        tables["library_calls"] = _table(events, "host", layout, sort[at], {"row": at})
    if rows.has("result"):
        result = rows.take("result", np.int64)[sort]
        at = np.flatnonzero(result > 0)
        columns = [arrow_array(at.astype(np.int64)), arrow_array(result[at])]
        tables["call_results"] = pa.table(columns, schema=schema_vendors.CALL_RESULTS)
    return end


def _texts(events: Events, sort: Integers, style: npt.NDArray[np.int32]) -> pa.Table:
    """Return the texts of nested ranges of the default domain, of which some are operators."""
    nested = style == events.texts["style"][PUSH_POP]
    at = np.flatnonzero(nested & (events.host.keep("domain", np.int32)[sort] < 0))
    label = events.host.keep("label", np.int32)[sort[at]]
    columns = [arrow_array(at), dictionary_array(label, events.texts["label"].texts)]
    return pa.table(columns, schema=schema_vendors.RANGE_TEXTS)


def _device(events: Events, start: Integers, tables: dict[str, pa.Table]) -> int:
    """Make the table of device rows, and the one beside it; return their last end."""
    rows = events.device
    device, stream = rows.take("device", np.int32), rows.take("stream", np.int64)
    duration = rows.take("duration_ns", np.int64)
    end = int((start + duration).max(initial=0))
    sort = _sorted_by(start, device, stream)
    known = {
        "device": device[sort],
        "stream": stream[sort],
        "start_ns": start[sort],
        "duration_ns": duration[sort],
    }
    del device, stream, start, duration
    tables["device"] = _table(events, "device", schema.DEVICE, sort, known)
    if len(sort):
        tables["cuda_work"] = _table(events, "device", schema_vendors.CUDA_WORK, sort, {})
    return end


def _instants(
    events: Events,
    name: str,
    times: Integers,
    number: npt.NDArray[np.int32],
    tables: dict[str, pa.Table],
) -> None:
    """Make a table of events without duration."""
    rows: Rows = getattr(events, name)
    sort = np.argsort(times, kind="stable")
    known: dict[str, Array] = {"time_ns": times[sort]}
    if "thread" in schema.TABLES[name].names:
        known["thread"] = number[rows.take("thread", np.int32)[sort]]
    tables[name] = _table(events, name, schema.TABLES[name], sort, known)


def _sorted_by(first: Integers, *others: Array) -> Integers:
    """Return the order by several keys; the first one is sorted alone, as it has few equal values.

    The rows of a file are sorted already for the most part, which a stable sort makes use of.
    """
    sort = np.argsort(first, kind="stable")
    ordered = first[sort]
    tied = np.zeros(len(sort), bool)
    same = ordered[1:] == ordered[:-1]
    tied[1:] |= same
    tied[:-1] |= same
    at = np.flatnonzero(tied)
    if len(at):
        rows = sort[at]
        sort[at] = rows[np.lexsort((*(other[rows] for other in others[::-1]), first[rows]))]
    return sort


def _table(
    events: Events, side: str, layout: pa.Schema, sort: Integers, known: dict[str, Array]
) -> pa.Table:
    """Return a table; columns that were not recorded share the memory of one."""
    rows: Rows = getattr(events, side)
    constants: dict[pa.DataType, pa.Array] = {}
    arrays = []
    for field in layout:
        is_text = pa.types.is_dictionary(field.type)
        values = known.pop(field.name, None)
        if values is None and rows.has(field.name):
            dtype = np.dtype(np.int32) if is_text else dtype_of(field.type)
            dtype = np.dtype(np.int8) if field.name == "kind" else dtype
            missing = np.nan if pa.types.is_floating(field.type) else -1
            values = rows.take(field.name, dtype, missing)[sort]
        if values is None:
            if field.type not in constants:
                constants[field.type] = _missing(field.type, len(sort))
            arrays.append(constants[field.type])
        elif field.name == "kind":
            texts = arrow_array(_KINDS[side], pa.utf8())
            arrays.append(pa.DictionaryArray.from_arrays(arrow_array(values), texts))
        elif is_text:
            texts = events.names if field.name == "name" else events.texts[field.name]
            arrays.append(dictionary_array(values, texts.texts))
        else:
            arrays.append(arrow_array(values, field.type))
    return pa.table(arrays, schema=layout)


def _missing(kind: pa.DataType, rows: int) -> pa.Array:
    """Return a column without any values."""
    if pa.types.is_dictionary(kind):
        return dictionary_array(np.full(rows, -1, np.int32), [])
    missing = np.nan if pa.types.is_floating(kind) else -1
    return arrow_array(np.full(rows, missing, dtype_of(kind)))
