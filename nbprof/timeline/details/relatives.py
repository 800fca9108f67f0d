"""`Relatives`: all slices that belong to one slice, for the links and arrows of its details."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.names.roles import innermost_operators
from nbprof.model.trace import kinds
from nbprof.timeline.curves.task_queue import TaskQueue, launched_by_taker
from nbprof.timeline.details.related import (
    backward_of,
    device_rows_of,
    forward_of,
    operator_of_host,
    rows_inside,
)
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Ids = npt.NDArray[np.int64]


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
            linked = model.links.operator[device]
            operator = (
                int(linked[linked >= 0][0])
                if (linked >= 0).any()
                else _requesting_operator(model, queue)
            )
        return cls(
            operator=operator,
            launch=int(calls[0]) if len(calls) else -1,
            calls=calls,
            device=device,
            **_autograd_pass(model, row),
            parent=int(model.nesting.parent[row]),
            queue=queue,
        )

    @classmethod
    def of_device(cls, model: TraceModel, row: int) -> Relatives:
        """Find the slices connected with a device row."""
        operator, launch = int(model.links.operator[row]), int(model.links.launch[row])
        behind = operator if operator >= 0 else launch
        nothing = np.empty(0, np.int64)
        passes = _autograd_pass(model, behind) if behind >= 0 else {"forward": -1, "backward": -1}
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


def _requesting_operator(model: TraceModel, queue: tuple[tuple[int, int], ...]) -> int:
    """Return the operator that enqueued a task, -1 for none."""
    return int(innermost_operators(model)[queue[0][0]]) if queue else -1


def _autograd_pass(model: TraceModel, row: int) -> dict[str, int]:
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
