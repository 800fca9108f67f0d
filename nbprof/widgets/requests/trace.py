"""Handlers of ``trace`` and ``names``: the content of a trace, and suggested names to filter by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nbprof.analysis.operators.without_operator import without_operator
from nbprof.model.filters.filter import Filter
from nbprof.model.filters.patterns import match_typed
from nbprof.model.names.kernel_labels import labels_by_hash
from nbprof.model.names.roles import operator_rows, overhead_threads
from nbprof.model.names.short_names import middle_cut
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.trace import kinds
from nbprof.model.trace.device_properties import device_properties
from nbprof.model.units import device_label
from nbprof.widgets.hints import hints
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.files.shared_names import SharedNames
    from nbprof.trace import Trace
    from nbprof.widgets.session.session import Progress, Session


#: Maximum number of names in a reply, and of letters of each: a filter finds names by a part.
MOST: Final = 50
LONGEST: Final = 1000

#: Maximum number of threads, of devices and of streams to filter by, and of letters of a label.
MOST_LISTED: Final = 4000
_LONGEST_LABEL: Final = 200


class Name(NamedTuple):
    """A name in a trace, its kind, and its total time, or the number of a thread or device."""

    text: str
    kind: str
    time_us: float


def trace(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Describe a whole trace, regardless of the filter."""
    state = State.parse(params.get("state"))
    trace = session.trace(state, progress)
    others = session.has_baselines(trace)
    return Reply(trace_info(trace, session.names, state.step or "", others=others))


def trace_info(
    trace: Trace,
    names: SharedNames,
    step: str = "",
    *,
    others: bool = False,
    shared: bool = False,
) -> dict[str, Any]:
    """Return the description of a whole trace, ignoring its filter.

    Parameters
    ----------
    trace : Trace
        The trace.
    names : SharedNames
        Names of files for readers elsewhere.
    step : str
        Annotations chosen as the step, even if the trace has none of them.
    others : bool
        Whether there are other traces to compare with.
    shared : bool
        Whether the description will be shared with others. Examples of warnings, which quote the
        file, are then left out.
    """
    model = trace.model
    listed = _places(model)
    return {
        "run": trace.run,
        "worker": trace.worker,
        "span": trace.span,
        "path": names.path(trace.path),
        "steps": {**_steps(model), "by": _step_options(trace, step)},
        "events": int(model.metadata.get("events", 0)),
        "duration_us": model.metadata.get("end_ns", 0) / 1000.0,
        **{field: found[:MOST_LISTED] for field, found in listed.items()},
        "of": {field: len(found) for field, found in listed.items() if len(found) > MOST_LISTED},
        "has": {**hints.holdings(model), "comparison": others},
        "warnings": [
            {
                "kind": row["kind"],
                "count": row["count"],
                "example": None if shared else names.text(row["example"] or ""),
            }
            for row in trace.filter(Filter()).warnings().to_pylist()
            if row["level"] == "warning"
        ]
        + [
            _not_listed(field, len(found), shared=shared)
            for field, found in listed.items()
            if len(found) > MOST_LISTED
        ],
        "hints": {**hints.hints(model), **_beside_operators(model)},
        "labels": labels_by_hash(model),
    }


def _not_listed(field: str, count: int, *, shared: bool) -> dict[str, Any]:
    """Return the warning that a filter does not list all threads, devices or streams.

    Only Python finds the others, so what is shared does not say how.
    """
    said = f"it lists {MOST_LISTED:,} of {count:,}"
    how = "; a part of the name of another, typed into the field Name, finds it"
    return {
        "kind": f"{field} that the filter does not list",
        "count": count - MOST_LISTED,
        "example": said if shared else said + how,
    }


def _beside_operators(model: TraceModel) -> dict[str, str]:
    """Return what the operators view leaves out, of the whole trace: nobody filters a hint."""
    left = without_operator(model).sentence
    return {"no_operator": f"In the whole recording, {left}."} if left else {}


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
    candidates = step_candidates(trace.with_step(None).model)
    options = [["", "whole recording"]]
    options += [[one.pattern, f"{one.count:,} steps: {one.name}"] for one in candidates]
    chosen = trace.step or chosen
    if chosen and chosen not in [value for value, _ in options]:
        options.append([chosen, chosen if trace.step else f"{chosen} (not in this trace)"])
    return options if len(options) > 1 else []


def _threads(model: TraceModel) -> list[dict[str, Any]]:
    """Return the threads, the busiest first; each tid is listed once."""
    rows = model.tables["threads"].to_pylist()
    events = np.bincount(model.column("host", "thread"), minlength=len(rows)).tolist()
    by_tid: dict[int, dict[str, Any]] = {}
    only_overhead = overhead_threads(model).tolist()
    for row, count, is_own in zip(rows, events, only_overhead, strict=True):
        name = "profiler" if is_own else row["name"] or ""
        tid = row["tid"]
        label = name if str(tid) in name else f"{name or 'thread'} {tid}"
        label = middle_cut(label, _LONGEST_LABEL)
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


def names(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the names of a trace that contain a text, those with the longest time first.

    After them come threads, devices and streams, where there are more than filters list.
    """
    text = str(params.get("text") or "").strip()
    limit = params.get("limit")
    most = min(limit, MOST) if isinstance(limit, int) and limit > 0 else MOST
    model = session.trace(State.parse(params.get("state")), progress).model
    known = model.cached("suggested names", lambda: [*_names_of(model), *_unlisted(model)])
    hits = np.flatnonzero(match_typed([name.text for name in known], text))
    shown = [known[at] for at in hits[:most].tolist()]
    found = [[one.text[:LONGEST], one.kind, one.time_us] for one in shown]
    return Reply({"names": found, "total": len(hits)})


def _unlisted(model: TraceModel) -> list[Name]:
    """Return the threads, devices and streams of a trace that has more than filters list.

    Their numbers stand in place of times.
    """
    found: list[Name] = []
    for field, places in _places(model).items():
        if len(places) <= MOST_LISTED:
            continue
        kind = field.removesuffix("s")
        for one in places:
            number = one if kind == "stream" else one["tid" if kind == "thread" else kind]
            found.append(
                Name(f"stream {one}" if kind == "stream" else one["label"], kind, float(number))
            )
    return found


def _places(model: TraceModel) -> dict[str, list[Any]]:
    """Return the threads, devices and streams that a filter may name."""
    return {"threads": _threads(model), "devices": _devices(model), "streams": _streams(model)}


def _names_of(model: TraceModel) -> list[Name]:
    """Return each name of an operator or kernel once, those with the longest time first.

    The time is the sum over the whole trace. Nested operators count for themselves and for those
    that called them, as in the column ``host_total_us``.
    """
    is_kernel = np.asarray(model.column("device", "kind") == kinds.KERNEL)
    found = [
        *_times(model, "host", operator_rows(model), "operator"),
        *_times(model, "device", is_kernel, "kernel"),
    ]
    found.sort(key=lambda name: (-name.time_us, name.text))
    longest: dict[str, Name] = {}
    for name in found:
        longest.setdefault(name.text, name)
    return list(longest.values())


def _times(model: TraceModel, table: str, rows: npt.NDArray[np.bool_], kind: str) -> list[Name]:
    texts = model.values(table, "name")
    code = model.column(table, "name")[rows]
    used = code >= 0
    time = model.column(table, "duration_ns")[rows][used]
    total = np.bincount(code[used], weights=time, minlength=len(texts)) / 1000
    there = np.flatnonzero(np.bincount(code[used], minlength=len(texts)))
    return [Name(texts[at], kind, float(total[at])) for at in there.tolist()]
