"""Arrows of a slice: from operators to launches, kernels and backward operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.details.relatives import Relatives


ArrowKind = Literal["launch", "fwdbwd", "enqueue", "operator", "queue"]


#: Maximum number of arrows from a slice to what it launched: a graph has thousands of kernels.
MOST_ARROWS: Final = 24


@dataclass(frozen=True)
class Arrow:
    """An arrow between two rows (`Arrow` in `js/src/views/timeline/data/messages.ts`)."""

    kind: ArrowKind
    from_row: int
    from_ns: int
    to_row: int
    to_ns: int


def arrows(
    model: TraceModel, slice_id: int, linked: Relatives, group_by: str = "thread"
) -> list[Arrow]:
    """Return the arrows to and from a slice.

    They lead from an operator to its launching calls, from these to the work they enqueued, and
    from a forward operator to its backward operator. With a task queue they lead from the enqueuing
    slice to the dequeuing slice, and from the operator directly to its work. Arrows leave a
    launching call at its start.
    """
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    ends = _launch_ends(model, slice_id, linked)
    ends += _pass_ends(model, slice_id, linked)
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
    model: TraceModel, slice_id: int, linked: Relatives
) -> list[tuple[ArrowKind, int, int]]:
    """Return kinds and end points (slice ids) of the arrows from operator to device work."""
    host_rows = Slices.of(model).host_rows
    ends: list[tuple[ArrowKind, int, int]] = [
        ("queue", *pair) for pair in linked.queue[:MOST_ARROWS]
    ]
    if slice_id >= host_rows:
        if linked.launch < 0:  # the recorder's own arrows from operators
            return [("enqueue", linked.operator, slice_id)]
        if _on_other_lane(model, linked.operator, linked.launch):
            ends.append(("operator", linked.operator, slice_id))
        else:
            ends.append(("launch", linked.operator, linked.launch))
        return [*ends, ("enqueue", linked.launch, slice_id)]
    is_call = model.column("host", "kind")[slice_id] == kinds.RUNTIME
    if is_call and not linked.queue and not _on_other_lane(model, linked.operator, slice_id):
        ends.append(("launch", linked.operator, slice_id))
    calls = linked.calls[:MOST_ARROWS].tolist()
    ends += [
        ("launch", slice_id, call) for call in calls if not _on_other_lane(model, slice_id, call)
    ]
    for row in linked.device[:MOST_ARROWS].tolist():
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
    model: TraceModel, slice_id: int, linked: Relatives
) -> list[tuple[ArrowKind, int, int]]:
    """Return the arrow from a forward operator to the backward operator of its node."""
    if slice_id >= Slices.of(model).host_rows or not operator_rows(model)[slice_id]:
        return []
    if linked.backward >= 0:
        return [("fwdbwd", int(linked_forward_rows(model)[linked.backward]), linked.backward)]
    return [("fwdbwd", linked.forward, slice_id)]
