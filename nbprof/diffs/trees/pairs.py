"""`Pairs`: the positions of both sides that belong together, in reading order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nbprof.diffs.trees.sequences import Item, align

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.diffs.trees.positions import Positions


class Pair(NamedTuple):
    """A row of the tree of both sides.

    Attributes
    ----------
    baseline, candidate : int
        Positions, -1 where a side does not have it.
    parent : int
        Row of the parent, -1 at the top.
    depth : int
        Number of rows above.
    """

    baseline: int
    candidate: int
    parent: int
    depth: int


@dataclass(frozen=True)
class _Side:
    positions: Positions
    items: list[Item]
    inside: list[int]


def pair_up(baseline: Positions, candidate: Positions) -> list[Pair]:
    """Return the positions of both sides, those that belong together in one row, in preorder.

    Of several equally good alignments it is the same one if the sides are swapped.
    """
    if _rank(candidate) < _rank(baseline):
        pairs = _paired(candidate, baseline)
        return [Pair(two, one, parent, depth) for one, two, parent, depth in pairs]
    return _paired(baseline, candidate)


def _rank(side: Positions) -> tuple[object, ...]:
    """Return what puts two sides in an order that does not depend on which is the baseline."""
    host = side.cells.values["host_us"]
    return len(side.children), side.label, side.children, side.shapes, float(host.sum())


def _paired(baseline: Positions, candidate: Positions) -> list[Pair]:
    one, other = _signed(baseline, candidate)
    found: list[Pair] = []
    waiting = [Pair(0, 0, -1, 0)]
    while waiting:
        pair = waiting.pop()
        row = len(found)
        found.append(pair)
        below = list(_below(one, other, pair))
        waiting += [Pair(*both, row, pair.depth + 1) for both in reversed(below)]
    return found


def _below(one: _Side, other: _Side, pair: Pair) -> Iterator[tuple[int, int]]:
    """Yield the children of a row: both, or only the baseline's, or only the candidate's."""
    mine = one.positions.children[pair.baseline] if pair.baseline >= 0 else []
    theirs = other.positions.children[pair.candidate] if pair.candidate >= 0 else []
    if not mine or not theirs:
        yield from ((at, -1) for at in mine)
        yield from ((-1, at) for at in theirs)
        return
    pairs = align([one.items[at] for at in mine], [other.items[at] for at in theirs])
    low = left = 0
    for at, beside in [*pairs, (len(mine), len(theirs))]:
        yield from _renamed(one, other, mine[low:at], theirs[left:beside])
        if at < len(mine):
            yield mine[at], theirs[beside]
        low, left = at + 1, beside + 1


def _renamed(
    one: _Side, other: _Side, mine: list[int], theirs: list[int]
) -> Iterator[tuple[int, int]]:
    """Yield what is between two pairs: items with new names together, all others alone.

    If there are equally many items of the same kinds on both sides, each replaces the one in its
    place. Otherwise, items of a kind belong together if the same is inside them.
    """
    kinds = [
        [side.positions.label[at][0] for at in of] for side, of in ((one, mine), (other, theirs))
    ]
    if mine and kinds[0] == kinds[1]:
        yield from zip(mine, theirs, strict=True)
        return
    if not mine or not theirs:
        yield from ((at, -1) for at in mine)
        yield from ((-1, at) for at in theirs)
        return
    items = [
        [Item(one.inside[at], one.inside[at]) for at in mine],
        [Item(other.inside[at], other.inside[at]) for at in theirs],
    ]
    low = left = 0
    for at, beside in [*align(*items), (len(mine), len(theirs))]:
        yield from ((one_, -1) for one_ in mine[low:at])
        yield from ((-1, other_) for other_ in theirs[left:beside])
        if at < len(mine):
            yield mine[at], theirs[beside]
        low, left = at + 1, beside + 1


def _signed(*sides: Positions) -> tuple[_Side, _Side]:
    """Give labels and signatures numbers, equal ones of both sides the same.

    A signature stands for the label, the shapes and the signatures of everything inside.
    """
    labels: dict[object, int] = {}
    signatures: dict[object, int] = {}
    found = []
    for side in sides:
        items: list[Item] = [Item(-1, -1)] * len(side.children)
        inside = [-1] * len(side.children)
        for at in _deepest_first(side):
            kind, text, _ = side.label[at]
            label = labels.setdefault((kind, text, side.backward[at]), len(labels))
            below = tuple(items[child].signature for child in side.children[at])
            content = (kind, side.backward[at], side.shapes[at], below)
            inside[at] = signatures.setdefault(content, len(signatures))
            signature = signatures.setdefault((label, inside[at]), len(signatures))
            items[at] = Item(label, signature)
        found.append(_Side(side, items, inside))
    one, other = found
    return one, other


def _deepest_first(side: Positions) -> list[int]:
    """Return the positions so that children come before their parents."""
    order = [0]
    for at in order:  # grows while it is read
        order += side.children[at]
    return order[::-1]
