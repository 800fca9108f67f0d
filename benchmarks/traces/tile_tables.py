"""Build a model that is too large to be read from JSON in reasonable time, from one that was read.

The tables of the recording are repeated as `build_large` repeats its events: later by the length of
the recording, with ids and step numbers moved on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from traces.build_large import STEP, find_source

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.trace import Trace

GAP_NS = 1_000_000

TIMES = ("start_ns", "time_ns")
IDS = ("correlation", "external_id", "sequence", "python_id", "python_parent", "id")
#: Tables of which every repetition has rows of its own, and what their rows are sorted by.
REPEATED = {"host": "thread", "device": None, "memory": None, "flows": None, "counters": None}


def tile(model: TraceModel, times: int) -> TraceModel:
    """Return a model that holds another one so many times, one after another."""
    from nbprof.model.trace.model import TraceModel

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
        if name == "host":
            table = _number_steps(table, model, times)
        if sorted_by is not None:
            key = np.tile(model.column(name, sorted_by), times)
            table = table.take(pa.array(np.argsort(key, kind="stable")))
        tables[name] = table
    known = {"end_ns": period * times, "events": int(model.metadata["events"]) * times}
    return TraceModel(tables, {**model.metadata, **known})


def tiled_trace(source: str, host: int, kernels: int) -> Trace:
    """Return a trace of at least so many host rows and kernels, from a recording repeated."""
    from nbprof.loading import load
    from nbprof.model.trace import kinds
    from nbprof.trace import Trace

    recording = load(str(find_source(source)), cache=False, progress=False).trace()
    model = recording.model
    ran = int((model.column("device", "kind") == kinds.KERNEL).sum())
    times = max(math.ceil(host / model.tables["host"].num_rows), math.ceil(kernels / max(ran, 1)))
    made = tile(model, times)
    return Trace(recording.file, recording._content, lambda *_: made)


def _number_steps(table: pa.Table, model: TraceModel, times: int) -> pa.Table:
    """Move the numbers in the names of steps on from one repetition to the next."""
    names = model.values("host", "name")
    numbers = {code: STEP.fullmatch(name) for code, name in enumerate(names)}
    steps = {code: int(match[2]) for code, match in numbers.items() if match}
    if not steps:
        return table
    stride = max(steps.values()) - min(steps.values()) + 1
    code = model.column("host", "name")
    tiled = np.tile(code, times)
    tile_of = np.arange(times).repeat(len(code))
    for old, number in steps.items():
        rows = tiled == old
        moved = np.arange(len(names), len(names) + times)
        names = [*names, *(f"ProfilerStep#{number + stride * n}" for n in range(times))]
        tiled[rows] = moved[tile_of[rows]]
    column = pa.DictionaryArray.from_arrays(pa.array(tiled, mask=tiled < 0), pa.array(names))
    place = table.schema.get_field_index("name")
    return table.set_column(place, table.schema.field("name"), column)


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
