"""Bars of overlapping times: exact values and percentages of a given whole; nothing is added up."""

from __future__ import annotations

import math

import pytest
from bokeh.models import HoverTool, TapTool
from hypothesis import given, settings
from hypothesis import strategies as st

from nbprof.charts.bars.nested import MOST_BARS
from nbprof.charts.theme import PALETTES
from nbprof.model.names.short_names import color_slots
from tests.charts.support import (
    OPERATOR_NAMES,
    WIDTHS,
    assert_legible,
    columns,
    names_of_sources,
    nested_bars,
    payload,
    texts,
)
from tests.support.examples import examples

TITLE = "Device total time, % of the self time of all operators"


@settings(max_examples=examples(40))
@given(
    st.lists(st.tuples(st.sampled_from("abcdefghij"), st.floats(0, 1e7)), max_size=30),
    st.floats(1, 1e7),
    st.sampled_from([1, 7, None]),
)
def test_bars_are_the_largest_sums_by_name(
    rows: list[tuple[str, float]], whole: float, top: int | None
) -> None:
    names, values = [name for name, _ in rows], [value for _, value in rows]
    drawn = nested_bars(names, values, whole=whole, title=TITLE, top=top)
    sums = {one: sum(v for n, v in rows if n == one) for one in set(names)}
    expected = sorted((s for s in sums.values() if s > 0), reverse=True)[:top]
    if not expected:
        assert "slices" not in names_of_sources(drawn)
        assert "Nothing to show" in texts(drawn)
        return
    data = columns(drawn, "slices")
    assert data["value"] == expected
    assert [sums[name] for name in data["name"]] == expected
    assert data["pct"] == pytest.approx([100 * value / whole for value in expected])
    assert "" not in data["name"], "no bar adds up the others"


def test_lengths_are_in_proportion_and_start_at_zero() -> None:
    drawn = nested_bars(["a", "b"], [400.0, 100.0], whole=250.0, title=TITLE, unit="us")
    data = columns(drawn, "slices")
    long, short = (to - start for start, to in zip(data["from"], data["to"], strict=True))
    assert long == pytest.approx(4 * short)
    written = texts(drawn)
    assert {"160.0 %", "40.0 %", "0", "400", "µs"} <= set(written)
    data = columns(drawn, "slices")
    assert data["value_text"] == ["400 µs", "100 µs"]
    assert data["pct_text"] == ["160.0 %", "40.0 %"]


def test_the_title_says_what_the_percentages_are_of_and_how_many_are_left_out() -> None:
    values = [1000.0 - i for i in range(60)]
    names = [f"n{i}" for i in range(60)]
    few = texts(nested_bars(names, values, whole=1e4, title=TITLE, width=300))
    assert few[:2] == [
        "Device total time: 7 of 60 names",
        "% of the self time of all operators",
    ]
    many = nested_bars(names, values, whole=1e4, title=TITLE, top=None)
    assert len(columns(many, "slices")["name"]) == MOST_BARS
    assert texts(many)[0] == f"Device total time: {MOST_BARS} of 60 names"
    assert texts(nested_bars(["a"], [1.0], whole=1.0, title=TITLE))[0] == "Device total time"


def test_without_a_whole_there_are_no_percentages() -> None:
    drawn = nested_bars(["a"], [5.0], whole=0.0, title=TITLE)
    assert columns(drawn, "slices")["pct"] == [None]
    assert "\u2013 %" in texts(drawn)
    payload(drawn)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("top", [7, None])
@pytest.mark.parametrize("count", [0, 1, 2, 8, 76])
@pytest.mark.parametrize("whole", [1e-3, 1e3, 1e9])
def test_nothing_cut_nothing_overlapping(
    width: int, top: int | None, count: int, whole: float
) -> None:
    names = [f"{OPERATOR_NAMES[i % len(OPERATOR_NAMES)]}_{i}" for i in range(count)]
    for values in (
        [1e5 * 0.8**i for i in range(count)],
        [1e6 if i == 0 else 1.0 for i in range(count)],
    ):
        drawn = nested_bars(names, values, whole=whole, title=TITLE, width=width, top=top)
        assert drawn.width == width
        assert_legible(drawn)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_are_those_of_the_names(theme: str) -> None:
    slot_of = color_slots(["b", "a", "c"])
    drawn = nested_bars(
        ["a", "b"], [2.0, 1.0], whole=3.0, title=TITLE, theme=theme, slot_of=slot_of
    )
    assert columns(drawn, "slices")["color"] == [PALETTES[theme].slots[slot_of(n)] for n in "ab"]


def test_a_row_can_be_pointed_at_and_clicked() -> None:
    drawn = nested_bars(["<b>a", "b", "a"], [2.0, math.nan, None], whole=3.0, title=TITLE)
    rows = next(r for r in drawn.renderers if r.name == "rows")
    assert drawn.select_one(TapTool).renderers == [rows]
    assert rows.data_source.name == "slices"
    hover = drawn.select_one(HoverTool)
    assert hover.renderers == [rows]
    for part in ("@value_text", "@pct_text", "@heading{safe}"):
        assert part in hover.tooltips
    assert columns(drawn, "slices")["heading"] == ["&lt;b&gt;a"]
