"""Elements of the HTML summary: escaped text, tables, images, sections; inline styles only.

The sanitiser for untrusted notebooks drops style sheets, scripts, inline SVG and ARIA; some sites
also drop styles. So rows are tables, pictures are images with alternative text, and styles are
optional.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbprof.model.names.short_names import middle_cut
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.charts.svg.document import Svg

#: Maximum length of a name as shown, and in its tooltip.
SHOWN: Final = 72
HOVERED: Final = 400

_CELL: Final = "padding:3px 8px;vertical-align:middle;border:none"
_LEFT: Final = f"{_CELL};text-align:left"
_RIGHT: Final = f"{_CELL};text-align:right;white-space:nowrap"
_SWATCH: Final = "padding:3px 0 3px 8px;vertical-align:middle;border:none;width:10px"
#: Names break anywhere, so they do not push numbers out of a narrow page.
_NAME: Final = f"{_LEFT};word-break:break-all;min-width:16em"
#: Rows keep the page's background, whatever the host styles.
_PLAIN: Final = "background:transparent"
#: A marker in every table that a themed page replaces with its text colour: hosts set one for
#: tables, and JupyterLab removes this value.
INHERITED: Final = ';color:inherit"'
_RULE: Final = "1px solid rgba(128,128,128,0.5)"
_HEAD: Final = f"white-space:normal;vertical-align:bottom;font-weight:600;border-bottom:{_RULE}"
_SUM: Final = f";font-weight:600;border-top:{_RULE}"
_TABLE: Final = (
    f"border-collapse:collapse;margin:0;border:none;font-size:12px;table-layout:auto;{_PLAIN}"
)


class Html(str):
    """A piece of HTML; any other text is escaped when inserted."""

    __slots__ = ()


class Column(NamedTuple):
    """A column of a table.

    Parameters
    ----------
    title : str
        Header text.
    kind : str
        ``"name"``, ``"text"``, ``"number"``, or ``"swatch"`` for a minimal width.
    meaning : str
        Tooltip.
    """

    title: str
    kind: str = "number"
    meaning: str = ""


def text(value: Any) -> Html:
    """Return a value escaped, with control and bidirectional characters written out."""
    return value if isinstance(value, Html) else Html(escape(printable(str(value))))


def join(pieces: Iterable[Any]) -> Html:
    """Concatenate pieces, escaping those that are not HTML."""
    return Html("".join(text(piece) for piece in pieces))


def name(full: str, shown: str | None = None, length: int = SHOWN) -> Html:
    """Return a name shortened in its middle, with the full name as tooltip.

    Parameters
    ----------
    full : str
        The name as in the trace.
    shown : str, optional
        Text shown instead.
    length : int, optional
        Maximum number of characters.
    """
    short = middle_cut(printable(full if shown is None else shown), length)
    if short == full:
        return text(short)
    return Html(f'<span title="{text(middle_cut(full, HOVERED))}">{text(short)}</span>')


def image(drawn: Svg, alt: str, *, fluid: bool = False) -> Html:
    """Return a drawing as an image element.

    Parameters
    ----------
    drawn : Svg
        The drawing.
    alt : str
        Alternative text; empty if the text beside it says the same.
    fluid : bool, optional
        Whether it shrinks with the page.
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
        Headers.
    rows : iterable of sequences
        Texts and HTML, as many as columns.
    last : bool, optional
        Whether the last row is a total.
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
    """Return a titled section; sections are placed side by side if there is room.

    The title is not a heading, because headings in outputs appear in the notebook's table of
    contents.
    """
    style = (
        f"display:inline-block;vertical-align:top;width:{1144 if wide else 560}px;"
        "max-width:100%;margin:0 24px 20px 0;overflow-x:auto"
    )
    head = f'<div style="font-size:13px;margin:0 0 6px 0"><b>{text(title)}</b></div>'
    return Html(f'<div style="{style}">{head}{join(pieces)}</div>')


def beside(*pieces: Any) -> Html:
    """Return pieces side by side, or below each other on a narrow page."""
    style = "display:inline-block;vertical-align:top;margin:0 16px 8px 0;max-width:100%"
    return join(Html(f'<div style="{style}">{text(piece)}</div>') for piece in pieces)


def line(words: Any) -> Html:
    """Return a line of text."""
    return Html(f'<div style="font-size:12px;margin:4px 0 0 0">{text(words)}</div>')


def note(words: Any) -> Html:
    """Return a remark in smaller text."""
    return Html(f'<div style="font-size:12px;opacity:0.8;margin:4px 0 0 0">{text(words)}</div>')


def _cell(kind: str, value: Any, extra: str) -> str:
    return f'<td{_align(kind)} style="{_style(kind)}{extra}">{text(value)}</td>'


def _align(kind: str) -> str:
    """Return the alignment of a cell for hosts that drop styles, where headers would be centred."""
    side = "right" if kind == "number" else "left"
    return f' align="{side}"'


def _style(kind: str) -> str:
    return {"name": _NAME, "text": _LEFT, "swatch": _SWATCH}.get(kind, _RIGHT)


def _title(meaning: str) -> str:
    return f' title="{text(meaning)}"' if meaning else ""
