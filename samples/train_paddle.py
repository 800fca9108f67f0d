"""Train a small conv net on the CPU with PaddlePaddle and record it with `paddle.profiler`.

Started once a worker::

    python train_paddle.py --worker 0 --form json --logs logs
    python train_paddle.py --worker 1 --form pb --logs logs

The workers train by themselves; each writes one profile a cycle of the scheduler:
`worker<number>_time_<time>.paddle_trace.<form>`.
"""

from __future__ import annotations

import argparse

import numpy as np
import paddle
from paddle import nn, profiler
from paddle.nn import functional

CLASSES = 8
WAIT, WARMUP, ACTIVE, CYCLES = 1, 1, 3, 2
STEPS = (WAIT + WARMUP + ACTIVE) * CYCLES
BATCH = 16


class Stripes(paddle.io.Dataset):
    """Images of noisy stripes; the class is their direction. Made when asked for, from the index.

    Parameters
    ----------
    count : int
        Number of images.
    size : int
        Height and width in pixels.
    """

    def __init__(self, count: int, size: int = 28) -> None:
        super().__init__()
        self.count = count
        axis = np.linspace(-1, 1, size)
        self.rows, self.columns = np.meshgrid(axis, axis, indexing="ij")

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        label = index % CLASSES
        angle = np.pi * label / CLASSES
        wave = np.sin(12 * (self.rows * np.cos(angle) + self.columns * np.sin(angle)))
        noise = np.random.default_rng(index).normal(0, 0.3, wave.shape)
        return (wave + noise)[None].astype("float32"), np.array([label], "int64")


class ConvNet(nn.Layer):
    """Two convolutions and two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2D(1, 8, 3, padding=1)
        self.deep = nn.Conv2D(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2D(2, 2)
        self.hidden = nn.Linear(16 * 7 * 7, 64)
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, CLASSES)

    def forward(self, images: paddle.Tensor) -> paddle.Tensor:
        """Return one score for each class."""
        features = self.pool(functional.relu(self.stem(images)))
        features = self.pool(functional.relu(self.deep(features)))
        hidden = functional.relu(self.norm(self.hidden(paddle.flatten(features, 1))))
        return self.head(hidden)


def train(worker: int, form: str, logs: str) -> None:
    """Train for `STEPS` steps, writing a profile at the end of each cycle of the scheduler."""
    paddle.seed(worker)
    export = profiler.export_chrome_tracing if form == "json" else profiler.export_protobuf
    model = ConvNet()
    optimizer = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
    loader = paddle.io.DataLoader(Stripes(STEPS * BATCH), batch_size=BATCH)
    with profiler.Profiler(
        targets=[profiler.ProfilerTarget.CPU],
        scheduler=profiler.make_scheduler(closed=WAIT, ready=WARMUP, record=ACTIVE, repeat=CYCLES),
        on_trace_ready=export(logs, f"worker{worker}"),
        record_shapes=True,
        profile_memory=True,
    ) as recorder:
        for images, labels in loader:
            scores = model(images)
            with profiler.RecordEvent("loss"):
                loss = functional.cross_entropy(scores, labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            recorder.step()


def main() -> None:
    """Train one worker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", type=int, required=True)
    parser.add_argument("--form", choices=("json", "pb"), required=True)
    parser.add_argument("--logs", required=True, help="folder for the profiles")
    options = parser.parse_args()
    train(options.worker, options.form, options.logs)


if __name__ == "__main__":
    main()
