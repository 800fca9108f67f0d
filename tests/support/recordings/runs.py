"""The runs that most tests look at: the samples, but of GPUs a simulated training on two."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[3]
#: The simulated run, in which two workers wait for each other; see `tests.samples.synthetic`.
_SIMULATED: Final = _ROOT / "tests" / "samples" / "gpu_resnet_synthetic"
#: Recordings of an H200, of one worker each.
_RECORDED: Final = ("gpu_gpt", "gpu_resnet")


def _copied() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="nbprof-runs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    samples = [path for path in (_ROOT / "samples").iterdir() if path.is_dir()]
    for run in (*samples, _SIMULATED):
        if run.name not in {*_RECORDED, "__pycache__", "synthetic_npu"}:
            shutil.copytree(run, folder / run.name)
    return folder


RUNS: Final = _copied()
