"""The longest rows in windows equal those found by trying all pairs of rows and windows."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.devices import busiest
from nbprof.analysis.devices.busiest import Parts, longest_inside


def nested(draw: st.DrawFn, low: int, high: int, depth: int) -> list[tuple[int, int]]:
    """Draw slices inside a range, some of them inside others."""
    found = []
    while low < high and draw(st.booleans()):
        start = draw(st.integers(low, high - 1))
        end = draw(st.integers(start + 1, high))
        found.append((start, end))
        if depth:
            found += nested(draw, start, end, depth - 1)
        low = end
    return found


@st.composite
def slices(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Draw slices, most of them nested."""
    others = st.tuples(st.integers(0, 39), st.integers(1, 9)).map(lambda s: (s[0], s[0] + s[1]))
    return nested(draw, 0, 40, 4) + draw(st.lists(others, max_size=3))


def parts_of(drawn: list[tuple[int, int]]) -> tuple[np.ndarray, ...]:
    """Return the self times of slices: what is inside of a later one is that one's."""
    owner = np.full(60, -1)
    rows: list[tuple[int, int, int]] = []
    for row, (start, end) in sorted(enumerate(drawn), key=lambda s: (s[1][0], -s[1][1])):
        owner[start:end] = row
    for at in range(60):
        if owner[at] >= 0:
            if rows and rows[-1][0] == owner[at] and rows[-1][2] == at:
                rows[-1] = (*rows[-1][:2], at + 1)
            else:
                rows.append((int(owner[at]), at, at + 1))
    return tuple(np.array([one[i] for one in rows], np.int64) for i in range(3))


def best(found: tuple[np.ndarray, ...], first: np.ndarray) -> dict[int, tuple[int, int]]:
    """Return the longest row of each window and its time."""
    least: dict[int, tuple[int, int, int]] = {}
    for window, row, time in zip(*(part.tolist() for part in found), strict=True):
        key = (-time, int(first[row]), row)
        least[window] = min(least.get(window, key), key)
    return {window: (key[2], -key[0]) for window, key in least.items()}


def plain(
    row: np.ndarray, start: np.ndarray, end: np.ndarray, windows: list[tuple[int, int]]
) -> tuple[np.ndarray, ...]:
    """Return every window and row that overlap and for how long, by a loop over both."""
    time: dict[tuple[int, int], int] = {}
    for window, (low, high) in enumerate(windows):
        for one, begin, stop in zip(row.tolist(), start.tolist(), end.tolist(), strict=True):
            if min(stop, high) > max(begin, low):
                key = window, one
                time[key] = time.get(key, 0) + min(stop, high) - max(begin, low)
    return tuple(
        np.array(column, np.int64)
        for column in ([k[0] for k in time], [k[1] for k in time], list(time.values()))
    )


WINDOWS = st.lists(
    st.tuples(st.integers(-5, 45), st.integers(1, 50)).map(lambda w: (w[0], w[0] + w[1])),
    min_size=1,
)


@given(slices(), WINDOWS, st.booleans())
def test_as_of_all_pairs(drawn: list[tuple[int, int]], windows: list, whole: bool) -> None:
    """Rows nested, disjoint, crossing and overlapping."""
    if whole:  # every slice is one part, which overlaps those inside of it
        parts = sorted((start, end, row) for row, (start, end) in enumerate(drawn))
        row, start, end = (np.array([p[i] for p in parts], np.int64) for i in (2, 0, 1))
    else:
        row, start, end = parts_of(drawn)
    low, high = np.array(windows, np.int64).T
    first = np.arange(len(drawn)) % 3
    slow = plain(row, start, end, windows)
    for pairs in (10**9, -1):
        with patch.object(busiest, "PAIRS", pairs):
            found = longest_inside(Parts.of(row, start, end), low, high, first)
        assert len(set(zip(*(part.tolist() for part in found[:2]), strict=True))) == len(found[0])
        assert best(found, first) == best(slow, first)


def test_pairs_do_not_multiply() -> None:
    """Of flat rows, each window meets its ends and the longest in between."""
    count = 2000
    start = np.arange(count) * 10
    low = np.arange(count)
    row, first = np.arange(count), np.zeros(count, np.int64)
    found = longest_inside(Parts.of(row, start, start + 5), low, low + 10 * count, first)
    assert len(found[0]) <= 3 * count


def test_two_parts_of_a_row_alone_in_a_window_add_up() -> None:
    parts = np.array([0, 0]), np.array([0, 4]), np.array([2, 6])
    found = longest_inside(Parts.of(*parts), np.array([0]), np.array([10]), np.array([0]))
    assert [column.tolist() for column in found] == [[0], [0], [4]]
