"""Tables to draw, and helpers that read figures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from bokeh.embed import json_item

from nbprof import charts
from nbprof.analysis.kernels.kernel_columns import KERNELS
from nbprof.analysis.operators.operator_columns import OPERATORS
from nbprof.analysis.steps.overview import OVERVIEW
from nbprof.analysis.steps.steps import STEPS
from nbprof.charts.bars import nested, stacked
from nbprof.charts.cards import card_charts
from nbprof.charts.donut import donut as donuts
from nbprof.charts.text import text_width
from nbprof.model.contract.table import make_table
from nbprof.model.trace.kinds import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa
    from bokeh.models import ColumnDataSource
    from bokeh.plotting import figure

WIDTHS = (300, 336, 420, 476, 632)

OPERATOR_NAMES = [
    "aten::cudnn_convolution_backward_weight",
    "aten::cudnn_convolution_backward_input",
    "aten::cudnn_convolution",
    "aten::cudnn_batch_norm_backward",
    "aten::cudnn_batch_norm",
    "aten::threshold_backward",
    "aten::add_",
    "aten::clamp_min",
    "aten::add",
    "aten::copy_",
    "<script>alert(1)</script> & \u6a21\u578b\u524d\u5411\u4f20\u64ad",
    *(f"aten::operator_{i}" for i in range(60)),
]

#: Means of a step in ms, by category, as a ResNet trains on one GPU.
STEP_MS = (98.6, 1.9, 0.1, 0.0, 2.9, 59.3, 13.7, 1.2)


def drawn_by_bokeh(layout: Callable[..., Any]) -> Callable[..., Any]:
    """Return a layout that gives figures in place of charts."""

    def draw(*args: Any, theme: str = "light", **options: Any) -> Any:
        made = layout(*args, **options)
        if isinstance(made, dict):
            return {name: charts.draw_figure(one, theme) for name, one in made.items()}
        return charts.draw_figure(made, theme)

    return draw


donut = drawn_by_bokeh(donuts.donut)
figure_of = drawn_by_bokeh(card_charts.chart_of)
kernel_donuts = drawn_by_bokeh(charts.kernel_donuts)
memory_curve = drawn_by_bokeh(charts.memory_curve)
nested_bars = drawn_by_bokeh(nested.nested_bars)
operator_charts = drawn_by_bokeh(charts.operator_charts)
stacked_bars = drawn_by_bokeh(stacked.stacked_bars)
step_breakdown = drawn_by_bokeh(charts.step_breakdown)
summary_donut = drawn_by_bokeh(charts.summary_donut)


def only(columns: Any, *left_out: str) -> Any:
    return tuple(c for c in columns if c.name not in left_out)


def steps(count: int = 6, *, first: int = 5, means: Sequence[float] = STEP_MS) -> pa.Table:
    random = np.random.default_rng(count)
    costs = 1e3 * np.array(means) * (1 + 0.05 * random.standard_normal((count, 8))).clip(0.5)
    total = costs.sum(axis=1)
    ends = np.cumsum(total)
    data = {
        "step": np.arange(first, first + count),
        "start_us": ends - total,
        "end_us": ends,
        "total_us": total,
        "complete": [True] * count,
        **{f"{name}_us": costs[:, i] for i, name in enumerate(CATEGORIES)},
    }
    return make_table(STEPS, data)


def overview(means: Sequence[float] = STEP_MS) -> pa.Table:
    total = sum(means)
    return make_table(
        OVERVIEW,
        {
            "category": ["Average Step Time", *CATEGORIES.values()],
            "avg_us": [1e3 * total, *(1e3 * m for m in means)],
            "pct": [100.0, *(100 * m / (total or 1) for m in means)],
        },
    )


def operators(
    names: Sequence[str] = OPERATOR_NAMES, *, device: bool = True, scale: float = 1.0
) -> pa.Table:
    count = len(names)
    falling = scale * 142_500 * 0.8 ** np.arange(count)
    data: dict[str, Any] = dict.fromkeys(c.name for c in OPERATORS)
    data |= {
        "name": list(names),
        "calls": [3] * count,
        "device_self_us": falling if device else None,
        "device_total_us": 2 * falling if device else None,
        "host_self_us": np.roll(falling, count // 2),
        "host_total_us": np.linspace(1, 2, count) * scale * 1e4,
    }
    return make_table(only(OPERATORS, "input_shapes", "call_stack"), data)


def kernels(times: Sequence[float], used: Sequence[bool | None] | None = None) -> pa.Table:
    count = len(times)
    data: dict[str, Any] = dict.fromkeys(c.name for c in KERNELS)
    data |= {
        "name": [f"void at::native::kernel_{i}<float, {i}>(float*)" for i in range(count)],
        "calls": [3] * count,
        "total_us": list(times),
        "tensor_core_used": used,
    }
    keys = ("operator", "launched_by", "grid", "block", "registers", "shared_memory_bytes")
    return make_table(only(KERNELS, *keys), data)


def source(drawn: figure, name: str) -> ColumnDataSource:
    return next(r.data_source for r in drawn.renderers if r.data_source.name == name)


def columns(drawn: figure, name: str) -> dict[str, Any]:
    return dict(source(drawn, name).data)


def names_of_sources(drawn: figure) -> set[str]:
    """Return the names of the sources that have rows; a row of texts may be blank."""
    sources = (renderer.data_source for renderer in drawn.renderers)
    rows = ((one.name, one.data.get("text"), one.data) for one in sources)
    return {name for name, text, data in rows if text != [""] and any(map(len, data.values()))}


def texts(drawn: figure, name: str = "labels") -> list[str]:
    return list(columns(drawn, name)["text"])


def payload(drawn: figure) -> str:
    return json.dumps(json_item(drawn))


class Box(NamedTuple):
    """A text on the screen, in pixels from the lower left corner."""

    text: str
    left: float
    right: float
    low: float
    high: float

    def overlaps(self, other: Box) -> bool:
        # Lines of text may touch: letters do not fill their line.
        return (
            self.left < other.right - 0.5
            and other.left < self.right - 0.5
            and self.low < other.high - 0.5
            and other.low < self.high - 0.5
        )


def boxes(drawn: figure) -> list[Box]:
    """Return every text of a figure with the room it takes."""
    x0, x1 = drawn.x_range.start, drawn.x_range.end
    y0, y1 = drawn.y_range.start, drawn.y_range.end
    found = []
    for name in ("labels", "totals"):
        if name not in names_of_sources(drawn):
            continue
        data = columns(drawn, name)
        rows = zip(*(data[c] for c in ("x", "y", "text", "align", "style", "size")), strict=True)
        for x, y, text, align, style, size in rows:
            pixels = float(size.removesuffix("px"))
            width = text_width(text, pixels, bold=style == "bold")
            at = (x - x0) / (x1 - x0) * drawn.width
            left = {"left": at, "center": at - width / 2, "right": at - width}[align]
            middle = (y - y0) / (y1 - y0) * drawn.height
            found.append(Box(text, left, left + width, middle - pixels / 2, middle + pixels / 2))
    return found


def assert_legible(drawn: figure) -> None:
    """Check that no text is cut by the figure's edge or stands on another."""
    with_run_and_span = boxes(drawn)
    for box in with_run_and_span:
        assert box.left >= -0.5, box
        assert box.right <= drawn.width + 0.5, box
        assert box.low >= -0.5, box
        assert box.high <= drawn.height + 0.5, box
    for i, box in enumerate(with_run_and_span):
        for other in with_run_and_span[:i]:
            assert not box.overlaps(other), (box, other)
