"""Spacing of labels, round ticks, every nth label."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nbprof.charts.layout import label_every, round_ticks, spread
from nbprof.charts.text import fit_size, fit_text, text_width
from tests.support.examples import examples

positions = st.lists(st.floats(0, 100, allow_nan=False), max_size=12).map(sorted)


@given(positions)
def test_spread_keeps_order_distance_and_bounds(wanted: list[float]) -> None:
    places = spread(wanted, 14, -20, 180)
    assert len(places) == len(wanted)
    assert all(b - a >= 14 - 1e-9 for a, b in itertools.pairwise(places))
    assert all(-20 - 1e-9 <= p <= 180 + 1e-9 for p in places)


@given(positions)
def test_spread_leaves_alone_what_has_room(wanted: list[float]) -> None:
    apart = [p + 20 * i for i, p in enumerate(wanted)]
    assert spread(apart, 14, -1, 1000) == pytest.approx(apart)


@settings(max_examples=examples(40))
@given(st.lists(st.integers(0, 12), min_size=2, max_size=4).map(sorted))
def test_spread_moves_as_little_as_possible(wanted: list[int]) -> None:
    places = spread([float(w) for w in wanted], 3, 0, 20)
    cost = sum((a - b) ** 2 for a, b in zip(wanted, places, strict=True))
    for other in itertools.combinations(range(21), len(wanted)):
        if all(b - a >= 3 for a, b in itertools.pairwise(other)):
            assert cost <= sum((a - b) ** 2 for a, b in zip(wanted, other, strict=True)) + 1e-9


def test_spread_without_room_shrinks_the_distance() -> None:
    assert spread([5.0, 5.0, 5.0], 10, 0, 10) == pytest.approx([0, 5, 10])
    assert spread([], 10, 0, 10) == []
    assert spread([99.0], 10, 0, 10) == [10]


@example(1000000.00030454)  # more than 4 steps of 250,000, not more than 2 of 500,000
@given(st.floats(1e-6, 1e9, allow_nan=False))
def test_ticks_are_few_and_round(maximum: float) -> None:
    ticks = round_ticks(maximum)
    assert ticks[0] == 0
    assert len(ticks) in (4, 5)
    step = ticks[1]
    mantissa = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(mantissa - m) for m in (1, 2, 2.5, 5, 10)) < 1e-6
    assert ticks == pytest.approx([step * i for i in range(len(ticks))])
    # Either the last tick is close over the maximum, or the next would be far over it.
    assert ticks[-1] >= maximum * (1 - 1e-9) or ticks[-1] + step > maximum * (1 - 1e-9)
    assert ticks[-1] <= 1.5 * maximum


def test_ticks_of_known_maxima() -> None:
    assert round_ticks(187.9) == [0, 50, 100, 150, 200]
    assert round_ticks(206) == [0, 50, 100, 150, 200]  # 0 to 300 would leave a third empty
    assert round_ticks(0) == [0, 0.25, 0.5, 0.75, 1]


@pytest.mark.parametrize(
    ("count", "room", "width", "expected"),
    [(6, 80, 20, 1), (30, 16, 30, 2), (100, 5, 30, 10), (1000, 0.5, 40, 100), (3, 1, 50, 5)],
)
def test_label_every(count: int, room: float, width: float, expected: int) -> None:
    assert label_every(count, room, width) == expected


@given(st.text(max_size=60), st.floats(60, 300))
def test_fitted_texts_fit(text: str, room: float) -> None:
    assert text_width(fit_text(text, room)) <= room


def test_fit_text_keeps_what_has_room() -> None:
    assert fit_text("conv2d", 100) == "conv2d"
    assert fit_text("x" * 50, 1e6) == fit_text("x" * 50, 1e6, most=40) != "x" * 50
    assert fit_text("x" * 50, 1e6, most=50) == "x" * 50


def test_bold_is_wider_and_wide_scripts_are_counted() -> None:
    assert text_width("23.6 %", bold=True) > text_width("23.6 %")
    assert text_width("\u6a21", 10) >= 10
    assert text_width("", 10) == 0


def test_fit_size_shrinks_to_a_floor() -> None:
    assert fit_size("12", 100, 13) == 13
    shrunk = fit_size("1,234,567.8", 70, 13, bold=True)
    assert 8 < shrunk < 13
    assert text_width("1,234,567.8", shrunk, bold=True) <= 70 + 1e-9
    assert fit_size("1" * 99, 50, 13) == 8
