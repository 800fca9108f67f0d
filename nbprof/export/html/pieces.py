"""Pieces of HTML that every reader of notebooks shows: no classes, no scripts, inline styles only.

Untrusted notebooks pass a sanitiser that drops style sheets, scripts, inline SVG and ARIA; some
sites drop the styles as well. So rows are tables, pictures are images with a text in their place,
and styles only make it nicer.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbprof.export.text.table import printable
from nbprof.model.names.names import middle_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.charts.svg import Svg

#: Characters of a name that are shown; those that hovering gives.
SHOWN: Final = 72
HOVERED: Final = 400

_CELL: Final = "padding:3px 8px;vertical-align:middle;border:none"
_LEFT: Final = f"{_CELL};text-align:left"
_RIGHT: Final = f"{_CELL};text-align:right;white-space:nowrap"
_SWATCH: Final = "padding:3px 0 3px 8px;vertical-align:middle;border:none;width:10px"
#: A name breaks anywhere rather than push the figures out of a narrow page.
_NAME: Final = f"{_LEFT};word-break:break-all;min-width:16em"
#: Whatever a host does to rows, they have the background of the page.
_PLAIN: Final = "background:transparent"
#: Stands in every table, so that a page of another theme can put its ink there: hosts give tables
#: one of their own, and JupyterLab takes this value out.
INHERITED: Final = ';color:inherit"'
_RULE: Final = "1px solid rgba(128,128,128,0.5)"
_HEAD: Final = f"white-space:normal;vertical-align:bottom;font-weight:600;border-bottom:{_RULE}"
_SUM: Final = f";font-weight:600;border-top:{_RULE}"
_TABLE: Final = (
    f"border-collapse:collapse;margin:0;border:none;font-size:12px;table-layout:auto;{_PLAIN}"
)


class Html(str):
    """A piece of HTML, as it is; every other text is escaped where it is put in."""

    __slots__ = ()


class Column(NamedTuple):
    """A column of a table.

    Parameters
    ----------
    title : str
        Its head.
    kind : str
        ``"name"``, ``"text"``, ``"number"``, or ``"swatch"`` for a column as narrow as it can be.
    meaning : str
        Shown on hover.
    """

    title: str
    kind: str = "number"
    meaning: str = ""


def text(value: Any) -> Html:
    """Return a value escaped, control characters and marks of direction written out."""
    return value if isinstance(value, Html) else Html(escape(printable(str(value))))


def join(pieces: Iterable[Any]) -> Html:
    """Return pieces one after the other, what is not HTML escaped."""
    return Html("".join(text(piece) for piece in pieces))


def name(full: str, shown: str | None = None, length: int = SHOWN) -> Html:
    """Return a name cut in its middle, the whole of it where the pointer rests.

    Parameters
    ----------
    full : str
        As in the trace.
    shown : str, optional
        What stands for it.
    length : int, optional
        Most characters.
    """
    short = middle_cut(printable(full if shown is None else shown), length)
    if short == full:
        return text(short)
    return Html(f'<span title="{text(middle_cut(full, HOVERED))}">{text(short)}</span>')


def image(drawn: Svg, alt: str, *, fluid: bool = False) -> Html:
    """Return a drawing as an image.

    Parameters
    ----------
    drawn : Svg
        The drawing.
    alt : str
        What it shows, in words; empty where the text beside it says the same.
    fluid : bool, optional
        Whether it gets narrower with the page.
    """
    style = "vertical-align:middle;margin:0;display:inline"
    style += ";max-width:100%;height:auto" if fluid else ";max-width:none"
    size = f'width="{drawn.width:g}" height="{drawn.height:g}"'
    return Html(f'<img alt="{text(alt)}" {size} style="{style}" src="{drawn.uri()}">')


def table(columns: Sequence[Column], rows: Iterable[Sequence[Any]], *, last: bool = False) -> Html:
    """Return a table.

    Parameters
    ----------
    columns : sequence of Column
        Its head.
    rows : iterable of sequences
        Texts and HTML, as many as columns.
    last : bool, optional
        Whether the last row is a sum of the others.
    """
    head = "".join(
        f'<th scope="col"{_align(column.kind)}{_title(column.meaning)} '
        f'style="{_style(column.kind)};{_HEAD}">'
        f"{text(column.title)}</th>"
        for column in columns
    )
    listed = list(rows)
    lines = ""
    for at, row in enumerate(listed, 1):
        extra = _SUM if last and at == len(listed) else ""
        pairs = zip(columns, row, strict=True)
        cells = "".join(_cell(column.kind, value, extra) for column, value in pairs)
        lines += f'<tr style="{_PLAIN}">{cells}</tr>'
    top = f'<thead><tr style="{_PLAIN}">{head}</tr></thead>'
    return Html(f'<table style="{_TABLE}{INHERITED}>{top}<tbody>{lines}</tbody></table>')


def section(title: str, *pieces: Any, wide: bool = False) -> Html:
    """Return a part of the page under a title; parts stand beside each other where there is room.

    The title is no heading: those of outputs would join the notebook's table of contents.
    """
    style = (
        f"display:inline-block;vertical-align:top;width:{1144 if wide else 560}px;"
        "max-width:100%;margin:0 24px 20px 0;overflow-x:auto"
    )
    head = f'<div style="font-size:13px;margin:0 0 6px 0"><b>{text(title)}</b></div>'
    return Html(f'<div style="{style}">{head}{join(pieces)}</div>')


def beside(*pieces: Any) -> Html:
    """Return pieces side by side, or below each other in a narrow page."""
    style = "display:inline-block;vertical-align:top;margin:0 16px 8px 0;max-width:100%"
    return join(Html(f'<div style="{style}">{text(piece)}</div>') for piece in pieces)


def line(words: Any) -> Html:
    """Return a line of its own."""
    return Html(f'<div style="font-size:12px;margin:4px 0 0 0">{text(words)}</div>')


def note(words: Any) -> Html:
    """Return a remark, smaller than what it is about."""
    return Html(f'<div style="font-size:12px;opacity:0.8;margin:4px 0 0 0">{text(words)}</div>')


def _cell(kind: str, value: Any, extra: str) -> str:
    return f'<td{_align(kind)} style="{_style(kind)}{extra}">{text(value)}</td>'


def _align(kind: str) -> str:
    """Return what aligns a cell where styles are dropped: heads would be centred there."""
    side = "right" if kind == "number" else "left"
    return f' align="{side}"'


def _style(kind: str) -> str:
    return {"name": _NAME, "text": _LEFT, "swatch": _SWATCH}.get(kind, _RIGHT)


def _title(meaning: str) -> str:
    return f' title="{text(meaning)}"' if meaning else ""
