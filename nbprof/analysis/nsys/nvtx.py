"""Reports about NVTX ranges: by name, and every push/pop range with its place in the nesting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, sums, texts_at, us
from nbprof.analysis.nsys.nvtx_ranges import STYLES, NvtxRanges
from nbprof.analysis.nsys.rows import place_columns
from nbprof.analysis.nsys.statistics import TIMES, sorted_summary, time_statistics
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.nesting import nearest_ancestor

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

_NAME: Final = text("name", "Text of the range, after its domain if that is not the default one.")
_STYLE: Final = text("style", "PushPop: nested on a thread; StartEnd: these may overlap.")

SUM: Final[Columns] = (*TIMES, _STYLE, _NAME)
ONE_STYLE: Final[Columns] = (*TIMES, _NAME)
PLACE: Final[Columns] = (
    count("level", "Ranges around it on its thread."),
    count("children", "Ranges directly inside it."),
    count(
        "range_id",
        "Number of the range among those of the filter, in the order of threads and time.",
    ),
    count("parent_id", "Number of the range around it; null at the top."),
    text("range_stack", "Numbers of the ranges around it and of itself, the outermost first."),
)
TRACE: Final[Columns] = (
    time("start_us", "Start of the range."),
    time("end_us", "End of the range."),
    time("duration_us", "Time of the range."),
    time("children_us", "Time of the ranges directly inside it."),
    time("self_us", "Time outside of these."),
    _NAME,
    count("pid", "Process."),
    count("tid", "Thread."),
    text("thread", "Name of the thread."),
    *PLACE,
    text("name_tree", "Its text, indented by its level."),
)


def _nvtx_sum(model: TraceModel, filter_: Filter = NO_FILTER, *, style: str = "") -> pa.Table:
    """Return the time of ranges by text.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which ranges count.
    style : str
        Only ranges of this style; by default, those of both.
    """
    ranges = NvtxRanges.of(model)
    kept = ranges.kept(model, filter_)
    if style:
        kept = kept & (ranges.style == STYLES.index(style))
    at = np.flatnonzero(kept)
    group, first = dense(ranges.name[at], ranges.style[at])
    found = time_statistics(group, (ranges.end - ranges.start)[at], len(first))
    found["name"] = texts_at(ranges.names, ranges.name[at[first]])
    found["style"] = texts_at(STYLES, ranges.style[at[first]])
    return sorted_summary(ONE_STYLE if style else SUM, found, first)


def _nvtx_pushpop_trace(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return every push/pop range in the order of time."""
    ranges = NvtxRanges.of(model)
    kept = ranges.kept(model, filter_)
    at = np.flatnonzero(kept & (ranges.style == 0))
    at = at[np.argsort(ranges.start[at], kind="stable")]
    duration = ranges.end - ranges.start
    has = np.flatnonzero(ranges.parent >= 0)
    inside = sums(ranges.parent[has], duration[has], len(duration))
    names = [ranges.names[one] for one in ranges.name[at].tolist()]
    levels = ranges.level[at].tolist()
    data: dict[str, Any] = {
        "start_us": us(ranges.start[at]),
        "end_us": us(ranges.end[at]),
        "duration_us": us(duration[at]),
        "children_us": us(inside[at]),
        "self_us": us(duration[at] - inside[at]),
        "name": names,
        "name_tree": ["  " * n + one for n, one in zip(levels, names, strict=True)],
        **place_columns(model, ranges.thread[at]),
        **places(ranges, at, kept),
    }
    return make_table(TRACE, data)


def places(ranges: NvtxRanges, at: Rows, kept: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Return the values of the columns `PLACE` for some ranges.

    Numbers count the ranges that the filter keeps (``kept``, shape (ranges,)), so those of a part
    of a trace are those of the whole under the same filter.
    """
    number = np.where(kept, np.cumsum(kept), 0)
    around = nearest_ancestor(ranges.parent, kept)
    parent = around[at]
    stacks: dict[int, str] = {-1: ""}
    return {
        "level": ranges.level[at],
        "children": ranges.children()[at],
        "range_id": number[at],
        "parent_id": arrow_array(number[parent], mask=parent < 0),
        "range_stack": [_stack(around, number, one, stacks) for one in at.tolist()],
    }


def _stack(parent: Rows, number: Rows, one: int, known: dict[int, str]) -> str:
    """Return the numbers of a range and of those around it, joined by colons."""
    above = []
    while one not in known:
        above.append(one)
        one = int(parent[one])
    while above:
        last = above.pop()
        known[last] = f"{known[one]}:{number[last]}"
        one = last
    return known[one]


def _summary(name: str, style: str, what: str) -> TableSpec:
    return TableSpec(
        name=name,
        summary=f"{what} by name",
        columns=ONE_STYLE if style else SUM,
        make=partial(_nvtx_sum, style=style) if style else _nvtx_sum,
        keys=("name",) if style else ("style", "name"),
        sort=("total_us",),
        sums=("total_us", "instances"),
        nouns=("range", "ranges"),
        needs="user_events",
    )


SUM_TABLE: Final = _summary("nsys_nvtx_sum", "", "the NVTX ranges")
PUSHPOP_TABLE: Final = _summary("nsys_nvtx_pushpop_sum", STYLES[0], "the nested NVTX ranges")
STARTEND_TABLE: Final = _summary("nsys_nvtx_startend_sum", STYLES[1], "the other NVTX ranges")
TRACE_TABLE: Final = TableSpec(
    name="nsys_nvtx_pushpop_trace",
    summary="every nested NVTX range",
    columns=TRACE,
    make=_nvtx_pushpop_trace,
    keys=("range_id",),
    sums=("self_us",),
    nouns=("range", "ranges"),
    needs="user_events",
)
