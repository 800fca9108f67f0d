"""Donuts: exact values, a full turn, labels beside their slices."""

from __future__ import annotations

import itertools
import math

import pytest
from bokeh.models import HoverTool, TapTool
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nbprof.charts.theme import PALETTES
from nbprof.model.names.short_names import color_slots
from tests.charts.support import (
    OPERATOR_NAMES,
    WIDTHS,
    assert_legible,
    columns,
    donut,
    names_of_sources,
    payload,
    texts,
)
from tests.support.examples import examples

HOSTILE = "<img src=x onerror=alert(1)>&\"'" + "ns::very_long<abc, def>, " * 20


def falling(count: int) -> list[float]:
    return [1e5 * 0.8**i for i in range(count)]


def test_source_holds_exact_values_of_the_whole() -> None:
    values = falling(20)
    slices = columns(donut([f"n{i}" for i in range(20)], values), "slices")
    assert slices["name"] == [*(f"n{i}" for i in range(7)), ""]
    assert slices["value"][:7] == values[:7]
    assert slices["value"][7] == math.fsum(values[7:])
    whole = math.fsum(values)
    assert slices["pct"] == pytest.approx([100 * v / whole for v in slices["value"]])
    assert sum(a - b for a, b in zip(slices["start"], slices["end"], strict=True)) == pytest.approx(
        2 * math.pi
    )
    assert slices["color"][7] == PALETTES["light"].remainder


def test_labels_say_share_and_name() -> None:
    drawn = donut(["aten::mm", "aten::add", "c"], [750_000.0, 249_900.0, 100.0], width=632)
    assert {"75.0 %", "mm", "25.0 %", "add", "<0.1 %", "c"} <= set(texts(drawn))
    assert {"1,000.0", "ms"} <= set(texts(drawn))


def test_labels_stand_on_the_side_of_their_slices() -> None:
    drawn = donut(["right", "left"], [60.0, 40.0], width=632)
    at = dict(zip(texts(drawn), columns(drawn, "labels")["x"], strict=True))
    assert at["right"] > 316 > at["left"]
    alone = donut(["alone"], [60.0], width=632)
    leader = columns(alone, "leaders")
    assert leader["ys"][0] == pytest.approx([66.0] * 3)  # at three o'clock, not at six


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("top", [7, None])
@pytest.mark.parametrize("count", [1, 2, 8, 76, 1000])
def test_nothing_cut_nothing_overlapping(width: int, top: int | None, count: int) -> None:
    names = [f"{OPERATOR_NAMES[i % len(OPERATOR_NAMES)]}_{i}" for i in range(count)]
    for values in (falling(count), [1.0] * count, [1e6 if i == 0 else 1.0 for i in range(count)]):
        drawn = donut(names, values, title="Host self time", width=width, top=top)
        assert_legible(drawn)


@example([1.0, 1.0, 1.0, 39918.0, 1.0, 359209.0], 300)  # slivers must not push out a tenth
@settings(max_examples=examples(30))
@given(st.lists(st.floats(1, 1e7), min_size=1, max_size=30), st.sampled_from(WIDTHS))
def test_any_values_are_legible(values: list[float], width: int) -> None:
    drawn = donut([f"operator_{i}" for i in range(len(values))], values, width=width)
    assert_legible(drawn)
    shares = [t for t in texts(drawn) if t.endswith(" %")]
    assert 1 <= len(shares) <= min(len(values), 8)
    # What is left out is small: the remainder and every large slice carry their share.
    slices = columns(drawn, "slices")
    for pct, written in zip(slices["pct"], slices["pct_text"], strict=True):
        assert pct < 10 or written in shares


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [3, 8, 40, 300])
def test_leader_lines_stay_off_the_ring(width: int, count: int) -> None:
    drawn = donut([f"n{i}" for i in range(count)], [1.0 + i % 3 for i in range(count)], width=width)
    ring = next(r.glyph for r in drawn.renderers if r.name == "slices")
    for xs, ys in zip(*(columns(drawn, "leaders")[c] for c in ("xs", "ys")), strict=True):
        points = list(zip(xs, ys, strict=True))
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            for part in range(11):
                x, y = x0 + (x1 - x0) * part / 10, y0 + (y1 - y0) * part / 10
                assert math.hypot(x - ring.x, y - ring.y) >= ring.outer_radius - 2.1


def test_slots_are_taken_from_outside() -> None:
    order = [f"aten::op{i}" for i in range(30)]
    slot_of = color_slots(order)
    everything = columns(donut(order, falling(30), slot_of=slot_of), "slices")
    few = columns(donut(order[3:6], [1.0, 3.0, 2.0], slot_of=slot_of), "slices")
    before = dict(zip(everything["name"], everything["color"], strict=True))
    for name, color in zip(few["name"], few["color"], strict=True):
        assert color == before[name]


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [None, None], [math.nan, -1.0]])
def test_nothing_to_show_is_an_empty_ring(values: list[float | None]) -> None:
    drawn = donut([str(i) for i in range(len(values))], values, title="Host self time")
    assert "slices" not in names_of_sources(drawn)
    assert texts(drawn) == ["Host self time", "0.0", "ms"]
    payload(drawn)


def test_names_from_traces_stay_text() -> None:
    drawn = donut([HOSTILE, "b"], [2.0, 1.0])
    slices = columns(drawn, "slices")
    assert slices["name"][0] == HOSTILE
    assert "<" not in slices["heading"][0]
    assert "&lt;img src=x onerror=alert(1)&gt;&amp;" in slices["heading"][0]
    hover = drawn.select_one(HoverTool)
    assert hover.tooltips.count("{safe}") == 1
    assert "@heading{safe}" in hover.tooltips


def test_unit_is_shown_once_and_can_be_chosen() -> None:
    assert {"604.1", "ms"} <= set(texts(donut(["a"], [604_100.0])))
    assert {"604,100", "µs"} <= set(texts(donut(["a"], [604_100.0], unit="us")))
    chosen = columns(donut(["a", "b"], [604_100.0, 100.0], unit="ms"), "slices")
    assert chosen["value_text"] == ["604.1 ms", "0.1 ms"]
    auto = columns(donut(["a", "b"], [604_100.0, 100.0]), "slices")
    assert auto["value_text"] == ["604.1 ms", "100 µs"]


def test_slices_can_be_clicked() -> None:
    drawn = donut(["a", "b"], [2.0, 1.0])
    wedges = next(r for r in drawn.renderers if r.name == "slices")
    assert drawn.select_one(TapTool).renderers == [wedges]


def test_long_titles_lose_their_explanation_first() -> None:
    title = "Device total time (a call counts in each of its parents)"
    assert title in texts(donut(["a"], [1.0], title=title, width=476))
    assert "Device total time" in texts(donut(["a"], [1.0], title=title, width=200))


def test_large_tables_stay_small() -> None:
    names = [f"void at::native::kernel<{'Functor, ' * 30}{i}>(int)" for i in range(5000)]
    drawn = donut(names, [1.0 + i for i in range(5000)], top=None)
    assert len(payload(drawn)) < 1_000_000
