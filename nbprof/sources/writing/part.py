"""Selects the rows of a part of a trace, so that the part alone gives the same tables.

The part of a time range contains all rows that start or run in it, and all rows that its tables
depend on: slices that enclose them or lie inside them, device work launched there and the launches
of device work, the forward operators of a backward pass, and the state when the range begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.model.filters.selection import time_range_ns
from nbprof.model.links.backward import FORWARD_FLOW
from nbprof.model.links.launches import flow_codes
from nbprof.model.names.roles import AUTOGRAD, named
from nbprof.model.steps.batch_labels import batch_rows
from nbprof.model.steps.training import training_rows, training_work
from nbprof.model.trace import kinds
from nbprof.sources.writing.dependencies import HostRows, arrows, at_heads
from nbprof.sources.writing.memory import last_before, last_started, records_in, with_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Span = tuple[int, int]


@dataclass(frozen=True)
class Part:
    """Rows of the tables of a trace, in ascending order.

    Attributes
    ----------
    whole : bool
        Whether the part contains all rows.
    host, device, memory, flows, counters : ndarray of int64
        Rows.
    threads : ndarray of int64
        The threads of those rows.
    """

    whole: bool
    host: Rows
    device: Rows
    memory: Rows
    flows: Rows
    counters: Rows
    threads: Rows


def part_of(model: TraceModel, filter_: Filter) -> Part:
    """Return the part in the steps and time range of a filter; its other fields are ignored."""
    span = _span(model, filter_)
    if span is None:
        rows = {name: np.arange(model.tables[name].num_rows) for name in _TABLES}
        return Part(whole=True, **rows)
    host, device, flows, records = _slices(model, span)
    memory = with_context(model, span, records)
    counters = _starts_in(model.column("counters", "time_ns"), span)
    counters |= last_before(model, "counters", ("name", "series", "pid"), span[0])
    if not any(mask.any() for mask in (host.rows, device, memory, counters)):
        # A file must not be empty.
        for mask, table in ((memory, "memory"), (counters, "counters")):
            mask[_nearest(~mask, model.column(table, "time_ns"), span)] = True
    thread = model.column("host", "thread")[host.rows], model.column("memory", "thread")[memory]
    threads = np.unique(np.concatenate(thread)).astype(np.int64)
    return Part(
        whole=False,
        host=np.flatnonzero(host.rows),
        device=np.flatnonzero(device),
        memory=np.flatnonzero(memory),
        flows=np.flatnonzero(flows),
        counters=np.flatnonzero(counters),
        threads=threads[threads >= 0],  # memory need not be on one
    )


_TABLES = ("host", "device", "memory", "flows", "counters", "threads")


def _span(model: TraceModel, filter_: Filter) -> Span | None:
    """Return the time span that contains a filter's range; None for the whole trace."""
    if filter_.steps is None and filter_.time_us is None:
        return None
    low, high = -(2**61), 2**61
    if filter_.steps is not None:
        steps = model.steps
        chosen = (steps.number >= filter_.steps[0]) & (steps.number <= filter_.steps[1])
        if not chosen.any():
            return 0, 0
        low = int(min(steps.host_start_ns[chosen].min(), steps.start_ns[chosen].min()))
        high = int(max(steps.host_end_ns[chosen].max(), steps.end_ns[chosen].max()))
        low, high = _with_launched(model, (low, high))
    if filter_.time_us is not None:
        first, last = time_range_ns(filter_.time_us)
        low = max(low, first)
        high = max(low, min(high, last))
    return low, high


def _with_launched(model: TraceModel, span: Span) -> Span:
    """Return a span extended over work launched in it: steps ignore waits at their end."""
    launch = model.links.launch
    known = np.flatnonzero(launch >= 0)
    rows = known[_starts_in(model.column("host", "start_ns")[launch[known]], span)]
    start, duration = (model.column("device", name)[rows] for name in ("start_ns", "duration_ns"))
    low = int(start.min(initial=span[0]))
    # Rows without duration start at its end.
    return low, int((start + duration + 1).max(initial=span[1]))


def _slices(model: TraceModel, span: Span) -> tuple[HostRows, Mask, Mask, Mask]:
    """Return the host rows, device rows, flows and memory records of the range."""
    start, duration = (model.column("host", name) for name in ("start_ns", "duration_ns"))
    begins = _starts_in(start, span)
    host = HostRows(model, begins | _runs(start, duration, span))
    host.add_with_inside(begins)
    device = _device(model, span, begins, host)
    for links in (model.links.launch, model.links.operator, model.links.launched_by):
        host.add_rows(links[device & (links >= 0)])
    flows = arrows(model, _flow_ends(model, span), device)
    host.add_rows(at_heads(model, flows))
    records = records_in(model, span, host.inside)
    host.add_rows(last_started(model, records))
    host.add_rows(_steps(model, span, start[host.rows], device))
    host.add_captures()
    host.add_updates()
    host.add_forward()
    host.add_overhead()
    for wanted in _feature_rows(model):
        if not (host.rows & wanted).any():
            host.add_rows(_nearest(wanted, start, span))
    if not (host.rows.any() or device.any()):
        host.add_rows(_nearest(np.ones(len(start), bool), start, span))
        if not host.rows.any():
            begin = model.column("device", "start_ns")
            device[_nearest(np.ones(len(begin), bool), begin, span)] = True
    host.close()
    return host, device, flows, records


def _flow_ends(model: TraceModel, span: Span) -> Mask:
    """Return the ends of arrows in a span, plus one arrow between the passes, if there are any.

    That one shows that the recording has such arrows, even if the part has none.
    """
    time = model.column("flows", "time_ns")
    inside = _starts_in(time, span)
    between = flow_codes(model, "category", FORWARD_FLOW)[model.column("flows", "category")]
    if not (inside & between).any():
        inside[_nearest(between, time, span)] = True
    return inside


def _feature_rows(model: TraceModel) -> Iterator[Mask]:
    """Yield sets of host rows of which one row proves a property of the whole recording.

    Examples: host events, sequence numbers or call stacks were recorded; worker processes loaded
    batches; work was distributed over devices; the autograd engine recorded its backward pass; a
    model was trained; labels name kinds of batches. Without such a row, tables and advice about the
    part would be wrong.
    """
    yield np.ones(model.tables["host"].num_rows, bool)
    yield model.column("host", "sequence") >= 0
    yield model.column("host", "call_stack") >= 0
    yield named(model, "host", lambda name: "_MultiProcessing" in name)
    yield named(model, "host", _is_nccl)
    yield named(model, "host", lambda name: name.startswith(AUTOGRAD))
    yield model.column("host", "kind") == kinds.OPERATOR
    yield training_rows(model)
    yield from batch_rows(model).values()
    yield named(model, "host", "DataParallel.forward".__eq__)
    yield named(model, "host", "DistributedDataParallel.forward".__eq__)


def _is_nccl(name: str) -> bool:
    return "nccl" in name.lower()


def _device(model: TraceModel, span: Span, begins: Mask, host: HostRows) -> Mask:
    """Return the device rows, and add their launches in the range to the host rows."""
    start, duration = (model.column("device", name) for name in ("start_ns", "duration_ns"))
    launch, operator = model.links.launch, model.links.operator
    known = launch >= 0
    placed = _starts_in(start, span)
    placed[known] = begins[launch[known]]
    # For an operator that overlaps the range, everything inside it and launched by it counts.
    owners = np.zeros(len(begins), bool)
    owners[operator[placed & (operator >= 0)]] = True
    host.add_with_inside(owners)
    device = placed | _starts_in(start, span) | _runs(start, duration, span)
    for links in (launch, operator, model.links.launched_by):
        linked = links >= 0
        device[linked] |= host.inside[links[linked]]
    return device | _representative_work(model, span, device)


def _representative_work(model: TraceModel, span: Span, device: Mask) -> Mask:
    """Return the nearest device rows that show which devices did which kinds of work, and for whom.

    Tables have a row for each of these devices, even if nothing ran on it in the range, and advice
    depends on how devices communicated.
    """
    start, number = model.column("device", "start_ns"), model.column("device", "device")
    kind = model.column("device", "kind")
    work = np.isin(kind, (kinds.KERNEL, kinds.MEMCPY, kinds.MEMSET))
    with np.errstate(invalid="ignore"):
        has_blocks = work & (model.column("device", "blocks_per_sm") > 0)
    is_nccl = named(model, "device", _is_nccl) & (kind != kinds.DEVICE_ANNOTATION)
    is_sample = np.zeros(len(start), bool)
    for one in np.unique(number[work]).tolist():
        of_device = work & (number == one)
        if not (device & of_device).any():
            is_sample[_nearest(of_device, start, span)] = True
    launched = work & ((model.links.launch >= 0) | (model.links.operator >= 0))
    for wanted in (has_blocks, is_nccl, launched, training_work(model)):
        if not ((device | is_sample) & wanted).any():
            is_sample[_nearest(wanted, start, span)] = True
    return is_sample


def _steps(model: TraceModel, span: Span, starts: Rows, device: Mask) -> Rows:
    """Return the host rows of the steps that the rows of the part belong to.

    For each row, that is the last step that started before it, even if it has ended: this shows
    that the row belongs to no step.
    """
    steps = model.steps
    if not steps.recorded:
        return np.empty(0, np.int64)
    low, high = span
    needed = np.zeros(len(steps.row), bool)
    for begin, end, times in (
        (steps.host_start_ns, steps.host_end_ns, starts),
        (steps.start_ns, steps.end_ns, model.column("device", "start_ns")[device]),
    ):
        needed |= (begin <= high) & (end >= low)
        last = np.searchsorted(begin, np.append(times, low), side="right") - 1
        needed[np.maximum(last, 0)] = True  # a trace with steps keeps at least one
    rows: Rows = steps.row[needed]
    return rows


def _starts_in(times: npt.NDArray[Any], span: Span) -> Mask:
    inside: Mask = (times >= span[0]) & (times < span[1])
    return inside


def _runs(start: npt.NDArray[Any], duration: npt.NDArray[Any], span: Span) -> Mask:
    running: Mask = (start < span[1]) & (start + duration > span[0])
    return running


def _nearest(wanted: Mask, start: npt.NDArray[Any], span: Span) -> Rows:
    """Return the wanted row that starts nearest to a span; empty if none is wanted."""
    rows = np.flatnonzero(wanted)
    if len(rows) == 0:
        return rows
    distance = np.maximum(span[0] - start[rows], start[rows] - span[1])
    return rows[[int(distance.argmin())]]
