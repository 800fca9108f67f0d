"""Finds the steps of a trace and extends them over the device work that they launched.

The extension follows the TensorBoard plugin: a step lasts until its last kernel ends, and the next
one starts no earlier than that, so that steps are disjoint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.launches import links_of
from nbprof.model.steps.label_families import consecutive_numbers
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.trace_data import TraceData

Values = npt.NDArray[np.int64]

#: Metadata keys for the pattern by which steps were chosen and, in a part of a recording, for the
#: numbers that the chosen steps have in the whole of it.
STEP_NAME = "step_name"
STEP_NUMBERS = "step_numbers"

#: A last step is incomplete if it has less than this share of the previous step's device events.
TAIL_SHARE = 0.8


@dataclass(frozen=True)
class Steps:
    """The steps in time order; all arrays have shape (steps,).

    Attributes
    ----------
    number : ndarray of int64
        N of ``ProfilerStep#N``; for steps chosen by label, the number in the label that counts
        them, or else 0, 1, 2, … in time order; 0 for the single step of a trace without steps.
    host_start_ns, host_end_ns : ndarray of int64
        As recorded on the host; a host row belongs to the step that contains its start.
    start_ns, end_ns : ndarray of int64
        Extended over the device work that the step launched; disjoint.
    complete : ndarray of bool
        False for steps at the tail whose device work was not recorded in full.
    row : ndarray of int64
        Host row; -1 for the single step of a trace without steps, and for steps that are not host
        rows.
    recorded : bool
        False when the recorder marked no steps and no label was chosen as the step.
    """

    number: Values
    host_start_ns: Values
    host_end_ns: Values
    start_ns: Values
    end_ns: Values
    complete: npt.NDArray[np.bool_]
    row: Values
    recorded: bool


def find_steps(model: TraceData, *, left_out: tuple[int, int] | None = None) -> Steps:
    """Find the steps of a trace and extend them.

    A part of a recording does not determine the extent of its steps, nor which are complete. There,
    the metadata contain both under ``steps``, taken from the whole recording.

    Parameters
    ----------
    model : TraceData
        The trace.
    left_out : (int, int), optional
        Start and end of recorded operators and annotations that the trace does not contain.
    """
    rows = np.flatnonzero(model.column("host", "kind") == kinds.STEP)
    recorded = len(rows) > 0
    if recorded:
        start_all = model.column("host", "start_ns")
        rows = rows[np.argsort(start_all[rows], kind="stable")]
        start = start_all[rows]
        end = start + model.column("host", "duration_ns")[rows]
        names = model.values("host", "name")
        labels = [names[code] for code in model.column("host", "name")[rows].tolist()]
        number = np.array(_numbers(model, labels), np.int64)
    elif model.tables["step_ranges"].num_rows:
        recorded = True
        number, start, end = _recorded_ranges(model)
        rows = np.full(len(number), -1, np.int64)
    else:
        start, end = _single_step(model, left_out)
        number, rows = np.zeros(1, np.int64), np.full(1, -1, np.int64)
        only = model.column("npu_steps", "step")
        if len(only) == 1 and only[0] >= 0:  # its values are known, but not its start and end
            number, recorded = only.astype(np.int64), True
    saved = model.metadata.get("steps")
    if saved is not None and len(saved) == len(number):
        columns = np.array(saved, np.int64).reshape(len(saved), 5).T
        start, end, new_start, new_end, complete = *columns[:4], columns[4].astype(bool)
    else:
        new_start, new_end, complete = _extend(model, start, end)
    return Steps(number, start, end, new_start, new_end, complete, rows, recorded)


def step_at(starts: Values, ends: Values, times: Values) -> Values:
    """Return the index of the range that contains each time, -1 without one.

    Ranges are sorted by start; where ranges overlap, the later one is used.
    """
    if len(starts) == 0:
        return np.full(len(times), -1, np.int64)
    index = np.searchsorted(starts, times, side="right") - 1
    inside = (index >= 0) & (times < ends[np.maximum(index, 0)])
    return np.where(inside, index, -1)


def _recorded_ranges(model: TraceData) -> tuple[Values, Values, Values]:
    """Return number, start and end of steps that are not host rows, cut to be disjoint."""
    number, start, end = (
        model.column("step_ranges", name) for name in ("step", "start_ns", "end_ns")
    )
    order = np.lexsort((end, start))
    number, start, end = number[order], start[order], end[order]
    until = np.maximum.accumulate(end)
    return number, np.maximum(start, np.append(start[:1], until[:-1])), until


def _numbers(model: TraceData, labels: list[str]) -> list[int]:
    if STEP_NAME not in model.metadata:
        return list(map(_number, labels))
    saved = model.metadata.get(STEP_NUMBERS)
    if saved is not None and len(saved) == len(labels):
        return list(saved)
    return consecutive_numbers(labels) or list(range(len(labels)))


def _number(name: str) -> int:
    match = re.search(r"#\s*(\d{1,18})(?!\d)", name)  # the range of int64
    return int(match.group(1)) if match else 0


def _single_step(model: TraceData, left_out: tuple[int, int] | None) -> tuple[Values, Values]:
    """Return one step from the first start to the last end of operators and annotations."""
    kind = model.column("host", "kind")
    use = np.isin(kind, (kinds.OPERATOR, kinds.ANNOTATION))
    if left_out is not None:
        start, duration = (model.column("host", name)[use] for name in ("start_ns", "duration_ns"))
        low = start.min(initial=left_out[0], keepdims=True)
        return low, (start + duration).max(initial=left_out[1], keepdims=True)
    table = "host" if use.any() else "device"
    start, duration = model.column(table, "start_ns"), model.column(table, "duration_ns")
    if table == "host":
        start, duration = start[use], duration[use]
    if len(start) == 0:
        return np.zeros(1, np.int64), np.array([model.metadata.get("end_ns", 0)], np.int64)
    return start.min(keepdims=True), (start + duration).max(keepdims=True)


def _extend(
    model: TraceData, start: Values, end: Values
) -> tuple[Values, Values, npt.NDArray[np.bool_]]:
    """Extend steps over the device work that they launched (rule of the Kineto plugin)."""
    complete = np.ones(len(start), bool)
    kind = model.column("device", "kind")
    work = np.flatnonzero(np.isin(kind, (kinds.KERNEL, kinds.MEMCPY, kinds.MEMSET)))
    launch = links_of(model).launch[work]
    device_start = model.column("device", "start_ns")[work]
    device_end = device_start + model.column("device", "duration_ns")[work]
    known = launch >= 0
    step = np.full(len(work), -1, np.int64)
    step[known] = step_at(start, end, model.column("host", "start_ns")[launch[known]])
    matched = np.bincount(step[step >= 0], minlength=len(start))
    if not matched.any():
        return start, end, complete
    first = np.full(len(start), np.iinfo(np.int64).max)
    last = np.full(len(start), np.iinfo(np.int64).min)
    np.minimum.at(first, step[step >= 0], device_start[step >= 0])
    np.maximum.at(last, step[step >= 0], device_end[step >= 0])
    before = int(start[0])
    if matched[0]:
        stray = device_end[(step < 0) & (device_end < first[0])]
        before = max(before, int(stray.max(initial=before)))
    new_start, new_end = start.copy(), end.copy()
    for i in range(len(start)):  # steps, not events
        new_start[i] = max(before, int(start[i]))
        new_end[i] = max(int(end[i]), int(last[i]) if matched[i] else int(new_start[i]))
        before = new_end[i] = max(int(new_end[i]), int(new_start[i]))
    tail = int(np.flatnonzero(matched)[-1])
    complete[tail + 1 :] = False
    if tail > 0 and TAIL_SHARE * matched[tail - 1] > matched[tail]:
        complete[tail] = False
    return new_start, new_end, complete
