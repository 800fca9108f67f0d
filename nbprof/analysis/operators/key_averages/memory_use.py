"""Memory of events in `key_averages`: all records between start and end, on whatever thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.analysis.operators.key_averages.host_events import HostEvents
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Numbers of `c10::DeviceType` that PyTorch counts as host memory: CPU, MKLDNN and IDEEP.
_HOST: Final = (0, 2, 5)
#: Memory that is on the host although a device owns it, and that counts on neither side.
_NEITHER: Final = (-1, kinds.PINNED_TYPE)


@dataclass(frozen=True)
class MemoryUse:
    """Bytes that were allocated less those that were released.

    Attributes
    ----------
    host, device : ndarray of int64, shape (calls,)
        Bytes between the start and the end of each call, both included.
    outside : ndarray of int64
        Rows of the memory table that lie in no call.
    host_of_record, device_of_record : ndarray of int64, shape (records,)
        Bytes of each record.
    """

    host: Rows
    device: Rows
    outside: Rows
    host_of_record: Rows
    device_of_record: Rows


def memory_use(model: TraceModel, events: HostEvents) -> MemoryUse:
    """Return the memory of each call.

    Parameters
    ----------
    model : TraceModel
        The trace, whose memory records are sorted by time.
    events : HostEvents
        The calls.
    """
    time, size = model.column("memory", "time_ns"), model.column("memory", "bytes")
    type_ = model.column("memory", "device_type")
    is_host = np.isin(type_, _HOST)
    host = np.where(is_host, size, 0)
    device = np.where(is_host | np.isin(type_, _NEITHER), 0, size)
    start = model.column("host", "start_ns")
    duration = model.column("host", "duration_ns")
    begin = np.searchsorted(time, start[events.row], side="left")
    end = np.searchsorted(time, (start + duration)[events.row], side="right")
    opened = np.bincount(begin, minlength=len(time) + 1)
    closed = np.bincount(end, minlength=len(time) + 1)
    outside = np.flatnonzero(np.cumsum(opened - closed)[:-1] == 0)
    sums = [np.concatenate([[0], np.cumsum(values)]) for values in (host, device)]
    on_host, on_device = (total[end] - total[begin] for total in sums)
    return MemoryUse(on_host, on_device, outside, host, device)
