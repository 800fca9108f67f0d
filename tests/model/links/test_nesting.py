"""Nesting compared with a plain loop that walks back row by row."""

from __future__ import annotations

import random  # noqa: TC003 - hypothesis resolves the annotation
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.links import nesting
from nbprof.model.links.host_nesting import nest
from nbprof.model.links.nesting import depths, nearest_ancestor

slices = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 14), st.integers(0, 9)), max_size=25)


def sorted_arrays(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = sorted(((t, s, s + d) for t, s, d in rows), key=lambda r: (r[0], r[1], -r[2]))
    table = np.array(rows, np.int64).reshape(-1, 3)
    return table[:, 0].astype(np.int32), table[:, 1].copy(), table[:, 2].copy()


def plain_parents(thread: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[list, int]:
    parents, overlaps = [], 0
    for i in range(len(start)):
        parent, overlapping = -1, False
        for j in range(i - 1, -1, -1):
            if thread[j] != thread[i]:
                break
            if end[j] <= start[i]:
                continue
            if end[j] >= end[i]:
                parent = j
                break
            overlapping = True
        parents.append(parent)
        overlaps += overlapping
    return parents, overlaps


@pytest.mark.parametrize("few", [0, nesting._FEW, 100])
@given(slices)
def test_parents_equal_the_plain_walk(few: int, rows: list[tuple[int, int, int]]) -> None:
    thread, start, end = sorted_arrays(rows)
    expected, overlaps = plain_parents(thread, start, end)
    with mock.patch.object(nesting, "_FEW", few):
        found = nest(thread, start, end)
    assert found.parent.tolist() == expected
    assert found.overlaps == overlaps
    assert (found.first_overlap >= 0) == (overlaps > 0)


@given(slices, st.randoms())
def test_depth_and_nearest_ancestor(rows: list[tuple[int, int, int]], dice: random.Random) -> None:
    found = nest(*sorted_arrays(rows))
    wanted = np.array([dice.random() < 0.5 for _ in rows], bool)
    near = nearest_ancestor(found.parent, wanted)
    depth = depths(found.parent)
    for row, parent in enumerate(found.parent):
        assert depth[row] == (depth[parent] + 1 if parent >= 0 else 0)
        above = parent
        while above >= 0 and not wanted[above]:
            above = found.parent[above]
        assert near[row] == above


def test_a_slice_that_sticks_out_belongs_to_the_deepest_that_holds_it() -> None:
    thread = np.zeros(4, np.int32)
    start = np.array([0, 10, 15, 16], np.int64)
    end = np.array([100, 20, 30, 18], np.int64)
    found = nest(thread, start, end)
    assert found.parent.tolist() == [-1, 0, 0, 2]
    assert (found.overlaps, found.first_overlap) == (1, 2)


def test_ten_thousand_levels_need_no_recursion() -> None:
    count = 10_000
    start = np.arange(count, dtype=np.int64)
    end = np.arange(2 * count, count, -1, dtype=np.int64)
    found = nest(np.zeros(count, np.int32), start, end)
    assert found.depth.tolist() == list(range(count))
