"""Handler of ``diff``: both sides, the step by category, and the changes between them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.devices.device_rows import device_type, devices_in
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.names.kernel_labels import labels_by_hash
from nbprof.model.trace.device_properties import device_properties
from nbprof.model.units import device_word
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session.sides import swap as swap_sides
from nbprof.widgets.session.state import State
from nbprof.widgets.session.trace_tables import cache_key
from nbprof.widgets.views.diff.comparison import diff_table, difference

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pyarrow as pa

    from nbprof.diffs.diff import Diff
    from nbprof.trace import Trace
    from nbprof.widgets.session.session import Progress, Session


#: The columns of a figure.
_SIDES: Final = ("baseline", "candidate", "delta")


def diff(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what changed between the baseline and the trace on screen."""
    return Reply(overview(session, State.parse(params.get("state")), progress))


def swap(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Exchange the sources of both sides; the view then has the traits of the other one."""
    swap_sides(session, State.parse(params.get("state")))
    return Reply({})


def overview(session: Session, state: State, progress: Progress | None = None) -> dict[str, Any]:
    """Return a ``Diff`` of `nbprof.widgets.requests.messages.diff`."""
    found = difference(session, state, progress)
    if found is None or state.baseline is None:
        trace = session.trace(state, progress)
        return {"candidate": _side([trace], "", 0), "baseline": None}
    complete = found.complete_steps
    return {
        "candidate": _side(found.candidate_traces, "", complete[1]),
        "baseline": _side(
            found.baseline_traces,
            state.baseline.source,
            complete[0],
            session.own_conditions if state.baseline.source else (),
        ),
        "per_step": found.per_step,
        "reason": found.reason(),
        "notes": found.notes(),
        "parts": parts(diff_table(session, state, found, "categories"), state.filter.other),
        "labels": _labels(session, state, found),
        "bars": bars(diff_table(session, state, found, "waterfall")),
    }


def _labels(session: Session, state: State, found: Diff) -> dict[str, str]:
    """Return the labels of the kernels of both sides, which no filter changes."""
    sides = found.baseline, found.candidate
    return session.cached(
        session.trace(state),
        ("labels of both sides", *map(cache_key, sides)),
        lambda: labels_by_hash(*(side.model for side in sides)),
    )


def parts(table: pa.Table, other: str) -> list[dict[str, Any]]:
    """Return the rows of ``categories`` as messages, without those that are 0 on both sides.

    Parameters
    ----------
    table : pyarrow.Table
        Table ``categories``.
    other : str
        What the rest of the step is called.
    """
    rows = [
        {
            "category": row["category"],
            "name": other if row["category"] == "other" else row["name"],
            **{f"{side}_us": row[f"{side}_total_us"] or 0.0 for side in _SIDES},
            **{name: row[name] for name in ("delta_pct", "noise_pct", "change")},
        }
        for row in table.to_pylist()
    ]
    return rows[:1] + [row for row in rows[1:] if row["baseline_us"] or row["candidate_us"]]


def bars(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of ``waterfall`` as messages."""
    return [
        {
            **{name: row[name] for name in ("kind", "category", "delta_pct", "noise_pct")},
            **{f"{side}_us": row[f"{side}_us"] for side in (*_SIDES, "from", "to")},
            "name": row["name"] or "",
            "change": row["change"],
            "field": row["filter_field"],
            "value": row["filter_value"],
        }
        for row in table.to_pylist()
    ]


def _side(
    traces: Sequence[Trace], source: str, complete: int, own: Collection[str] = ()
) -> dict[str, Any]:
    trace = traces[0]
    steps = trace.model.steps
    return {
        "run": trace.run,
        "worker": trace.worker,
        "workers": [one.worker for one in traces],
        "span": trace.span,
        "source": source,
        "device": device_text(trace),
        "format": trace.file.format,
        "steps": len(steps.number) if steps.recorded else 0,
        "complete": complete,
        "filter": ", ".join(words for name, words in trace.active_filter.describe() if name in own),
    }


def device_text(trace: Trace) -> str:
    """Return the devices of a trace in words, with their number if there are several alike.

    Parameters
    ----------
    trace : Trace
        Its filter does not matter: a filter may leave out devices, but they were there.
    """
    model = trace.model
    kind = device_type(model)
    names = Counter(
        device_properties(model, number)["name"] or device_word(kind)
        for number in devices_in(model, NO_FILTER)
    )
    if not names:
        return device_word(model.metadata.get("device_type") or "cpu")
    return ", ".join(f"{n} \u00d7 {name}" if n > 1 else name for name, n in names.items())
