"""Slices connected with a slice: links to follow, and arrows to draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.names.roles import innermost_operators, operator_rows
from nbprof.model.trace import kinds
from nbprof.model.units import format_number
from nbprof.timeline.curves.task_queue import TaskQueue, launched_by_taker
from nbprof.timeline.details.related import (
    backward_of,
    device_rows_of,
    forward_of,
    operator_of_host,
    rows_inside,
)
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slice_refs import SliceRef, slice_ref
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.lanes.lanes import LaneSet

Ids = npt.NDArray[np.int64]
WayKind = Literal[
    "operator", "queue", "launch", "kernel", "backward", "forward", "parent", "previous", "next"
]
ArrowKind = Literal["launch", "fwdbwd", "enqueue", "operator", "queue"]

#: Maximum number of arrows from a slice to what it launched: a graph has thousands of kernels.
MOST_ARROWS: Final = 24

_NS_PER_MS: Final = 1e6


@dataclass(frozen=True)
class Way:
    """A link to a connected slice: its label and where it is."""

    kind: WayKind
    label: str
    target: SliceRef


@dataclass(frozen=True)
class Arrow:
    """An arrow between two rows (`Arrow` in `js/src/views/timeline/data/messages.ts`)."""

    kind: ArrowKind
    from_row: int
    from_ns: int
    to_row: int
    to_ns: int


@dataclass(frozen=True)
class Relatives:
    """The slices connected with a slice; -1 and empty arrays stand for none.

    Attributes
    ----------
    operator, launch : int
        Host rows of the operator and the launching call behind it.
    calls : ndarray of int64
        Host rows of the calls that launched work for it, in order.
    device : ndarray of int64
        Device rows it launched, sorted by start.
    forward : int
        Host row of its forward operator.
    backward : int
        Host row of its outermost backward operator.
    parent : int
        Host row of the slice around it.
    queue : tuple of (int, int)
        Host rows that enqueue its task, and those that dequeue it.
    """

    operator: int
    launch: int
    calls: Ids
    device: Ids
    forward: int
    backward: int
    parent: int
    queue: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of_host(cls, model: TraceModel, row: int) -> Relatives:
        """Find the slices connected with a host row."""
        kind = int(model.column("host", "kind")[row])
        device = np.empty(0, np.int64)
        calls = device
        operator = operator_of_host(model, row)
        queue: tuple[tuple[int, int], ...] = ()
        if kind in (kinds.OPERATOR, kinds.RUNTIME):
            device = device_rows_of(model, row)
            queue = _queue_of_host(model, row)
        if kind == kinds.OPERATOR:
            launch = model.links.launch[device]
            calls = np.unique(launch[launch >= 0])
        elif queue and row in queue[0]:
            device = launched_by_taker(model, queue[0][1])
            calls = np.unique(model.links.launch[device])
        if kind == kinds.RUNTIME and operator < 0:
            # The operator is on another thread than the call.
            told = model.links.operator[device]
            operator = int(told[told >= 0][0]) if (told >= 0).any() else _asking(model, queue)
        return cls(
            operator=operator,
            launch=int(calls[0]) if len(calls) else -1,
            calls=calls,
            device=device,
            **_passes(model, row),
            parent=int(model.nesting.parent[row]),
            queue=queue,
        )

    @classmethod
    def of_device(cls, model: TraceModel, row: int) -> Relatives:
        """Find the slices connected with a device row."""
        operator, launch = int(model.links.operator[row]), int(model.links.launch[row])
        behind = operator if operator >= 0 else launch
        nothing = np.empty(0, np.int64)
        passes = _passes(model, behind) if behind >= 0 else {"forward": -1, "backward": -1}
        queue = _queue_of_call(model, launch) if launch >= 0 else ()
        return cls(operator, launch, nothing, nothing, **passes, parent=-1, queue=queue)


def _queue_of_host(model: TraceModel, row: int) -> tuple[tuple[int, int], ...]:
    """Return where tasks of an operator or call are enqueued and dequeued."""
    queue = TaskQueue.of(model)
    if not len(queue.put):
        return ()
    if model.column("host", "kind")[row] == kinds.OPERATOR:
        put = queue.put_within(*rows_inside(model, row)).tolist()
        return tuple((one, queue.taken_by(one)) for one in put)
    taken, put_by = queue.taken_by(row), queue.put_by(row)
    if taken >= 0:
        return ((row, taken),)
    return ((put_by, row),) if put_by >= 0 else _queue_of_call(model, row)


def _queue_of_call(model: TraceModel, call: int) -> tuple[tuple[int, int], ...]:
    """Return where the task that a call launches is enqueued and dequeued."""
    queue = TaskQueue.of(model)
    taken = queue.behind(model, call)
    return ((queue.put_by(taken), taken),) if taken >= 0 else ()


def _asking(model: TraceModel, queue: tuple[tuple[int, int], ...]) -> int:
    """Return the operator that enqueued a task, -1 for none."""
    return int(innermost_operators(model)[queue[0][0]]) if queue else -1


def _passes(model: TraceModel, row: int) -> dict[str, int]:
    forward = forward_of(model, row)
    # Operators of the backward pass have no useful backward operator of their own.
    backward = backward_of(model, row) if forward < 0 else np.empty(0, np.int64)
    return {"forward": forward, "backward": int(backward[0]) if len(backward) else -1}


def relatives(model: TraceModel, slice_id: int) -> Relatives:
    """Return the slices connected with a slice."""
    host_rows = Slices.of(model).host_rows
    if slice_id < host_rows:
        return Relatives.of_host(model, slice_id)
    return Relatives.of_device(model, slice_id - host_rows)


def ways(model: TraceModel, slice_id: int, found: Relatives, group_by: str = "thread") -> list[Way]:
    """Return links to connected slices in display order; only slices on lanes are included."""
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    kernel = slices.host_rows + int(found.device[0]) if len(found.device) else -1
    before, after, _, _ = neighbours(slices, lanes, slice_id)
    ids: list[tuple[WayKind, int, str]] = [
        ("operator", found.operator, ""),
        *_ways_of_queue(slice_id, found),
        ("launch", found.launch, _first_of(len(found.calls))),
        ("kernel", kernel, _first_of(len(found.device))),
        ("forward", found.forward, ""),
        ("backward", found.backward, ""),
        ("parent", found.parent, ""),
        ("previous", before, ""),
        ("next", after, ""),
    ]
    made = []
    for kind, one, more in ids:
        target = slice_ref(slices, lanes, one) if one >= 0 else None
        if target is not None:
            # The time distinguishes calls with the same name.
            time = f"{format_number(target.start_ns / _NS_PER_MS, 3)} ms"
            label = time if kind in ("previous", "next") else _name(slices, one) + more
            made.append(Way(kind, label, target))
    return made


def _ways_of_queue(slice_id: int, found: Relatives) -> list[tuple[WayKind, int, str]]:
    """Return links to where a task was enqueued and where it is dequeued.

    For an operator, the nearest comes first: where it enqueues the task.
    """
    if not found.queue:
        return []
    put, taken = found.queue[0]
    ends = [one for one in (taken, put) if one != slice_id]
    if len(ends) > 1 and found.operator < 0:
        ends.reverse()
    more = _first_of(len(found.queue))
    return [("queue", one, more) for one in ends]


def neighbours(slices: Slices, lanes: LaneSet, slice_id: int) -> tuple[int, int, int, int]:
    """Return the previous and next slice with the same name, the slice's index, and their number.

    Slices on all lanes are sorted by start; -1 at the ends. The index starts at 1.
    """
    same = np.flatnonzero((slices.name == slices.name[slice_id]) & (lanes.row >= 0))
    same = same[np.argsort(slices.start[same], kind="stable")]
    at = np.flatnonzero(same == slice_id)
    if not len(at):
        return -1, -1, 0, len(same)
    place = int(at[0])
    before = int(same[place - 1]) if place else -1
    after = int(same[place + 1]) if place + 1 < len(same) else -1
    return before, after, place + 1, len(same)


def arrows(
    model: TraceModel, slice_id: int, found: Relatives, group_by: str = "thread"
) -> list[Arrow]:
    """Return the arrows to and from a slice.

    They lead from an operator to its launching calls, from these to the work they enqueued, and
    from a forward operator to its backward operator. With a task queue they lead from the enqueuing
    slice to the dequeuing slice, and from the operator directly to its work. Arrows leave a
    launching call at its start.
    """
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    ends = _launch_ends(model, slice_id, found)
    ends += _pass_ends(model, slice_id, found)
    made = []
    for kind, source, target in ends:
        if source < 0 or target < 0 or lanes.row[source] < 0 or lanes.row[target] < 0:
            continue
        leaves = target if kind == "launch" else source
        made.append(
            Arrow(
                kind,
                from_row=int(lanes.row[source]),
                from_ns=int(slices.start[leaves]),
                to_row=int(lanes.row[target]),
                to_ns=int(slices.start[target]),
            )
        )
    return made


def _launch_ends(
    model: TraceModel, slice_id: int, found: Relatives
) -> list[tuple[ArrowKind, int, int]]:
    """Return kinds and end points (slice ids) of the arrows from operator to device work."""
    host_rows = Slices.of(model).host_rows
    ends: list[tuple[ArrowKind, int, int]] = [
        ("queue", *pair) for pair in found.queue[:MOST_ARROWS]
    ]
    if slice_id >= host_rows:
        if found.launch < 0:  # the recorder's own arrows from operators
            return [("enqueue", found.operator, slice_id)]
        if _on_other_lane(model, found.operator, found.launch):
            ends.append(("operator", found.operator, slice_id))
        else:
            ends.append(("launch", found.operator, found.launch))
        return [*ends, ("enqueue", found.launch, slice_id)]
    is_call = model.column("host", "kind")[slice_id] == kinds.RUNTIME
    if is_call and not found.queue and not _on_other_lane(model, found.operator, slice_id):
        ends.append(("launch", found.operator, slice_id))
    calls = found.calls[:MOST_ARROWS].tolist()
    ends += [
        ("launch", slice_id, call) for call in calls if not _on_other_lane(model, slice_id, call)
    ]
    for row in found.device[:MOST_ARROWS].tolist():
        launch, operator = int(model.links.launch[row]), int(model.links.operator[row])
        ends.append(("enqueue", launch if launch >= 0 else slice_id, host_rows + row))
        if launch >= 0 and _on_other_lane(model, operator, launch):
            ends.append(("operator", operator, host_rows + row))
    return ends


def _on_other_lane(model: TraceModel, operator: int, call: int) -> bool:
    """Return whether an operator is on another host lane than a call that launches its work.

    The recorder then draws an arrow from the operator to the work.
    """
    thread = model.column("host", "thread")
    return operator >= 0 and bool(thread[operator] != thread[call])


def _pass_ends(
    model: TraceModel, slice_id: int, found: Relatives
) -> list[tuple[ArrowKind, int, int]]:
    """Return the arrow from a forward operator to the backward operator of its node."""
    if slice_id >= Slices.of(model).host_rows or not operator_rows(model)[slice_id]:
        return []
    if found.backward >= 0:
        return [("fwdbwd", int(linked_forward_rows(model)[found.backward]), found.backward)]
    return [("fwdbwd", found.forward, slice_id)]


def _first_of(count: int) -> str:
    return f", the first of {format_number(count)}" if count > 1 else ""


def _name(slices: Slices, slice_id: int) -> str:
    code = int(slices.name[slice_id])
    return slices.names[code] if code >= 0 else ""
