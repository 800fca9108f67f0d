"""Creates the Bokeh glyphs for each kind of mark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bokeh.core.properties import expr
from bokeh.models import (
    AnnularWedge,
    HBar,
    MultiLine,
    Quad,
    Scatter,
    Segment,
    Stack,
    Step,
    Text,
    VArea,
    VAreaStep,
    VBar,
)

from nbprof.charts import marks
from nbprof.charts.theme import FONT, HATCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nbprof.charts.theme import Palette


class Drawn(NamedTuple):
    """A glyph, the name of its renderer, and how rows look when ``hovered`` or ``dimmed``."""

    name: str
    glyph: Any
    looks: dict[str, Any]


def glyphs_of(mark: marks.Mark, colors: Palette) -> Iterator[Drawn]:
    """Return the glyphs that draw a mark, from the bottom up."""
    return _GLYPHS[type(mark)](mark, colors)


def _texts(mark: marks.TextMark, colors: Palette) -> Iterator[Drawn]:
    glyph = Text(
        x="x",
        y="y",
        text="text",
        text_align={"field": "align"},
        text_baseline="middle",
        text_font_style={"field": "style"},
        text_color={"field": "color"},
        text_font_size={"field": "size"},
        text_font={"value": FONT},
    )
    if mark.over:
        glyph.update(background_fill_color=colors.background, background_fill_alpha=0.8)
    yield Drawn(mark.source.name, glyph, {})


def _lines(mark: marks.LineMark, _: Palette) -> Iterator[Drawn]:
    glyph = MultiLine(xs="xs", ys="ys", line_color="color")
    if mark.dash:
        glyph.update(line_dash=list(mark.dash))
    yield Drawn(mark.source.name, glyph, {})


def _boxes(mark: marks.BoxMark, colors: Palette) -> Iterator[Drawn]:
    fill = _fill({"field": "color"}, colors, hatched=mark.hatched)
    glyph = Quad(left="left", right="right", bottom="bottom", top="top", line_color=None, **fill)
    if mark.tinted:
        glyph.update(fill_alpha=0.14, line_color={"field": "color"})
    yield Drawn(mark.source.name, glyph, {})


def _bars(mark: marks.BarMark, colors: Palette) -> Iterator[Drawn]:
    edges: dict[tuple[str, ...], Any] = {}  # each part starts at the end of the previous one
    for part in mark.parts:
        color = colors.color(part.color) if part.color else {"field": "color"}
        fill = _fill(color, colors, hatched=part.color == HATCHED)
        for columns in (part.low, part.high):
            if columns not in edges:
                edges[columns] = _sum(columns)
        low, high = edges[part.low], edges[part.high]
        if mark.joined:
            yield Drawn(part.name, VArea(x=part.at, y1=low, y2=high, **fill), {})
            continue
        line = colors.background if mark.gap else None
        glyph: Any
        if mark.lying:
            glyph = HBar(
                y=part.at, left=low, right=high, height=part.thick, line_color=line, **fill
            )
        else:
            glyph = VBar(x=part.at, bottom=low, top=high, width=part.thick, line_color=line, **fill)
        yield Drawn(part.name, glyph, {"dimmed": _vary(glyph, fill_alpha=0.4, hatch_alpha=0.4)})


def _pointer(mark: marks.PointerMark, colors: Palette) -> Iterator[Drawn]:
    # Without a fill nothing is painted, and the pointer finds it all the same.
    unseen: dict[str, Any] = {"fill_color": None, "line_color": None}
    glyph: Any
    if mark.lying:
        glyph = HBar(y=mark.at, left=0, right=mark.end, height=mark.thick, **unseen)
    else:
        glyph = VBar(x=mark.at, bottom=0, top=mark.end, width=mark.thick, **unseen)
    hovered = _vary(glyph, fill_color=colors.foreground, fill_alpha=0.08)
    yield Drawn(mark.name, glyph, {"hovered": hovered})


def _wedges(mark: marks.WedgeMark, colors: Palette) -> Iterator[Drawn]:
    glyph = AnnularWedge(
        x=mark.x,
        y=mark.y,
        inner_radius=mark.inner,
        outer_radius=mark.outer,
        start_angle="start",
        end_angle="end",
        direction="clock",
        fill_color="color",
        line_color=colors.background,
        line_alpha="gap",
    )
    dimmed = {"dimmed": _vary(glyph, fill_alpha=0.35)} if mark.tips else {}
    yield Drawn(mark.source.name, glyph, dimmed)


def _steps(mark: marks.StepMark, colors: Palette) -> Iterator[Drawn]:
    name, ink = mark.source.name, colors.color(mark.color)
    if mark.filled:
        area = VAreaStep(x="time", y1=0, y2="last", step_mode="after")
        area.update(fill_color=ink, fill_alpha=0.14)
        yield Drawn(f"{name} area", area, {})
    if mark.ranges:
        within = Segment(x0="time", x1="time", y0="low", y1="high", line_color=ink)
        yield Drawn(f"{name} range", within, {})
    line = Step(x="time", y="last", mode="after", line_color=ink, line_width=mark.width)
    line.update(line_dash=list(mark.dash))
    yield Drawn(name, line, {})


def _areas(mark: marks.AreaMark, colors: Palette) -> Iterator[Drawn]:
    below = ""
    for column, token in mark.colors.items():
        area = VAreaStep(x="time", y1={"field": below}, y2={"field": column}, step_mode="after")
        area.update(fill_color=colors.color(token))
        yield Drawn(f"category {column}", area, {})
        below = column


def _dots(mark: marks.DotMark, colors: Palette) -> Iterator[Drawn]:
    ring = Scatter(x="x", y="y", size=mark.size, fill_color=colors.background, line_width=1.5)
    ring.update(line_color=colors.color(mark.color))
    yield Drawn(mark.source.name, ring, {})


def _fill(color: Any, colors: Palette, *, hatched: bool) -> dict[str, Any]:
    """Return the properties of a fill, or of diagonal lines on the background."""
    if not hatched:
        return {"fill_color": color}
    return {
        "fill_color": colors.background,
        "hatch_pattern": "/",
        "hatch_color": color,
        "hatch_scale": 8,
        "hatch_weight": 2,
    }


def _sum(columns: tuple[str, ...]) -> Any:
    """Return an edge of bars: a column, the sum of some, or 0."""
    if len(columns) == 1:
        return {"field": columns[0]}
    return expr(Stack(fields=list(columns))) if columns else 0


def _vary(glyph: Any, **changes: Any) -> Any:
    """Return a copy of a glyph with some properties changed; Bokeh 3.4 only copies."""
    copy = glyph.clone()
    copy.update(**changes)
    return copy


_GLYPHS: dict[type, Callable[[Any, Palette], Iterator[Drawn]]] = {
    marks.TextMark: _texts,
    marks.LineMark: _lines,
    marks.BoxMark: _boxes,
    marks.BarMark: _bars,
    marks.PointerMark: _pointer,
    marks.WedgeMark: _wedges,
    marks.StepMark: _steps,
    marks.AreaMark: _areas,
    marks.DotMark: _dots,
}
