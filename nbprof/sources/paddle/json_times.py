"""The times of what was gathered of JSON: slices, and records of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.model import kinds
from nbprof.sources.paddle.clock import MICROSECOND, Base, Slices, Times, base_of, settle
from nbprof.sources.paddle.placing import place
from nbprof.sources.paddle.restoring import Bounds, restore
from nbprof.sources.paddle.rounding import are_rounded, errors
from nbprof.sources.paddle.tree import Tree, find_tree, owners, sequence_of
from nbprof.sources.times import NO_TIME

if TYPE_CHECKING:
    from nbprof.sources.paddle.assembly import Parts

#: Up to here (134 ms) times are what the arguments say, which are off by 4 ns at most; later ones
#: are restored.
LITERAL_NS: Final = 1 << 27


def set_times(parts: Parts) -> None:
    """Make times, relative to the first host event, of what JSON tells; in place."""
    gathered, host, device = parts.gathered, parts.host, parts.device
    slices = [Slices.take(columns) for columns in (host, device)]
    times = parts.memory.join("time_ns")
    base = base_of(slices, times)
    gathered.base_ns = base.low
    times -= base.low
    tree = _tree(parts, slices[0])
    long = any(one.end.max(initial=0) > LITERAL_NS and are_rounded(one.start) for one in slices)
    if long:
        _restore_device(slices[1], base)
        if tree is not None:
            _restore_host(parts, slices[0], base, tree)
    for columns, one in zip((host, device), slices, strict=True):
        duration = settle(one, base, columns.join("name"), gathered)
        columns.join("duration_ns")[:] = duration
    if tree is not None and len(times):
        _place_memory(parts, tree)


def _tree(parts: Parts, slices: Slices) -> Tree | None:
    """Return which host event is inside which, None where the file does not tell."""
    host = parts.host
    if host.rows == 0 or not slices.are_told.all():
        return None
    is_call = host.join("kind") == kinds.RUNTIME
    return find_tree(host.join("thread"), slices.start, slices.end, host.order, is_call)


def _restore_host(parts: Parts, slices: Slices, base: Base, tree: Tree) -> None:
    """Put exact times in the place of those of the arguments."""
    thread = parts.host.join("thread")
    error = errors(slices.end)
    found = restore(
        sequence_of(tree, thread, slices.start, parts.host.order),
        _starts(slices, base),
        Bounds(slices.end - error, slices.end + error),
        _lengths(slices),
    )
    if found is not None:
        slices.start[:], slices.end[:] = found


def _restore_device(slices: Slices, base: Base) -> None:
    """Put starts into the microseconds of their stamps, and take durations as they are."""
    bounds, length = _starts(slices, base), slices.length
    told = slices.are_told & (slices.end > LITERAL_NS) & (bounds.low <= bounds.high) & (length >= 0)
    slices.start[told] = np.clip(slices.start, *bounds)[told]
    slices.end[told] = (slices.start + length)[told]


def _starts(slices: Slices, base: Base) -> Bounds:
    """Return between what starts lie, by arguments and stamps."""
    error = errors(slices.start)
    low, high = slices.start - error, slices.start + error
    stamped = slices.stamp != NO_TIME
    low = np.where(stamped, np.maximum(low, slices.stamp - base.high), low)
    return Bounds(
        low,
        np.where(stamped, np.minimum(high, slices.stamp - base.low + MICROSECOND - 1), high),
    )


def _lengths(slices: Slices) -> Bounds:
    """Return between what durations lie."""
    error = errors(slices.length)
    known = slices.length >= 0
    longest: Times = slices.end - slices.start + errors(slices.start) + errors(slices.end)
    low = np.where(known, np.maximum(slices.length - error, 0), 0)
    return Bounds(low, np.where(known, slices.length + error, longest))


def _place_memory(parts: Parts, tree: Tree) -> None:
    """Move records of memory to where in their microsecond their events were, in place."""
    host, memory = parts.host, parts.memory
    is_call = host.join("kind") == kinds.RUNTIME
    events = np.flatnonzero(~is_call)
    events = events[np.argsort(host.order[events], kind="stable")]
    thread = host.join("thread")
    owner = owners(memory.join("thread"), memory.order, thread[events], host.order[events], events)
    start = host.join("start_ns")
    end = start + host.join("duration_ns")
    times = memory.join("time_ns")
    times[:] = place(times, owner, np.where(is_call, -2, tree.parent), start, end)
