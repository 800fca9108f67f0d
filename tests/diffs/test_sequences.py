"""The alignment of two sequences: one change shifts nothing else, in short and in long ones."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.diffs.trees import sequences
from nbprof.diffs.trees.sequences import Item, align

if TYPE_CHECKING:
    from types import FrameType

letters = st.text("abcd", max_size=9)


def items(text: str) -> list[Item]:
    """Return an item for each letter: the label ignores its case, the signature does not."""
    return [Item(ord(letter.lower()), ord(letter)) for letter in text]


def most_pairs(first: str, second: str) -> int:
    """Return the length of the longest common subsequence, by recursion on prefixes."""
    row = [0] * (len(second) + 1)
    for one in first:
        new = [0]
        for at, other in enumerate(second):
            new.append(row[at] + 1 if one == other else max(new[-1], row[at + 1]))
        row = new
    return row[-1]


@given(letters, letters)
def test_short_sequences_share_as_much_as_possible(first: str, second: str) -> None:
    pairs = align(items(first), items(second))
    assert all(first[a] == second[b] for a, b in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    assert len(pairs) == most_pairs(first, second)


@pytest.mark.parametrize("limit", [0, 40_000])
@given(first=letters, second=letters)
def test_pairs_keep_the_order(limit: int, first: str, second: str) -> None:
    old, sequences.MOST_PAIRS = sequences.MOST_PAIRS, limit  # type: ignore[misc]
    try:
        pairs = align(items(first), items(second))
    finally:
        sequences.MOST_PAIRS = old  # type: ignore[misc]
    assert all(first[a] == second[b] for a, b in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    if first == second:
        assert len(pairs) == len(first)


def test_of_equal_labels_equal_signatures_belong_together() -> None:
    assert align(items("aaa"), items("Baaa")) == [(0, 1), (1, 2), (2, 3)]
    assert align(items("aA"), items("aaA")) == [(0, 0), (1, 2)] or align(
        items("aA"), items("aaA")
    ) == [(0, 1), (1, 2)]
    assert (1, 2) in align(items("aAa"), items("abA"))


def lines_run(first: list[Item], second: list[Item]) -> int:
    """Return how many lines of the module run while it aligns two sequences."""
    count = 0

    def follow(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != sequences.__file__:
            return None
        count += event == "line"
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        align(first, second)
    finally:
        sys.settrace(before)
    return count


def test_long_sequences_take_n_log_n() -> None:
    def counted(count: int) -> int:
        first = [Item(at % 7, at % 11) for at in range(count)]
        second = [Item(at % 5, at % 13) for at in range(count)]
        return lines_run(first, second)

    fewer = counted(4_000)
    assert 4_000 < fewer < counted(16_000) < 5 * fewer


def test_one_insertion_into_a_long_sequence() -> None:
    first = [Item(at % 7, at % 7) for at in range(5_000)]
    second = [*first[:2_500], Item(99, 99), *first[2_500:]]
    pairs = align(first, second)
    assert pairs == [(at, at + (at >= 2_500)) for at in range(5_000)]
