"""Generates random memory records of a possible allocator, with its true state beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import strategies as st

from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from tests.analysis.generated import LENGTH, traces

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]
#: Device type and number. The last has a type that nobody named.
DEVICES = ((0, -1), (1, 0), (1, 1), (17, 3))
ADDRESSES = (100, 200, 300, 400)


@dataclass
class Truth:
    """What an allocator knows: blocks in use before and after every record, by device."""

    before: dict[tuple[int, int], dict[int, int]] = field(default_factory=dict)
    after: list[dict[tuple[int, int], dict[int, int]]] = field(default_factory=list)


@st.composite
def recorded(
    draw: st.DrawFn, *, totals: bool | None = None, complete: bool = False
) -> tuple[TraceModel, Truth]:
    """Draw a trace with memory records, and the truth after each of them.

    Parameters
    ----------
    draw : function
        Of hypothesis.
    totals : bool, optional
        Whether records say what is in use in all; drawn by default.
    complete : bool
        Whether all that happens is recorded. Otherwise some is not, and the truth has no entry
        for it.
    """
    model = draw(traces())
    says = draw(st.booleans()) if totals is None else totals
    truth = Truth()
    live: dict[tuple[int, int], dict[int, int]] = {}
    for device in draw(st.lists(st.sampled_from(DEVICES), min_size=1, max_size=3, unique=True)):
        held = draw(st.dictionaries(st.sampled_from(ADDRESSES), st.integers(1, 9), max_size=2))
        live[device] = dict(held)
        truth.before[device] = dict(held)
    rows = []
    threads = max(model.tables["threads"].num_rows, 1)
    for time in sorted(draw(st.lists(st.integers(0, LENGTH), max_size=24))):
        device = draw(st.sampled_from(sorted(live)))
        address = draw(st.sampled_from(ADDRESSES))
        change = -live[device].pop(address) if address in live[device] else draw(st.integers(1, 9))
        if change > 0:
            live[device][address] = change
        if not complete and draw(st.integers(0, 5)) == 0:
            continue
        rows.append(
            {
                "time_ns": time,
                "thread": draw(st.integers(0, threads - 1)),
                "bytes": change,
                "address": address,
                "device_type": device[0],
                "device": device[1],
                "total_allocated": sum(live[device].values()) if says else -1,
                "total_reserved": 100 if says else -1,
            }
        )
        truth.after.append({device: dict(blocks) for device, blocks in live.items()})
    return with_memory(model, rows), truth


def with_memory(model: TraceModel, rows: Sequence[Row], **tables: pa.Table) -> TraceModel:
    """Return a model with these memory records; missing columns are -1."""
    columns = {
        one.name: pa.array([row.get(one.name, -1) for row in rows], one.type)
        for one in schema.MEMORY
    }
    memory = pa.table(columns, schema=schema.MEMORY)
    return TraceModel(
        {**model.tables, "memory": memory, **tables}, model.metadata, dialect=model.dialect
    )
