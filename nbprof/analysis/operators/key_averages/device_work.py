"""Device work in `key_averages`: the events that are rows, and the call that launched each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.operators.key_averages.names import event_names
from nbprof.analysis.operators.key_averages.requests import (
    chance_requests,
    requesters_of_work,
)
from nbprof.model.lookup import distinct, is_in
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.analysis.operators.key_averages.host_events import HostEvents
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DeviceWork:
    """Device rows that are events in `key_averages`.

    Attributes
    ----------
    row : ndarray of int64, shape (events,)
        Device row.
    name : ndarray of int64, shape (events,)
        Number of the name, see `EventNames`.
    is_annotation : ndarray of bool, shape (events,)
        Which events are ranges of labels. They span work that counts itself, so they belong to no
        call and are not part of the sum of device time.
    start, duration : ndarray of int64, shape (events,)
        Times in nanoseconds as PyTorch had them, see `_as_recorded`.
    call : ndarray of int64, shape (events,)
        Index of the call whose device time it counts in, -1 for none.
    group : ndarray of int64, shape (events,)
        Number of the events that count again elsewhere, see `chance_requests`; -1 for others.
    again_group, again_call : ndarray of int64, shape (n,)
        Numbers of such events, and the calls in which they count again.
    """

    row: Rows
    name: Rows
    is_annotation: Mask
    start: Rows
    duration: Rows
    call: Rows
    group: Rows
    again_group: Rows
    again_call: Rows


def device_work(model: TraceModel, events: HostEvents) -> DeviceWork:
    """Return the device events, each with the call that requested it."""
    kind = model.column("device", "kind")
    row = np.flatnonzero(kind != kinds.TASK)
    annotation = kind[row] == kinds.DEVICE_ANNOTATION
    owner = requesters_of_work(model, row)
    group, again_group, host = chance_requests(model, row)
    is_asynchronous = np.append(events.is_asynchronous, False)[events.call_of_row]
    calls = np.append(np.where(is_asynchronous, -1, events.call_of_row), -1)
    again_call = calls[host]
    name = np.append(event_names(model).device, -1)[model.column("device", "name")[row]]
    start, duration = _as_recorded(model, row, annotation)
    return DeviceWork(
        row=row,
        name=name,
        is_annotation=annotation,
        start=start,
        duration=duration,
        call=np.where(annotation, -1, calls[owner]),
        group=np.where(annotation, -1, group),
        again_group=again_group[again_call >= 0],
        again_call=again_call[again_call >= 0],
    )


def _as_recorded(model: TraceModel, row: Rows, annotation: Mask) -> tuple[Rows, Rows]:
    """Return the times of device events without what Kineto adds when it writes a file.

    So that viewers draw the range of a label around its work, Kineto writes it a nanosecond earlier
    and longer than it was recorded: from the first start of work to the last end.
    """
    start = model.column("device", "start_ns")[row]
    end = start + model.column("device", "duration_ns")[row]
    early, late = np.zeros(len(row), bool), np.zeros(len(row), bool)
    early[annotation] = is_in(start[annotation] + 1, distinct(start[~annotation]))
    late[annotation] = is_in(end[annotation] - 1, distinct(end[~annotation]))
    return start + early, end - late - (start + early)
