"""Recommendation rules about labels that repeat where no steps are marked: jumps and slow ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.advice.findings import Finding
from nbprof.analysis.advice.rules_steps import UNEVEN
from nbprof.analysis.devices.device_rows import kept_host_rows
from nbprof.analysis.grouping import NS_PER_US
from nbprof.analysis.operators.operators import operators
from nbprof.model.filters.filter import Filter
from nbprof.model.steps.step_choice import labelled_rows, step_candidates
from nbprof.model.units import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Labels are looked at that repeat so often, and a jump has so many of them on each side.
FEWEST, _BESIDE = 6, 3
#: An operator is named if it took at least this share of the difference.
_WORTH: Final = 0.25
#: So many labels are looked at, those with the most time.
_LABELS: Final = 3


def uneven_labels(context: RuleContext) -> Iterator[Finding]:
    """Report where a label that repeats takes much longer from one call to the next, or once.

    Labels often lie in each other: of those with the most time, the first that does is reported.
    """
    model = context.model
    if model.steps.recorded:
        return
    kept = kept_host_rows(model, context.filter)
    for label in step_candidates(model)[:_LABELS]:
        rows = labelled_rows(model, label.pattern)
        rows = rows[kept[rows]]
        if len(rows) < FEWEST:
            continue
        times = model.column("host", "duration_ns")[rows] / NS_PER_US
        jump = _jump(times)
        at = int(times.argmax()) if jump is None else jump
        usual = float(np.median(times if jump is None else times[:at]))
        if not usual or times[at] <= UNEVEN * usual:
            continue
        slow = int(rows[at])
        name = model.values("host", "name")[model.column("host", "name")[slow]]
        of = "" if name == label.name else f" of {label.name}"
        said = (
            f"{name} took {format_time(float(times[at]))}, {times[at] / usual:.1f} times the median"
            f" of {len(times)} calls{of} ({format_time(usual)})."
            if jump is None
            else f"{label.name} takes {format_time(float(np.median(times[at:])))} from"
            f" {name if of else f'call {at + 1}'} on and {format_time(usual)} before, medians of"
            f" {len(times) - at} and {at} calls."
        )
        yield Finding(
            "uneven_labels",
            "medium",
            said + _longer(model, slow, int(rows[_nearest(times, usual, at)])),
            "It is the first call, so it may hold warm-up."
            if at == 0
            else "Compare the two calls in the timeline; all means include them.",
            context.evidence(
                "slices", float(times[at]), column="duration_us", row={"side": "host", "row": slow}
            ),
            None if at == 0 else float(np.maximum(times - usual, 0.0).sum()),
        )
        return


def _jump(times: Floats) -> int | None:
    """Return from which call on all take longer than all before, and much longer; else None."""
    before, after = np.maximum.accumulate(times), np.minimum.accumulate(times[::-1])[::-1]
    places = np.arange(_BESIDE, len(times) - _BESIDE + 1)
    ratio = after[places] / np.maximum(before[places - 1], 1e-9)
    at = int(places[ratio.argmax()])
    far = np.median(times[at:]) > UNEVEN * np.median(times[:at])
    return at if far and ratio.max() > 1.0 else None


def _nearest(times: Floats, usual: float, at: int) -> int:
    """Return the call whose time is next to the usual one, of those before a slow one if any."""
    of = times[:at] if at else times[1:]
    return int(np.abs(of - usual).argmin()) + (0 if at else 1)


def _longer(model: TraceModel, slow: int, plain: int) -> str:
    """Return which operator's host time is most of what a call took more than another."""
    start, duration = (model.column("host", name) for name in ("start_ns", "duration_ns"))
    times = []
    for row in (slow, plain):
        range_ = start[row] / NS_PER_US, (start[row] + duration[row]) / NS_PER_US
        rows = operators(model, Filter(time_us=range_)).to_pylist()
        times.append({one["name"]: one["host_self_us"] or 0.0 for one in rows})
    name = max(times[0], key=lambda one: times[0][one] - times[1].get(one, 0.0), default="")
    longer = times[0].get(name, 0.0) - times[1].get(name, 0.0)
    more = (duration[slow] - duration[plain]) / NS_PER_US
    worth = longer > 0 and longer >= _WORTH * more
    return f" {name} took {format_time(longer)} more on the host." if worth else ""
