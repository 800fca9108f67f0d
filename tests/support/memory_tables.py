"""Memory tables, built by hand, of recorders that record more than PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.model.trace import schema, schema_vendors
from nbprof.model.trace.kinds import NPU_TYPE
from nbprof.model.trace.model import TraceModel

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]


def with_components(
    model: TraceModel,
    *rows: tuple[str, int, int, int],
    modules: Sequence[tuple[str, int, int]] = (),
) -> TraceModel:
    """Return a model with components of NPU 0.

    Rows are name, time (ns), allocated and reserved bytes (-1 where nobody says); those of modules
    have no allocated bytes.
    """
    every = [(*row, False) for row in rows]
    every += [(name, time, -1, reserved, True) for name, time, reserved in modules]
    every.sort(key=lambda row: row[:2])
    names, times, allocated, reserved, is_module = zip(*every, strict=True)
    columns = {
        "device_type": [NPU_TYPE] * len(every),
        "device": [0] * len(every),
        "component": pa.array(names).dictionary_encode(),
        "time_ns": times,
        "allocated": allocated,
        "reserved": reserved,
        "is_module": is_module,
    }
    table = pa.table(columns, schema=schema_vendors.MEMORY_COMPONENTS)
    return replaced(model, memory_components=table)


def with_blocks(
    model: TraceModel, *blocks: tuple[str | None, int, int, int | None, int]
) -> TraceModel:
    """Return a model with blocks of NPU 0 whose operators are named.

    Blocks are operator, size, time of allocation and of release (ns), and what their allocator has
    in all once they are allocated; it has reserved ten times that.
    """
    rows = []
    for address, (name, size, start, end, total) in enumerate(blocks):
        rows.append((start, address, size, name, total))
        if end is not None:
            rows.append((end, address, -size, name, total - size))
    rows.sort(key=lambda row: row[:2])
    columns = {
        "time_ns": [row[0] for row in rows],
        "thread": [-1] * len(rows),
        "bytes": [row[2] for row in rows],
        "address": [row[1] for row in rows],
        "device_type": [NPU_TYPE] * len(rows),
        "device": [0] * len(rows),
        "total_allocated": [row[4] for row in rows],
        "total_reserved": [10 * row[4] for row in rows],
    }
    named = [at for at, row in enumerate(rows) if row[3] is not None]
    names = pa.array([rows[at][3] for at in named], pa.utf8()).dictionary_encode()
    return replaced(
        model,
        memory=pa.table(columns, schema=schema.MEMORY),
        memory_names=pa.table([named, names], schema=schema_vendors.MEMORY_NAMES),
    )


def with_kinds(model: TraceModel, rows: Sequence[Row]) -> TraceModel:
    """Return a model with records of memory in use and of what the allocator holds.

    Rows are those of MEMORY and MEMORY_EXTRA; what they leave out is -1, ``is_reserved`` false.
    """

    def table(columns: pa.Schema) -> pa.Table:
        none = {"is_reserved": False}
        return pa.table(
            {
                one.name: pa.array(
                    [row.get(one.name, none.get(one.name, -1)) for row in rows], one.type
                )
                for one in columns
            },
            schema=columns,
        )

    return replaced(
        model, memory=table(schema.MEMORY), memory_extra=table(schema_vendors.MEMORY_EXTRA)
    )


def replaced(model: TraceModel, **tables: pa.Table) -> TraceModel:
    """Return a model with some tables replaced."""
    return TraceModel({**model.tables, **tables}, model.metadata, dialect=model.dialect)
