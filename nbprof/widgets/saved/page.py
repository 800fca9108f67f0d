"""Writes a view as a self-contained page: ``view.to_html(path)`` and ``nbprof html``."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from nbprof.export.page import Page, PageError
from nbprof.model.names.private_frames import private_value
from nbprof.sources.recorders import told_format
from nbprof.widgets.notes import notes_of
from nbprof.widgets.requests.assets import bokeh_scripts
from nbprof.widgets.saved import content
from nbprof.widgets.saved.notes import lines_of
from nbprof.widgets.saved.page_parts import PartsOfTables
from nbprof.widgets.saved.parts import TIMELINE_BYTES, SavePlan
from nbprof.widgets.saved.summary import Form, static_view
from nbprof.widgets.session.align import Align
from nbprof.widgets.views.drawing.figures import own_charts
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.spec import GENERIC_SCRIPT
from nbprof.widgets.views.timeline.choice import Choice
from nbprof.widgets.views.timeline.params import wished_clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State

#: Maximum number of rows that a browser sorts and searches without delay.
MOST_ROWS: Final = 50_000

#: Minimum size of a page, mostly for its scripts.
LEAST_BYTES: Final = 630_000

#: Traits that a page stores elsewhere, or that need Python.
_NOT_ON_PAGES: Final = {
    "snapshot": None,
    "_scripts": None,
    "_connection": "",
    "memory_range": None,
}

#: Maximum share of the size that the uncompressed timeline may take; it shrinks to a third.
_TIMELINE: Final = 1.0

#: Traces of other workers are read if they take fewer bytes in total, and always for a page that
#: starts with the distributed view.
_RANKS_AT_ONCE: Final = 200_000_000

#: Minimum bytes left for tables beside BokehJS.
_LEAST_DATA: Final = 200_000

#: Characters in base64 for three bytes.
_BASE64: Final = 4 / 3


def page_html(session: Session, state: State, traits: Mapping[str, Any], max_bytes: int) -> str:
    """Return the page of a view, on which tables can be sorted, searched and filtered.

    Parameters
    ----------
    session : Session
        The profile on screen.
    state : State
        Trace and filter. On the page, the steps and the name of the filter can be changed; other
        fields are fixed.
    traits : mapping
        The state of the view in the browser, plain values.
    max_bytes : int
        Maximum size. Data that does not fit is left out and listed on the page.

    Raises
    ------
    PageError
        The size does not suffice for scripts and summary, or `max_bytes` is not a number.
    """
    if not isinstance(max_bytes, (int, float)) or not max_bytes < math.inf:
        message = f"max_bytes takes a number of bytes, not {max_bytes!r}."
        raise PageError(message)
    if max_bytes < LEAST_BYTES:
        message = (
            f"A page takes at least {LEAST_BYTES:,} bytes, mostly for its scripts,"
            f" but max_bytes is {max_bytes:,}."
        )
        raise PageError(message)
    if session.private:  # what was selected, searched and noted by name, too
        state, traits = state.private(), private_value(dict(traits))
    trace = session.trace(state)
    view = str(traits["active"])
    notes = lines_of(notes_of(traits.get("notes") or [], state))
    align = Align.parse(traits.get("timeline_align"))
    form = Form((view,), "light", str(traits["time_unit"]), notes, align)
    summary = static_view(session, state, form)
    when = f"Written by nbprof on {datetime.now(timezone.utc):%Y-%m-%d}"
    page = Page(
        title=f"{trace.run} · {trace.worker} · span {trace.span}",
        subtitle=" · ".join(filter(None, (told_format(trace.file.format), when))),
        traits={**traits, **_NOT_ON_PAGES},
        saved=b"",
        summary=summary.html,
        theme=str(traits.get("theme") or "auto"),
    )
    page, no_figures = _with_bokeh(page, session, state, max_bytes)
    room = max_bytes - len(page.html().encode())
    data = page_state(session, state, view, int(room / _BASE64) - 4, traits, no_figures=no_figures)
    made = replace(page, saved=data).html()
    size = len(made.encode())
    if size > max_bytes:
        message = (
            f"This page takes at least {size:,} bytes, for its scripts and its summary,"
            f" but max_bytes is {max_bytes:,}."
        )
        raise PageError(message)
    return made


def _with_bokeh(page: Page, session: Session, state: State, max_bytes: int) -> tuple[Page, str]:
    """Add BokehJS to a page if a view draws its own figures and it fits.

    Returns
    -------
    page : Page
        The page, with BokehJS if necessary.
    reason : str
        Why BokehJS is missing; empty if it is included or not needed.
    """
    screen = Screen(session, _without_page_filter(state))
    views = [view for view in VIEWS.specs() if view.script == GENERIC_SCRIPT]
    if not any(own_charts(view, screen, Look()) for view in views):
        return page, ""
    larger = replace(page, libraries=tuple(script.decode() for script in bokeh_scripts()))
    size = len(larger.html().encode())
    if size + _LEAST_DATA <= max_bytes:
        return larger, ""
    return page, (
        f"This figure needs BokehJS, with which this page would take {size + _LEAST_DATA:,} bytes"
        f" at least; {max_bytes:,} were allowed (max_bytes)."
    )


def _without_page_filter(state: State) -> State:
    """Return a state without the filter fields that can be changed on the page."""
    return replace(state, filter=state.filter.replace(steps=None, name=None))


def page_state(
    session: Session,
    state: State,
    view: str,
    room: int,
    traits: Mapping[str, Any],
    *,
    no_figures: str = "",
) -> bytes:
    """Return the saved state of a page: tables of the view, and the contributions of steps.

    Parameters
    ----------
    session, state : Session, State
        What is shown.
    view : str
        The view to start with.
    room : int
        Maximum size in bytes.
    traits : mapping
        The state of the view in the browser.
    no_figures : str, optional
        Why figures that need BokehJS are left out; empty if they are not.
    """
    base = _without_page_filter(state)
    plan = SavePlan(
        room,
        most_rows=MOST_ROWS,
        view=view,
        group_by=str(traits.get("group_by") or ""),
        flame_by=str(traits.get("flame_by") or "auto"),
        ranks=VIEWS[view].all_workers or _bytes_of_ranks(session, base) < _RANKS_AT_ONCE,
        timeline=Choice(
            workers=tuple(traits.get("timeline_workers") or ()),
            clock=wished_clock(traits.get("timeline_clock")),
            align=Align.parse(traits.get("timeline_align")),
        ),
        timeline_bytes=max(TIMELINE_BYTES, int(room * _TIMELINE)),
        theme="dark" if traits.get("theme") == "dark" else "light",
        no_figures=no_figures,
        refilters=True,
        again="Open the profile in a notebook with nbprof to see everything.",
    )
    writer = content.start(session, base, room)
    parts = PartsOfTables(writer, session, base)
    for _ in content.fill(writer, session, base, plan):
        deque(parts.add_new(), maxlen=0)
    return writer.to_bytes()


def _bytes_of_ranks(session: Session, state: State) -> int:
    """Return the total size of the traces that the distributed view would have to read."""
    trace = session.trace(state)
    unread, _ = session.readable_by(state)._unread(trace.run, state.filter, span=trace.span)
    return sum(file.bytes for file in unread)
