"""The time of every step as stacked bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import BoxSelectTool, ColumnDataSource, TapTool

from nbprof.charts.canvas import Lines, Texts, add_tooltip, sheet
from nbprof.charts.layout import label_every, round_ticks, spread
from nbprof.charts.text import text_width
from nbprof.charts.theme import CATEGORIES, HATCHED, Palette, palette
from nbprof.model.units import TimeUnit, choose_time_unit, format_number

if TYPE_CHECKING:
    import pyarrow as pa
    from bokeh.plotting import figure
    from numpy.typing import NDArray

_PITCH = 13  # pixels between two labels beside the last bar
_TOTALS = 24  # steps up to which each bar carries its total
_LEAST_PCT = 1.0  # share of the last bar from which a segment is labelled


@dataclass(frozen=True)
class _Plot:
    """The plane of the bars inside the figure; x counts bars, y is time in the axis's unit."""

    width: int
    height: int
    count: int
    high: float
    left: float
    right: float
    top: float
    bottom: float = 36.0

    @property
    def slot(self) -> float:
        """Pixels from bar to bar."""
        return (self.width - self.left - self.right) / max(self.count, 1)

    @property
    def per_pixel(self) -> float:
        """Time that a pixel stands for."""
        return self.high / (self.height - self.top - self.bottom)

    @property
    def end(self) -> float:
        """Where the plane ends on the right."""
        return max(self.count, 1) - 0.5

    def x(self, pixels: float) -> float:
        """Turn a distance in pixels into one in bars."""
        return pixels / self.slot

    def y(self, pixels: float) -> float:
        """Turn a distance in pixels into one in time."""
        return pixels * self.per_pixel

    @property
    def bar(self) -> float:
        """Width of a bar; close together they touch, and their outline is the gap."""
        if self.slot < 10:
            return 1.0
        return min(44 / self.slot, 0.62 if self.slot >= 24 else 0.8)


def step_breakdown(
    steps: pa.Table,
    *,
    theme: str = "light",
    width: int = 632,
    height: int | None = None,
    unit: str = "auto",
    mean: bool = True,
) -> figure:
    """Draw the table ``steps``: one stacked bar per step, from kernels at the bottom to idle.

    Parameters
    ----------
    steps : pyarrow.Table
        Table ``steps``.
    theme : {"light", "dark"}
        Colours.
    width, height : int, optional
        CSS pixels. Under 500 pixels segments carry no labels.
    unit : {"auto", "us", "ms", "s"}
        Unit of the axis.
    mean : bool, optional
        Whether the mean of the complete steps is drawn.

    Returns
    -------
    bokeh.plotting.figure
        Named ``"steps"``, as is its source with the columns index (place of the bar), step (its
        number), total and one per category that occurs, in the unit of the axis. A click or a
        horizontal drag selects rows of that source.
    """
    colors = palette(theme)
    narrow = width < 500
    time_unit = choose_time_unit(steps["total_us"], unit)
    columns = _columns(steps, time_unit)
    total = columns["total"]
    ticks = round_ticks(float(total.max(initial=0.0)))
    tick_texts = _tick_texts(ticks)
    plot = _Plot(
        width,
        height or (220 if narrow else 300),
        len(total),
        max(ticks[-1], float(total.max(initial=0.0))),
        left=max(40.0, max(text_width(t) for t in tick_texts) + 9),
        right=20.0 if narrow else 112.0,
        top=34.0 if narrow else 22.0,
    )
    made = sheet(
        "steps",
        width,
        plot.height,
        colors,
        min_border=0,
        x_axis_type=None,
        y_axis_type=None,
        x_range=(-0.5 - plot.x(plot.left), plot.end + plot.x(plot.right)),
        y_range=(-plot.y(plot.bottom), plot.high + plot.y(plot.top)),
    )
    texts, leaders = Texts(), Lines()
    _axes(made, plot, ticks, tick_texts, colors, texts)
    _titles(plot, time_unit, colors, texts)
    if plot.count:
        source = ColumnDataSource(columns, name="steps")
        _bars(made, source, plot, colors)
        _interaction(made, source, plot, time_unit, colors)
        _step_labels(columns["step"], plot, colors, texts)
        average = _mean(steps, time_unit) if mean else None
        if average is not None:
            made.segment(
                [-0.5],
                [average],
                [plot.end],
                [average],
                line_color=colors.foreground,
                line_dash=[3, 3],
                level="glyph",
                name="mean",
            )
        if plot.count <= _TOTALS:
            _totals(made, total, plot, time_unit, colors)
        if narrow:
            _mean_above(average, plot, time_unit, colors, texts)
        else:
            _segment_labels(columns, average, plot, time_unit, colors, texts, leaders)
    else:
        texts.add((plot.end - 0.5) / 2, plot.high / 2, "No steps", colors.muted, align="center")
    leaders.draw(made, colors.line_strong)
    texts.draw(made)
    return made


def _columns(steps: pa.Table, unit: TimeUnit) -> dict[str, Any]:
    """Return what the source holds: exact values in the unit of the axis."""
    columns: dict[str, Any] = {
        "index": np.arange(steps.num_rows, dtype=np.int32),
        "step": _integers(np.asarray(steps["step"], np.int64)),
        "total": _times(steps, "total", unit),
    }
    for name in CATEGORIES:
        values = _times(steps, name, unit)
        if values.any():
            columns[name] = values
    if not all(steps["complete"].to_pylist()):
        columns["recorded"] = ["in full" if c else "in part" for c in steps["complete"].to_pylist()]
    return columns


def _times(steps: pa.Table, name: str, unit: TimeUnit) -> NDArray[np.float64]:
    values = np.asarray(steps[f"{name}_us"], np.float64)
    return np.nan_to_num(values) / unit.divisor


def _integers(values: NDArray[np.int64]) -> NDArray[Any]:
    """Return integers in 32 bits, which browsers have arrays for, else as floats."""
    fits = not len(values) or np.abs(values).max() < 2**31
    return values.astype(np.int32 if fits else np.float64)


def _mean(steps: pa.Table, unit: TimeUnit) -> float | None:
    """Return the mean of the complete steps."""
    complete = np.asarray(steps["complete"], bool)
    times = _times(steps, "total", unit)[complete]
    return float(times.mean()) if len(times) else None


def _tick_texts(ticks: list[float]) -> list[str]:
    """Write ticks with as many decimals as tell them apart."""
    step = ticks[1]
    decimals = next((d for d in range(9) if abs(step - round(step, d)) < 1e-6 * step), 9)
    return [format_number(tick, decimals if tick else 0) for tick in ticks]


def _axes(
    made: figure,
    plot: _Plot,
    ticks: list[float],
    tick_texts: list[str],
    colors: Palette,
    texts: Texts,
) -> None:
    """Draw the base line, the grid and the ticks of the value axis."""
    start, count = -0.5, len(ticks)
    made.segment(
        [start] * count,
        ticks,
        [plot.end] * count,
        ticks,
        line_color=[colors.line_strong] + [colors.grid] * (count - 1),
        level="underlay",
        name="grid",
    )
    for tick, text in zip(ticks, tick_texts, strict=True):
        texts.add(start - plot.x(6), tick, text, colors.muted, align="right")


def _titles(plot: _Plot, unit: TimeUnit, colors: Palette, texts: Texts) -> None:
    """Write the unit above the value axis and the title below the other."""
    left = -0.5 - plot.x(plot.left)
    texts.add(left, plot.high + plot.y(plot.top - 7), unit.label, colors.muted)
    middle = (plot.end - 0.5) / 2
    texts.add(middle, -plot.y(plot.bottom - 8), "Step", colors.muted, align="center")


def _bars(made: figure, source: ColumnDataSource, plot: _Plot, colors: Palette) -> None:
    """Draw the categories that occur, one on the other.

    Bars narrower than two pixels would blur each other's edges; there the categories are areas
    with a step at each bar, of the same numbers.
    """
    names = [name for name in CATEGORIES if name in source.data]
    looks: list[dict[str, Any]] = []
    for name in names:
        color = colors.categories[name]
        if name == HATCHED:
            hatch = {"hatch_pattern": "/", "hatch_scale": 5, "hatch_weight": 1.5}
            looks.append({"fill_color": colors.background, "hatch_color": color, **hatch})
        else:
            looks.append({"fill_color": color})
    shared = {key: [look.get(key) for look in looks] for key in ("fill_color",)}
    if plot.slot < 2:
        drawn = made.varea_stack(names, x="index", source=source, color=shared["fill_color"])
    else:
        drawn = made.vbar_stack(
            names,
            x="index",
            width=plot.bar,
            source=source,
            fill_color=shared["fill_color"],
            line_color=colors.background if plot.slot >= 4 else None,
            line_width=1,
            nonselection_fill_alpha=0.4,
            nonselection_line_alpha=1,
        )
    for name, renderer, look in zip(names, drawn, looks, strict=True):
        renderer.name = name
        renderer.glyph.update(**look)


def _interaction(
    made: figure, source: ColumnDataSource, plot: _Plot, unit: TimeUnit, colors: Palette
) -> None:
    """Let a step be pointed at, clicked and brushed over its whole height."""
    bars = made.vbar(
        x="index",
        bottom=0,
        top=plot.high,
        width=1.0 if plot.slot < 24 else min(plot.bar + 0.1, 1.0),
        source=source,
        line_color=None,
        fill_color=colors.foreground,
        fill_alpha=0,
        hover_fill_color=colors.foreground,
        hover_fill_alpha=0.08,
        hover_line_color=None,
        selection_fill_alpha=0,
        nonselection_fill_alpha=0,
        name="bars",
    )
    number = f"{{0,0.{'0' * unit.decimals}}} {unit.label}" if unit.decimals else "{0,0} µs"
    rows = [("Step", "@step"), ("Total", f"@total{number}")]
    # From top to bottom, as the segments stand.
    rows += [(CATEGORIES[n], f"@{n}{number}") for n in reversed(CATEGORIES) if n in source.data]
    if "recorded" in source.data:
        rows.append(("Recorded", "@recorded"))
    add_tooltip(made, bars, rows, colors)
    brush = BoxSelectTool(dimensions="width", renderers=[bars])
    brush.overlay.update(
        fill_color=colors.accent, fill_alpha=0.14, line_color=colors.accent, line_dash="solid"
    )
    made.add_tools(TapTool(renderers=[bars]), brush)
    made.toolbar.active_drag = brush


def _step_labels(
    numbers: NDArray[Any], plot: _Plot, colors: Palette, texts: Texts
) -> None:
    """Write the numbers of the steps below the bars, every nth where they stand close."""
    widest = max(text_width(f"{n:.0f}") for n in (numbers[0], numbers[-1], numbers.max()))
    every = label_every(len(numbers), plot.slot, widest + 8)
    running = bool((np.diff(numbers) == 1).all())
    for index, number in enumerate(numbers):
        if (number if running else index) % every == 0:
            text = f"{number:.0f}"
            texts.add(index, -plot.y(11), text, colors.muted, align="center")


def _totals(
    made: figure, total: NDArray[np.float64], plot: _Plot, unit: TimeUnit, colors: Palette
) -> None:
    """Write each bar's total over it, on top of the mean's line, if all of them have room."""
    written = [format_number(float(value), unit.decimals) for value in total]
    if max(text_width(text) for text in written) > plot.slot:
        return
    texts = Texts()
    for index, (value, text) in enumerate(zip(total, written, strict=True)):
        texts.add(index, value + plot.y(9), text, colors.foreground, align="center")
    texts.draw(made, "totals", background_fill_color=colors.background, padding=1)


def _mean_above(
    average: float | None, plot: _Plot, unit: TimeUnit, colors: Palette, texts: Texts
) -> None:
    """Say the mean in the line of the unit, where there is no room beside the bars."""
    if average is not None:
        text = f"mean {format_number(average, unit.decimals)}"
        over = plot.high + plot.y(plot.top - 7)
        texts.add(plot.end, over, text, colors.foreground, align="right")


def _segment_labels(
    columns: dict[str, Any],
    average: float | None,
    plot: _Plot,
    unit: TimeUnit,
    colors: Palette,
    texts: Texts,
    leaders: Lines,
) -> None:
    """Name the segments of the last bar and the mean, beside them and apart from each other."""
    last = columns["total"][-1]
    edge = plot.count - 1 + (plot.bar / 2 if plot.slot >= 2 else 0) + plot.x(2)
    wanted: list[tuple[float, str, str]] = []
    base = 0.0
    for name, title in CATEGORIES.items():
        value = float(columns[name][-1]) if name in columns else 0.0
        if value > 0 and 100 * value >= _LEAST_PCT * last:
            wanted.append((base + value / 2, title, "segment"))
        base += value
    if average is not None:
        text = f"mean {format_number(average, unit.decimals)}"
        wanted.append((average, text, "mean"))
    wanted.sort()
    pixels = [at / plot.per_pixel for at, _, _ in wanted]
    places = spread(pixels, _PITCH, -plot.bottom / 2, plot.high / plot.per_pixel + 8)
    for (at, text, what), pixel in zip(wanted, places, strict=True):
        y = plot.y(pixel)
        if what == "mean":
            leaders.add((plot.end, at), (plot.end + plot.x(3), y))
        else:
            leaders.add((edge, at), (plot.end + plot.x(2), y))
        color = colors.foreground if what == "mean" else colors.muted
        texts.add(plot.end + plot.x(6), y, text, color)
