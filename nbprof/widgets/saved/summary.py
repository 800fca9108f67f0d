"""Builds the summary of a view as text and as HTML, for readers without a running widget."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from nbprof.export.html.summary import message_html, summary_html
from nbprof.export.summary_tables import Summary
from nbprof.export.text.summary import summary_text as text_of
from nbprof.model.units import format_bytes
from nbprof.widgets.hints import waiting_time
from nbprof.widgets.saved.notes import NoteLine, notes_html, parts_of_notes
from nbprof.widgets.saved.static import StaticView
from nbprof.widgets.session.align import Align
from nbprof.widgets.views import groupings
from nbprof.widgets.views.diff.comparison import difference
from nbprof.widgets.views.distributed.rank_loading import all_read
from nbprof.widgets.views.drawing.static import summary_parts
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import pyarrow as pa

    from nbprof.export.summary_part import SummaryPart
    from nbprof.model.filters.filter import Filter
    from nbprof.trace import Trace
    from nbprof.widgets.hints.failures import ViewError
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State


@dataclass(frozen=True)
class Form:
    """How a summary is drawn.

    Parameters
    ----------
    views : tuple of str
        The views whose parts it contains.
    theme : {"auto", "light", "dark"}
        Colours.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of times.
    notes : tuple of NoteLine
        The user's notes on the timeline of the trace.
    align : Align
        What a baseline is aligned at.
    """

    views: tuple[str, ...] = ()
    theme: str = "auto"
    unit: str = "auto"
    notes: tuple[NoteLine, ...] = ()
    align: Align = Align()  # noqa: RUF009 - a tuple


def in_kernel() -> bool:
    """Return whether this runs in a Jupyter kernel, which shows widgets."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def static_view(session: Session, state: State, form: Form, *, at_once: bool = False) -> StaticView:
    """Return the summary of a view; without a profile, the reason.

    Parameters
    ----------
    session : Session
        The profile.
    state : State
        The trace and the filter.
    form : Form
        How it is drawn.
    at_once : bool
        Do not wait, for a summary beside the view: a large trace is only named.
    """
    if session.failure is not None:
        return words(session.failure_text, form)
    trace = session.trace(state)
    why = _why_not_now(trace) if at_once else ""
    if why:
        size = format_bytes(trace.file.bytes)
        where = f"Run {trace.run}, worker {trace.worker}, span {trace.span}"
        return words(f"{where}: {size}, {why}", form)

    def make() -> StaticView:
        only = not at_once and bool(form.views) and all(VIEWS[v].all_workers for v in form.views)
        summary = _summary_of(session, state, form.unit, read_workers=only, at_once=at_once)
        if state.baseline is not None:
            from nbprof.widgets.views.memory.compared import memory_baseline

            summary.memory_baseline = partial(memory_baseline, session, state, form.align)
        # without other workers, the summary covers this one
        views = () if only and not (summary.workers and summary.workers.calls) else form.views
        notes = parts_of_notes(form.notes)
        html = summary_html(
            summary,
            [*notes, *parts_of(views)],
            theme=form.theme,
            unit=form.unit,
            replaces_view=at_once,
        )
        return StaticView(html, text_of(summary, [*notes, *parts_of()]))

    return session.cached(
        trace, ("static view", trace.active_filter, state.baseline, form, at_once), make
    )


def output(
    session: Session,
    state: State,
    form: Form,
    record: Callable[[str, Exception], ViewError],
    *,
    at_once: bool,
) -> StaticView:
    """Return `static_view`; where that fails, the error, which `record` stores."""
    try:
        return static_view(session, state, form, at_once=at_once)
    except Exception as error:  # noqa: BLE001 - a cell output without a summary still shows the view
        return words(session.names.text(str(record("summary", error))), form)


def words(text: str, form: Form) -> StaticView:
    """Return a sentence instead of a summary, with the notes, which need no trace."""
    notes = notes_html(form.notes, form.unit)
    return StaticView(message_html(text, form.theme, notes), text)


def summary_text(session: Session, state: State, unit: str = "auto") -> str:
    """Return the summary of a view as text; without a profile, the reason."""
    if session.failure is not None:
        return session.failure_text
    return text_of(_summary_of(session, state, unit), parts_of())


def _summary_of(
    session: Session,
    state: State,
    unit: str,
    *,
    read_workers: bool = False,
    at_once: bool = False,
) -> Summary:
    """Return the tables of a summary, from the cache of the view if possible.

    Parameters
    ----------
    session, state : Session, State
        The trace and filter.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of times.
    read_workers : bool
        Whether to read the traces of other workers; by default they are included only if all have
        been read.
    at_once : bool
        Whether to leave out a baseline that takes long to read.
    """

    def table_of(filter_: Filter, name: str, group_by: str) -> pa.Table:
        group_by = groupings.check_grouping(name, group_by)
        return session.table(replace(state, filter=filter_), name, group_by)

    trace = session.trace(state)
    workers = None
    if read_workers or all_read(session, state):
        workers = session.distributed(state)
    summary = Summary(trace, table_of, workers, unit)
    baseline = session.baseline(state) if at_once else None
    why = "" if baseline is None else _why_not_now(baseline)
    if why:
        summary.no_diff = f"The baseline is {why}"
    else:
        summary.diff = difference(session, state)
    return summary


def parts_of(views: Collection[str] = ()) -> list[SummaryPart]:
    """Return the parts of some views in order; of all views if none of these has any."""
    specs = VIEWS.specs()
    parts = [part for view in specs if view.name in views for part in summary_parts(view)]
    return parts or [part for view in specs for part in summary_parts(view)]


def _why_not_now(trace: Trace) -> str:
    """Return why a cell does not wait for the summary of a trace; empty if it does."""
    if waiting_time.is_slow_to_read(trace):
        reads, why = "reads it and keeps", "not read before the cell ended"
    elif waiting_time.is_large(trace):
        reads, why = "keeps", "too large to summarize while the cell runs"
    else:
        return ""
    return f"{why}. view.static() as the last line of a cell {reads} its summary."
