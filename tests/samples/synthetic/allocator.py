"""A caching allocator of device memory, after the rules of PyTorch's: segments, split and kept."""

from __future__ import annotations

import bisect

MIB = 1024 * 1024


class Allocator:
    """Hands out addresses; freed blocks are kept, joined with their neighbours, and used again.

    Parameters
    ----------
    first_address : int
        Where the first segment lies.
    """

    def __init__(self, first_address: int) -> None:
        self.allocated = 0
        self.reserved = 0
        self._next_segment = first_address
        self._free: list[tuple[int, int]] = []  # (address, size), sorted
        self._taken: dict[int, int] = {}
        self._segments: set[int] = set()

    def take(self, size: int) -> tuple[int, int]:
        """Return (address, size) of a block; sizes are multiples of 512 bytes."""
        size = -(-size // 512) * 512
        fitting = [
            block for block in self._free if block[1] >= size and not _wastes(block[1], size)
        ]
        if fitting:
            address, room = min(fitting, key=lambda block: (block[1], block[0]))
            self._free.remove((address, room))
        else:
            address, room = self._new_segment(size)
        if room > size:
            bisect.insort(self._free, (address + size, room - size))
        self._taken[address] = size
        self.allocated += size
        return address, size

    def give_back(self, address: int) -> int:
        """Free a block and return its size."""
        size = self._taken.pop(address)
        self.allocated -= size
        place = bisect.bisect(self._free, (address, size))
        start, end = address, address + size
        if place < len(self._free) and self._free[place][0] == end and end not in self._segments:
            end += self._free.pop(place)[1]
        if place and start not in self._segments:
            before, room = self._free[place - 1]
            if before + room == start:
                start = before
                self._free.pop(place - 1)
        bisect.insort(self._free, (start, end - start))
        return size

    def _new_segment(self, size: int) -> tuple[int, int]:
        if size <= MIB:
            room = 2 * MIB
        elif size < 10 * MIB:
            room = 20 * MIB
        else:
            room = -(-size // (2 * MIB)) * 2 * MIB
        address = self._next_segment
        self._next_segment += room + 2 * MIB
        self._segments.add(address)
        self.reserved += room
        return address, room


def _wastes(room: int, size: int) -> bool:
    """Whether a small tensor would eat into the room that is kept for large ones."""
    return size <= MIB and room > 2 * MIB
