"""Train a small conv net on the CPU and record it with `torch.profiler`, every option on.

Started once a rank, with the same store file::

    python train_cpu.py --rank 0 --world-size 2 --store /tmp/store --logs logs

Each rank writes one profile a cycle of the schedule: `worker<rank>.<time>.pt.trace.json.gz`.
"""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import (
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)
from torch.utils.data import DataLoader, Dataset, DistributedSampler

CLASSES = 8
WAIT, WARMUP, ACTIVE, CYCLES = 1, 1, 3, 2
STEPS = (WAIT + WARMUP + ACTIVE) * CYCLES
BATCH = 16


class Stripes(Dataset[tuple[Tensor, int]]):
    """Images of noisy stripes; the class is their direction. Made when asked for, from the index.

    Parameters
    ----------
    count : int
        Number of images.
    size : int
        Height and width in pixels.
    """

    def __init__(self, count: int, size: int = 32) -> None:
        self.count = count
        axis = torch.linspace(-1, 1, size)
        self.rows, self.columns = torch.meshgrid(axis, axis, indexing="ij")

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        random = torch.Generator().manual_seed(index)
        label = index % CLASSES
        angle = torch.tensor(torch.pi * label / CLASSES)
        wave = torch.sin(12 * (self.rows * torch.cos(angle) + self.columns * torch.sin(angle)))
        noise = torch.randn(3, *wave.shape, generator=random)
        return wave + 0.3 * noise, label


class Block(nn.Module):
    """Two convolutions with a shortcut around them; the first one halves the image."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride=2, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        """Return features of half the height and width."""
        inner = functional.relu(self.norm1(self.conv1(images)))
        return functional.relu(self.norm2(self.conv2(inner)) + self.shortcut(images))


class ConvNet(nn.Module):
    """A stem, three blocks and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.blocks = nn.Sequential(Block(16, 32), Block(32, 64), Block(64, 128))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(128, CLASSES)

    def forward(self, images: Tensor) -> Tensor:
        """Return one score for each class."""
        features = self.blocks(functional.relu(self.stem(images)))
        return self.head(self.pool(features).flatten(1))


def train(rank: int, world_size: int, logs: str) -> None:
    """Train for `STEPS` steps, writing a profile at the end of each cycle of the schedule."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = DistributedDataParallel(ConvNet(), bucket_cap_mb=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    data = Stripes(STEPS * BATCH * world_size)
    sampler = DistributedSampler(data, world_size, rank)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler, num_workers=2)
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=CYCLES),
        on_trace_ready=tensorboard_trace_handler(logs, f"worker{rank}", use_gzip=True),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        with_modules=True,
    ) as profiler:
        for images, labels in loader:
            with record_function("forward"):
                scores = model(images)
            with record_function("loss"):
                loss = functional.cross_entropy(scores, labels)
            with record_function("backward"):
                optimizer.zero_grad()
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
            profiler.step()


def main() -> None:
    """Join the other ranks, train, leave."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--world-size", type=int, required=True)
    parser.add_argument(
        "--store", required=True, help="a file that all ranks share; need not exist"
    )
    parser.add_argument("--logs", required=True, help="folder for the profiles")
    options = parser.parse_args()
    dist.init_process_group(
        "gloo",
        init_method=f"file://{options.store}",
        rank=options.rank,
        world_size=options.world_size,
    )
    train(options.rank, options.world_size, options.logs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
