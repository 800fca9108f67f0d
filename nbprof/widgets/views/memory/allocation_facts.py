"""Facts about a snapshot: its ends, its peak, and allocations that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.analysis.allocator.history import AllocatorHistory

Floats = npt.NDArray[np.float64]

#: Failed allocations that are listed.
_MOST_OOMS: Final = 50


def moment_facts(history: AllocatorHistory, moment: int, place: Floats) -> dict[str, Any]:
    """Return the memory in use at a moment, with its place on the axis."""
    return {
        "bytes": int(history.in_use[moment]),
        "requested": history.requested(moment),
        "moment": moment,
        "at": float(place[moment]),
        "time_us": float(history.time_ns[moment]) / 1000,
    }


def ends(history: AllocatorHistory) -> dict[str, Any]:
    """Return what was in use before the recording, and at its end."""
    return {"before": _end(history, 0), "after": _end(history, history.last)}


def ooms(history: AllocatorHistory, place: Floats) -> list[dict[str, Any]]:
    """Return the allocations that failed, the first ones."""
    model = history.model
    stacks = model.values("allocator_events", "call_stack")
    found = []
    for moment in history.ooms()[:_MOST_OOMS].tolist():
        row = history.events.start + moment - 1
        free = int(model.column("allocator_events", "free")[row])
        code = int(model.column("allocator_events", "call_stack")[row])
        found.append(
            {
                "at": float(place[moment]),
                "moment": moment,
                "time_us": float(history.time_ns[moment]) / 1000,
                "bytes": int(model.column("allocator_events", "bytes")[row]),
                "free": free if free >= 0 else None,
                "in_use": int(history.in_use[moment]),
                "reserved": int(history.reserved[moment]),
                "stack": stacks[code] if code >= 0 else "",
            }
        )
    return found


def _end(history: AllocatorHistory, moment: int) -> dict[str, int]:
    return {
        "bytes": int(history.in_use[moment]),
        "requested": history.requested(moment),
        "blocks": len(history.lives.at(moment)),
        "reserved": int(history.reserved[moment]),
    }
