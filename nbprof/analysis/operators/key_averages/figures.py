"""Times, memory and FLOPs of every event of `key_averages`, in the order of PyTorch's list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import has_device
from nbprof.analysis.operators.key_averages.device_work import DeviceWork, device_work
from nbprof.analysis.operators.key_averages.flops import flops_of
from nbprof.analysis.operators.key_averages.host_events import HostEvents, host_events
from nbprof.analysis.operators.key_averages.memory_use import MemoryUse, memory_use
from nbprof.analysis.operators.key_averages.names import event_names
from nbprof.analysis.subtree_sums import Forest

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]


@dataclass(frozen=True)
class Figures:
    """All events: calls on the host, memory records outside of them, device events.

    Attributes
    ----------
    host : HostEvents
        The calls.
    memory : MemoryUse
        Their memory.
    device : DeviceWork
        The device events.
    forest : Forest
        Nesting of the calls.
    flops : ndarray of int64, shape (calls,), or None
        None without shapes.
    order : ndarray of int64, shape (events,)
        The events in the order (start, -end).
    has_memory, has_device : bool
        Whether memory and device work were recorded.
    """

    host: HostEvents
    memory: MemoryUse
    device: DeviceWork
    forest: Forest
    flops: Rows | None
    order: Rows
    has_memory: bool
    has_device: bool

    def joined(self, calls: Any, records: Any = 0, work: Any = 0) -> Numbers:
        """Return values of all events in their order, from those of each kind of event."""
        sizes = len(self.host.row), len(self.memory.outside), len(self.device.row)
        values = zip((calls, records, work), sizes, strict=True)
        parts = [np.broadcast_to(np.asarray(value), (size,)) for value, size in values]
        joined: Numbers = np.concatenate(parts)[self.order]
        return joined

    def own(self, values: Rows) -> Rows:
        """Return what a value of each call leaves without those of the calls directly inside it."""
        inside = np.flatnonzero(self.host.parent >= 0)
        left = values.copy()
        np.subtract.at(left, self.host.parent[inside], values[inside])
        return np.where(self.host.is_asynchronous, 0, left)


def figures(model: TraceModel, *, python_functions: bool) -> Figures:
    """Return the events of a trace and what they cost; computed once.

    Parameters
    ----------
    model : TraceModel
        The trace.
    python_functions : bool
        Whether Python functions are calls.
    """
    key = ("key average figures", python_functions)
    return model.cached(key, lambda: _figures(model, python_functions=python_functions))


def _figures(model: TraceModel, *, python_functions: bool) -> Figures:
    host = host_events(model, python_functions=python_functions)
    memory, device = memory_use(model, host), device_work(model, host)
    begin = [model.column("host", "start_ns")[host.row]]
    begin.append(model.column("memory", "time_ns")[memory.outside])
    begin.append(device.start)
    length = [model.column("host", "duration_ns")[host.row], np.zeros(len(memory.outside), int)]
    length.append(device.duration)
    start = np.concatenate(begin)
    # A label's range on a device comes behind the work in it, which may be one kernel as long.
    sizes = [len(part) for part in begin[:2]]
    last = np.concatenate([np.zeros(sum(sizes), bool), device.is_annotation])
    order = np.lexsort((last, -(start + np.concatenate(length)), start))
    return Figures(
        host=host,
        memory=memory,
        device=device,
        forest=Forest.of(host.parent),
        flops=flops_of(model, host, event_names(model).texts),
        order=order,
        has_memory=bool(model.metadata.get("profile_memory")) or len(memory.host_of_record) > 0,
        has_device=has_device(model),
    )
