"""Guesses names for processes that a file does not name, such as a truncated one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.sources.ascend.trace.processes import CANN, COMMUNICATION, HARDWARE, OVERLAP, PYTHON

if TYPE_CHECKING:
    from nbprof.sources.ascend.trace.columns import TraceRows
    from nbprof.sources.defects import DefectLog

_BARS: Final = frozenset({"Computing", "Communication", "Communication(Not Overlapped)", "Free"})


def guess_names(trace: TraceRows, defects: DefectLog) -> None:
    """Name unnamed processes by the arguments of their slices, and count them."""
    host, slices = trace.host["lane"], trace.slices
    names = trace.texts["name"]
    is_bar = np.array([name in _BARS for name in names], bool)[slices["name"]]
    is_communication = np.array([name.startswith("hcom_") for name in names], bool)
    marks = (
        (HARDWARE, slices["lane"][slices["task_type"] >= 0]),
        (COMMUNICATION, slices["lane"][slices["part_type"] >= 0]),
        (COMMUNICATION, slices["lane"][is_communication[slices["name"]]]),
        (OVERLAP, slices["lane"][is_bar & (slices["connection"] < 0)]),
        (CANN, slices["lane"][slices["connection"] >= 0]),
        (PYTHON, host),
    )
    guesses = [
        (trace.lanes[lane][0], name) for name, lanes in marks for lane in np.unique(lanes).tolist()
    ]
    taken = trace.processes.name_unnamed(guesses)
    if taken:
        name = trace.processes.named(taken[0]).name
        example = f"process {taken[0]} has none; taken as {name} by its events"
        defects.note("missing process name", len(taken), example)
