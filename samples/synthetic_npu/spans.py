"""Sets of time on the NPU: when it computed, when it communicated, when neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .machine import CORES

if TYPE_CHECKING:
    from .records import Task

Spans = list[tuple[int, int]]


def union(spans: Spans) -> Spans:
    """Return the same time as spans that do not touch."""
    found: Spans = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def without(spans: Spans, others: Spans) -> Spans:
    """Return the part of some spans that none of the others covers; both as `union` gives them."""
    found: Spans = []
    for start, end in spans:
        begun = start
        for low, high in others:
            if high <= begun or low >= end:
                continue
            if low > begun:
                found.append((begun, low))
            begun = max(begun, high)
        if begun < end:
            found.append((begun, end))
    return found


def length(spans: Spans) -> int:
    """Return how long some spans are together."""
    return sum(end - start for start, end in spans)


def overlap_analysis(tasks: list[Task]) -> dict[str, Spans]:
    """Return the four lanes of the overlap analysis."""
    computing = union(_spans(task for task in tasks if task.core in CORES))
    communication = union(_spans(task for task in tasks if task.core == "HCCL"))
    busy = union(computing + communication)
    whole = [(busy[0][0], busy[-1][1])] if busy else []
    return {
        "Computing": computing,
        "Communication": communication,
        "Communication(Not Overlapped)": without(communication, computing),
        "Free": without(whole, busy),
    }


def _spans(tasks: object) -> Spans:
    return [(task.start, task.start + task.duration) for task in tasks]  # type: ignore[attr-defined]
