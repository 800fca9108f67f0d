"""Matches the calls of different ranks that are one collective, and finds when data moved.

The k-th call of a process group on one rank belongs to the k-th call of the group on the others,
if all ranks made the same calls in the same order. Where they did not, because a recording began
earlier or lost calls, calls are counted from the beginning of each step instead. Calls of steps in
which that fails too are not matched.

The rank that enters a collective last does not wait. So the shortest range is the transfer time,
and on every rank it is the last part of its range. (The TensorBoard plugin does the same for runs
in which all ranks made the same calls.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Calls:
    """The calls of all ranks, sorted by rank and time; arrays have shape (calls,).

    Attributes
    ----------
    worker, group, step : ndarray of int64
        The rank that made the call, its process group, and its step.
    what : ndarray of int64
        A number for the name of the call, and for its size if that is equal on all ranks.
    ranges : ndarray of int64
        The number of time ranges in which the call was active.
    paired : ndarray of bool
        False for calls that only a sender or a receiver makes.
    """

    worker: Rows
    group: Rows
    step: Rows
    what: Rows
    ranges: Rows
    paired: Mask


def slots(calls: Calls) -> Rows:
    """Return a number for each call; matching calls have equal numbers, unmatched calls -1."""
    slot = np.full(len(calls.worker), -1, np.int64)
    left = np.flatnonzero(calls.paired & (calls.ranges > 0))
    used = 0
    for by_step in (False, True):
        if by_step:
            left = left[calls.step[left] >= 0]
        step = calls.step[left] if by_step else np.zeros(len(left), np.int64)
        number, fits = _numbered(calls, left, step)
        slot[left[fits]] = used + number[fits]
        used += int(number.max(initial=-1)) + 1
        left = left[~fits]
    return slot


def _numbered(calls: Calls, rows: Rows, step: Rows) -> tuple[Rows, Mask]:
    """Return numbers of calls within (group, step), and where all ranks made the same calls."""
    if len(rows) == 0:
        return rows, np.zeros(0, bool)
    worker = calls.worker[rows]
    sequence, _ = dense(calls.group[rows], step)
    own, first_of_rank = dense(sequence, worker)
    position = _positions(own)
    number, first = dense(sequence, position)
    ranks = np.bincount(sequence[first_of_rank])
    made = np.bincount(number)
    alike = np.ones(len(first), bool)
    np.logical_and.at(alike, number, calls.what[rows] == calls.what[rows][first][number])
    # A call with fewer ranges on one rank than on another is left out by itself.
    whole = np.ones(len(first), bool)
    np.logical_and.at(whole, number, calls.ranges[rows] == calls.ranges[rows][first][number])
    of = sequence[first]
    good = (made == ranks[of]) & (ranks[of] > 1) & alike
    all_good = np.ones(len(ranks), bool)
    np.logical_and.at(all_good, of, good)
    return number, (all_good[of] & whole)[number]


def _positions(own: Rows) -> Rows:
    """Return the position of each row among the rows with the same number."""
    order = np.argsort(own, kind="stable")
    ordered = own[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    count = np.diff(np.append(begins, len(own)))
    place = np.empty(len(own), np.int64)
    place[order] = np.arange(len(own)) - np.repeat(begins, count)
    return place


def transfers(slot: Rows, nth: Rows, duration: Rows) -> Rows:
    """Return the transfer time of each range, -1 without matching ranges; shape (ranges,).

    Parameters
    ----------
    slot, nth : ndarray of int64, shape (ranges,)
        Slot of the call, and the position of the range in the call.
    duration : ndarray of int64, shape (ranges,)
        Nanoseconds.
    """
    known = np.flatnonzero(slot >= 0)
    moved = np.full(len(slot), -1, np.int64)
    if len(known) == 0:
        return moved
    group, first = dense(slot[known], nth[known])
    least = duration[known][first]
    np.minimum.at(least, group, duration[known])
    moved[known] = least[group]
    return moved
