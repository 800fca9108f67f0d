"""Measures what the options of PyTorch's profiler cost on the CPU: time, memory and file size.

Run ``python benchmarks/recording_overhead.py``; it needs PyTorch and takes two minutes.
docs/recording.md quotes the result. Times are processor time of one thread, which other programs
on the machine change little. Two models bracket what is common: one whose operators take
long, in which the profiler hardly shows, and one of many small operators, in which it shows most.
"""

from __future__ import annotations

import gzip
import platform
import statistics
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

#: Options of the profiler, by the name of their row.
OPTIONS: Final[dict[str, dict[str, bool] | None]] = {
    "no profiler": None,
    "operators only": {},
    "record_shapes": {"record_shapes": True},
    "profile_memory": {"profile_memory": True},
    "with_stack": {"with_stack": True},
    "with_flops": {"with_flops": True},
    "all of nbprof.profile": {
        "record_shapes": True,
        "profile_memory": True,
        "with_stack": True,
        "with_flops": True,
        "with_modules": True,
    },
}
#: Rounds in which every set of options is measured once, so that a busy moment hits all alike.
ROUNDS: Final = 9
#: Steps before those that are measured, and steps that are.
WARMUP: Final = 2
STEPS: Final = 5


def convolutions(torch: Any) -> Callable[[], None]:
    """Return a training step of few large operators."""
    nn = torch.nn
    model = nn.Sequential(
        *(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)),
    )
    return training(torch, model, torch.randn(16, 3, 64, 64))


def small_layers(torch: Any) -> Callable[[], None]:
    """Return a training step of many small operators."""
    nn = torch.nn
    layer = [nn.Linear(64, 64), nn.LayerNorm(64), nn.GELU()]
    model = nn.Sequential(*(one for _ in range(40) for one in layer))
    return training(torch, model, torch.randn(8, 64))


def training(torch: Any, model: Any, batch: Any) -> Callable[[], None]:
    """Return a step of training of a model."""
    optimizer = torch.optim.Adam(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()

    return step


def measure(
    profiler: Any, step: Callable[[], None], options: dict[str, bool] | None
) -> dict[str, float]:
    """Return the time of a step and of the end of the recording, and the size of the file."""
    if options is None:
        for _ in range(WARMUP):
            step()
        return {"step_ms": timed(step)}
    plan = profiler.schedule(wait=0, warmup=WARMUP, active=STEPS + 1, repeat=1)
    with profiler.profile(schedule=plan, **options) as recording:
        for _ in range(WARMUP):
            step()
            recording.step()

        def marked() -> None:
            step()
            recording.step()

        found = {"step_ms": timed(marked)}
        start = time.process_time()
    stopped = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        recording.export_chrome_trace(str(path))
        content = path.read_bytes()
    found["end_ms"] = (stopped - start) * 1e3
    found["export_ms"] = (time.process_time() - stopped) * 1e3
    found["step_kb"] = len(content) / STEPS / 1e3
    found["packed_kb"] = len(gzip.compress(content, 6)) / STEPS / 1e3
    return found


def timed(step: Callable[[], None]) -> float:
    """Return the median time of a step in milliseconds."""
    times = []
    for _ in range(STEPS):
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    return statistics.median(times) * 1e3


def machine(torch: Any) -> str:
    """Return what was measured on."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    processor = f"{len(names)} processors, {names[0]}" if names else platform.processor()
    return f"PyTorch {torch.__version__}, Python {platform.python_version()}, {processor}"


def main() -> None:
    """Measure both models, and write a table of each."""
    torch, profiler = import_module("torch"), import_module("torch.profiler")
    torch.set_num_threads(1)
    write = sys.stdout.write
    write(f"{machine(torch)}, one thread\n")
    for make in (convolutions, small_layers):
        step = make(torch)
        found: dict[str, list[dict[str, float]]] = {name: [] for name in OPTIONS}
        for _ in range(ROUNDS):
            for name, options in OPTIONS.items():
                found[name].append(measure(profiler, step, options))
        rows = {
            name: {key: statistics.median(one[key] for one in runs) for key in runs[0]}
            for name, runs in found.items()
        }
        write(f"\n{(make.__doc__ or '').strip()}\n")
        write("| options | ms a step | times as long | end ms | export ms | kB a step | gzip |\n")
        write("|---|---:|---:|---:|---:|---:|---:|\n")
        base = rows["no profiler"]["step_ms"]
        for name, row in rows.items():
            more = [row.get(key) for key in ("end_ms", "export_ms", "step_kb", "packed_kb")]
            texts = ["" if value is None else f"{value:.0f}" for value in more]
            cells = [name, f"{row['step_ms']:.2f}", f"{row['step_ms'] / base:.2f}", *texts]
            write(f"| {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
