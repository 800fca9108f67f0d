"""Finds what PyTorch's CUDA allocator took for each request, by replaying its recorded history.

A history holds the sizes that the program asked for. The allocator rounds them up, takes a free
block at the address, and keeps all of that block if too little would be left of it. How much was
free follows from the blocks and segments before, so that the history gives every size but those of
blocks that were allocated before it and released within it: these are taken as rounded.

The rules are those of `c10/cuda/CUDACachingAllocator.cpp`: `round_size`, `should_split`,
`free_block` and `try_merge_blocks`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.sources.chrome.columns import Integers, as_integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nbprof.sources.defects import DefectLog
    from nbprof.sources.memory_snapshots.history import History

#: All blocks are multiples of this (`kMinBlockSize`), bytes.
UNIT: Final = 512
#: The largest block of the small pool, which always splits (`kSmallSize`), bytes.
_SMALL: Final = 1 << 20
#: Sizes of which `roundup_power2_divisions` has a number each: 1 MiB, 2 MiB, … 32 GiB.
_POWERS: Final = 16
#: Sizes beyond this are nonsense, and their sums overflow, bytes.
_LARGEST: Final = 1 << 61


@dataclass(frozen=True)
class Rules:
    """How an allocator rounds and splits.

    Attributes
    ----------
    divisions : ndarray of int64, shape (16,)
        Steps between two powers of two to which sizes from 1 MiB, 2 MiB, … are rounded; below 2,
        they are rounded to 512 bytes.
    most_split : int
        Free blocks are not split for requests of this many bytes or more; -1 without a limit.
    expandable : bool
        Whether segments are expandable: then any block is split.
    """

    divisions: Integers
    most_split: int
    expandable: bool

    @classmethod
    def of(cls, settings: Mapping[str, Any], *, maps: bool) -> Rules:
        """Return the rules of a snapshot.

        Parameters
        ----------
        settings : mapping
            Its ``allocator_settings``, which early versions lack.
        maps : bool
            Whether its segments are expandable, for want of a setting.
        """
        steps = settings.get("roundup_power2_divisions")
        steps = steps if isinstance(steps, dict) else {}
        known = [as_integer(steps.get(str(1 << place)), 0) for place in range(_POWERS)]
        expandable = settings.get("expandable_segments")
        return cls(
            np.clip(known, 0, 1 << 20),
            as_integer(settings.get("max_split_size"), -1),
            expandable if isinstance(expandable, bool) else maps,
        )

    def rounded(self, size: Integers) -> Integers:
        """Return the least that the allocator takes for requests in bytes; 0 for none."""
        size = np.clip(size, 0, _LARGEST)
        step = np.full(len(size), UNIT)
        if (self.divisions > 1).any():
            exponent = np.maximum(np.frexp(size.astype(np.float64))[1].astype(np.int64) - 1, 0)
            parts = self.divisions[np.clip(exponent - 20, 0, _POWERS - 1)]
            divides = (parts > 1) & (size > UNIT * parts)
            own = (1 << exponent[divides]) // parts[divides]
            step[divides] = np.maximum(own, UNIT)
        found: Integers = -(-size // step) * step
        return found

    def taken(self, need: int, room: int) -> int:
        """Return what a request for a large block takes of a free block, bytes."""
        splits = room - need > _SMALL and (self.most_split < 0 or need < self.most_split)
        return need if splits or room < need else room


def sized_histories(
    content: Mapping[str, Any],
    histories: Mapping[int, History],
    segments: Mapping[int, Sequence[dict[str, Any]]],
    blocks: Mapping[int, Mapping[int, int]],
    defects: DefectLog,
) -> dict[int, History]:
    """Return histories with the sizes of their blocks.

    Parameters
    ----------
    content : mapping
        The snapshot, for its ``allocator_settings``.
    histories, segments : mapping of int
        The entries and the segments of each device.
    blocks : mapping of int to mapping of int to int
        Bytes of the blocks in use at the end, by device and address.
    defects : DefectLog
        Counts blocks whose size is not known for certain.
    """
    settings = content.get("allocator_settings")
    found, unsure = {}, 0
    for number, history in histories.items():
        own = segments.get(number, ())
        maps = bool(history.maps.any()) or any(one.get("is_expandable") is True for one in own)
        rules = Rules.of(settings if isinstance(settings, dict) else {}, maps=maps)
        size, lost = _sizes(history, own, blocks.get(number, {}), rules)
        found[number] = replace(history, size=size)
        unsure += lost
    example = (
        "a block was allocated before the history and released in it: its requested size is rounded"
        " up, and the allocator may have taken more, by default up to 1 MiB"
    )
    defects.note("allocated sizes unknown", unsure, example, fatal=False)
    return found


def _sizes(
    history: History,
    segments: Sequence[dict[str, Any]],
    blocks: Mapping[int, int],
    rules: Rules,
) -> tuple[Integers, int]:
    """Return the size of the block of every entry of a device.

    Returns
    -------
    sizes : ndarray of int64, shape (entries,)
        Bytes that an allocation took or a release returned; 0 for other entries.
    unsure : int
        Releases of blocks whose size is not known for certain.
    """
    uses = np.flatnonzero(history.effect)
    sizes = np.where(history.effect == 0, 0, rules.rounded(history.change * history.effect))
    address = history.address[uses]
    _, first = np.unique(address, return_index=True)
    _, last = np.unique(address[::-1], return_index=True)
    first, last = uses[first], uses[len(uses) - 1 - last]
    for row in last[history.effect[last] > 0].tolist():
        sizes[row] = blocks.get(int(history.address[row]), sizes[row])
    old = first[history.effect[first] < 0]
    if rules.expandable or not (len(segments) or history.reserve.any()):
        return sizes, 0
    seen = set(address.tolist())
    held = {place: size for place, size in blocks.items() if place not in seen}
    held |= dict(zip(history.address[old].tolist(), sizes[old].tolist(), strict=True))
    heap = _Heap(rules)
    heap.begin(_first_segments(history, segments), held)
    old = old[sizes[old] > _SMALL]
    ends = history.address[old] + sizes[old]
    unsure = sum(end in heap.ends and end not in heap.edges for end in ends.tolist())
    final = set(last.tolist()) if blocks else set()
    large = np.flatnonzero((sizes > _SMALL) | (history.reserve != 0))
    columns = (history.effect, history.address, sizes, history.reserve)
    for row, *values in zip(large.tolist(), *(one[large].tolist() for one in columns), strict=True):
        effect, place, size, reserve = values
        if effect > 0:
            known = row in final and place in blocks
            sizes[row] = heap.allocate(place, size, known=known)
        elif effect < 0:
            sizes[row] = heap.release(place, size)
        elif not history.maps[row]:
            heap.reserve(place, reserve)
    return sizes, unsure


@dataclass
class _Heap:
    """The large blocks of a device, in use and free.

    Attributes
    ----------
    live : dict
        Bytes of the blocks in use by address.
    ends, starts : dict
        The end of each free block by its start, and the reverse.
    edges : set
        Where segments begin: free blocks do not merge across.
    """

    rules: Rules
    live: dict[int, int] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)
    edges: set[int] = field(default_factory=set)

    def begin(self, segments: Mapping[int, int], held: Mapping[int, int]) -> None:
        """Set the segments and blocks before the first entry, bytes by address."""
        self.live = {place: size for place, size in held.items() if size > _SMALL}
        self.edges = set(segments)
        places = sorted(self.live)
        at = 0
        for start, size in sorted(segments.items()):  # those of a damaged file may overlap
            at, end = max(at, start), start + size
            for place in places[bisect_left(places, at) : bisect_left(places, end)]:
                self._put(at, place)
                at = place + self.live[place]
            self._put(at, end)
            at = max(at, end)

    def allocate(self, place: int, need: int, *, known: bool) -> int:
        """Take a block, and return its size; if that is known, it is `need`."""
        if place in self.live:  # its release is missing
            self.release(place, need)
        end = self.ends.pop(place, place + need)
        self.starts.pop(end, None)
        size = need if known else self.rules.taken(need, end - place)
        self._put(place + size, end)
        self.live[place] = size
        return size

    def release(self, place: int, size: int) -> int:
        """Return a block, and its size; `size` if it is unknown."""
        size = self.live.pop(place, size)
        end = place + size
        if end in self.ends and end not in self.edges:
            after = self.ends.pop(end)
            self.starts.pop(after, None)
            end = after
        if place in self.starts and place not in self.edges:
            before = self.starts.pop(place)
            self.ends.pop(before, None)
            place = before
        self._put(place, end)
        return size

    def reserve(self, place: int, size: int) -> None:
        """Add a segment or, if its size is negative, remove it."""
        if size > 0:
            self.edges.add(place)
            self._put(place, place + size)
        else:
            self.edges.discard(place)
            self.starts.pop(self.ends.pop(place, -1), None)

    def _put(self, start: int, end: int) -> None:
        if start < end:
            self.ends[start], self.starts[end] = end, start


def _first_segments(history: History, segments: Iterable[dict[str, Any]]) -> dict[int, int]:
    """Return the segments before the first entry, bytes by address, by undoing entries."""
    found = {
        as_integer(one.get("address"), 0): as_integer(one.get("total_size"), 0)
        for one in segments
        if one.get("is_expandable") is not True
    }
    rows = np.flatnonzero((history.reserve != 0) & ~history.maps)[::-1]
    for place, size in zip(
        history.address[rows].tolist(), history.reserve[rows].tolist(), strict=True
    ):
        if size > 0:
            found.pop(place, None)
        else:
            found[place] = -size
    return found
