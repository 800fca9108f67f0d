"""The static summary of a trace with the parts of all views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.export.html import summary as html
from nbprof.export.summary_tables import Summary
from nbprof.export.text import summary as text
from nbprof.widgets.saved.summary import parts_of

if TYPE_CHECKING:
    from nbprof.trace import Trace


def trace_text(trace: Trace) -> str:
    """Return the summary as text."""
    return text.summary_text(Summary(trace), parts_of())


def summary_html(summary: Summary, *, views: tuple[str, ...] = (), **options: Any) -> str:
    """Return the summary as HTML, of some views or of all."""
    return html.summary_html(summary, parts_of(views), **options)
