"""Reads Chrome traces of other programs than PyTorch, whose events have its form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.kineto import reading
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.parts.prefilter import reduced

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile


def read(file: TraceFile, options: ReadOptions = READ_ALL, **details: Any) -> TraceModel:
    """Read a file; parameters and errors are those of the reader of PyTorch's traces.

    The single step of a recording without steps is from its first to its last slice, since calls
    that launch kernels need not lie in others.
    """
    model = reading.read(file, ReadOptions(strict=options.strict, step=options.step), **details)
    if not (model.column("host", "kind") == kinds.STEP).any():
        low, high = _extent(model)
        model.metadata = {**model.metadata, "steps": ((low, high, low, high, True),)}
    return reduced(model, options.filter)


def _extent(model: TraceModel) -> tuple[int, int]:
    """Return the first start and the last end of all slices, in nanoseconds."""
    bounds = []
    for table in ("host", "device"):
        start, duration = (model.column(table, f"{name}_ns") for name in ("start", "duration"))
        bounds += [start, start + duration]
    every = np.concatenate(bounds)
    return (int(every.min()), int(every.max())) if len(every) else (0, model.metadata["end_ns"])
