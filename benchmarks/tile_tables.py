"""Build a model that is too large to be read from JSON in reasonable time, from one that was read.

The tables of the recording are repeated as `build_large` repeats its events: later by the length of
the recording, with ids moved on. Only the names of steps stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel

GAP_NS = 1_000_000

TIMES = ("start_ns", "time_ns")
IDS = ("correlation", "external_id", "sequence", "python_id", "python_parent", "id")
#: Tables of which every repetition has rows of its own, and what their rows are sorted by.
REPEATED = {"host": "thread", "device": None, "memory": None, "flows": None, "counters": None}


def tile(model: TraceModel, times: int) -> TraceModel:
    """Return a model that holds another one so many times, one after another."""
    from nbprof.model.trace_model import TraceModel

    period = int(model.metadata["end_ns"]) + GAP_NS
    stride = 1 + max(
        int(np.max(model.column(table, name), initial=0))
        for table in REPEATED
        for name in IDS
        if name in model.tables[table].column_names
    )
    tables = dict(model.tables)
    for name, sorted_by in REPEATED.items():
        table = _repeat(model.tables[name], times, period, stride)
        if sorted_by is not None:
            key = np.tile(model.column(name, sorted_by), times)
            table = table.take(pa.array(np.argsort(key, kind="stable")))
        tables[name] = table
    known = {"end_ns": period * times, "events": int(model.metadata["events"]) * times}
    return TraceModel(tables, {**model.metadata, **known})


def _repeat(table: pa.Table, times: int, period: int, stride: int) -> pa.Table:
    number = np.arange(times).repeat(table.num_rows)
    columns = []
    for field in table.schema:
        column = table[field.name].combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            chunks = column.chunks or [pa.array([], field.type)]
            column = chunks[0]
        if isinstance(column, pa.DictionaryArray):
            codes = np.tile(np.asarray(column.indices.fill_null(-1)), times)
            indices = pa.array(codes, field.type.index_type, mask=codes < 0)
            columns.append(pa.DictionaryArray.from_arrays(indices, column.dictionary))
            continue
        values = np.tile(np.asarray(column), times)
        if field.name in TIMES:
            values = values + number * period
        elif field.name in IDS:
            values = np.where(values > 0, values + number * stride, values)
        columns.append(pa.array(values, field.type))
    return pa.table(columns, schema=table.schema)
