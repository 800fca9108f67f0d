"""`Lives`: the blocks of one device, each with the moments at which its life begins and ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import schema_allocator as allocator

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_NONE = -1
#: Kinds of what happens at an address, in the order of a life.
_ALLOCATED, _RELEASED, _AT_END = range(3)


@dataclass(frozen=True)
class Lives:
    """Blocks in the order in which they are stacked; arrays of shape (blocks,).

    Those from before the recording come first, the longest lives at the bottom; the others follow
    in the order of their allocation.

    Attributes
    ----------
    address : ndarray of int64
    size, requested : ndarray of int64
        Bytes that the allocator took for it, and those that the program asked for.
    start, end : ndarray of int64
        The block is in use at the moments ``start <= moment < end``. Blocks in use at the end of
        the recording end after its last moment.
    asked : ndarray of int64
        The moment from which the allocator waits for other streams to release it; `end` if it
        never did.
    allocation, release, final : ndarray of int64
        Row of its allocation and of its release in ``allocator_events``, and of the block in
        ``allocator_blocks``; -1 for none.
    """

    address: Ints
    size: Ints
    requested: Ints
    start: Ints
    end: Ints
    asked: Ints
    allocation: Ints
    release: Ints
    final: Ints

    def __len__(self) -> int:
        return len(self.size)

    def at(self, moment: int) -> Ints:
        """Return the blocks in use at a moment."""
        return np.flatnonzero((self.start <= moment) & (moment < self.end))

    def waiting(self, blocks: Ints, moment: int) -> Mask:
        """Return which of some blocks are about to be released at a moment."""
        is_waiting: Mask = self.asked[blocks] <= moment
        return is_waiting

    def take(self, rows: Ints) -> Lives:
        """Return some of the blocks."""
        return Lives(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def find_lives(model: TraceModel, events: slice, blocks: slice) -> Lives:
    """Return the blocks of a device.

    Parameters
    ----------
    model : TraceModel
        The trace.
    events, blocks : slice
        The rows of the device in ``allocator_events`` and ``allocator_blocks``.
    """
    action = model.column("allocator_events", "action")[events]
    address = model.column("allocator_events", "address")[events]
    count = len(action)
    changes = np.flatnonzero((action == allocator.ALLOC) | (action == allocator.FREE_COMPLETED))
    held = model.column("allocator_blocks", "address")[blocks]
    if not len(changes) and not len(held):
        return Lives(*(np.empty(0, np.int64) for _ in Lives.__dataclass_fields__))
    number = np.concatenate([changes, np.arange(len(held))])
    place = np.concatenate([address[changes], held])
    moment = np.concatenate([changes + 1, np.full(len(held), count + 1)])
    released = (action[changes] == allocator.FREE_COMPLETED).astype(np.int64)
    kind = np.concatenate([released, np.full(len(held), _AT_END)])
    # Two blocks of a snapshot at one address cannot both exist; the last one stays.
    order = np.lexsort((moment, place))
    place, moment, kind, number = (one[order] for one in (place, moment, kind, number))
    again = _follows(place) & (kind == _AT_END) & np.append(False, kind[:-1] == _AT_END)
    first = ~np.append(again[1:], False)
    place, moment, kind, number = (one[first] for one in (place, moment, kind, number))

    opens = kind == _ALLOCATED
    begun = np.append(False, opens[:-1]) & _follows(place)  # by the allocation before it
    closes = ~opens & ~begun
    rows = np.flatnonzero(opens | closes)
    is_open = opens[rows]
    after = np.minimum(rows + 1, len(place) - 1)
    has_next = np.append(place[1:] == place[:-1], False)[rows]
    ended = np.where(is_open, after, rows)
    ends = np.where(is_open & ~has_next, count + 1, moment[ended])
    before = np.append(0, moment[:-1])
    starts = np.where(is_open, moment[rows], np.where(_follows(place)[rows], before[rows], 0))
    by = np.where(is_open & ~has_next, _ALLOCATED, kind[ended])
    release = np.where(by == _RELEASED, number[ended], _NONE)
    final = np.where(by == _AT_END, number[ended], _NONE)
    allocation = np.where(is_open, number[rows], _NONE)
    size, requested = (
        _of_blocks(model, names, (events, blocks), (release, allocation, final))
        for names in (("allocated", "bytes"), ("bytes", "requested"))
    )
    requests = np.flatnonzero(action == allocator.FREE_REQUESTED)
    asked = _asked(address[requests], requests + 1, place[rows], starts, ends)
    waiting = model.column("allocator_blocks", "state")[blocks] == allocator.AWAITING_FREE
    is_final = final >= 0
    late = is_final & (asked >= ends)
    asked[late] = np.where(waiting[final[late]], np.maximum(starts[late], count), asked[late])
    lives = Lives(
        address=place[rows],
        size=size,
        requested=requested,
        start=starts,
        end=ends,
        asked=asked,
        allocation=np.where(allocation >= 0, allocation + events.start, _NONE),
        release=np.where(release >= 0, release + events.start, _NONE),
        final=np.where(is_final, final + blocks.start, _NONE),
    )
    long_first = np.where(starts == 0, -ends, 0)
    return lives.take(np.lexsort((lives.address, long_first, starts)))


def _of_blocks(
    model: TraceModel,
    names: tuple[str, str],
    slices: tuple[slice, slice],
    rows: tuple[Ints, Ints, Ints],
) -> Ints:
    """Return a size of each block: that of its allocation, else its release, else the snapshot.

    Parameters
    ----------
    model : TraceModel
        The trace.
    names : (str, str)
        Columns of ``allocator_events`` and ``allocator_blocks``.
    slices : (slice, slice)
        The rows of the device in these tables.
    rows : (ndarray, ndarray, ndarray) of int64, shape (blocks,)
        Release, allocation and block in the snapshot, -1 for none, within the slices.
    """
    of_event, of_block = (
        model.column(table, name)[part]
        for table, name, part in zip(
            ("allocator_events", "allocator_blocks"), names, slices, strict=True
        )
    )
    release, allocation, final = rows
    found = np.zeros(len(final), np.int64)
    for source, values in ((final, of_block), (release, of_event), (allocation, of_event)):
        known = source >= 0
        found[known] = np.maximum(values[source[known]], 0)
    return found


def _follows(place: Ints) -> Mask:
    """Return which entries are at the address of the entry before them."""
    same: Mask = np.append(False, place[1:] == place[:-1])[: len(place)]
    return same


def _asked(address: Ints, at: Ints, place: Ints, start: Ints, end: Ints) -> Ints:
    """Return the moment of the first request to release each block, `end` without one.

    Parameters
    ----------
    address, at : ndarray of int64, shape (requests,)
        What was requested to be released, and the moment after it.
    place, start, end : ndarray of int64, shape (blocks,)
        Address and life of each block.
    """
    if not len(at) or not len(place):
        return end.copy()
    _, code = np.unique(np.concatenate([address, place]), return_inverse=True)
    code = code.reshape(-1)
    width = int(max(at.max(), end.max())) + 1
    key = np.sort(code[: len(at)] * width + at)
    own = code[len(at) :] * width
    found = np.minimum(np.searchsorted(key, own + start, side="right"), len(key) - 1)
    moment = key[found] - own
    asked: Ints = np.where((moment > start) & (moment < end), moment, end)
    return asked
