"""Where one can go from a slice, and the arrows between it and what belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.model.backward import linked_forward_rows
from nbprof.model.roles import operator_rows
from nbprof.model.units import format_number
from nbprof.timeline.lane_sets import lane_set
from nbprof.timeline.refs import SliceRef, slice_ref
from nbprof.timeline.related import backward_of, device_rows_of, forward_of, operator_of_host
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel
    from nbprof.timeline.lanes import LaneSet

Ids = npt.NDArray[np.int64]
WayKind = Literal[
    "operator", "launch", "kernel", "backward", "forward", "parent", "previous", "next"
]
ArrowKind = Literal["launch", "fwdbwd", "enqueue"]

#: Most arrows from one slice to what it launched: a graph has thousands of kernels.
MOST_ARROWS: Final = 24

_NS_PER_MS: Final = 1e6


@dataclass(frozen=True)
class Way:
    """One way to go from a slice: what is there, in words, and where."""

    kind: WayKind
    label: str
    target: SliceRef


@dataclass(frozen=True)
class Arrow:
    """An arrow between two rows of the timeline; `Arrow` in `js/src/timeline/messages.ts`."""

    kind: ArrowKind
    from_row: int
    from_ns: int
    to_row: int
    to_ns: int


@dataclass(frozen=True)
class Relatives:
    """The slices that belong to one; -1 and empty arrays stand for none.

    Attributes
    ----------
    operator, launch : int
        Host rows that are behind it.
    calls : ndarray of int64
        Host rows of the calls that launched something for it, in order.
    device : ndarray of int64
        Device rows that it is behind, in the order of their starts.
    forward : int
        Host row of its forward operator.
    backward : int
        Host row of its backward operator, the outermost.
    parent : int
        Host row of the slice round it.
    """

    operator: int
    launch: int
    calls: Ids
    device: Ids
    forward: int
    backward: int
    parent: int

    @classmethod
    def of_host(cls, model: TraceModel, row: int) -> Relatives:
        """Find what belongs to a host row."""
        kind = int(model.column("host", "kind")[row])
        device = np.empty(0, np.int64)
        calls = device
        if kind in (kinds.OPERATOR, kinds.RUNTIME):
            device = device_rows_of(model, row)
        if kind == kinds.OPERATOR:
            launch = model.links.launch[device]
            calls = np.unique(launch[launch >= 0])
        return cls(
            operator=operator_of_host(model, row),
            launch=int(calls[0]) if len(calls) else -1,
            calls=calls,
            device=device,
            **_passes(model, row),
            parent=int(model.nesting.parent[row]),
        )

    @classmethod
    def of_device(cls, model: TraceModel, row: int) -> Relatives:
        """Find what belongs to a device row."""
        operator, launch = int(model.links.operator[row]), int(model.links.launch[row])
        behind = operator if operator >= 0 else launch
        nothing = np.empty(0, np.int64)
        passes = _passes(model, behind) if behind >= 0 else {"forward": -1, "backward": -1}
        return cls(operator, launch, nothing, nothing, **passes, parent=-1)


def _passes(model: TraceModel, row: int) -> dict[str, int]:
    forward = forward_of(model, row)
    # What belongs to the backward pass has no backward operator that people would look for.
    backward = backward_of(model, row) if forward < 0 else np.empty(0, np.int64)
    return {"forward": forward, "backward": int(backward[0]) if len(backward) else -1}


def relatives(model: TraceModel, slice_id: int) -> Relatives:
    """Return what belongs to a slice."""
    host_rows = Slices.of(model).host_rows
    if slice_id < host_rows:
        return Relatives.of_host(model, slice_id)
    return Relatives.of_device(model, slice_id - host_rows)


def ways(model: TraceModel, slice_id: int, found: Relatives, group_by: str = "thread") -> list[Way]:
    """Return where one can go from a slice, in the order to show; only to slices on lanes."""
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    kernel = slices.host_rows + int(found.device[0]) if len(found.device) else -1
    before, after, _, _ = neighbours(slices, lanes, slice_id)
    ids: list[tuple[WayKind, int, str]] = [
        ("operator", found.operator, ""),
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
            # Of calls of one name the time tells which.
            time = f"{format_number(target.start_ns / _NS_PER_MS, 3)} ms"
            label = time if kind in ("previous", "next") else _name(slices, one) + more
            made.append(Way(kind, label, target))
    return made


def neighbours(slices: Slices, lanes: LaneSet, slice_id: int) -> tuple[int, int, int, int]:
    """Return the slices with the same name before and after one, its place, and how many there are.

    In the order of starts, over all lanes; -1 at the ends. The place counts from 1.
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

    From an operator to its launching calls, from those to the work that they enqueued, from a
    forward operator to the backward one. What launches is left where the call starts.
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
    """Return kind and ends, as slice ids, of the arrows on the way from operator to device."""
    host_rows = Slices.of(model).host_rows
    if slice_id >= host_rows:
        if found.launch < 0:  # arrows of the trace itself that leave an operator
            return [("enqueue", found.operator, slice_id)]
        return [("launch", found.operator, found.launch), ("enqueue", found.launch, slice_id)]
    ends: list[tuple[ArrowKind, int, int]] = []
    if model.column("host", "kind")[slice_id] == kinds.RUNTIME:
        ends.append(("launch", found.operator, slice_id))
    ends += [("launch", slice_id, call) for call in found.calls[:MOST_ARROWS].tolist()]
    for row in found.device[:MOST_ARROWS].tolist():
        launch = int(model.links.launch[row])
        ends.append(("enqueue", launch if launch >= 0 else slice_id, host_rows + row))
    return ends


def _pass_ends(
    model: TraceModel, slice_id: int, found: Relatives
) -> list[tuple[ArrowKind, int, int]]:
    """Return the arrow between the passes, of operators: from the one that made the node."""
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
