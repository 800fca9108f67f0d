"""`Flows`: all arrows of one kind in a trace; selects the arrows nearest to a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from nbprof.model.links.backward import linked_forward_rows
from nbprof.timeline.curves.task_queue import TaskQueue
from nbprof.timeline.details.arrows import Arrow
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.model.trace.model import TraceModel

Ids = npt.NDArray[np.int64]
FlowKind = Literal["enqueue", "fwdbwd", "queue"]

#: Arrows from launching calls to device work, from forward to backward operators, and from the
#: slices that enqueue an NPU's tasks to those that dequeue them.
KINDS: Final[tuple[FlowKind, ...]] = ("enqueue", "fwdbwd", "queue")

#: Maximum number of arrows drawn at a time; more could not be followed by eye.
MOST: Final = 300

#: Number of arrows before and after a time that are searched for arrows between visible rows.
_REACH: Final = 20


@dataclass(frozen=True)
class Flows:
    """The arrows of one kind; all arrays have shape (arrows,).

    Attributes
    ----------
    source, target : ndarray of int64
        Slice ids, in the order of the starts of the sources.
    start : ndarray of int64
        Starts of the sources, ascending.
    by_end : ndarray of int64
        Positions in the order of the starts of the targets.
    end : ndarray of int64
        Starts of the targets, ascending.
    """

    source: Ids
    target: Ids
    start: Ids
    by_end: Ids
    end: Ids

    @classmethod
    def of(cls, model: TraceModel, kind: FlowKind) -> Flows:
        """Return the arrows of a kind; cached."""
        return model.cached(("flows", kind), lambda: cls._make(model, kind))

    @classmethod
    def _make(cls, model: TraceModel, kind: FlowKind) -> Flows:
        slices = Slices.of(model)
        source, target = _ends(model, kind, slices.host_rows)
        order = np.argsort(slices.start[source], kind="stable")
        source, target = source[order], target[order]
        end = slices.start[target]
        by_end = np.argsort(end, kind="stable")
        return cls(source, target, slices.start[source], by_end, end[by_end])

    def near(self, at_ns: int, many: int) -> Ids:
        """Return the positions of arrows that begin or end near a time, ascending."""
        begin = int(np.searchsorted(self.start, at_ns))
        end = int(np.searchsorted(self.end, at_ns))
        begins = np.arange(max(begin - many, 0), min(begin + many, len(self.start)))
        return np.union1d(begins, self.by_end[max(end - many, 0) : end + many])


def flow_kinds(model: TraceModel) -> list[FlowKind]:
    """Return the kinds of arrows that a trace has."""
    return [kind for kind in KINDS if len(Flows.of(model, kind).source)]


def nearest_arrows(
    model: TraceModel,
    kinds: Iterable[FlowKind],
    window: tuple[int, int],
    rows: Sequence[tuple[int, int]],
    *,
    group_by: str = "thread",
    at_ns: int | None = None,
    most: int = MOST,
) -> list[Arrow]:
    """Return the arrows that begin or end in a window, the nearest to a time first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    kinds : iterable of {"enqueue", "fwdbwd", "queue"}
        Which arrows.
    window : (int, int)
        Start and end in nanoseconds.
    rows : sequence of (int, int)
        The rows shown, last exclusive; both ends of an arrow are in one of them.
    group_by : {"thread", "module"}
        How lanes are grouped.
    at_ns : int, optional
        The time, by default the middle of the window.
    most : int
        Maximum number of arrows.
    """
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    shown = np.zeros(lanes.rows + 1, bool)  # the last entry is for slices without a lane
    for low, high in rows:
        shown[low:high] = True
    middle = (window[0] + window[1]) // 2 if at_ns is None else at_ns
    found: list[tuple[int, Arrow]] = []
    for kind in kinds:
        flows = Flows.of(model, kind)
        near = flows.near(middle, most * _REACH)
        source, target = flows.source[near], flows.target[near]
        start, end = slices.start[source], slices.start[target]
        inside = ((start >= window[0]) & (start < window[1])) | (
            (end >= window[0]) & (end < window[1])
        )
        keep = np.flatnonzero(inside & shown[lanes.row[source]] & shown[lanes.row[target]])
        away = np.minimum(np.abs(start - middle), np.abs(end - middle))[keep]
        for i in keep[np.argsort(away, kind="stable")[:most]].tolist():
            arrow = Arrow(
                kind,
                from_row=int(lanes.row[source[i]]),
                from_ns=int(start[i]),
                to_row=int(lanes.row[target[i]]),
                to_ns=int(end[i]),
            )
            distance = min(abs(arrow.from_ns - middle), abs(arrow.to_ns - middle))
            found.append((distance, arrow))
    found.sort(key=lambda pair: pair[0])
    return [arrow for _, arrow in found[:most]]


def _ends(model: TraceModel, kind: FlowKind, host_rows: int) -> tuple[Ids, Ids]:
    """Return the slices at which the arrows of a kind begin and end."""
    if kind == "queue":
        queue = TaskQueue.of(model)
        return queue.put[: len(queue.taken)], queue.taken
    if kind == "fwdbwd":
        forward = linked_forward_rows(model)
        backward = np.flatnonzero(forward >= 0)
        return forward[backward], backward
    launch = np.where(model.links.launch >= 0, model.links.launch, model.links.operator)
    device = np.flatnonzero(launch >= 0)
    return launch[device], host_rows + device
