"""A simulation of PyTorch's caching allocator that writes snapshots and remembers the truth.

It follows `c10/cuda/CUDACachingAllocator.cpp` in what a snapshot shows: small and large pools, best
fit, blocks that are split and merged, segments that are returned, expandable segments, streams that
delay releases, private pools, failed allocations, and a history that keeps only its last entries.
After each entry of the history it keeps a copy of the state, with which replays are compared.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

UNIT = 512
SMALL = 1 << 20
SMALL_SEGMENT = 2 << 20
LARGE_SEGMENT = 20 << 20
MIN_LARGE = 10 << 20
ROUND_LARGE = 2 << 20
#: Part of an expandable segment that is mapped at a time, by size class.
PAGES = {"small": 2 << 20, "large": 20 << 20}
START_US = 1_700_000_000_000_000
DEFAULT = (0, 0)


@dataclass
class SimBlock:
    """A block: in use, waiting for streams, or free."""

    address: int
    size: int
    requested: int = 0
    state: str = "inactive"
    frames: list[dict[str, Any]] = field(default_factory=list)
    category: str = ""


@dataclass
class SimSegment:
    """A segment and its blocks by address."""

    address: int
    size: int
    stream: int
    pool: tuple[int, int]
    size_class: str
    blocks: list[SimBlock]
    frames: list[dict[str, Any]]


@dataclass
class SimAllocator:
    """The caching allocator of one device."""

    device: int = 0
    capacity: int = 1 << 30
    expandable: bool = False
    max_entries: int | None = None
    #: Steps between two powers of two to which sizes are rounded; 1 for multiples of `UNIT`.
    divisions: int = 1
    #: Free blocks are not split for requests of this many bytes; -1 without a limit.
    max_split: int = -1
    base: int = 0x7F0000000000
    remembers: bool = True
    step_us: int = 10
    segments: list[SimSegment] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)
    #: The state after each entry of the whole history, the first before it.
    truth: list[tuple[list[SimSegment], int]] = field(default_factory=list)
    now_us: int = START_US
    _next: int = 0

    def __post_init__(self) -> None:
        self._next = self.base
        self._remember()

    @property
    def reserved(self) -> int:
        return sum(one.size for one in self.segments)

    def alloc(
        self,
        size: int,
        stream: int = 0,
        frames: list[dict[str, Any]] | None = None,
        pool: tuple[int, int] = DEFAULT,
        category: str = "",
    ) -> int | None:
        """Allocate; return the address, None if it failed."""
        frames = frames or []
        rounded = self.rounded(size)
        size_class = "small" if rounded <= SMALL else "large"
        found = self._best(rounded, stream, pool, size_class)
        if found is None and not self._grow(rounded, stream, pool, size_class, frames):
            self.empty_cache()
            if not self._grow(rounded, stream, pool, size_class, frames):
                free = self.capacity - self.reserved
                self._record(
                    "oom", size=size, stream=stream, frames=frames, pool=pool, device_free=free
                )
                return None
        found = found or self._best(rounded, stream, pool, size_class)
        assert found is not None
        segment, block = found
        rest = block.size - rounded
        splits = rest >= UNIT
        if size_class == "large" and not self.expandable:
            splits = rest > SMALL and (self.max_split < 0 or rounded < self.max_split)
        if splits:
            at = segment.blocks.index(block)
            segment.blocks.insert(at + 1, SimBlock(block.address + rounded, rest))
            block.size = rounded
        block.requested, block.state, block.frames = size, "active_allocated", frames
        block.category = category
        self._record(
            "alloc",
            addr=block.address,
            size=size,
            stream=stream,
            frames=frames,
            pool=pool,
            category=category,
        )
        return block.address

    def rounded(self, size: int) -> int:
        """Round a size as the allocator does."""
        if self.divisions > 1 and size > UNIT * self.divisions:
            power = 1 << (size.bit_length() - 1)
            step = power // self.divisions
            return next(power + step * at for at in range(99) if power + step * at >= size)
        return max(UNIT, -(-size // UNIT) * UNIT)

    def request_free(self, address: int) -> None:
        """Release a block that other streams may still use."""
        segment, block = self._at(address)
        block.state = "active_pending_free"
        self._record(
            "free_requested",
            addr=address,
            size=block.requested,
            stream=segment.stream,
            frames=[],
            pool=segment.pool,
        )

    def complete_free(self, address: int) -> None:
        """Return a block to the allocator, and merge it with its free neighbours."""
        segment, block = self._at(address)
        requested = block.requested
        block.requested, block.state, block.frames, block.category = 0, "inactive", [], ""
        at = segment.blocks.index(block)
        for other in (at + 1, at - 1):
            if 0 <= other < len(segment.blocks) and segment.blocks[other].state == "inactive":
                first, second = sorted((at, other))
                segment.blocks[first].size += segment.blocks[second].size
                del segment.blocks[second]
                at = first
        self._record(
            "free_completed",
            addr=address,
            size=requested,
            stream=segment.stream,
            frames=[],
            pool=segment.pool,
        )

    def free(self, address: int) -> None:
        self.request_free(address)
        self.complete_free(address)

    def empty_cache(self) -> None:
        """Return what is free: whole segments, or the free ends of expandable ones."""
        for segment in list(self.segments):
            if self.expandable:
                last = segment.blocks[-1]
                page = PAGES[segment.size_class]
                keep = -(-(last.address - segment.address) // page) * page
                if last.state != "inactive" or keep >= segment.size:
                    continue
                gone = segment.size - keep
                segment.size = keep
                last.size -= gone
                if last.size == 0:
                    segment.blocks.pop()
                if not segment.blocks:
                    self.segments.remove(segment)
                place = segment.address + keep
                self._record(
                    "segment_unmap",
                    addr=place,
                    size=gone,
                    stream=segment.stream,
                    frames=[],
                    pool=segment.pool,
                )
            elif all(block.state == "inactive" for block in segment.blocks):
                self.segments.remove(segment)
                self._record(
                    "segment_free",
                    addr=segment.address,
                    size=segment.size,
                    stream=segment.stream,
                    frames=[],
                    pool=segment.pool,
                )

    def live(self) -> list[int]:
        """Give the addresses of the allocated blocks."""
        return [
            block.address
            for segment in self.segments
            for block in segment.blocks
            if block.state == "active_allocated"
        ]

    def waiting(self) -> list[int]:
        return [
            block.address
            for segment in self.segments
            for block in segment.blocks
            if block.state == "active_pending_free"
        ]

    def _best(
        self, size: int, stream: int, pool: tuple[int, int], size_class: str
    ) -> tuple[SimSegment, SimBlock] | None:
        fitting = [
            (block.size, block.address, segment, block)
            for segment in self.segments
            if (segment.stream, segment.pool, segment.size_class) == (stream, pool, size_class)
            for block in segment.blocks
            if block.state == "inactive" and block.size >= size
        ]
        return min(fitting, key=lambda one: one[:2])[2:] if fitting else None

    def _grow(
        self,
        size: int,
        stream: int,
        pool: tuple[int, int],
        size_class: str,
        frames: list[dict[str, Any]],
    ) -> bool:
        if self.expandable:
            return self._map(size, stream, pool, size_class, frames)
        wanted = SMALL_SEGMENT
        if size_class == "large":
            wanted = LARGE_SEGMENT if size < MIN_LARGE else -(-size // ROUND_LARGE) * ROUND_LARGE
        if self.reserved + wanted > self.capacity:
            return False
        used = {one.address for one in self.segments}
        address = self._next  # as the driver does, a returned address may come again
        for entry in reversed(self.trace):
            if entry["action"] == "segment_free" and entry["size"] == wanted:
                if entry["addr"] not in used:
                    address = entry["addr"]
                break
        if address == self._next:
            self._next += wanted + LARGE_SEGMENT
        block = SimBlock(address, wanted)
        self.segments.append(SimSegment(address, wanted, stream, pool, size_class, [block], frames))
        self._record(
            "segment_alloc", addr=address, size=wanted, stream=stream, frames=frames, pool=pool
        )
        return True

    def _map(
        self,
        size: int,
        stream: int,
        pool: tuple[int, int],
        size_class: str,
        frames: list[dict[str, Any]],
    ) -> bool:
        page = PAGES[size_class]
        key = (stream, pool, size_class)
        segment = next(
            (one for one in self.segments if (one.stream, one.pool, one.size_class) == key), None
        )
        free = 0
        if segment and segment.blocks[-1].state == "inactive":
            free = segment.blocks[-1].size
        more = -(-(size - free) // page) * page
        if self.reserved + more > self.capacity:
            return False
        if segment is None:
            address = self._next
            self._next += self.capacity * 2
            segment = SimSegment(address, 0, stream, pool, size_class, [], frames)
            self.segments.append(segment)
        place = segment.address + segment.size
        segment.size += more
        if free:
            segment.blocks[-1].size += more
        else:
            segment.blocks.append(SimBlock(place, more))
        self._record("segment_map", addr=place, size=more, stream=stream, frames=frames, pool=pool)
        return True

    def _at(self, address: int) -> tuple[SimSegment, SimBlock]:
        return next(
            (segment, block)
            for segment in self.segments
            for block in segment.blocks
            if block.address == address
        )

    def _record(self, action: str, **content: Any) -> None:
        self.now_us += self.step_us
        known = {name: value for name, value in content.items() if value != ""}
        pool = known.pop("pool")
        self.trace.append(
            {"action": action, **known, "time_us": self.now_us, "segment_pool_id": pool}
        )
        self._remember()

    def _remember(self) -> None:
        if self.remembers:
            self.truth.append((copy.deepcopy(self.segments), self.now_us))
