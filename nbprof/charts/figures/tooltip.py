"""Writes the tooltips of Bokeh figures, in the colours of the theme, with names in full."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nbprof.charts.theme import FONT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.charts.figures.models import Json, Models
    from nbprof.charts.marks import Tip
    from nbprof.charts.theme import Palette


def as_markup(names: Iterable[str]) -> list[str]:
    """Escape names for the column that a tooltip's heading shows.

    Names come from untrusted traces, and templates before Bokeh 3.8 do not escape the values that
    they insert. So names are escaped here, once, and templates insert them unchanged.

    Parameters
    ----------
    names : iterable of str
        Any texts.
    """
    return [escape(name) for name in names]


def hover_tool(
    models: Models,
    renderer: Json,
    tips: Sequence[Tip],
    colors: Palette,
    *,
    heading: str = "",
) -> Json:
    """Return the tool that shows columns of a glyph's source while the pointer is over it.

    Parameters
    ----------
    models : Models
        The models of the figure.
    renderer : dict
        Reference to the renderer of the glyph.
    tips : sequence of Tip
        Lines of the tooltip: columns of numbers, or of text that does not come from the trace.
    colors : Palette
        Colours of the tooltip.
    heading : str, optional
        Column with the result of `as_markup`; empty for none.
    """
    top = f'<div class="heading">@{heading}{{safe}}</div>' if heading else ""
    body = "".join(f"<span>{escape(tip.label)}</span><b>{_value(tip)}</b>" for tip in tips)
    style = f"<style>{_style(colors)}</style>"
    tool = models.model(
        "HoverTool", renderers=[renderer], point_policy="follow_mouse", show_arrow=False
    )
    # Units depend on the data.
    return models.set(tool, tooltips=f'<div>{style}{top}<div class="rows">{body}</div></div>')


def _value(tip: Tip) -> str:
    """Return the template of a value; numbers have the decimals of their unit."""
    if tip.unit is None:
        return f"@{tip.column}"
    decimals = f".{'0' * tip.unit.decimals}" if tip.unit.decimals else ""
    return f"@{tip.column}{{0,0{decimals}}} {tip.unit.label}"


def _style(colors: Palette) -> str:
    """Return the CSS rules of one tooltip, which its shadow root confines to it."""
    return (
        f":host {{ background: {colors.raised} !important; color: {colors.foreground} !important;"
        f" border: 1px solid {colors.line_strong} !important; border-radius: 4px;"
        f" padding: 8px !important; max-width: 380px; opacity: 1 !important;"
        f" font: 11px/16px {FONT} !important; overflow-wrap: anywhere; }}"
        " .heading { font-weight: 600; margin-bottom: 4px; }"
        " .rows { display: grid; grid-template-columns: max-content max-content; gap: 0 12px;"
        " font-variant-numeric: tabular-nums; }"
        f" .rows span {{ color: {colors.muted}; }}"
        " .rows b { font-weight: 400; text-align: right; }"
    )
