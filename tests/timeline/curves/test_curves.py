"""Pixel columns of a curve compared with a walk over every nanosecond."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.timeline.curves.step_functions import add_up, without_repeats
from nbprof.timeline.curves.track import Track, reduce
from tests.support.work import calls


def _track(points: list[tuple[int, float]]) -> Track:
    times = np.array([t for t, _ in points], np.int64)
    values = np.array([v for _, v in points], np.float64)
    return Track("k", "g", "l", "", "", 0.0, 1.0, None, None, times, values)


points = st.lists(st.tuples(st.integers(-20, 120), st.integers(-5, 5).map(float)), max_size=40).map(
    lambda rows: sorted(rows, key=lambda row: row[0])
)


@given(points, st.integers(-30, 120), st.integers(0, 90), st.integers(1, 40))
def test_columns_equal_a_walk(
    rows: list[tuple[int, float]], start: int, span: int, width: int
) -> None:
    found = reduce(_track(rows), start, start + span, width)
    columns = min(width, span)
    expected = []
    for i in range(columns):
        left = start + i * span // columns
        right = start + (i + 1) * span // columns
        inside = [(t, v) for t, v in rows if left <= t < right]
        before = [v for t, v in rows if t <= left]
        if not inside and not (i == 0 and before):
            continue
        begin = left if before else inside[0][0]
        first = before[-1] if before else inside[0][1]
        passed = [first, *(v for _, v in inside)]
        last = inside[-1][1] if inside else first
        expected.append((begin, first, last, min(passed), max(passed)))
    if not before_or_inside(rows, start, span):
        assert expected == []
    assert list(zip(*(part.tolist() for part in found), strict=True)) == expected


def before_or_inside(rows: list[tuple[int, float]], start: int, span: int) -> bool:
    return any(t < start + span for t, _ in rows)


def test_a_value_carries_in_where_a_curve_starts_inside_its_column() -> None:
    track = _track([(5, 3.0), (7, 1.0)])
    (column,) = zip(*reduce(track, 0, 100, 1), strict=True)
    assert [float(x) for x in column] == [5, 3, 1, 1, 3]


def test_times_far_from_zero_stay_exact() -> None:
    base = 10**18
    track = _track([(base, 1.0), (base + 3, 2.0)])
    found = reduce(track, base, base + 10**12, 10**6)
    assert found.time.tolist() == [base]
    assert found.last.tolist() == [2.0]
    late = reduce(track, 0, 4 * 10**18, 4000)
    assert late.time.tolist() == [base]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 3).map(float)), max_size=20))
def test_adding_up_equals_a_walk(changes: list[tuple[int, float]]) -> None:
    times, values = add_up(
        np.array([t for t, _ in changes], np.int64), np.array([c for _, c in changes], np.float64)
    )
    held = 0.0
    seen: list[tuple[int, float]] = []
    for t in range(10):
        now = sum(c for at, c in changes if at <= t)
        if any(at == t for at, _ in changes) and (now != held or not seen):
            seen.append((t, now))
            held = now
    assert list(zip(times.tolist(), values.tolist(), strict=True)) == seen


def test_repeats_are_left_out() -> None:
    times, values = without_repeats(np.arange(5), np.array([1.0, 1.0, 2.0, 2.0, 1.0]))
    assert times.tolist() == [0, 2, 4]
    assert values.tolist() == [1.0, 2.0, 1.0]


def test_long_curves_take_no_more_calls_than_short_ones() -> None:
    rng = np.random.default_rng(1)

    def reduction(count: int) -> int:
        times = np.sort(rng.integers(0, 10**10, count))
        track = Track(**{**vars(_track([])), "times": times, "values": rng.random(count)})
        return calls(lambda: reduce(track, 0, 10**10, 2000))

    assert reduction(20_000) == reduction(200_000)
