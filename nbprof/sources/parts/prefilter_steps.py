"""Checks that the part that was read has the same steps as the whole file.

The length of a step depends on the device work that it and the steps before it launched. Whether a
step is complete depends on whether a later step launched any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.filters.selection import time_range_ns
from nbprof.model.trace import kinds
from nbprof.sources.parts.event_selection import FAR

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.parts.event_selection import EventSelection

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Span = tuple[int, int]


@dataclass(frozen=True)
class Pass:
    """The result of one pass over a file.

    Attributes
    ----------
    model : TraceModel
        The rows that were read.
    first_ns : int
        The time zero of the model on the file's own base.
    extent : (int, int) or None
        The extent of dropped operators and annotations, on that base.
    skipped_work : (ndarray of int64, bool)
        The correlation ids of the device work after the range, and whether any was dropped.
    """

    model: TraceModel
    first_ns: int
    extent: Span | None
    skipped_work: tuple[Rows, bool]


def has_all_work(reading: Pass, filter_: Filter, selection: EventSelection, span: Span) -> bool:
    """Whether all work of the steps in a filter's range, and of the neighbouring steps, was read.

    Parameters
    ----------
    reading : Pass
        The rows, without runtime calls and device work outside of the range.
    filter_ : Filter
        Its steps and times choose the steps.
    selection : EventSelection
        What the pass selected.
    span : (int, int)
        The range that the tables depend on, from the time zero of the model.
    """
    steps = reading.model.steps
    chosen = np.flatnonzero(_chosen(reading.model, filter_))
    if not steps.recorded or len(chosen) == 0:
        return False
    first, last = int(chosen[0]), int(chosen[-1])
    low, high = -FAR, FAR
    if first > 0:
        low = int(steps.host_start_ns[first - 1]) + reading.first_ns
    if last + 1 < len(steps.number):
        high = int(steps.host_end_ns[last + 1]) + reading.first_ns
    if low < selection.low or high > selection.high:
        return False
    end = max(span[1], int(steps.host_end_ns[last]))
    return not _misses_work(reading, span[0], end) and _has_end(reading, first, last)


def _misses_work(reading: Pass, low: int, end: int) -> bool:
    """Whether calls before `end` launched dropped work, or work after `low` has no call."""
    model = reading.model
    start, correlation = (model.column("host", name) for name in ("start_ns", "correlation"))
    calls = (model.column("host", "kind") == kinds.RUNTIME) & (start < end) & (correlation > 0)
    # Correlation ids increase with time: work with a higher one was launched later.
    newest = correlation[calls].max(initial=0)
    if (reading.skipped_work[0] <= newest).any():
        return True
    # Work that was launched and ended before has no effect.
    begin, duration = (model.column("device", name) for name in ("start_ns", "duration_ns"))
    unknown = is_work(model) & (model.links.launch < 0)
    later = model.column("device", "correlation") > newest
    return bool((unknown & ~later & (begin + duration > low)).any())


def _has_end(reading: Pass, first: int, last: int) -> bool:
    """Whether it is certain that these steps are complete: they are if a later one is."""
    work, launch = is_work(reading.model), reading.model.links.launch
    if not work.any():
        return not reading.skipped_work[1]
    steps = reading.model.steps
    launched = reading.model.column("host", "start_ns")[launch[work & (launch >= 0)]]
    if last + 1 == len(steps.number):
        return bool((launched >= steps.host_start_ns[max(first - 1, 0)]).any())
    after = steps.host_start_ns[last + 1], steps.host_end_ns[last + 1]
    return bool(((launched >= after[0]) & (launched < after[1])).any())


def is_work(model: TraceModel) -> Mask:
    """Return which device rows are work, as opposed to annotations, shape (device rows,)."""
    is_device_work: Mask = model.column("device", "kind") != kinds.DEVICE_ANNOTATION
    return is_device_work


def _chosen(model: TraceModel, filter_: Filter) -> Mask:
    steps = model.steps
    chosen = np.ones(len(steps.number), bool)
    if filter_.steps is not None:
        chosen &= (steps.number >= filter_.steps[0]) & (steps.number <= filter_.steps[1])
    if filter_.time_us is not None:
        low, high = time_range_ns(filter_.time_us)
        chosen &= (steps.host_end_ns > low) & (steps.host_start_ns < high)
    return chosen
