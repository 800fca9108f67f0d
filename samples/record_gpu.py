"""Train on a GPU with CUDA and record it with `torch.profiler`: the runs gpu_gpt and gpu_resnet.

Each in a process of its own, so that none finds what another has left in the memory of the GPU::

    python record_gpu.py gpt logs       # writes logs/gpu_gpt
    python record_gpu.py before logs    # writes logs/gpu_resnet/before
    python record_gpu.py after logs     # writes logs/gpu_resnet/after

Data are made up and weights random; nothing is downloaded. ResNet-50 comes from torchvision.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import profile, record_function, schedule, tensorboard_trace_handler
from torch.utils.data import DataLoader, Dataset


class Block(nn.Module):
    """A layer of a GPT: causal self-attention, then a perceptron."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inputs, self.outputs = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        """Return what the next layer takes, shape (batch, tokens, width)."""
        batch, tokens, width = x.shape
        parts = self.inputs(self.before(x)).view(batch, tokens, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.outputs(mixed.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.perceptron(self.between(x))


class GPT(nn.Module):
    """A small GPT that returns its loss."""

    def __init__(self, vocabulary: int, width: int, layers: int, heads: int, tokens: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy of the next tokens."""
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


class Tokens(Dataset[tuple[Tensor, Tensor]]):
    """Random texts, made when asked for, from the index, and the same one token later."""

    def __init__(self, vocabulary: int, tokens: int) -> None:
        self.vocabulary, self.tokens = vocabulary, tokens

    def __len__(self) -> int:
        return 4096

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        random = torch.Generator().manual_seed(index)
        ids = torch.randint(self.vocabulary, (self.tokens + 1,), generator=random)
        return ids[:-1], ids[1:]


class Images(Dataset[tuple[Tensor, int]]):
    """Random images, blurred three times when asked for: loading them takes a while."""

    def __len__(self) -> int:
        return 100_000

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        image = torch.rand(3, 256, 256)
        for _ in range(3):
            image = functional.avg_pool2d(image[None], 3, 1, 1)[0]
        return image[:, 16:-16, 16:-16].contiguous(), index % 1000


def gpt(
    logs: Path,
    *,
    device: str = "cuda",
    vocabulary: int = 16_000,
    width: int = 768,
    layers: int = 6,
    tokens: int = 512,
    batch: int = 8,
) -> None:
    """Train a GPT in bfloat16, three steps recorded with all that views can use."""
    model = GPT(vocabulary, width, layers, 12, tokens).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    texts, pinned = Tokens(vocabulary, tokens), device == "cuda"
    batches = iter(DataLoader(texts, batch, num_workers=2, pin_memory=pinned))
    with profile(
        schedule=schedule(wait=1, warmup=2, active=3, repeat=1),
        on_trace_ready=tensorboard_trace_handler(str(logs / "gpu_gpt"), "worker0", use_gzip=True),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        with_modules=True,
        with_flops=True,
    ) as profiler:
        for _ in range(6):
            with record_function("get_batch"):
                ids, targets = (one.to(device, non_blocking=True) for one in next(batches))
            with torch.autocast(device, torch.bfloat16):
                loss = model(ids, targets)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            profiler.step()


def before(logs: Path) -> None:
    """Train ResNet-50 in float32, with batches loaded in the process that trains."""
    torch.set_num_threads(4)
    _resnet(logs / "gpu_resnet" / "before", workers=0, half=False)


def after(logs: Path) -> None:
    """Train ResNet-50 in float16, channels last, with batches loaded by eight processes."""
    _resnet(logs / "gpu_resnet" / "after", workers=8, half=True)


def _resnet(logs: Path, *, workers: int, half: bool) -> None:
    import torchvision

    layout: Any = torch.channels_last if half else torch.contiguous_format
    model = torchvision.models.resnet50().to("cuda", memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda", enabled=half)
    batches = iter(DataLoader(Images(), 32, num_workers=workers, pin_memory=workers > 0))
    with profile(
        schedule=schedule(wait=1, warmup=3, active=4),
        on_trace_ready=tensorboard_trace_handler(str(logs), "worker0", use_gzip=True),
        record_shapes=True,
    ) as profiler:
        for _ in range(8):
            images, labels = (one.to("cuda", non_blocking=True) for one in next(batches))
            images = images.to(memory_format=layout)
            with torch.autocast("cuda", torch.float16, enabled=half):
                loss = functional.cross_entropy(model(images), labels)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            profiler.step()


def main() -> None:
    """Record what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    runs = {"gpt": gpt, "before": before, "after": after}
    parser.add_argument("run", choices=runs)
    parser.add_argument("logs", type=Path, help="folder to write to")
    given = parser.parse_args()
    if not torch.cuda.is_available():
        parser.error("PyTorch finds no device with CUDA here")
    torch.manual_seed(0)
    runs[given.run](given.logs)


if __name__ == "__main__":
    main()
