"""Default sections of the static summary for views made of cards and tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nbprof.export.html.cards import card_html, table_html
from nbprof.export.html.elements import Html, join
from nbprof.export.summary_part import SummaryPart
from nbprof.export.text.table import text_table
from nbprof.model.visible_text import printable
from nbprof.registry import resolved
from nbprof.widgets.requests import pages
from nbprof.widgets.views import groupings
from nbprof.widgets.views.drawing.figures import cards_of
from nbprof.widgets.views.registry import VIEWS, left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary
    from nbprof.widgets.views.spec import ViewSpec

#: Maximum rows of a table in a text summary, and characters per line.
_LINES: Final = 5
_WIDTH: Final = 98


def summary_parts(view: ViewSpec) -> Sequence[SummaryPart]:
    """Return the summary sections of a view; by default its cards and tables."""
    if view.summary is None:
        return (SummaryPart(view.title.lower(), partial(cards_html, view), partial(_text, view)),)
    if VIEWS.is_own(view.name):
        return view.summary
    found: list[SummaryPart] = []
    with left_out_if_broken(view, "is left out of the summary"):
        found += [_guarded(view, part) for part in view.summary]
    return found


def _guarded(view: ViewSpec, part: SummaryPart) -> SummaryPart:
    """Return a part of another package that is empty where it fails."""

    def call(make: Callable[..., Any] | str, nothing: Any, *arguments: Any) -> Any:
        made = nothing
        with left_out_if_broken(view, "is left out of the summary"):
            made = resolved(make)(*arguments)
        return made  # noqa: RET504 - what is in the block may have failed

    html = None if part.html is None else partial(call, part.html, Html())
    text = None if part.text is None else partial(call, part.text, [])
    return replace(part, html=html, text=text)


def cards_html(view: ViewSpec, summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the cards of a view and the first rows of its tables."""
    pieces: list[Html] = []
    shown: set[str] = set()
    for card in cards_of(view, summary):
        with left_out_if_broken(view, f"is summarized without its card {card.name!r}"):
            pieces.append(card_html(card, summary, colors, unit))
            shown.add(card.table)
    for name in view.tables:
        if name not in shown:
            with left_out_if_broken(view, f"is summarized without its table {name!r}"):
                title = view.title if len(view.tables) == 1 else f"{view.title}: {name}"
                pieces.append(table_html(title, _sorted(summary, name), unit))
    return join(pieces)


def _text(view: ViewSpec, summary: Summary) -> list[str]:
    """Return the first rows of its tables as lines."""
    lines: list[str] = []
    for name in view.tables:
        with left_out_if_broken(view, f"is summarized without its table {name!r}"):
            table = _sorted(summary, name)
            if table.num_rows:
                rows = text_table(table.slice(0, _LINES), width=_WIDTH).splitlines()
                lines += [printable(view.title), *(f"  {row}" for row in rows)]
    return lines


def _sorted(summary: Summary, name: str) -> pa.Table:
    """Return a table in its default order."""
    table = summary.table(name)
    return pages.sort_rows(table, groupings.first_sort(name, table))
