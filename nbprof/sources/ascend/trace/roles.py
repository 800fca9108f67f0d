"""Decides which table an event of a `trace_view.json` belongs to."""

from __future__ import annotations

from typing import Any, Final

from nbprof.model.trace import kinds
from nbprof.sources.kineto.categories import COUNTER, IGNORED, METADATA, UNKNOWN

#: Slices that only their process identifies, which may be named after them in the file.
SLICE: Final = 40

#: Categories of flow events in the file, and in the model.
FLOWS: Final = 50
FLOW_CATEGORIES: Final = ("launch", "operator", "queue", "fwdbwd")

_SLICES: Final = {
    "cpu_op": kinds.OPERATOR,
    "user_annotation": kinds.ANNOTATION,
    "python_function": kinds.PYTHON,
    "enqueue": kinds.RUNTIME,
    "dequeue": kinds.RUNTIME,
}

_FLOWS: Final = {
    "hosttodevice": "launch",
    "async_acl_to_npu": "launch",  # before that
    "async_npu": "operator",
    "async_task_queue": "queue",
    "fwdbwd": "fwdbwd",
}

_BY_PHASE: Final = {"M": METADATA, "C": COUNTER, "i": IGNORED, "I": IGNORED, "t": IGNORED}


def role(phase: str | None, category: str | None) -> int:
    """Return the role of events of this phase and category; below 10, the kind of a host row."""
    low = (category or "").lower()
    if phase == "X":
        return _SLICES.get(low, SLICE)
    if phase in {"s", "f"}:
        return FLOWS + FLOW_CATEGORIES.index(_FLOWS[low]) if low in _FLOWS else UNKNOWN
    return _BY_PHASE.get(phase or "", UNKNOWN)


class Roles(dict[Any, int]):
    """The role of each (phase, category) pair."""

    def __missing__(self, pair: tuple[str | None, str | None]) -> int:
        self[pair] = role(*pair)
        return self[pair]
