"""Table `flame`: the frames of a flame graph with their positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import latest, sums, us
from nbprof.analysis.modules.flame_frames import (
    Frames,
    device_frames,
    host_frames,
    levels_of,
    memory_frames,
    under_forward,
)
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.nesting import depths
from nbprof.model.links.paths import Paths

if TYPE_CHECKING:
    from collections.abc import Collection

    from nbprof.model.trace.model import TraceModel

FLAME: Final[Columns] = (
    count("id", "Number of the frame; enclosing frames have smaller numbers."),
    count("parent_id", "Enclosing frame; empty for frames at the bottom."),
    count("depth", "Number of frames below it in the stack."),
    text("name", "Name of the module, operator or Python function."),
    text("kind", "module, operator or python; other events at the bottom keep their own kind."),
    count("calls", "Number of calls."),
    time("offset_us", "Where the frame begins, from the start of the graph."),
    time("total_us", "Time of the frame including the frames above it, which is its width."),
    time("self_us", "Time of the frame without frames above it."),
    size("offset_bytes", "Where the frame begins, from the start of the graph."),
    size(
        "total_bytes", "Bytes allocated in the frame and the frames above it, which is its width."
    ),
    size("self_bytes", "Bytes allocated in the frame itself."),
)

#: The quantities that the width of a frame can show, and the unit suffix of their columns.
FLAME_UNITS: Final = {"host": "_us", "device": "_us", "bytes": "_bytes"}


def _flame_columns(by: str) -> Columns:
    """Return the columns of `flame` for a meaning of the width.

    Parameters
    ----------
    by : {"host", "device", "bytes"}
        A key of `FLAME_UNITS`.
    """
    other = "_bytes" if FLAME_UNITS[by] == "_us" else "_us"
    return tuple(column for column in FLAME if not column.name.endswith(other))


Rows = npt.NDArray[np.int64]

ORDERS: Final = ("left_heavy", "time")
_FRAMES_BY: Final = {"host": host_frames, "device": device_frames, "bytes": memory_frames}


def flame(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    by: str = "host",
    order: str = "left_heavy",
) -> pa.Table:
    """Return the frames of a flame graph of modules, operators and Python functions.

    The width of a frame is its own value plus the widths of the frames above it. Frames of width 0
    are left out.

    In left-heavy order, frames with the same name and the same frames below are merged, the widest
    on the left, and the backward pass is placed above the modules of its forward operators. In time
    order, every call is a separate frame. By host time, there is one graph per thread, side by
    side, including the time between frames; otherwise frames follow each other without gaps.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects frames, which count in full. The value of a frame that is left out counts for the
        frame below it.
    by : {"host", "device", "bytes"}
        The value of frames: host time, device time they launched, or bytes they allocated on the
        devices that the filter keeps, without subtracting releases.
    order : {"left_heavy", "time"}
        The order of frames from left to right.

    Returns
    -------
    pyarrow.Table
        Columns of `_flame_columns`, sorted from bottom to top, and from left to
        right at each depth.

    Raises
    ------
    UnknownNameError
        `by` or `order` is unknown.
    """
    _require("by", by, _FRAMES_BY)
    _require("order", order, ORDERS)
    return latest(model, f"flame {by} {order}", filter_, lambda: _flame(model, filter_, by, order))


@dataclass(frozen=True)
class _Boxes:
    """The boxes of a flame graph; arrays of shape (boxes,).

    Attributes
    ----------
    parent : ndarray of int64
        Index of the box below each, -1 at the bottom.
    label : ndarray of int64
        Label of the frame.
    rank : ndarray of int64
        Sort key of the boxes on one parent.
    own, total : ndarray of int64
        Value without and with the boxes above.
    calls : ndarray of int64
    offset : ndarray of int64 or None
        Start of each box; None to place them one after the other.
    """

    parent: Rows
    label: Rows
    rank: Rows
    own: Rows
    total: Rows
    calls: Rows
    offset: Rows | None = None


def _flame(model: TraceModel, filter_: Filter, by: str, order: str) -> pa.Table:
    frames = _FRAMES_BY[by](model, filter_)
    if order == "time":
        boxes = _one_by_one(frames)
    else:
        boxes = _merged(frames, under_forward(model, frames))
    number, packed = _lay_out(boxes)
    offset = packed if boxes.offset is None else boxes.offset
    shown = np.argsort(number, kind="stable")
    shown = shown[boxes.total[shown] > 0]
    ids = np.full(len(number) + 1, -1, np.int64)  # one more for the root below the bottom
    ids[shown] = np.arange(len(shown))
    below = ids[boxes.parent[shown]]
    label = arrow_array(boxes.label[shown])
    data: dict[str, Any] = {
        "id": ids[shown],
        "parent_id": arrow_array(below, pa.int64(), mask=below < 0),
        "depth": depths(boxes.parent)[shown],
        "name": arrow_array(frames.names, pa.utf8()).take(label),
        "kind": arrow_array(frames.kinds, pa.utf8()).take(label),
        "calls": boxes.calls[shown],
    }
    unit = FLAME_UNITS[by]
    for name, values in (("offset", offset), ("total", boxes.total), ("self", boxes.own)):
        data[name + unit] = us(values[shown]) if unit == "_us" else values[shown]
    return make_table(_flame_columns(by), data)


def _one_by_one(frames: Frames) -> _Boxes:
    """Return one box per frame, sorted by time."""
    return _Boxes(
        parent=frames.parent,
        label=frames.label,
        rank=frames.start_ns if frames.place is None else frames.place,
        own=frames.own,
        total=_totals(frames.parent, frames.own),
        calls=np.ones(len(frames.own), np.int64),
        offset=frames.place,
    )


def _merged(frames: Frames, parent: Rows) -> _Boxes:
    """Return one box for all frames with the same names below them, on any thread."""
    is_thread = np.array([kind == "thread" for kind in frames.kinds], bool)[frames.label]
    stacked = np.flatnonzero(~is_thread)
    on_thread = np.append(is_thread, False)[parent]  # last: no parent
    paths = Paths.of(stacked, np.where(on_thread, -1, parent), frames.label[stacked])
    code, count = paths.code[stacked], len(paths.label)
    own = sums(code, frames.own[stacked], count).astype(np.int64)
    total = _totals(paths.parent, own)
    calls = np.bincount(code, minlength=count)
    first = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(first, code, frames.start_ns[stacked])
    # Ties are broken by the first call, then the name, which are the same in every part of a trace.
    texts = list(zip(frames.names, frames.kinds, strict=True))
    by_text = np.empty(len(texts), np.int64)
    by_text[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    rank = np.empty(count, np.int64)
    rank[np.lexsort((by_text[paths.label], first, -total))] = np.arange(count)
    return _Boxes(paths.parent, paths.label, rank, own, total, calls)


def _totals(parent: Rows, own: Rows) -> Rows:
    """Return the value of each frame including all above it; exact up to 2**53 ns or bytes."""
    return Forest.of(parent).totals(own.astype(np.float64)).astype(np.int64)


def _lay_out(boxes: _Boxes) -> tuple[Rows, Rows]:
    """Return the boxes sorted from bottom to top and left to right, and the start of each."""
    parent, total = boxes.parent, boxes.total
    number = np.full(len(parent) + 1, -1, np.int64)  # one more for the root below the bottom
    offset = np.zeros(len(parent) + 1, np.int64)
    count = 0
    for level in levels_of(parent):  # one iteration per depth
        if len(level) == 1:  # as most levels of a very deep tree
            number[level], offset[level] = count, offset[parent[level]]
            count += 1
            continue
        row = level[np.lexsort((level, boxes.rank[level], number[parent[level]]))]
        number[row] = count + np.arange(len(row))
        count += len(row)
        before = np.cumsum(total[row]) - total[row]
        new = np.ones(len(row), bool)
        new[1:] = parent[row[1:]] != parent[row[:-1]]
        first = np.flatnonzero(new)[np.cumsum(new) - 1]
        offset[row] = offset[parent[row]] + before - before[first]
    return number[:-1], offset[:-1]


def _require(what: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        message = f"Flame graphs have no {what}={name!r}; there are {', '.join(known)}."
        raise UnknownNameError(message)


TABLE: Final = TableSpec(
    name="flame",
    summary="a flame graph of modules, operators and Python functions",
    columns=FLAME,
    columns_for=lambda by="host", **_: _flame_columns(by),
    make=flame,
    options=(
        Option(
            "by",
            "host",
            "Value of frames: host time, device time they launched, or bytes they allocated.",
            choices=("host", "device", "bytes"),
        ),
        Option(
            "order",
            "left_heavy",
            "Merge equal stacks, the widest on the left, or show every call in time order.",
            choices=("left_heavy", "time"),
        ),
    ),
    keys=("name",),
    sort=("total_us", "total_bytes"),
    nouns=("frame", "frames"),
)
