"""Simulate a training run that runs out of GPU memory, as a memory snapshot of PyTorch.

The allocator is a simple one of the same kind as PyTorch's: it takes segments from the device, cuts
blocks from the first gap that fits, and keeps what is released. No GPU was involved.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

KIB, MIB = 1 << 10, 1 << 20
CAPACITY = 1024 * MIB
UNIT = 512
#: Blocks up to this size share segments of 2 MiB, larger ones up to 10 MiB segments of 20 MiB.
SMALL, MEDIUM = MIB, 10 * MIB
SMALL_SEGMENT, MEDIUM_SEGMENT = 2 * MIB, 20 * MIB
START_US = 1_750_000_000_000_000
EVENT_US = 45
LAYERS = 8

Frames = list[dict[str, Any]]


@dataclass
class Block:
    """A part of a segment; free without frames."""

    address: int
    size: int
    requested: int = 0
    frames: Frames | None = None


@dataclass
class Segment:
    """Memory that was taken from the device."""

    address: int
    size: int
    kind: str
    blocks: list[Block] = field(default_factory=list)


class Allocator:
    """Hands out blocks and writes down what it does."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.trace: list[dict[str, Any]] = []
        self.marks: list[dict[str, Any]] = []
        self.now = START_US
        self.taken = 0

    def _note(self, action: str, addr: int, size: int, frames: Frames, **more: int) -> None:
        self.now += EVENT_US
        one = {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": self.now}
        self.trace.append({**one, "frames": frames, **more})

    def mark(self, stage: str, name: str) -> None:
        """Write down that a range of ``record_function`` begins or ends."""
        self.marks.append({"device": 0, "time_us": self.now, "stage": stage, "name": name})

    def alloc(self, requested: int, frames: Frames) -> Block:
        """Return a block; MemoryError if the device has no room for its segment."""
        size = -(-requested // UNIT) * UNIT
        kind = "small" if size <= SMALL else "large"
        for segment in self.segments:
            for place, block in enumerate(segment.blocks):
                if segment.kind == kind and block.frames is None and block.size >= size:
                    return self._cut(segment, place, size, requested, frames)
        self.segments.append(self._segment(size, kind, frames))
        return self._cut(self.segments[-1], 0, size, requested, frames)

    def _segment(self, size: int, kind: str, frames: Frames) -> Segment:
        whole = MEDIUM_SEGMENT if size <= MEDIUM else -(-size // (2 * MIB)) * 2 * MIB
        whole = SMALL_SEGMENT if kind == "small" else whole
        if whole > CAPACITY - sum(one.size for one in self.segments):
            self._give_back()
        free = CAPACITY - sum(one.size for one in self.segments)
        if whole > free:
            self._note("oom", 0, size, frames, device_free=free)
            raise MemoryError
        address = 0x7F00_0000_0000 + self.taken * 512 * MIB
        self.taken += 1
        self._note("segment_alloc", address, whole, frames)
        return Segment(address, whole, kind, [Block(address, whole)])

    def _give_back(self) -> None:
        """Give empty segments back to the device."""
        for segment in list(self.segments):
            if all(block.frames is None for block in segment.blocks):
                self.segments.remove(segment)
                self._note("segment_free", segment.address, segment.size, [])

    def _cut(
        self, segment: Segment, place: int, size: int, requested: int, frames: Frames
    ) -> Block:
        gap = segment.blocks[place]
        block = Block(gap.address, size, requested, frames)
        rest = [Block(gap.address + size, gap.size - size)] if gap.size > size else []
        segment.blocks[place : place + 1] = [block, *rest]
        self._note("alloc", block.address, requested, frames)
        return block

    def free(self, block: Block) -> None:
        """Release a block; gaps beside each other become one."""
        for action in ("free_requested", "free_completed"):
            self._note(action, block.address, block.requested, block.frames or [])
        block.frames = None
        segment = next(one for one in self.segments if block in one.blocks)
        merged: list[Block] = []
        for one in segment.blocks:
            if merged and one.frames is None and merged[-1].frames is None:
                merged[-1].size += one.size
            else:
                merged.append(one)
        segment.blocks = merged

    def snapshot(self) -> dict[str, Any]:
        """Return the content of ``torch.cuda.memory._snapshot()``."""
        return {
            "segments": [_segment(one) for one in self.segments],
            "device_traces": [self.trace],
            "external_annotations": self.marks,
            "allocator_settings": {"expandable_segments": False},
            "synthetic": "Simulated by samples/synthetic_snapshot.py; no GPU was involved.",
        }


def _segment(segment: Segment) -> dict[str, Any]:
    blocks = [
        {
            "address": one.address,
            "size": one.size,
            "requested_size": one.requested if one.frames is not None else 0,
            "state": "inactive" if one.frames is None else "active_allocated",
            "frames": one.frames or [],
        }
        for one in segment.blocks
    ]
    used = sum(one["size"] for one in blocks if one["state"] == "active_allocated")
    return {
        "device": 0,
        "address": segment.address,
        "total_size": segment.size,
        "allocated_size": used,
        "active_size": used,
        "stream": 0,
        "segment_type": segment.kind,
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "frames": [],
        "blocks": blocks,
    }


def frames(function: str, line: int, caller: int) -> Frames:
    """Return the frames of an allocation: of the library, of the model, of the script."""
    return [
        {"filename": "torch/nn/modules/linear.py", "line": 134, "name": "forward"},
        {"filename": "model.py", "line": line, "name": function},
        {"filename": "train.py", "line": caller, "name": "main"},
    ]


def train(allocator: Allocator) -> None:
    """Train on batches that grow, until one does not fit; MemoryError then."""
    for layer in range(LAYERS):
        allocator.alloc(16 * MIB, frames("Block.__init__", 12, 8))
        allocator.alloc(8 * KIB + layer, frames("Block.__init__", 13, 8))
    moments: list[Block] = []
    for step in range(40):
        batch = (2 + step) * MIB
        allocator.mark("START", "forward")
        held = []
        for layer in range(LAYERS):
            work = allocator.alloc(batch // 2, frames("Block.forward", 21, 31))
            held.append(allocator.alloc(batch + layer * 4 * KIB, frames("attention", 44, 31)))
            held.append(allocator.alloc(2 * batch, frames("mlp", 57, 31)))
            allocator.free(work)
        allocator.mark("END", "forward")
        allocator.mark("START", "backward")
        grads = []
        for place, block in enumerate(reversed(held)):
            if place % 2 == 0:
                grads.append(allocator.alloc(16 * MIB, frames("backward", 80, 33)))
            allocator.free(block)
        allocator.mark("END", "backward")
        allocator.mark("START", "optimizer")
        while len(moments) < LAYERS:
            moments.append(allocator.alloc(16 * MIB, frames("step", 95, 34)))
        for grad in grads:
            allocator.free(grad)
        allocator.mark("END", "optimizer")


def write_snapshot(path: Path) -> Path:
    """Write the snapshot of a run at the moment at which it ran out of memory."""
    allocator = Allocator()
    try:
        train(allocator)
    except MemoryError:
        path.write_bytes(pickle.dumps(allocator.snapshot(), protocol=4))
    return path
