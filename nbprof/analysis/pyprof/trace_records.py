"""The kernels of a trace with what the ranges around their launches say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.analysis.pyprof.numbering import link_backward, number_kernels
from nbprof.analysis.pyprof.records import Record
from nbprof.analysis.pyprof.trace_rows import size_text
from nbprof.model.lookup import values_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def kernel_rows(model: TraceModel) -> Rows:
    """Return the device rows of all kernels, ascending: those that `records_of` describes."""
    return np.flatnonzero(work_of_kind(model, kinds.KERNEL))


def records_of(model: TraceModel) -> list[Record]:
    """Return the kernels of a trace with calls and numbers, one for each of `kernel_rows`.

    Numbers and links to the forward pass are those of the whole trace.
    """
    found: list[Record] = model.cached("kernels by ranges", lambda: _records(model))
    return found


def _records(model: TraceModel) -> list[Record]:
    rows = kernel_rows(model)
    texts = model.values("range_texts", "text")
    text_of = np.full(model.tables["host"].num_rows, -1, np.int64)
    text_of[model.column("range_texts", "row")] = model.column("range_texts", "text")
    parent = model.nesting.parent
    known: dict[int, tuple[str, ...]] = {-1: ()}

    def around(row: int) -> tuple[str, ...]:
        """Return the texts of a range and those around it, the outermost first."""
        chain = []
        while row not in known:
            chain.append(row)
            row = int(parent[row])
        for one in reversed(chain):
            code = int(text_of[one])
            known[one] = (*known[row], texts[code]) if code >= 0 else known[row]
            row = one
        return known[row]

    launch = model.links.launch[rows]
    thread = values_at(
        model.column("threads", "tid"), values_at(model.column("host", "thread"), launch)
    )
    names = model.values("device", "name")
    sizes = {
        name: [*map(size_text, model.values("device", name)), ""] for name in ("grid", "block")
    }
    columns = zip(
        model.column("device", "name")[rows].tolist(),
        model.column("device", "duration_ns")[rows].tolist(),
        model.column("device", "device")[rows].tolist(),
        model.column("device", "stream")[rows].tolist(),
        model.column("device", "grid")[rows].tolist(),
        model.column("device", "block")[rows].tolist(),
        thread.tolist(),
        launch.tolist(),
        strict=True,
    )
    records = []
    for name, duration, device, stream, grid, block, tid, row in columns:
        record = Record(
            names[name] if name >= 0 else "",
            duration,
            device,
            stream,
            tid if row >= 0 else None,
            sizes["grid"][grid],
            sizes["block"][block],
        )
        record.read_ranges(around(row))
        records.append(record)
    number_kernels(records)
    link_backward(records)
    return records
