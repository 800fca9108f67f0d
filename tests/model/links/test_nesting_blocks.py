"""Nesting computed in blocks of rows equals nesting of all rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.links import nesting
from nbprof.model.links.host_nesting import nest

if TYPE_CHECKING:
    from random import Random

SLICES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(0, 12)))


@given(SLICES, st.integers(1, 9), st.integers(0, 2**20))
def test_blocks_change_nothing(drawn: list[tuple[int, int, int]], block: int, bits: int) -> None:
    """Slices may cross each other, be empty, and start and end at once."""
    drawn.sort(key=lambda s: (s[0], s[1], -s[2]))
    thread = np.array([s[0] for s in drawn], np.int32)
    start = np.array([s[1] for s in drawn], np.int64)
    end = start + np.array([s[2] for s in drawn], np.int64)
    is_frame = np.array([bits >> i % 20 & 1 for i in range(len(drawn))], bool)
    whole = nest(thread, start, end, is_frame)
    wanted = np.arange(len(drawn)) % 3 == 0
    above = nesting.nearest_ancestor(whole.parent, wanted)
    with patch.multiple(nesting, BLOCK=block, _PIECE=3):
        parts = nest(thread, start, end, is_frame)
        assert nesting.nearest_ancestor(whole.parent, wanted).tolist() == above.tolist()
    for name in ("parent", "depth", "end"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist(), name
    for name in ("overlaps", "range_overlaps", "first_overlap", "unclosed", "first_unclosed"):
        assert getattr(parts, name) == getattr(whole, name), name


@given(st.lists(st.integers(0, 50), min_size=1), st.integers(1, 9), st.randoms())
def test_parents_behind_their_children(drawn: list[int], block: int, mixed: Random) -> None:
    """Rows need not be sorted as they are nested."""
    count = len(drawn)
    place = list(range(count))
    mixed.shuffle(place)
    parent = np.full(count, -1, np.int64)
    for row, of in enumerate(drawn):
        if of < row:
            parent[place[row]] = place[of]
    wanted = np.arange(count) % 2 == 0
    depth, above = nesting.depths(parent), nesting.nearest_ancestor(parent, wanted)
    with patch.multiple(nesting, BLOCK=block, _PIECE=3):
        assert nesting.depths(parent).tolist() == depth.tolist()
        assert nesting.nearest_ancestor(parent, wanted).tolist() == above.tolist()


def test_blocks_are_as_large_as_said() -> None:
    """Slices that lie side by side are cut anywhere, those inside of one slice nowhere."""
    count = 10 * nesting.BLOCK
    start = np.arange(count, dtype=np.int64) * 2
    thread = np.zeros(count, np.int32)
    for end, least in ((start + 1, 9), (np.append(2 * count, start[1:] + 1), 1)):
        parent = nesting.parents(thread, start, end)
        for cuts in (
            nesting._block_starts(thread, start, end),
            nesting._tree_starts(parent),
        ):
            assert len(nesting._blocks(count, lambda c=cuts: c)) >= least
            assert sum(b.stop - b.start for b in nesting._blocks(count, lambda c=cuts: c)) == count


def test_a_slice_that_crosses_a_deep_stack_crosses_every_level() -> None:
    levels = nesting.BLOCK + 100
    start = np.arange(levels + 1)
    end = np.append(3 * levels - np.arange(levels), 4 * levels)
    parent = np.arange(-1, levels, dtype=np.int64)
    pairs = list(nesting.crossings(np.zeros(levels + 1, np.int32), start, end, parent))
    rows, others = (np.concatenate(column) for column in zip(*pairs, strict=True))
    assert set(rows.tolist()) == {levels}
    assert others.tolist() == list(range(levels - 1, -1, -1))  # the innermost first
    assert parent.tolist() == [*range(-1, levels - 1), -1]
