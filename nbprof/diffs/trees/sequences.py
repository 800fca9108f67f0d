"""Aligns two sequences, such as the calls in two modules: which items belong together, in order.

Items have a label and a signature. Items with different labels never belong together; those with
equal signatures (the same inside, the same shapes) do so rather than others with the same label.
Equal ends are taken off first. What is left is cut at items whose signature occurs once on either
side, in the longest order that both sides share ("patience"). Short pieces between them are aligned
optimally; in long ones, the k-th item with a label belongs to the k-th on the other side. So the
time is n log n for n items.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final, NamedTuple

#: Pieces with at most this many pairs of items are aligned optimally.
MOST_PAIRS: Final = 40_000

#: Points for a pair with equal labels, and for one with equal signatures.
_LABEL, _SIGNATURE = 4, 5


class Item(NamedTuple):
    """An item of a sequence; both numbers can be compared between sides."""

    label: int
    signature: int


def align(first: list[Item], second: list[Item]) -> list[tuple[int, int]]:
    """Return which items belong together: pairs of places, ascending on both sides."""
    pairs: list[tuple[int, int]] = []
    waiting = [(0, len(first), 0, len(second))]
    while waiting:
        low, high, left, right = waiting.pop()
        while low < high and left < right and first[low] == second[left]:
            pairs.append((low, left))
            low, left = low + 1, left + 1
        while low < high and left < right and first[high - 1] == second[right - 1]:
            high, right = high - 1, right - 1
            pairs.append((high, right))
        if low == high or left == right:
            continue
        if (high - low) * (right - left) <= MOST_PAIRS:
            pairs += _optimal(first, second, (low, high, left, right))
            continue
        anchors = _anchors(first[low:high], second[left:right])
        if not anchors:
            pairs += _by_occurrence(first, second, (low, high, left, right))
            continue
        at, beside = low, left
        for one, other in anchors:
            waiting.append((at, low + one, beside, left + other))
            pairs.append((low + one, left + other))
            at, beside = low + one + 1, left + other + 1
        waiting.append((at, high, beside, right))
    return sorted(pairs)


def _anchors(first: list[Item], second: list[Item]) -> list[tuple[int, int]]:
    """Return pairs of items that occur once on either side, in the longest common order."""
    here, there = Counter(first), Counter(second)
    place = {item: at for at, item in enumerate(second) if there[item] == 1}
    found = [
        (at, place[item]) for at, item in enumerate(first) if here[item] == 1 and item in place
    ]
    return _longest_increasing(found)


def _by_occurrence(
    first: list[Item], second: list[Item], piece: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Pair the k-th item of each label with the k-th on the other side, in a common order."""
    low, high, left, right = piece
    seen: Counter[int] = Counter()
    place = {}
    for at in range(left, right):
        label = second[at].label
        place[label, seen[label]] = at
        seen[label] += 1
    seen.clear()
    found = []
    for at in range(low, high):
        key = first[at].label, seen[first[at].label]
        seen[first[at].label] += 1
        if key in place:
            found.append((at, place[key]))
    return _longest_increasing(found)


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs whose second places increase, too."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, other) in enumerate(pairs):
        length = bisect_left(tails, other)
        before.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(other)
            ends.append(at)
        else:
            tails[length], ends[length] = other, at
    chain = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _optimal(
    first: list[Item], second: list[Item], piece: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Return the pairs with most points (Needleman and Wunsch, without a penalty for gaps)."""
    low, high, left, right = piece
    width = right - left
    rows = [[0] * (width + 1)]
    for at in range(high - 1, low - 1, -1):
        one, below = first[at], rows[-1]
        row = [0] * (width + 1)
        for beside in range(width - 1, -1, -1):
            best = max(below[beside], row[beside + 1])
            other = second[left + beside]
            if one.label == other.label:
                points = _SIGNATURE if one.signature == other.signature else _LABEL
                best = max(best, below[beside + 1] + points)
            row[beside] = best
        rows.append(row)
    rows.reverse()
    pairs = []
    at, beside = low, 0
    while at < high and beside < width:
        row, below = rows[at - low], rows[at - low + 1]
        one, other = first[at], second[left + beside]
        points = _SIGNATURE if one.signature == other.signature else _LABEL
        if one.label == other.label and row[beside] == below[beside + 1] + points:
            pairs.append((at, left + beside))
            at, beside = at + 1, beside + 1
        elif row[beside] == below[beside]:
            at += 1
        else:
            beside += 1
    return pairs
