"""Table `idle_gaps`: when a device or stream was idle, and what it waited for.

The causes follow Holistic Trace Analysis. The cause is the host if the work that ends a gap was
launched only after the previous work had ended; a kernel if it was launched earlier and the gap is
short; otherwise something else, such as an event that the stream waited for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.busiest import longest_inside
from nbprof.analysis.devices.device_intervals import device_span, kept_by_start, times_of
from nbprof.analysis.devices.device_rows import device_type, devices_in
from nbprof.analysis.grouping import texts, us
from nbprof.model import intervals
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.roles import operator_rows, rows_of_kinds
from nbprof.model.rows_of_values import rows_of_values
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

COLUMNS: Final[Columns] = (
    text("device_type", "Type of device: gpu, npu, …"),
    count("device", "Number of the device."),
    count("stream", "Idle stream; empty if the whole device was idle."),
    time("start_us", "Start of the gap, from the first event of the trace."),
    time("duration_us", "Length of the gap."),
    text(
        "cause",
        "host: the next work was launched after the work before had ended; kernel: it was launched"
        " before, and the gap is short; other: neither; empty where the launch is unknown.",
    ),
    text(
        "host_operator",
        "Operator, annotation or runtime call that took most of the gap itself, on the thread that"
        " launched the next work.",
    ),
    text("host_kind", "Kind of that event: operator, annotation or runtime."),
    text("previous", "Work before the gap; empty at the start of the range."),
    text("next", "Work after the gap; empty at the end of the range."),
)

#: Gaps shorter than this that the host did not cause are attributed to launching a kernel.
KERNEL_US: Final = 30.0

_HOST_KINDS: Final = ("operator", "annotation", "runtime")
_CAUSES: Final = ("host", "kernel", "other")
#: Sentinels before and after all times.
_FAR: Final = 2**62


@dataclass(frozen=True)
class _Gaps:
    """Gaps of one or several devices or streams.

    Attributes
    ----------
    start, end : ndarray of int64, shape (gaps,)
        Nanoseconds.
    previous, next : ndarray of int64, shape (gaps,)
        Device rows before and after each gap, -1 outside the range.
    """

    start: Rows
    end: Rows
    previous: Rows
    next: Rows

    def where(self, keep: Mask) -> _Gaps:
        return _Gaps(self.start[keep], self.end[keep], self.previous[keep], self.next[keep])


def idle_gaps(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    min_us: float = 0.0,
    kernel_us: float = KERNEL_US,
) -> pa.Table:
    """Return the gaps of each device, then those of its streams, each sorted by time.

    A device is idle while none of its kernels, copies and memory sets runs: these gaps sum to
    ``device_time.idle_us``. A stream is idle between pieces of work on it.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range set the window, as for `device_time`; all other fields select the work
        that ends idle time.
    min_us : float
        Minimum length of gaps, in microseconds.
    kernel_us : float
        Gaps shorter than this, in microseconds, that the host did not cause have the cause
        "kernel".
    """
    found = [
        (device, stream, gaps.where(gaps.end - gaps.start >= min_us * 1000))
        for device in devices_in(model, filter_)
        for stream, gaps in _gaps_of_device(model, filter_, device)
    ]
    lengths = [len(gaps.start) for _, _, gaps in found]
    start, end, previous, following = (
        np.concatenate([np.empty(0, np.int64), *(getattr(gaps, name) for _, _, gaps in found)])
        for name in ("start", "end", "previous", "next")
    )
    gaps = _Gaps(start, end, previous, following)
    device = np.repeat(np.array([device for device, _, _ in found], np.int64), lengths)
    stream = np.repeat(np.array([stream for _, stream, _ in found], np.int64), lengths)
    launch = _at(model.links.launch, gaps.next)
    host = _busiest_host_rows(model, gaps, launch)
    data = {
        "device_type": [device_type(model)] * len(start),
        "device": device,
        "stream": arrow_array(stream, mask=stream < 0),
        "start_us": us(start),
        "duration_us": us(end - start),
        "cause": _words(_CAUSES, _causes(model, gaps, launch, kernel_us)),
        "host_operator": texts(model, "host", "name", _at(model.column("host", "name"), host)),
        "host_kind": _words(_HOST_KINDS, _at(_host_kinds(model), host)),
        "previous": texts(
            model, "device", "name", _at(model.column("device", "name"), gaps.previous)
        ),
        "next": texts(model, "device", "name", _at(model.column("device", "name"), gaps.next)),
    }
    return make_table(COLUMNS, data)


def _gaps_of_device(model: TraceModel, filter_: Filter, device: int) -> list[tuple[int, _Gaps]]:
    """Return the gaps of a device, with stream -1, and those of each of its streams."""
    wanted = selection.window(model, filter_)
    window = device_span(model, device) if wanted is None else wanted
    rows = kept_by_start(model, filter_, device)
    rows = rows[model.column("device", "duration_ns")[rows] > 0]
    found = [(-1, _gaps(model, rows, window))]
    for number, own in rows_of_values(model.column("device", "stream")[rows]).items():
        if number >= 0:  # others are not streams
            gaps = _gaps(model, rows[own], window)
            found.append((number, gaps.where((gaps.previous >= 0) & (gaps.next >= 0))))
    return found


def _gaps(model: TraceModel, rows: Rows, window: IntervalSet) -> _Gaps:
    """Return the parts of a window in which none of the rows runs; rows are sorted by start."""
    start, end = times_of(model, rows)
    reach = np.maximum.accumulate(end)
    before = np.append(-_FAR, reach[:-1])
    opens = np.flatnonzero(start > before[: len(start)])
    raised = np.maximum.accumulate(np.where(end > before[: len(end)], np.arange(len(end)), 0))
    last = raised[np.append(opens[1:], len(rows)) - 1] if len(rows) else raised
    # the gaps between merged blocks of work, and those before the first and after the last
    low, high = np.append(-_FAR, end[last]), np.append(start[opens], _FAR)
    previous, following = np.append(-1, rows[last]), np.append(rows[opens], -1)
    begins, ends = intervals.intersect((low, high), window)
    gap = np.searchsorted(low, begins, side="right") - 1
    span = np.searchsorted(window[0], begins, side="right") - 1
    inside_left, inside_right = low[gap] > window[0][span], high[gap] < window[1][span]
    return _Gaps(
        begins,
        ends,
        np.where(inside_left, previous[gap], -1),
        np.where(inside_right, following[gap], -1),
    )


def _causes(model: TraceModel, gaps: _Gaps, launch: Rows, kernel_us: float) -> Rows:
    """Return the index of each gap's cause in `_CAUSES`, -1 if unknown."""
    late = _at(model.column("host", "start_ns"), launch) > gaps.start
    short = gaps.end - gaps.start < kernel_us * 1000
    return np.where(launch < 0, -1, np.where(late, 0, np.where(short, 1, 2)))


def _busiest_host_rows(model: TraceModel, gaps: _Gaps, launch: Rows) -> Rows:
    """Return the host row with the most self time inside each gap, -1 if there is none.

    Only rows of the thread that launched the next work count. The first of equal rows is taken.
    """
    known = np.flatnonzero(launch >= 0)
    thread = model.column("host", "thread").astype(np.int64)
    start_ns = model.column("host", "start_ns")
    # Threads are laid end to end on one axis, so each gap meets only rows of its thread.
    width = int(max(np.max(gaps.end, initial=0), model.metadata.get("end_ns", 0))) + 1
    shift = thread[launch[known]] * width
    window = gaps.start[known] + shift, gaps.end[known] + shift
    found = []
    for rows, *times in _own_times(model):
        start, end = (np.minimum(time, width - 1) + thread[rows] * width for time in times)
        found.append(longest_inside((rows, start, end), *window, start_ns))
    gap, row, own = (np.concatenate(column) for column in zip(*found, strict=True))
    busiest = np.full(len(launch), -1, np.int64)
    busiest[known[gap]] = row
    contested = np.bincount(gap, minlength=1)[gap] > 1
    gap, row, own = gap[contested], row[contested], own[contested]
    order = np.lexsort((row, start_ns[row], -own, gap))
    # reversed, so the first row of each gap is written last and wins
    busiest[known[gap[order[::-1]]]] = row[order[::-1]]
    return busiest


def _own_times(model: TraceModel) -> tuple[tuple[Rows, Rows, Rows], ...]:
    """Return the times in which operators, annotations and runtime calls run themselves.

    Returns (host row, start, end), each of shape (parts,), sorted by thread and start. Operators
    and runtime calls inside a row are taken out of it; annotations are also taken out of rows that
    are not operators.
    """

    def make() -> tuple[tuple[Rows, Rows, Rows], ...]:
        kind = _host_kinds(model)
        calls = (kind == 0) | (kind == 2)
        return _without(model, kind == 0, calls), _without(model, kind > 0, kind >= 0)

    return model.cached("own times of host rows", make)


def _without(model: TraceModel, wanted: Mask, inside: Mask) -> tuple[Rows, Rows, Rows]:
    """Return the times of host rows without the times of given rows nested in them."""
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    above = nearest_ancestor(model.nesting.parent, inside)
    rows = np.flatnonzero(wanted & (end > start))
    rows = rows[np.lexsort((start[rows], model.column("host", "thread")[rows]))]
    # All rows are laid end to end on one axis, so one subtraction serves them all.
    length = end[rows] - start[rows]
    axis = np.cumsum(length) - length
    place = np.full(len(start), -1, np.int64)
    place[rows] = np.arange(len(rows))
    nested = np.flatnonzero(inside & (above >= 0))
    nested = nested[place[above[nested]] >= 0]
    of = place[above[nested]]
    offset = axis[of] - start[rows[of]]
    edges = axis[of], axis[of] + length[of]
    taken = intervals.union(*(np.clip(t[nested] + offset, *edges) for t in (start, end)))
    low, high = intervals.subtract((axis, axis + length), taken)
    of = np.searchsorted(axis, low, side="right") - 1
    back = start[rows[of]] - axis[of]
    low, high = low + back, high + back
    order = np.lexsort((low, model.column("host", "thread")[rows[of]]))
    return rows[of][order], low[order], high[order]


def _host_kinds(model: TraceModel) -> Rows:
    """Return the index of each host row's kind in `_HOST_KINDS`, -1 for other kinds."""

    def make() -> Rows:
        ranges = rows_of_kinds(model, "host", kinds.ANNOTATION, kinds.OPERATOR)
        is_call = rows_of_kinds(model, "host", kinds.RUNTIME)
        # old recorders write data loaders and optimizers as operators; they count as annotations
        kind = np.where(operator_rows(model), 0, np.where(ranges, 1, np.where(is_call, 2, -1)))
        return kind.astype(np.int64)

    return model.cached("kinds of host rows beside gaps", make)


def _at(values: npt.NDArray[np.integer], rows: Rows) -> Rows:
    """Return values at rows, -1 for row -1."""
    if not len(values):
        return np.full(len(rows), -1, np.int64)
    return np.where(rows >= 0, values[rows], -1)


def _words(words: tuple[str, ...], index: Rows) -> pa.Array:
    return arrow_array(words, pa.utf8()).take(arrow_array(index, mask=index < 0))


TABLE: Final = TableSpec(
    name="idle_gaps",
    summary="when devices and streams were idle, and what they waited for",
    notes="Where stream is empty, the whole device is idle: these gaps sum to"
    " ``device_time.idle_us``.",
    columns=COLUMNS,
    make=idle_gaps,
    options=(
        Option("min_us", 0.0, "Only gaps of at least this length, in microseconds.", type=float),
        Option(
            "kernel_us",
            KERNEL_US,
            "Shorter gaps that the host did not cause have the cause kernel.",
            type=float,
        ),
    ),
    keys=("device_type", "device", "stream", "start_us"),
    sort=("duration_us",),
    sums=("duration_us",),
    nouns=("gap", "gaps"),
)
