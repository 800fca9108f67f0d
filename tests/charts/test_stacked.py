"""Stacked bars: exact parts and legible labels; vertical for numbers, horizontal for names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from bokeh.models import HoverTool, TapTool

from nbprof.charts.bars import stacked as layouts
from nbprof.charts.bars.bars import Bars
from nbprof.charts.svg.drawing import STATIC_BAR, STATIC_HEIGHT, STATIC_WIDTH, draw_svg
from nbprof.charts.theme import PALETTES, palette
from tests.charts.support import assert_legible, columns, payload, stacked_bars, texts

if TYPE_CHECKING:
    from nbprof.charts.svg.document import Svg
    from nbprof.charts.theme import Palette

SERIES = {
    "load_us": ("DataLoader", "dataloader"),
    "forward_us": ("Forward", "slot0"),
    "nothing_us": ("Nothing at all", "slot3"),
    "other_us": ("Other <b>of</b> it", "other"),
}
NAMES = [
    "conv2d dygraph",
    "<script>alert(1)</script>",
    "cudnn_convolution_backward_weight_of_a_long_name_indeed",
    "\u6a21\u578b",
    "a",
]


def static_stacked(table: pa.Table, colors: Palette, **options: Any) -> Svg:
    size = {"width": STATIC_WIDTH, "height": STATIC_HEIGHT, "least": STATIC_BAR}
    return draw_svg(layouts.stacked_bars(table, **size, **options), colors)


def table(count: int, *, named: bool = False, scale: float = 1.0) -> pa.Table:
    random = np.random.default_rng(count)
    data = {name: scale * random.uniform(1, 1000, count) for name in SERIES}
    data["nothing_us"] = np.zeros(count)
    names = [NAMES[i % len(NAMES)] + str(i) for i in range(count)]
    data["of"] = pa.array(names, pa.utf8()) if named else np.arange(7, 7 + count)
    return pa.table(data)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("stacked", [False, True])
def test_source_holds_exact_values(named: bool, stacked: bool) -> None:
    rows = table(5, named=named)
    drawn = stacked_bars(rows, x="of", series=SERIES, stacked=stacked, unit="us", name="stages")
    assert drawn.name == "stages"
    data = columns(drawn, "stages")
    for key, name in (("s0", "load_us"), ("s1", "forward_us"), ("s3", "other_us")):
        assert list(data[key]) == rows[name].to_pylist()
    # A stacked part that is zero everywhere is there, so that a filter does not change the form.
    assert ("s2" in [renderer.name for renderer in drawn.renderers]) == stacked
    tooltip = drawn.select_one({"type": HoverTool}).tooltips
    assert SERIES["load_us"][0] in tooltip
    assert SERIES[list(SERIES)[2]][0] not in tooltip, "it has nothing to say of that part"
    lengths = np.array([rows[name] for name in SERIES])
    assert np.allclose(data["total"], lengths.sum(axis=0) if stacked else lengths.max(axis=0))
    assert list(data["name" if named else "step"]) == rows["of"].to_pylist()
    assert len(drawn.select({"type": TapTool})) == 1
    assert len(drawn.select({"type": HoverTool})) == 1


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("width", [240, 420, 632, 1000])
@pytest.mark.parametrize("count", [0, 1, 3, 9, 21])
def test_nothing_cut_nothing_overlapping(
    named: bool, stacked: bool, width: int, count: int
) -> None:
    for scale in (1e-3, 1.0, 1e6):
        rows = table(count, named=named, scale=scale)
        assert_legible(stacked_bars(rows, x="of", series=SERIES, stacked=stacked, width=width))


def test_lying_parts_stand_on_each_other_in_pixels() -> None:
    data = columns(stacked_bars(table(4, named=True), x="of", series=SERIES), "bars")
    assert list(data["s0_to"]) == list(data["s1_from"])
    assert list(data["s1_to"]) == list(data["s3_from"])
    assert np.allclose(
        (data["s1_to"][0] - data["s1_from"][0]) / (data["s0_to"][0] - data["s0_from"][0]),
        data["s1"][0] / data["s0"][0],
    )


def test_names_of_a_trace_are_not_markup() -> None:
    drawn = stacked_bars(table(3, named=True), x="of", series=SERIES)
    assert "&lt;script&gt;" in columns(drawn, "bars")["heading"][1]
    hover = drawn.select_one({"type": HoverTool})
    assert "Other &lt;b&gt;of" in str(hover.tooltips)
    svg = str(static_stacked(table(3, named=True), palette("light"), x="of", series=SERIES))
    assert "<script>" not in svg
    assert "Other &lt;b&gt;of&lt;/b&gt; it" in svg


def test_counts_and_shares_have_units_of_their_own() -> None:
    rows = table(3, named=True)
    assert "calls" in texts(stacked_bars(rows, x="of", series=SERIES, quantity="count"))
    assert "%" in texts(stacked_bars(rows, x="of", series=SERIES, quantity="share"))
    assert "ms" in texts(stacked_bars(rows, x="of", series=SERIES, unit="ms"))


def test_missing_and_negative_values_have_no_length() -> None:
    rows = pa.table({"of": ["a", None], "load_us": [None, -3.0], "forward_us": [float("nan"), 2.0]})
    bars = Bars.of(rows, "of", {"load_us": ("L", "slot1"), "forward_us": ("F", "slot2")})
    assert [one.key for one in bars.series] == ["s1"]
    assert list(bars.values["s0"]) == [0.0, 0.0]
    assert list(bars.tops) == [0.0, 2.0]
    assert bars.names == ["a", "\u2013"]


@pytest.mark.parametrize("theme", PALETTES)
def test_colours_are_names_that_every_theme_has(theme: str) -> None:
    colors = palette(theme)
    known = [*colors.categories, "slot0", "slot9", "allocated", "reserved", "remainder"]
    assert all(colors.color(token).startswith("#") for token in known)
    for token in ("slot10", "red", "slotx", ""):
        with pytest.raises(ValueError, match="no colour"):
            colors.color(token)
    assert colors.color("slot4") in payload(
        stacked_bars(table(3), x="of", series={"load_us": ("L", "slot4")}, theme=theme)
    )


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("count", [1, 5, 700])
def test_svg_has_a_path_a_part(named: bool, stacked: bool, count: int) -> None:
    svg = str(
        static_stacked(
            table(count, named=named), palette("light"), x="of", series=SERIES, stacked=stacked
        )
    )
    assert "DataLoader" in svg or count == 700
    assert "Nothing" not in svg
    assert svg.count('fill="url(#h0)"') >= 1
