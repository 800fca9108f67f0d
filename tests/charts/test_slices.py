"""Slices: which are joined, their names and their angles."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.charts.donut.slices import MOST_SLICES, Slice, angles, join_small, merge, top_slices

sizes = st.lists(st.floats(1e-6, 1e12), min_size=1, max_size=50)


def cut(ranked: list[tuple[str, float]], top: int | None) -> list[Slice]:
    return top_slices(ranked, top, label=str.upper, color=lambda name: f"#{name}")


@given(sizes)
def test_angles_make_one_turn(values: list[float]) -> None:
    spans = angles(values)
    assert spans[0][0] == math.pi / 2
    assert spans[-1][1] == math.pi / 2 - 2 * math.pi
    assert math.fsum(a - b for a, b in spans) == pytest.approx(2 * math.pi)
    assert all(a >= b for a, b in spans)
    whole = math.fsum(values)
    for (a, b), value in zip(spans, values, strict=True):
        assert (a - b) / (2 * math.pi) == pytest.approx(value / whole, abs=1e-9)


def test_no_angles() -> None:
    assert angles([]) == []


def test_merge_adds_ranks_and_drops() -> None:
    merged = merge(["a", "b", "a", "c", "d", "e"], [1.0, 5.0, 3.0, None, 0.0, math.nan])
    assert merged == [("b", 5.0), ("a", 4.0)]
    assert merge(["z", "y"], [1.0, 1.0]) == [("y", 1.0), ("z", 1.0)]


@given(sizes, st.integers(1, 12))
def test_a_cut_always_leaves_a_remainder(values: list[float], top: int) -> None:
    ranked = merge([str(i) for i in range(len(values))], values)
    slices = cut(ranked, top)
    assert math.fsum(s.value for s in slices) == pytest.approx(math.fsum(values))
    named = [s for s in slices if s.name]
    assert len(named) == min(top, len(ranked))
    if len(ranked) > top:
        rest = slices[-1]
        others = len(ranked) - top
        assert (rest.name, rest.color) == ("", "remainder")
        assert rest.label == (f"{others} others" if others > 1 else "1 other")
    else:
        assert len(named) == len(slices)


def test_all_means_all_that_can_be_seen() -> None:
    ranked = merge([str(i) for i in range(2000)], [1.0] * 2000)
    slices = cut(ranked, None)
    assert len(slices) == MOST_SLICES + 1
    assert slices[-1].label == f"{2000 - MOST_SLICES:,} others"
    assert [s.name for s in cut(ranked[:20], None)] == [name for name, _ in ranked[:20]]


def test_join_small() -> None:
    big, small, tiny = (Slice(n, n, v, "c") for n, v in (("a", 98.1), ("b", 1.5), ("c", 0.4)))
    joined = join_small([big, small, tiny], 2)
    assert joined[0] == big
    assert joined[1] == Slice("", "2 under 2 %", pytest.approx(1.9), "remainder")
    assert join_small([big, small], 2) == [big, small]  # one alone keeps its name
    assert join_small([], 2) == []
