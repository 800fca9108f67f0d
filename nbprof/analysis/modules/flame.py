"""Table `flame`: the frames of a flame graph, laid out from left to right and bottom to top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.forest import Forest
from nbprof.analysis.grouping import latest, sums, us
from nbprof.analysis.modules.flame_frames import (
    Frames,
    device_frames,
    host_frames,
    levels_of,
    memory_frames,
    under_forward,
)
from nbprof.model.contract import modules as contract_modules
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.nesting import depths
from nbprof.model.links.paths import Paths

if TYPE_CHECKING:
    from collections.abc import Collection

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

ORDERS: Final = ("left_heavy", "time")
_WORTH: Final = {"host": host_frames, "device": device_frames, "bytes": memory_frames}


def flame(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    by: str = "host",
    order: str = "left_heavy",
) -> pa.Table:
    """Return the frames of a flame graph of modules, operators and Python functions.

    A frame is as wide as it is worth itself and the frames above it are together. Frames that are
    worth nothing are left out.

    Left-heavy, frames of one name with the same frames below them are one, the widest to the left.
    The backward pass stands above the modules of its forward operators. In time order every call is
    a frame of its own where it ran. By host time, that is a graph for each thread, side by side,
    with the time between the frames; else frames follow each other without gaps.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which frames there are; they are counted whole. What is between them is left out and counts
        for the one below it.
    by : {"host", "device", "bytes"}
        What frames are worth: host time, the device time that they launched, or what they allocated
        on all devices that the filter keeps, releases not taken off.
    order : {"left_heavy", "time"}
        How frames are laid out.

    Returns
    -------
    pyarrow.Table
        Columns of `contract_modules.flame_columns`, frames before those above them, and those of
        one depth from left to right.

    Raises
    ------
    UnknownNameError
        There is no such worth or order.
    """
    _require("worth", by, _WORTH)
    _require("order", order, ORDERS)
    return latest(model, f"flame {by} {order}", filter_, lambda: _flame(model, filter_, by, order))


@dataclass(frozen=True)
class _Boxes:
    """What is drawn; arrays of shape (boxes,).

    Attributes
    ----------
    parent : ndarray of int64
        Index of the box below each, -1 at the bottom.
    label : ndarray of int64
        Of the frames.
    rank : ndarray of int64
        What boxes on one parent are sorted by.
    own, total : ndarray of int64
        Worth without, and with, those above.
    calls : ndarray of int64
    offset : ndarray of int64 or None
        Where each begins; None for one right after the other.
    """

    parent: Rows
    label: Rows
    rank: Rows
    own: Rows
    total: Rows
    calls: Rows
    offset: Rows | None = None


def _flame(model: TraceModel, filter_: Filter, by: str, order: str) -> pa.Table:
    frames = _WORTH[by](model, filter_)
    if order == "time":
        boxes = _one_by_one(frames)
    else:
        boxes = _merged(frames, under_forward(model, frames))
    number, packed = _lay_out(boxes)
    offset = packed if boxes.offset is None else boxes.offset
    shown = np.argsort(number, kind="stable")
    shown = shown[boxes.total[shown] > 0]
    ids = np.full(len(number) + 1, -1, np.int64)  # one more for what is below the bottom
    ids[shown] = np.arange(len(shown))
    below = ids[boxes.parent[shown]]
    label = pa.array(boxes.label[shown])
    data: dict[str, Any] = {
        "id": ids[shown],
        "parent_id": pa.array(below, pa.int64(), mask=below < 0),
        "depth": depths(boxes.parent)[shown],
        "name": pa.array(frames.names, pa.utf8()).take(label),
        "kind": pa.array(frames.kinds, pa.utf8()).take(label),
        "calls": boxes.calls[shown],
    }
    unit = contract_modules.FLAME_UNITS[by]
    for name, values in (("offset", offset), ("total", boxes.total), ("self", boxes.own)):
        data[name + unit] = us(values[shown]) if unit == "_us" else values[shown]
    return make_table(contract_modules.flame_columns(by), data)


def _one_by_one(frames: Frames) -> _Boxes:
    """Make a box of every frame, in the order of time."""
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
    """Make a box of all frames with the same names below them, whatever thread they ran on."""
    is_thread = np.array([kind == "thread" for kind in frames.kinds], bool)[frames.label]
    stacked = np.flatnonzero(~is_thread)
    on_thread = np.append(is_thread, False)[parent]  # the last is that of no parent
    paths = Paths.of(stacked, np.where(on_thread, -1, parent), frames.label[stacked])
    code, count = paths.code[stacked], len(paths.label)
    own = sums(code, frames.own[stacked], count).astype(np.int64)
    total = _totals(paths.parent, own)
    calls = np.bincount(code, minlength=count)
    first = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(first, code, frames.start_ns[stacked])
    # Of equal ones the first call decides, then the name: the same in whatever part of a trace.
    texts = list(zip(frames.names, frames.kinds, strict=True))
    by_text = np.empty(len(texts), np.int64)
    by_text[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    rank = np.empty(count, np.int64)
    rank[np.lexsort((by_text[paths.label], first, -total))] = np.arange(count)
    return _Boxes(paths.parent, paths.label, rank, own, total, calls)


def _totals(parent: Rows, own: Rows) -> Rows:
    """Return what each frame is worth with all above it; exact up to 2**53 ns or bytes."""
    return Forest.of(parent).totals(own.astype(np.float64)).astype(np.int64)


def _lay_out(boxes: _Boxes) -> tuple[Rows, Rows]:
    """Return the numbers of boxes, from bottom to top and left to right, and where each begins."""
    parent, total = boxes.parent, boxes.total
    number = np.full(len(parent) + 1, -1, np.int64)  # one more for what is below the bottom
    offset = np.zeros(len(parent) + 1, np.int64)
    count = 0
    for level in levels_of(parent):  # as many as frames are stacked
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
        message = f"Flame graphs have no {what} {name!r}; there are {', '.join(known)}."
        raise UnknownNameError(message)


TABLE: Final = TableSpec(
    name="flame",
    summary="a flame graph of modules, operators and Python functions",
    columns=contract_modules.FLAME,
    columns_for=lambda by="host", **_: contract_modules.flame_columns(by),
    make=flame,
    options=(
        Option(
            "by",
            "host",
            "What frames are worth: host time, device time that they launched, bytes they"
            " allocated.",
            choices=("host", "device", "bytes"),
        ),
        Option(
            "order",
            "left_heavy",
            "Whether equal stacks are one, the widest to the left, or every call is where it ran.",
            choices=("left_heavy", "time"),
        ),
    ),
    keys=("name",),
    sort=("total_us", "total_bytes"),
    nouns=("frame", "frames"),
)
