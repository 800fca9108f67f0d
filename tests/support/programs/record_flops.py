"""Records a convolutional net and a transformer on the CPU, and counts their FLOPs with PyTorch.

``record_flops.py FOLDER`` writes a trace of one training step for each, and ``flops.json``: what
`torch.utils.flop_counter` counts, by model and operator. It runs as a program of its own, since
importing PyTorch takes seconds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode


def convolutional() -> tuple[nn.Module, torch.Tensor]:
    """Return a net with strides, groups, dilation and a transposed convolution."""
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, stride=2),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=2, dilation=2, groups=4, bias=False),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 8, 4, stride=2, padding=1),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(128, 10),
    )
    return net, torch.randn(4, 3, 32, 32)


def transformer() -> tuple[nn.Module, torch.Tensor]:
    """Return an encoder of two layers."""
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 2), torch.randn(2, 24, 64)


def main(folder: Path) -> None:
    """Write the traces and the counts."""
    torch.manual_seed(0)
    counted = {}
    for name, make in (("convolutional", convolutional), ("transformer", transformer)):
        model, data = make()
        model(data).sum().backward()  # allocations and choices of the first step
        counter = FlopCounterMode(display=False)
        with counter:
            model(data).sum().backward()
        operators = counter.get_flop_counts()["Global"]
        counted[name] = {str(operator): flops for operator, flops in operators.items()}
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
            model(data).sum().backward()
        recorded.export_chrome_trace(str(folder / f"{name}.pt.trace.json"))
    (folder / "flops.json").write_text(json.dumps(counted), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
