"""Decides which table an event belongs to, by phase and category, for all PyTorch versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.names.roles import LIGHTNING_MODULE, LIGHTNING_PHASE
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from nbprof.sources.chrome.dictionaries import Names

# Roles 0 to 9 are host rows of that kind, 10 to 19 device rows (10 + kind). For MIXED, the name
# determines the kind, see `device_kind`.
DEVICE = 10
MIXED = 19
MEMORY, LAUNCH_FLOW, FORWARD_FLOW, OPERATOR_FLOW, QUEUE_FLOW, COUNTER, METADATA = range(20, 27)
#: Beginnings and ends of slices.
HALF = 27
#: Categories of arrows in the table of flows, by role from LAUNCH_FLOW on.
FLOWS = ("launch", "fwdbwd", "operator", "queue")
IGNORED, UNKNOWN, UNCATEGORISED = range(30, 33)

#: Prefix of the names of steps.
STEP_PREFIX = "ProfilerStep#"

_SLICES = {
    "cpu_op": kinds.OPERATOR,
    "operator": kinds.OPERATOR,
    "user_annotation": kinds.ANNOTATION,
    "python_function": kinds.PYTHON,
    "python": kinds.ANNOTATION,  # before PyTorch 1.8: host time that is not an operator
    "runtime": kinds.RUNTIME,
    "overhead": kinds.OVERHEAD,
    "kernel": DEVICE + kinds.KERNEL,
    "gpu_memcpy": DEVICE + kinds.MEMCPY,
    "memcpy": DEVICE + kinds.MEMCPY,
    "gpu_memset": DEVICE + kinds.MEMSET,
    "memset": DEVICE + kinds.MEMSET,
    "cuda_sync": DEVICE + kinds.SYNC,
    "cuda_event": DEVICE + kinds.SYNC,
    "gpu_user_annotation": DEVICE + kinds.DEVICE_ANNOTATION,
    "hpu_op": DEVICE + kinds.KERNEL,
    "mtia_ccp_events": MIXED,
    # Written by nbprof for events of other recorders.
    "operator_phase": kinds.PHASE,
    "library_call": kinds.LIBRARY,
    "device_task": DEVICE + kinds.TASK,
    "step": kinds.STEP,
    # Activity of the recorder itself, and events without a table in nbprof.
    "trace": IGNORED,
    "cpu_instant_event": IGNORED,
    "cuda_profiler_range": IGNORED,
    "gpu_pm_counter": IGNORED,
}

_GPUS = ("cuda", "hip", "roc")
#: Accelerators by the prefix of their categories; those of CUDA and HIP are GPUs.
_ACCELERATORS = {
    **{name: name for name in ("xpu", "mtia", "hpu", "privateuse1", "npu")},
    **dict.fromkeys(_GPUS, "gpu"),
}
#: Different categories of events, at most; unknown ones beyond are counted as `OTHERS`.
MOST_CATEGORIES: Final = 1000
OTHERS: Final = "other categories"

_BY_PHASE: Final = {
    "M": METADATA,
    "C": COUNTER,
    "B": HALF,
    "E": HALF,
    **dict.fromkeys("iIt", IGNORED),
}
#: Phases that have a meaning.
_PHASES: Final = frozenset({*"XsfMCiItBE"})

#: Device type if only unknown categories report work on a device.
SOME_DEVICE = "device"

_WAITS = re.compile(r"(?:^|_)(?:wait|sync|synchronize)(?:_|$)", re.IGNORECASE)
_COPIES = re.compile(r"(?:^|_)(?:dma|memcpy)(?:_|$)|^memcpy[A-Z]", re.IGNORECASE)
_SETS = re.compile(r"(?:^|_)memset(?:_|$)|^memset[A-Z0-9]", re.IGNORECASE)

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
    """Return the role of events with this phase and category."""
    low = (category or "").lower()
    if phase == "X":
        return _slice_role(low)
    if phase in {"s", "f"}:
        if low.startswith("cpu_to_"):  # EventList export: cpu_to_cuda and the like
            return LAUNCH_FLOW
        return _FLOWS.get(low, UNKNOWN)
    return _BY_PHASE.get(phase or "", UNKNOWN)


def _slice_role(category: str) -> int:
    """Return the role of slices of a category in small letters."""
    if not category:
        return UNCATEGORISED
    return kinds.RUNTIME if is_call(category) else _SLICES.get(category, UNKNOWN)


def host_kind(category: str | None) -> int:
    """Return the kind of slices on the host, by their category, whatever it is."""
    role_ = role("X", category)
    if role_ < DEVICE:
        return role_
    if role_ == UNCATEGORISED:
        return kinds.OPERATOR
    vendor = (category or "").lower().partition("_")[0]
    return kinds.RUNTIME if vendor in _ACCELERATORS else kinds.ANNOTATION


def device_kind(name: str) -> int:
    """Return the kind of device work in a mixed category, by the name of the event.

    A wait such as ``event_wait`` blocks a stream and keeps no part of the device busy; a
    ``dma_request`` is a copy.
    """
    if _WAITS.search(name):
        return kinds.SYNC
    if _COPIES.search(name):
        return kinds.MEMCPY
    return kinds.MEMSET if _SETS.search(name) else kinds.KERNEL


def is_device(role: int) -> bool:
    """Whether events with a role are rows of the device table."""
    return DEVICE <= role <= MIXED


def report_device(roles: npt.NDArray[np.int16]) -> bool:
    """Whether any of some roles is that of device work, or of calls of a device's runtime."""
    return bool(((roles == kinds.RUNTIME) | ((roles >= DEVICE) & (roles <= MIXED))).any())


def is_known(category: str | None) -> bool:
    """Whether a category is one of those that recorders write, or missing."""
    low = (category or "").lower()
    return not low or low in _SLICES or low in _FLOWS


def is_call(category: str) -> bool:
    """Whether a category is that of calls of the runtime or the driver of a device."""
    return category.lower().endswith(("_runtime", "_driver"))


def reports_device(phase: str | None, category: str | None) -> bool:
    """Whether events are device work, or calls of the runtime of a device."""
    role_ = role(phase, category)
    return role_ == kinds.RUNTIME or is_device(role_)


def accelerator(category: str | None) -> str:
    """Return the kind of accelerator that a category of calls or device work belongs to.

    Returns
    -------
    str
        Such as ``"mtia"``; empty for categories that the recorders of all accelerators use.
    """
    low = (category or "").lower()
    vendor, _, rest = low.partition("_")
    if vendor in _ACCELERATORS:
        return _ACCELERATORS[vendor]
    if rest in {"runtime", "driver"} and re.fullmatch("[a-z0-9]{1,20}", vendor):
        return vendor
    return "" if not low or low in _SLICES else SOME_DEVICE


def device_type(reported: Collection[str]) -> str:
    """Return the device type that a process computed on, from its calls and device work.

    Returns
    -------
    str
        gpu, xpu, mtia, …; empty if there is neither.
    """
    # Named accelerators take precedence where a process also calls CUDA or a private library.
    named = [name for name in _ACCELERATORS if name in reported and name not in _GPUS]
    others = sorted({*reported} - {"", *_ACCELERATORS.values(), SOME_DEVICE})
    if "gpu" not in reported:
        named += others
    if named:
        return named[0]
    some = {*reported} - {SOME_DEVICE}
    return "gpu" if some else SOME_DEVICE if reported else ""


class Roles(dict[Any, int]):
    """Numbers (phase, category) pairs; `table` is the role of each number.

    `without_category` says of each number whether it is of slices without a category.

    Pairs of unknown categories share a number with others of their role once there are many, since
    each number is looked at by itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str | None, str | None]] = []
        self.table = np.zeros(0, np.int16)
        self.without_category = np.zeros(0, bool)
        self._shared: dict[tuple[str | None, int], int] = {}

    def __missing__(self, pair: tuple[str | None, str | None]) -> int:
        phase, category = pair
        role_ = role(phase, category)
        if len(self.pairs) < MOST_CATEGORIES or (phase in _PHASES and is_known(category)):
            self[pair] = self._append(pair, role_)
            return self[pair]
        shared = (phase if phase in _PHASES else OTHERS), role_
        if shared not in self._shared:
            self._shared[shared] = self._append((shared[0], OTHERS), role_)
        self[pair] = self._shared[shared]
        return self[pair]

    def _append(self, pair: tuple[str | None, str | None], role_: int) -> int:
        self.pairs.append(pair)
        self.table = np.append(self.table, np.int16(role_))
        is_slice = role_ in {UNCATEGORISED, HALF}
        self.without_category = np.append(self.without_category, is_slice and not pair[1])
        return len(self.pairs) - 1


class NameTraits:
    """Properties of events that their names determine, computed once per distinct name."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._memory = np.zeros(0, bool)
        self._step = np.zeros(0, bool)
        self._module = np.zeros(0, bool)
        self._phase = np.zeros(0, bool)
        self._device_role = np.zeros(0, np.int16)

    def apply(self, roles: npt.NDArray[np.int16], codes: npt.NDArray[np.int32]) -> None:
        """Set the roles of events whose names determine them, in place; shapes (events,)."""
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

    def apply_device_kinds(
        self, roles: npt.NDArray[np.int16], codes: npt.NDArray[np.int32]
    ) -> None:
        """Set the roles of device work in mixed categories by their kinds, in place."""
        fresh = self._names.texts[len(self._device_role) :]
        found = np.array([DEVICE + device_kind(name) for name in fresh], np.int16)
        self._device_role = np.append(self._device_role, found)
        mixed = roles == MIXED
        roles[mixed] = self._device_role[codes[mixed]]


def _extend(known: npt.NDArray[np.bool_], more: Iterable[bool]) -> npt.NDArray[np.bool_]:
    return np.append(known, np.fromiter(more, bool))
