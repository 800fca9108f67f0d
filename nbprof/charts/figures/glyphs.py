"""Writes the Bokeh glyphs of each kind of mark as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nbprof.charts import marks
from nbprof.charts.context import MUTED
from nbprof.charts.figures.models import Json, Models, field, reference, value
from nbprof.charts.theme import BUBBLE, FONT, HATCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nbprof.charts.theme import Palette


class Drawn(NamedTuple):
    """A glyph, the name of its renderer, and variants for ``hovered`` and ``dimmed`` rows."""

    name: str
    glyph: Json
    looks: dict[str, Json]


class Pen:
    """Makes the glyphs of one figure.

    Parameters
    ----------
    models : Models
        Assigns ids to the models, and stores the sizes that depend on the data.
    colors : Palette
        Colours of the theme.
    """

    def __init__(self, models: Models, colors: Palette) -> None:
        self.models = models
        self.colors = colors

    def glyphs(self, mark: marks.Mark) -> Iterator[Drawn]:
        """Return the glyphs that draw a mark, from the bottom up."""
        return _GLYPHS[type(mark)](self, mark)

    def glyph(self, kind: str, sizes: Json | None = None, /, **properties: Any) -> Json:
        """Return a glyph; `sizes` are properties that depend on the data but not on the row."""
        made = self.models.model(kind, **properties)
        if sizes:
            self.models.set(made, **{key: value(size) for key, size in sizes.items()})
        return made

    def varied(self, glyph: Json, **changes: Any) -> Json:
        """Return a copy of a glyph with some properties changed; models inside it are shared."""
        sizes = self.models.settings.get(glyph["id"], {})
        copied = {key: _again(one) for key, one in glyph["attributes"].items()}
        copy = self.models.model(glyph["name"], **(copied | changes))
        return self.models.set(copy, **sizes) if sizes else copy


def _again(property_: Any) -> Any:
    """Return a property in which a model is replaced by a reference to it."""
    if isinstance(property_, dict) and property_.get("type") == "expr":
        return {"type": "expr", "expr": {"id": property_["expr"]["id"]}}
    return property_


def _texts(pen: Pen, mark: marks.TextMark) -> Iterator[Drawn]:
    behind: Json = {}
    if mark.over:
        behind["background_fill_color"] = value(pen.colors.background)
        behind["background_fill_alpha"] = value(0.8)
    glyph = pen.glyph(
        "Text",
        x=field("x"),
        y=field("y"),
        text=field("text"),
        text_align=field("align"),
        text_baseline=value("middle"),
        text_font_style=field("style"),
        text_color=field("color"),
        text_font_size=field("size"),
        text_font=value(FONT),
        **behind,
    )
    yield Drawn(mark.source.name, glyph, {})


def _lines(pen: Pen, mark: marks.LineMark) -> Iterator[Drawn]:
    glyph = pen.glyph("MultiLine", xs=field("xs"), ys=field("ys"), line_color=field("color"))
    if mark.dash:
        glyph["attributes"]["line_dash"] = value(list(mark.dash))
    yield Drawn(mark.source.name, glyph, {})


def _boxes(pen: Pen, mark: marks.BoxMark) -> Iterator[Drawn]:
    edges = {side: field(side) for side in ("left", "right", "bottom", "top")}
    look = _fill(field("color"), pen.colors, hatched=mark.hatched) | {"line_color": value(None)}
    if mark.tinted:
        look |= {"fill_alpha": value(0.14), "line_color": field("color")}
    if mark.veiled:
        look |= {"fill_alpha": value(1 - MUTED)}
    yield Drawn(mark.source.name, pen.glyph("Quad", **edges, **look), {})


def _bars(pen: Pen, mark: marks.BarMark) -> Iterator[Drawn]:
    edges: dict[tuple[str, ...], Any] = {}  # where one part ends, the next begins
    for part in mark.parts:
        color = value(pen.colors.color(part.color)) if part.color else field("color")
        fill = _fill(color, pen.colors, hatched=part.color == HATCHED)
        low, high = (_edge(pen, columns, edges) for columns in (part.low, part.high))
        at = field(part.at)
        if mark.joined:
            yield Drawn(part.name, pen.glyph("VArea", x=at, y1=low, y2=high, **_flat(fill)), {})
            continue
        line = value(pen.colors.background if mark.gap else None)
        if mark.lying:
            places, sizes = {"y": at, "left": low, "right": high}, {"height": part.thick}
        else:
            places, sizes = {"x": at, "bottom": low, "top": high}, {"width": part.thick}
        kind = "HBar" if mark.lying else "VBar"
        glyph = pen.glyph(kind, sizes, **places, line_color=line, **fill)
        dimmed = pen.varied(glyph, fill_alpha=value(0.4), hatch_alpha=value(0.4))
        yield Drawn(part.name, glyph, {"dimmed": dimmed})


def _pointer(pen: Pen, mark: marks.PointerMark) -> Iterator[Drawn]:
    # Without a fill nothing is painted, but the pointer still hits the glyph.
    unseen = {"fill_color": value(None), "line_color": value(None)}
    at = field(mark.at)
    if mark.lying:
        sizes = {"right": mark.end, "height": mark.thick}
        glyph = pen.glyph("HBar", sizes, y=at, left=value(0), **unseen)
    else:
        sizes = {"top": mark.end, "width": mark.thick}
        glyph = pen.glyph("VBar", sizes, x=at, bottom=value(0), **unseen)
    ink = value(pen.colors.foreground)
    hovered = pen.varied(glyph, fill_color=ink, fill_alpha=value(0.08))
    yield Drawn(mark.name, glyph, {"hovered": hovered})


def _wedges(pen: Pen, mark: marks.WedgeMark) -> Iterator[Drawn]:
    glyph = pen.glyph(
        "AnnularWedge",
        {"x": mark.x, "y": mark.y, "inner_radius": mark.inner, "outer_radius": mark.outer},
        start_angle=field("start"),
        end_angle=field("end"),
        direction="clock",
        fill_color=field("color"),
        fill_alpha=field("ink"),
        line_color=value(pen.colors.background),
        line_alpha=field("gap"),
    )
    dimmed = {"dimmed": pen.varied(glyph, fill_alpha=value(MUTED))} if mark.tips else {}
    yield Drawn(mark.source.name, glyph, dimmed)


def _steps(pen: Pen, mark: marks.StepMark) -> Iterator[Drawn]:
    name, ink = mark.source.name, pen.colors.color(mark.color)
    if mark.filled:
        below: Json = {"fill_color": ink, "fill_alpha": 0.14, "step_mode": "after"}
        area = pen.glyph("VAreaStep", x=field("time"), y1=value(0), y2=field("last"), **below)
        yield Drawn(f"{name} area", area, {})
    if mark.ranges:
        ends = {"x0": "time", "x1": "time", "y0": "low", "y1": "high"}
        places = {end: field(column) for end, column in ends.items()}
        yield Drawn(f"{name} range", pen.glyph("Segment", **places, line_color=value(ink)), {})
    look: Json = {"line_color": ink, "line_width": mark.width, "line_dash": list(mark.dash)}
    line = pen.glyph("Step", x=field("time"), y=field("last"), mode="after", **look)
    yield Drawn(name, line, {})


def _areas(pen: Pen, mark: marks.AreaMark) -> Iterator[Drawn]:
    below = ""
    for column, token in mark.colors.items():
        area = pen.glyph(
            "VAreaStep",
            x=field("time"),
            y1=field(below),
            y2=field(column),
            step_mode="after",
            fill_color=pen.colors.color(token),
        )
        yield Drawn(f"category {column}", area, {})
        below = column


def _dots(pen: Pen, mark: marks.DotMark) -> Iterator[Drawn]:
    ring = pen.glyph(
        "Scatter",
        {"size": mark.size},
        x=field("x"),
        y=field("y"),
        fill_color=value(pen.colors.background),
        line_width=value(1.5),
        line_color=value(pen.colors.color(mark.color)),
    )
    yield Drawn(mark.source.name, ring, {})


def _bubbles(pen: Pen, mark: marks.BubbleMark) -> Iterator[Drawn]:
    disc = pen.glyph(
        "Circle",
        x=field("x"),
        y=field("y"),
        radius=field("radius"),
        fill_color=field("color"),
        fill_alpha=value(BUBBLE),
        line_color=field("color"),
    )
    dimmed = {"dimmed": pen.varied(disc, fill_alpha=value(MUTED))} if mark.tips else {}
    yield Drawn(mark.source.name, disc, dimmed)


def _fill(color: Json, colors: Palette, *, hatched: bool) -> Json:
    """Return the properties of a fill, or of diagonal lines on the background."""
    if not hatched:
        return {"fill_color": color}
    return {
        "fill_color": value(colors.background),
        "hatch_pattern": value("/"),
        "hatch_color": color,
        "hatch_scale": value(8),
        "hatch_weight": value(2),
    }


def _flat(fill: Json) -> Json:
    """Return the properties of a fill for areas, which take a single value and no column."""
    return {key: one["value"] for key, one in fill.items()}


def _edge(pen: Pen, columns: tuple[str, ...], known: dict[tuple[str, ...], Any]) -> Any:
    """Return an edge of bars: a column, a sum of columns, or 0."""
    if not columns:
        return value(0)
    if len(columns) == 1:
        return field(columns[0])
    if columns in known:
        return {"type": "expr", "expr": reference(known[columns])}
    known[columns] = pen.models.model("Stack", fields=list(columns))
    return {"type": "expr", "expr": known[columns]}


_GLYPHS: dict[type, Callable[[Pen, Any], Iterator[Drawn]]] = {
    marks.TextMark: _texts,
    marks.LineMark: _lines,
    marks.BoxMark: _boxes,
    marks.BarMark: _bars,
    marks.PointerMark: _pointer,
    marks.WedgeMark: _wedges,
    marks.StepMark: _steps,
    marks.AreaMark: _areas,
    marks.DotMark: _dots,
    marks.BubbleMark: _bubbles,
}
