"""A simulated training run that runs out of memory, as the content of a memory snapshot."""

from __future__ import annotations

from typing import Any

from tests.support.recordings.allocator import SimAllocator
from tests.support.recordings.allocator_snapshot import snapshot

MIB = 1 << 20
LAYERS = 12


def frames(name: str, line: int, called: int) -> list[dict[str, Any]]:
    """Give the frames of an allocation: of the library, of the model, of the script."""
    return [
        {"filename": "torch/nn/modules/linear.py", "line": 134, "name": "forward"},
        {"filename": "/data/ann/model.py", "line": line, "name": name},
        {"filename": "/data/ann/train.py", "line": called, "name": "main"},
    ]


class Run:
    """A model with weights and an optimizer, trained on growing batches."""

    def __init__(self, allocator: SimAllocator) -> None:
        self.allocator = allocator
        for layer in range(LAYERS):
            allocator.alloc(48 * MIB, category="parameter")
            allocator.alloc(40_000 + layer, category="parameter")
        #: Entries before the recording began.
        self.before = len(allocator.trace)
        self.optimizer: list[int] = []

    def take(self, size: int, name: str, line: int, called: int, category: str) -> int:
        """Allocate; MemoryError ends the run."""
        made = self.allocator.alloc(size, frames=frames(name, line, called), category=category)
        if made is None:
            raise MemoryError
        return made

    def step(self, batch: int) -> None:
        """Train on one batch."""
        held = []
        for layer in range(LAYERS):
            for kind, line, size in (("attention", 20, batch), ("mlp", 31, 2 * batch)):
                work = self.take(batch // 2, kind, line + 2, 40, "")
                held.append(self.take(size + layer * 4096, kind, line, 40, "activation"))
                self.allocator.free(work)
            self.take(700, "norm", 44, 40, "activation")
        grads = []
        for made in reversed(held):
            grads.append(self.take(24 * MIB, "backward", 80, 41, "gradient"))
            self.allocator.free(made)
        while len(self.optimizer) < LAYERS:
            self.optimizer.append(self.take(48 * MIB, "step", 95, 43, "optimizer state"))
        side = self.allocator.alloc(9 * MIB, stream=7, frames=frames("reduce", 60, 42))
        if side is not None:
            self.allocator.free(side)
        for grad in grads:
            self.allocator.free(grad)


def training(*, steps: int = 6, expandable: bool = False) -> dict[str, Any]:
    """Give the snapshot of a run whose sixth batch does not fit; the weights are older than it."""
    allocator = SimAllocator(capacity=3 << 30, expandable=expandable, remembers=False, step_us=90)
    run = Run(allocator)
    try:
        for step in range(steps):
            run.step((6 + 14 * step) * MIB)
    except MemoryError:
        pass
    allocator.max_entries = len(allocator.trace) - run.before
    content = snapshot(allocator)
    del content["allocator_settings"]["trace_alloc_overflowed"]
    content["allocator_settings"]["trace_alloc_max_entries"] = 100_000
    return content
