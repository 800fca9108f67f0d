"""Finds what idle devices and streams waited for: the cause of each gap, and the host's work in it.

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

from nbprof.analysis.devices.busiest import Parts, longest_inside
from nbprof.analysis.grouping import texts
from nbprof.model import intervals
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import text
from nbprof.model.contract.spec import Option
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import operator_rows, rows_of_kinds
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.analysis.devices.gaps import Gaps
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Gaps shorter than this that the host did not cause are attributed to launching a kernel.
KERNEL_US: Final = 30.0

#: The option of tables that sets this limit.
KERNEL_OPTION: Final = Option(
    "kernel_us",
    KERNEL_US,
    "Shorter gaps that the host did not cause have the cause kernel.",
    type=float,
)

#: The columns that describe causes, see `cause_texts`.
HOST_KIND: Final = text("host_kind", "Kind of that event: operator, annotation or runtime.")
CAUSE: Final = text(
    "cause",
    "host: the next work was launched after the work before had ended; kernel: it was launched"
    " before, and the gap is short; other: neither; empty where the launch is unknown.",
)

#: The causes by their number.
CAUSES: Final = ("host", "kernel", "other")

_HOST_KINDS: Final = ("operator", "annotation", "runtime")


@dataclass(frozen=True)
class Causes:
    """What each gap waited for, arrays of shape (gaps,).

    Attributes
    ----------
    cause : ndarray of int64
        Index in `CAUSES`; -1 if the launch of the next work is unknown.
    host : ndarray of int64
        Host row that took most of the gap on the thread that launched the next work; -1 if none.
    host_name : ndarray of int64
        Code of its name in the host table, or -1.
    host_kind : ndarray of int64
        Index in `_HOST_KINDS`, or -1.
    """

    cause: Rows
    host: Rows
    host_name: Rows
    host_kind: Rows


def causes_of(model: TraceModel, gaps: Gaps, kernel_us: float = KERNEL_US) -> Causes:
    """Return what each gap waited for.

    Parameters
    ----------
    model : TraceModel
        The trace.
    gaps : Gaps
        The gaps.
    kernel_us : float
        Gaps shorter than this, in microseconds, that the host did not cause have the cause
        "kernel".
    """
    launch = values_at(model.links.launch, gaps.next)
    host = _busiest_host_rows(model, gaps, launch)
    return Causes(
        _causes(model, gaps, launch, kernel_us),
        host,
        values_at(model.column("host", "name"), host),
        values_at(_host_kinds(model), host),
    )


def cause_texts(
    model: TraceModel, causes: Causes, at: Rows | slice = slice(None)
) -> dict[str, pa.Array]:
    """Return the columns host_operator, host_kind and cause of all or some gaps."""
    return {
        "host_operator": texts(model, "host", "name", causes.host_name[at]),
        "host_kind": _word_array(_HOST_KINDS, causes.host_kind[at]),
        "cause": _word_array(CAUSES, causes.cause[at]),
    }


def _causes(model: TraceModel, gaps: Gaps, launch: Rows, kernel_us: float) -> Rows:
    """Return the index of each gap's cause in `CAUSES`, -1 if unknown."""
    late = values_at(model.column("host", "start_ns"), launch) > gaps.start
    short = gaps.end - gaps.start < kernel_us * 1000
    return np.where(launch < 0, -1, np.where(late, 0, np.where(short, 1, 2)))


def _busiest_host_rows(model: TraceModel, gaps: Gaps, launch: Rows) -> Rows:
    """Return the host row with the most self time inside each gap, -1 if there is none.

    Only rows of the thread that launched the next work count. The first of equal rows is taken.
    """
    known = np.flatnonzero(launch >= 0)
    width = _axis_width(model)
    shift = model.column("host", "thread")[launch[known]].astype(np.int64) * width
    low, high = (np.clip(t[known], 0, width - 1) + shift for t in (gaps.start, gaps.end))
    busiest = np.full(len(launch), -1, np.int64)
    busiest[known] = _busiest_kept(model, low, high)
    return busiest


@dataclass(frozen=True)
class _Busiest:
    """Busiest rows of windows, sorted by their starts; arrays of shape (windows,)."""

    low: Rows
    high: Rows
    row: Rows


def _busiest_kept(model: TraceModel, low: Rows, high: Rows) -> Rows:
    """Return the busiest row of each window; those of windows seen before are looked up.

    A range of steps or of time leaves most gaps as they are in the whole trace. So the busiest rows
    of the largest set of windows so far are kept.
    """
    holder: list[_Busiest | None] = model.cached("busiest rows of gaps", lambda: [None])
    kept = holder[0]
    row = np.full(len(low), -1, np.int64)
    is_new = np.ones(len(low), bool)
    if kept is not None and len(kept.low):
        place = np.minimum(np.searchsorted(kept.low, low), len(kept.low) - 1)
        is_new = (kept.low[place] != low) | (kept.high[place] != high)
        row[~is_new] = kept.row[place[~is_new]]
    row[is_new] = _busiest_in(model, low[is_new], high[is_new])
    if kept is None or len(low) > len(kept.low):
        order = np.argsort(low)
        holder[0] = _Busiest(low[order], high[order], row[order])
    return row


def _busiest_in(model: TraceModel, low: Rows, high: Rows) -> Rows:
    """Return the host row with the most self time in each window of the axis of threads, or -1."""
    start_ns = model.column("host", "start_ns")
    longest = [longest_inside(parts, low, high, start_ns) for parts in _self_intervals(model)]
    window, row, own = (np.concatenate(column) for column in zip(*longest, strict=True))
    most = np.zeros(len(low), np.int64)
    np.maximum.at(most, window, own)
    best = own == most[window]
    window, row = window[best], row[best]
    # reversed, so the first row of each window is written last and wins
    order = np.lexsort((row, start_ns[row]))[::-1]
    busiest = np.full(len(low), -1, np.int64)
    busiest[window[order]] = row[order]
    return busiest


def _axis_width(model: TraceModel) -> int:
    """Return the length of each thread's part of an axis on which threads lie end to end."""

    def make() -> int:
        ends = model.column("host", "start_ns") + model.column("host", "duration_ns")
        return int(max(np.max(ends, initial=0), model.metadata.get("end_ns", 0))) + 1

    return model.cached("width of the axis of threads", make)


def _self_intervals(model: TraceModel) -> tuple[Parts, ...]:
    """Return the times in which operators, annotations and runtime calls run themselves.

    The times are those of threads laid end to end on one axis, so that a gap, shifted likewise,
    meets only rows of its thread. Operators and runtime calls inside a row are taken out of it;
    annotations are also taken out of rows that are not operators.
    """

    def make() -> tuple[Parts, ...]:
        kind = _host_kinds(model)
        calls = (kind == 0) | (kind == 2)
        return _without_nested(model, kind == 0, calls), _without_nested(model, kind > 0, kind >= 0)

    return model.cached("own times of host rows", make)


def _without_nested(model: TraceModel, wanted: Mask, inside: Mask) -> Parts:
    """Return the times of host rows without the times of given rows nested in them."""
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    above = nearest_ancestor(model.nesting.parent, inside)
    rows = np.flatnonzero(wanted & (end > start))
    rows = rows[np.lexsort((start[rows], model.column("host", "thread")[rows]))]
    # All rows are laid end to end on one axis, so one subtraction handles all of them.
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
    shift = model.column("host", "thread")[rows[of]].astype(np.int64) * _axis_width(model)
    low, high = low + shift, high + shift
    order = np.argsort(low, kind="stable")
    return Parts.of(rows[of][order], low[order], high[order])


def _host_kinds(model: TraceModel) -> Rows:
    """Return the index of each host row's kind in `_HOST_KINDS`, -1 for other kinds."""

    def make() -> Rows:
        ranges = rows_of_kinds(model, "host", kinds.ANNOTATION, kinds.OPERATOR)
        is_call = rows_of_kinds(model, "host", kinds.RUNTIME)
        # old recorders write data loaders and optimizers as operators; they count as annotations
        kind = np.where(operator_rows(model), 0, np.where(ranges, 1, np.where(is_call, 2, -1)))
        return kind.astype(np.int64)

    return model.cached("kinds of host rows beside gaps", make)


def _word_array(words: tuple[str, ...], index: Rows) -> pa.Array:
    return arrow_array(words, pa.utf8()).take(arrow_array(index, mask=index < 0))
