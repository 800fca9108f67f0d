"""Device work in `key_averages`: the events that are rows, and the call that launched each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.operators.key_averages.names import event_names
from nbprof.analysis.operators.key_averages.requests import requesters_of_work
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
    call : ndarray of int64, shape (events,)
        Index of the call whose time it counts in, -1 for none.
    """

    row: Rows
    name: Rows
    is_annotation: Mask
    call: Rows


def device_work(model: TraceModel, events: HostEvents) -> DeviceWork:
    """Return the device events, each with the call that requested it."""
    kind = model.column("device", "kind")
    row = np.flatnonzero(kind != kinds.TASK)
    annotation = kind[row] == kinds.DEVICE_ANNOTATION
    owner = requesters_of_work(model, row)
    call = np.append(events.call_of_row, -1)[np.where(annotation, -1, owner)]
    call[np.append(events.is_asynchronous, False)[call]] = -1
    name = np.append(event_names(model).device, -1)[model.column("device", "name")[row]]
    return DeviceWork(row, name, annotation, call)
