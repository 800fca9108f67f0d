"""A view as a page of its own: ``view.to_html(path)`` and ``nbprof html``."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from nbprof.export.page import Page, PageError, expect_place
from nbprof.widgets.requests.assets import bokeh_scripts
from nbprof.widgets.saved import content
from nbprof.widgets.saved.page_parts import PartsOfTables
from nbprof.widgets.saved.parts import SavePlan
from nbprof.widgets.saved.summary import Form, static_view
from nbprof.widgets.saved.timeline import MAX_BYTES
from nbprof.widgets.views.drawing.figures import own_charts
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.spec import GENERIC_SCRIPT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from nbprof.widgets.session import Session, State

#: Rows of a table that a browser still sorts and searches at once.
MOST_ROWS: Final = 50_000

#: Less leaves no room for anything but the scripts.
LEAST_BYTES: Final = 600_000

#: Traits that a page has elsewhere, or that need Python.
_NOT_ON_PAGES: Final = {
    "snapshot": None,
    "_scripts": None,
    "memory_range": None,
}

#: Of the room that there is, what the timeline may take, uncompressed: it shrinks to a third.
_TIMELINE: Final = 1.0

#: Traces of other workers are read for any page if all of them take less; for one that shows the
#: workers first, always.
_RANKS_AT_ONCE: Final = 200_000_000

#: What tables have to have room for beside BokehJS.
_LEAST_DATA: Final = 200_000

#: What base64 makes of three bytes.
_BASE64: Final = 4 / 3


def page_html(session: Session, state: State, traits: Mapping[str, Any], max_bytes: int) -> str:
    """Return a page that shows what a view shows, and lets it be sorted, searched and filtered.

    Parameters
    ----------
    session : Session
        What is shown.
    state : State
        Trace and filter. Steps and names of the filter can be changed on the page; all else of it
        stays.
    traits : mapping
        The state of the view in the browser, plain values.
    max_bytes : int
        What the page may take. What does not fit is left out, and that is said on the page.

    Raises
    ------
    PageError
        There is not even room for the scripts, or `max_bytes` is no number.
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
    trace = session.trace(state)
    view = str(traits["active"])
    summary = static_view(session, state, Form((view,), "light", str(traits["time_unit"])))
    written = datetime.now(timezone.utc)
    page = Page(
        title=f"{trace.run} · {trace.worker} · span {trace.span}",
        subtitle=f"Written by nbprof on {written:%Y-%m-%d}",
        traits={**traits, **_NOT_ON_PAGES},
        saved=b"",
        summary=summary.html,
        theme=str(traits.get("theme") or "auto"),
    )
    page, no_figures = _with_bokeh(page, session, state, max_bytes)
    room = max_bytes - len(page.html().encode())
    data = page_state(session, state, view, int(room / _BASE64) - 4, traits, no_figures=no_figures)
    return replace(page, saved=data).html()


def _with_bokeh(page: Page, session: Session, state: State, max_bytes: int) -> tuple[Page, str]:
    """Put BokehJS on a page if some view draws figures itself, and there is room for it.

    Returns
    -------
    page : Page
        With BokehJS, if need be.
    reason : str
        Why it is not there; empty where it is, or is not needed.
    """
    screen = Screen(session, _unnarrowed(state))
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


def _unnarrowed(state: State) -> State:
    """Return a state without what the page itself filters to."""
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
    """Return the tables of a view, and what steps add to them, in so many bytes.

    Parameters
    ----------
    session, state : Session, State
        What is shown.
    view : str
        The view that comes first.
    room : int
        Bytes.
    traits : mapping
        The state of the view in the browser.
    no_figures : str, optional
        Why figures that need BokehJS are left out; empty where they are not.
    """
    base = _unnarrowed(state)
    plan = SavePlan(
        room,
        most_rows=MOST_ROWS,
        view=view,
        group_by=str(traits.get("group_by") or ""),
        flame_by=str(traits.get("flame_by") or "auto"),
        ranks=VIEWS[view].all_workers or _ranks_bytes(session, base) < _RANKS_AT_ONCE,
        timeline_bytes=max(MAX_BYTES, int(room * _TIMELINE)),
        theme="dark" if traits.get("theme") == "dark" else "light",
        no_figures=no_figures,
        again="Open the profile in a notebook with nbprof to see everything.",
    )
    writer = content.start(session, base, room)
    parts = PartsOfTables(writer, session, base)
    for _ in content.fill(writer, session, base, plan):
        parts.follow()
    return writer.to_bytes()


def _ranks_bytes(session: Session, state: State) -> int:
    """Return how large the traces are that the view of workers would have to read."""
    trace = session.trace(state)
    unread, _ = session.readable_by(state)._unread(trace.run, state.filter, span=trace.span)
    return sum(file.bytes for file in unread)


def write_page(path: str | os.PathLike[str], text: str) -> Path:
    """Write a page; it appears whole or not at all.

    Raises
    ------
    OSError
        It cannot be written there.
    """
    place = expect_place(path)
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        part.write_text(text, "utf-8", newline="\n")
        part.replace(place)
    except OSError as error:  # of the file that was asked for, not of the one beside it
        raise OSError(error.errno, error.strerror, str(place)) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return place
