"""Make the profiles of this folder anew.

::

    python samples/make_samples.py gpu          # real training runs; needs a GPU with CUDA
    python samples/make_samples.py cpu          # a real training run; needs torch 2.13
    python samples/make_samples.py npu          # the synthetic NPU profile: the same each time
    python samples/make_samples.py paddle       # a real training run; needs paddlepaddle 3.3.1
    python samples/make_samples.py nsys         # a synthetic export of Nsight Systems
    python samples/make_samples.py snapshot     # a synthetic memory snapshot
    python samples/make_samples.py gpu cpu --output elsewhere

What is what, and what was taken out of the recorded files, is in README.md.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import synthetic_npu
import synthetic_nsys
import synthetic_snapshot

HERE = Path(__file__).resolve().parent
CPU_RUN = "torch_cpu_convnet"
#: The runs that `record_gpu.py` records, by the name that it has for each.
GPU_RUNS = {"gpt": "gpu_gpt", "before": "gpu_resnet/before", "after": "gpu_resnet/after"}
NPU_RUN, PADDLE_RUN = "npu_convnet_synthetic", "paddle_cpu_convnet"
NSYS_RUN, SNAPSHOT_RUN = "nsys_mlp_synthetic", "memory_snapshot_synthetic"
#: Form of each worker's files: what is in them is the same.
PADDLE_FORMS = ("json", "pb")
WORLD_SIZE = 2
TIME_LIMIT_S = 600


def make_gpu(output: Path) -> list[Path]:
    """Train on the GPU, one run after another, and keep the profiles without paths."""
    made = []
    with tempfile.TemporaryDirectory() as logs:
        for name, run in GPU_RUNS.items():
            command = [sys.executable, "record_gpu.py", name, logs]
            subprocess.run(command, cwd=HERE, check=True, timeout=TIME_LIMIT_S)
            folder = _emptied(output / run)
            made += [_scrub(path, folder / path.name) for path in sorted(Path(logs, run).iterdir())]
    return made


def make_cpu(output: Path) -> list[Path]:
    """Train on the CPU in two processes and keep the profiles, without what names the machine."""
    folder = _emptied(output / CPU_RUN)
    with tempfile.TemporaryDirectory() as scratch:
        logs = Path(scratch) / "logs"
        _train(Path(scratch) / "store", logs)
        return [_scrub(path, folder / path.name) for path in sorted(logs.iterdir())]


def make_npu(output: Path) -> list[Path]:
    """Write the synthetic NPU profile."""
    folder = _emptied(output / NPU_RUN)
    return synthetic_npu.write_profiles(folder)


def make_nsys(output: Path) -> list[Path]:
    """Write the synthetic export of Nsight Systems."""
    folder = _emptied(output / NSYS_RUN)
    return [synthetic_nsys.write_export(folder / "report.sqlite")]


def make_snapshot(output: Path) -> list[Path]:
    """Write the synthetic memory snapshot."""
    folder = _emptied(output / SNAPSHOT_RUN)
    return [synthetic_snapshot.write_snapshot(folder / "out_of_memory.pickle")]


def make_paddle(output: Path) -> list[Path]:
    """Train with PaddlePaddle on the CPU; what it writes names neither machine nor folders."""
    folder = _emptied(output / PADDLE_RUN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    for worker, form in enumerate(PADDLE_FORMS):
        command = [sys.executable, "train_paddle.py", "--worker", str(worker), "--form", form]
        subprocess.run(
            [*command, "--logs", folder.resolve()],
            cwd=HERE,
            env=environment,
            check=True,
            timeout=TIME_LIMIT_S,
        )
    return sorted(folder.iterdir())


def _train(store: Path, logs: Path) -> None:
    """Run `train_cpu.py` once a rank, all at the same time."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "train_cpu.py", "--world-size", str(WORLD_SIZE)]
    command += ["--store", str(store), "--logs", str(logs)]
    ranks = [
        subprocess.Popen([*command, "--rank", str(rank)], cwd=HERE, env=environment)
        for rank in range(WORLD_SIZE)
    ]
    try:
        codes = [process.wait(TIME_LIMIT_S) for process in ranks]
    finally:
        for process in ranks:
            process.kill()
    if any(codes):
        message = f"training ended with {codes}"
        raise SystemExit(message)


def _scrub(source: Path, target: Path) -> Path:
    """Copy a profile without the name of the host and without paths of this machine.

    The rest stays as PyTorch wrote it, byte for byte.
    """
    text = gzip.decompress(source.read_bytes()).decode()
    text = re.sub(r'^ *"host_name": .*\n', "", text, flags=re.MULTILINE)
    text = re.sub(r'"traceName": "[^"]*"', f'"traceName": "{target.stem}"', text)
    for prefix in sorted({str(HERE), sys.prefix, sys.base_prefix}, key=len, reverse=True):
        text = re.sub(re.escape(prefix) + r"/(lib/python[\d.]+/(site-packages/)?)?", "", text)
    target.write_bytes(gzip.compress(text.encode(), mtime=0))
    return target


def _emptied(folder: Path) -> Path:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def main() -> None:
    """Make what was asked for and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    makers = {"gpu": make_gpu, "cpu": make_cpu, "npu": make_npu, "paddle": make_paddle,
              "nsys": make_nsys, "snapshot": make_snapshot}  # fmt: skip
    parser.add_argument("which", nargs="+", choices=makers, help="profiles to make")
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to")
    options = parser.parse_args()
    for which in options.which:
        for path in makers[which](options.output):
            print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
