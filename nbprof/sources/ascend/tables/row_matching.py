"""Matches rows of two files by equal keys, in order of time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def matching_rows(left: list[Integers], right: list[Integers], *, evenly: bool = False) -> Integers:
    """Return the left row with the same key for each right row, -1 if there is none.

    If several rows have the same key, they are matched in order.

    Parameters
    ----------
    left, right : list of ndarray of int64
        The parts of the keys, shapes (left rows,) and (right rows,); rows of one key are in
        matching order.
    evenly : bool
        Match rows of a key only if both sides have the same number of them.
    """
    keys_left, keys_right = _keys(left, right)
    none = np.full(len(keys_right), -1, np.int64)
    if len(keys_left) == 0 or len(keys_right) == 0:
        return none
    number = int(max(keys_left.max(), keys_right.max())) + 1
    count_left = np.bincount(keys_left, minlength=number)
    count_right = np.bincount(keys_right, minlength=number)
    order = np.argsort(keys_left, kind="stable")
    first = np.concatenate([[0], np.cumsum(count_left)])[:-1]
    turn = _turns(keys_right)
    hit = turn < count_left[keys_right]
    if evenly:
        hit &= count_left[keys_right] == count_right[keys_right]
    matching = none
    matching[hit] = order[first[keys_right[hit]] + turn[hit]]
    return matching


def _keys(left: list[Integers], right: list[Integers]) -> tuple[Integers, Integers]:
    """Return a number that identifies each key."""
    count = len(left[0])
    keys = np.zeros(count + len(right[0]), np.int64)
    for one, other in zip(left, right, strict=True):
        _, rank = np.unique(np.concatenate([one, other]), return_inverse=True)
        _, keys = np.unique(keys * (int(rank.max(initial=0)) + 1) + rank, return_inverse=True)
    return keys[:count], keys[count:]


def _turns(keys: Integers) -> Integers:
    """Return the number of earlier rows with the same key."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.ones(len(keys), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    begin = np.flatnonzero(new)
    turn = np.empty(len(keys), np.int64)
    turn[order] = np.arange(len(keys)) - begin[np.cumsum(new) - 1]
    return turn
