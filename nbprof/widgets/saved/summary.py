"""Builds the summary of a view as text and as HTML, for readers without a running widget."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nbprof.export.html.summary import summary_html, words_html
from nbprof.export.summary_tables import Summary
from nbprof.export.text.summary import summary_text as text_of
from nbprof.model.units import format_bytes
from nbprof.widgets.hints import waiting_time
from nbprof.widgets.saved.static import StaticView
from nbprof.widgets.views import groupings
from nbprof.widgets.views.distributed.rank_loading import all_read
from nbprof.widgets.views.drawing.static import summary_parts
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa

    from nbprof.export.summary_part import SummaryPart
    from nbprof.model.filters.filter import Filter
    from nbprof.trace import Trace
    from nbprof.widgets.session import Session, State


@dataclass(frozen=True)
class Form:
    """How a summary is drawn.

    Parameters
    ----------
    views : tuple of str
        The views whose parts it has.
    theme : {"auto", "light", "dark"}
        Colours.
    unit : {"auto", "us", "ms", "s"}
        Unit of times.
    """

    views: tuple[str, ...] = ()
    theme: str = "auto"
    unit: str = "auto"


def in_kernel() -> bool:
    """Whether this runs in a Jupyter kernel, where widgets are shown."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def static_view(session: Session, state: State, form: Form, *, at_once: bool = False) -> StaticView:
    """Return the summary of what a view shows; without a profile, the reason.

    Parameters
    ----------
    session : Session
        The profile.
    state : State
        Which trace, and the filter.
    form : Form
        How it is drawn.
    at_once : bool
        Stand in for the view, which must not wait: a large trace is only named.
    """
    if session.failure is not None:
        return words(str(session.failure), form)
    trace = session.trace(state)
    why = _why_not_now(trace) if at_once else ""
    if why:
        size = format_bytes(trace.file.bytes)
        where = f"Run {trace.run}, worker {trace.worker}, span {trace.span}"
        return words(f"{where}: {size}, {why}", form)

    def make() -> StaticView:
        only = not at_once and bool(form.views) and all(VIEWS[v].all_workers for v in form.views)
        summary = _summary_of(session, state, read_workers=only)
        # without other workers, it is about the one that there is
        views = () if only and not (summary.workers and summary.workers.calls) else form.views
        html = summary_html(
            summary,
            parts_of(views),
            theme=form.theme,
            unit=form.unit,
            stands_in=at_once,
        )
        return StaticView(html, text_of(summary, parts_of()))

    return session.cached(trace, ("static view", trace.active_filter, form, at_once), make)


def words(text: str, form: Form) -> StaticView:
    """Return a sentence in the place of a summary."""
    return StaticView(words_html(text, form.theme), text)


def summary_text(session: Session, state: State) -> str:
    """Return the summary of what a view shows as text; without a profile, the reason."""
    if session.failure is not None:
        return str(session.failure)
    return text_of(_summary_of(session, state), parts_of())


def _summary_of(session: Session, state: State, *, read_workers: bool = False) -> Summary:
    """Return the tables behind a summary, those that the view keeps where it has them.

    Parameters
    ----------
    session, state : Session, State
        The trace and filter.
    read_workers : bool
        Whether traces of other workers are read; else these are in it where all have been read.
    """

    def table_of(filter_: Filter, name: str) -> pa.Table:
        group_by = groupings.check_grouping(name, "")
        return session.table(replace(state, filter=filter_), name, group_by)

    trace = session.trace(state)
    workers = None
    if read_workers or all_read(session, state):
        workers = session.distributed(state)
    return Summary(trace, table_of, workers)


def parts_of(views: Collection[str] = ()) -> list[SummaryPart]:
    """Return the parts of some views in their order; of all where none of these has any."""
    specs = VIEWS.specs()
    found = [part for view in specs if view.name in views for part in summary_parts(view)]
    return found or [part for view in specs for part in summary_parts(view)]


def _why_not_now(trace: Trace) -> str:
    """Return why a cell does not wait for the summary of a trace; empty where it can."""
    if waiting_time.is_slow_to_read(trace):
        reads, why = "reads it and keeps", "not read before the cell ended"
    elif waiting_time.is_large(trace):
        reads, why = "keeps", "too large to summarize while the cell runs"
    else:
        return ""
    return f"{why}. view.static() as the last line of a cell {reads} its summary."
