"""Handler of ``trace``: filter choices of a trace, what it contains, and what was not recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.model.filters.filter import Filter
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.trace import kinds
from nbprof.model.trace.device_models import device_properties
from nbprof.model.units import device_label
from nbprof.widgets.hints import hints
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.model.trace.model import TraceModel
    from nbprof.trace import Trace
    from nbprof.widgets.session import Progress, Session


def trace(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Describe a whole trace, regardless of the filter."""
    state = State.parse(params.get("state"))
    return Reply(trace_info(session.trace(state, progress), state.step or ""))


def trace_info(trace: Trace, step: str = "") -> dict[str, Any]:
    """Return the description of a whole trace, ignoring its filter.

    Parameters
    ----------
    trace : Trace
        The trace.
    step : str
        Annotations chosen as the step, even if the trace has none of them.
    """
    model = trace.model
    return {
        "run": trace.run,
        "worker": trace.worker,
        "span": trace.span,
        "path": trace.path,
        "steps": {**_steps(model), "by": _step_options(trace, step)},
        "events": int(model.metadata.get("events", 0)),
        "duration_us": model.metadata.get("end_ns", 0) / 1000.0,
        "threads": _threads(model),
        "devices": _devices(model),
        "streams": _streams(model),
        "has": hints.holdings(model),
        "warnings": trace.filter(Filter()).warnings().to_pylist(),
        "hints": hints.hints(model),
    }


def _steps(model: TraceModel) -> dict[str, Any]:
    steps = model.steps
    return {
        "recorded": steps.recorded,
        "first": int(steps.number.min()),
        "last": int(steps.number.max()),
        "count": len(steps.number),
        "complete": int(steps.complete.sum()),
    }


def _step_options(trace: Trace, chosen: str) -> list[list[str]]:
    """Return the choices for the step as values and labels; empty if there is no choice.

    The first is the whole recording, followed by labels that repeat. The chosen label is always
    included.
    """
    if trace.step is None and trace.model.steps.recorded:
        return []
    found = step_candidates(trace.with_step(None).model)
    options = [["", "whole recording"]]
    options += [[one.pattern, f"{one.count:,} steps: {one.name}"] for one in found]
    chosen = trace.step or chosen
    if chosen and chosen not in [value for value, _ in options]:
        options.append([chosen, chosen if trace.step else f"{chosen} (not in this trace)"])
    return options if len(options) > 1 else []


def _threads(model: TraceModel) -> list[dict[str, Any]]:
    """Return the threads, the busiest first; each tid is listed once."""
    rows = model.tables["threads"].to_pylist()
    events = np.bincount(model.column("host", "thread"), minlength=len(rows)).tolist()
    by_tid: dict[int, dict[str, Any]] = {}
    for row, count in zip(rows, events, strict=True):
        name = row["name"] or ""
        tid = row["tid"]
        label = name if str(tid) in name else f"{name or 'thread'} {tid}"
        entry = by_tid.setdefault(tid, {"tid": tid, "label": label, "events": 0})
        entry["events"] += count
    return sorted((e for e in by_tid.values() if e["events"]), key=lambda e: -e["events"])


def _devices(model: TraceModel) -> list[dict[str, Any]]:
    numbers = np.unique(model.column("device", "device")[_is_work(model)])
    kind = str(model.metadata.get("device_type") or "gpu")
    return [
        {
            "device": n,
            "label": device_label(kind, n),
            "name": device_properties(model, n)["name"] or "",
        }
        for n in numbers.tolist()
        if n >= 0
    ]


def _streams(model: TraceModel) -> list[int]:
    """Return the streams with work; lanes that are not streams have numbers below -1."""
    streams: list[int] = np.unique(model.column("device", "stream")[_is_work(model)]).tolist()
    return [stream for stream in streams if stream >= -1]


def _is_work(model: TraceModel) -> np.ndarray:
    work: np.ndarray = np.isin(
        model.column("device", "kind"), (kinds.KERNEL, kinds.MEMCPY, kinds.MEMSET)
    )
    return work
