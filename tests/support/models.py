"""Builds small traces from host and device rows as dicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.model.trace import kinds, schema
from nbprof.model.trace.model import TraceModel
from nbprof.sources.recorders import dialect_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]


def make_model(
    host: Sequence[Row] = (),
    device: Sequence[Row] = (),
    *,
    flows: Sequence[Row] = (),
    devices: Sequence[Row] = (),
    memory: Sequence[Row] = (),
    counters: Sequence[Row] = (),
    metadata: Row | None = None,
) -> TraceModel:
    """Build a model.

    Host rows take name, start, end (ns), and optionally kind ("operator"), tid (1), event_type (of
    Paddle, then of all rows) and any column; device rows the same with kind ("kernel"), device (0)
    and stream (7). Rows may come unsorted.
    """
    tids = list(dict.fromkeys(row.get("tid", 1) for row in host))
    hosts = [
        {
            "kind": "operator",
            **row,
            "thread": tids.index(row.get("tid", 1)),
            "start_ns": row["start"],
            "duration_ns": row["end"] - row["start"],
        }
        for row in host
    ]
    hosts.sort(key=lambda row: (row["thread"], row["start"], -row["end"]))
    work = [
        {
            "kind": "kernel",
            "device": 0,
            "stream": 7,
            **row,
            "start_ns": row["start"],
            "duration_ns": row["end"] - row["start"],
        }
        for row in device
    ]
    work.sort(key=lambda row: (row["start"], row["device"], row["stream"]))
    ends = [row["end"] for row in (*host, *device)]
    tables = {
        "host": _table(schema.HOST, hosts, kinds.HOST_KINDS),
        "device": _table(schema.DEVICE, work, kinds.DEVICE_KINDS),
        "flows": _table(schema.FLOWS, flows, ()),
        "memory": _table(schema.MEMORY, memory, ()),
        "counters": _table(schema.COUNTERS, counters, ()),
        "threads": pa.table(
            {"pid": ["1"] * len(tids), "tid": tids, "name": [f"thread {tid}" for tid in tids]},
            schema=schema.THREADS,
        ),
        "devices": _table(schema.DEVICES, devices, ()),
    }
    if any("event_type" in row for row in hosts):
        tables["host_types"] = _table(schema.TABLES["host_types"], hosts, ())
    known = {"epoch_ns": 0, "end_ns": max(ends, default=0), "events": len(host) + len(device)}
    known |= metadata or {}
    wrote = {"format": "Paddle"} if "host_types" in tables else {}
    return TraceModel(tables, known, dialect=dialect_of({**wrote, **known}))


def _table(columns: pa.Schema, rows: Sequence[Row], kind_names: Sequence[str]) -> pa.Table:
    arrays = []
    for field in columns:
        values = [row.get(field.name) for row in rows]
        if field.name == "kind":
            codes = pa.array([kind_names.index(str(value)) for value in values], pa.int8())
            arrays.append(pa.DictionaryArray.from_arrays(codes, pa.array(kind_names, pa.utf8())))
        elif pa.types.is_dictionary(field.type):
            arrays.append(pa.array(values, pa.utf8()).dictionary_encode())
        elif pa.types.is_floating(field.type):
            filled = [float("nan") if value is None else value for value in values]
            arrays.append(pa.array(filled, field.type))
        elif pa.types.is_string(field.type):
            arrays.append(pa.array(values, field.type))
        else:
            filled = [-1 if value is None else value for value in values]
            arrays.append(pa.array(filled, field.type))
    return pa.table(arrays, schema=columns)
