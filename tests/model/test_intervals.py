"""Interval arithmetic compared with sets of nanoseconds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model import intervals

pairs = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 8)), max_size=12)


def arrays(spans: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.array([start for start, _ in spans], np.int64)
    return starts, starts + np.array([length for _, length in spans], np.int64)


def points(starts: np.ndarray, ends: np.ndarray) -> set[int]:
    return {t for start, end in zip(starts, ends, strict=True) for t in range(start, end)}


def assert_canonical(found: intervals.IntervalSet) -> None:
    starts, ends = found
    assert (ends > starts).all()
    assert (starts[1:] > ends[:-1]).all(), "sorted, disjoint and not touching"


@given(pairs)
def test_union_covers_the_same_points(spans: list[tuple[int, int]]) -> None:
    found = intervals.union(*arrays(spans))
    assert_canonical(found)
    assert points(*found) == points(*arrays(spans))
    assert intervals.measure(found) == len(points(*arrays(spans)))


@given(pairs, pairs)
def test_intersect_and_subtract(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    a, b = intervals.union(*arrays(left)), intervals.union(*arrays(right))
    both, only = intervals.intersect(a, b), intervals.subtract(a, b)
    assert_canonical(both)
    assert_canonical(only)
    assert points(*both) == points(*a) & points(*b)
    assert points(*only) == points(*a) - points(*b)


@given(pairs, pairs)
def test_measure_within_overlapping_windows(
    spans: list[tuple[int, int]], windows: list[tuple[int, int]]
) -> None:
    a, (low, high) = intervals.union(*arrays(spans)), arrays(windows)
    expected = [len(points(*a) & set(range(x, y))) for x, y in zip(low, high, strict=True)]
    assert intervals.measure_within(a, low, high).tolist() == expected


@given(pairs, st.integers(0, 40), st.integers(0, 40))
def test_clip(spans: list[tuple[int, int]], low: int, high: int) -> None:
    a = intervals.union(*arrays(spans))
    assert points(*intervals.clip(a, low, high)) == points(*a) & set(range(low, high))


def test_epoch_nanoseconds_keep_their_last_digit() -> None:
    epoch = 1_736_405_443_881_410_321
    starts = np.array([epoch, epoch + 1], np.int64)
    assert intervals.measure(intervals.union(starts, starts + 1)) == 2
