"""Which table an event belongs to, by its phase and category, of whatever PyTorch version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.model.roles import LIGHTNING_MODULE, LIGHTNING_PHASE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.sources.codes import Names

# Roles 0 to 9 are host rows and say their kind, 10 to 19 device rows (10 + kind).
DEVICE = 10
MEMORY, LAUNCH_FLOW, FORWARD_FLOW, OPERATOR_FLOW, QUEUE_FLOW, COUNTER, METADATA = range(20, 27)
#: What arrows are called in the table of flows, by their roles, the first that of LAUNCH_FLOW.
FLOWS = ("launch", "fwdbwd", "operator", "queue")
IGNORED, UNKNOWN, UNCATEGORISED = range(30, 33)

#: What names of steps begin with.
STEP_PREFIX = "ProfilerStep#"

_SLICES = {
    "cpu_op": kinds.OPERATOR,
    "operator": kinds.OPERATOR,
    "user_annotation": kinds.ANNOTATION,
    "python_function": kinds.PYTHON,
    "python": kinds.ANNOTATION,  # of before 1.8: host time that is no operator
    "runtime": kinds.RUNTIME,
    "kernel": DEVICE + kinds.KERNEL,
    "gpu_memcpy": DEVICE + kinds.MEMCPY,
    "memcpy": DEVICE + kinds.MEMCPY,
    "gpu_memset": DEVICE + kinds.MEMSET,
    "memset": DEVICE + kinds.MEMSET,
    "cuda_sync": DEVICE + kinds.SYNC,
    "gpu_user_annotation": DEVICE + kinds.DEVICE_ANNOTATION,
    "hpu_op": DEVICE + kinds.KERNEL,
    # As nbprof itself writes what other recorders tell.
    "operator_phase": kinds.PHASE,
    "device_task": DEVICE + kinds.TASK,
    # The recorder's own doings, and what nbprof has no table for.
    "trace": IGNORED,
    "overhead": IGNORED,
    "cpu_instant_event": IGNORED,
    "cuda_profiler_range": IGNORED,
    "collective_comm": IGNORED,
    "gpu_pm_counter": IGNORED,
    "mtia_ccp_events": IGNORED,
    "mtia_insight": IGNORED,
    "mtia_workloadd": IGNORED,
}

_FLOWS = {
    "fwdbwd": FORWARD_FLOW,
    "forward_backward": FORWARD_FLOW,
    "ac2g": LAUNCH_FLOW,
    "async": LAUNCH_FLOW,
    "async_gpu": LAUNCH_FLOW,
    "async_cpu_to_gpu": LAUNCH_FLOW,
    "async_npu": OPERATOR_FLOW,
    "async_task_queue": QUEUE_FLOW,
}


def role(phase: str | None, category: str | None) -> int:
    """Return the role of events of this phase and category."""
    low = (category or "").lower()
    if phase == "X":
        if not low:
            return UNCATEGORISED
        if low.endswith(("_runtime", "_driver")):
            return kinds.RUNTIME
        return _SLICES.get(low, UNKNOWN)
    if phase in {"s", "f"}:
        if low.startswith("cpu_to_"):  # EventList export: cpu_to_cuda and the like
            return LAUNCH_FLOW
        return _FLOWS.get(low, UNKNOWN)
    by_phase = {"M": METADATA, "C": COUNTER, "i": IGNORED, "I": IGNORED, "t": IGNORED}
    return by_phase.get(phase or "", UNKNOWN)


class Roles(dict[Any, int]):
    """Numbers (phase, category) pairs; `table` is the role of each number."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str | None, str | None]] = []
        self.table = np.zeros(0, np.int16)

    def __missing__(self, pair: tuple[str | None, str | None]) -> int:
        self.pairs.append(pair)
        self.table = np.append(self.table, np.int16(role(*pair)))
        self[pair] = len(self.pairs) - 1
        return self[pair]


class NameTraits:
    """What the name of an event decides about its role, looked at once for each distinct name."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._memory = np.zeros(0, bool)
        self._step = np.zeros(0, bool)
        self._module = np.zeros(0, bool)
        self._phase = np.zeros(0, bool)

    def apply(self, roles: npt.NDArray[np.int16], codes: npt.NDArray[np.int32]) -> None:
        """Give what is known by its name the role of that, in place; shapes (events,)."""
        fresh = self._names.texts[len(self._memory) :]
        if fresh:
            self._memory = _extend(self._memory, (name == "[memory]" for name in fresh))
            self._step = _extend(self._step, (name.startswith(STEP_PREFIX) for name in fresh))
            self._module = _extend(self._module, (n.startswith(LIGHTNING_MODULE) for n in fresh))
            self._phase = _extend(self._phase, (n.startswith(LIGHTNING_PHASE) for n in fresh))
        roles[self._memory[codes] & (roles != METADATA)] = MEMORY
        recorded = (roles == kinds.OPERATOR) | (roles == kinds.ANNOTATION)
        roles[self._step[codes] & recorded] = kinds.STEP
        roles[self._module[codes] & recorded] = kinds.MODULE
        roles[self._phase[codes] & recorded] = kinds.ANNOTATION


def _extend(known: npt.NDArray[np.bool_], more: Iterable[bool]) -> npt.NDArray[np.bool_]:
    return np.append(known, np.fromiter(more, bool))
