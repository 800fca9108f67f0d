"""Facts about the machine and the installation that decide how fast a program is."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Environment variables that change the speed of programs. No others are ever shown: an environment
#: may hold passwords.
VARIABLES: Final = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "TORCH_COMPILE_DISABLE",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "KMP_AFFINITY",
    "GOMP_CPU_AFFINITY",
    "PYTHONDEVMODE",
    "PYTHONMALLOC",
    "PYTHONTRACEMALLOC",
)


def environment(torch: Mapping[str, Any], missing: str) -> list[tuple[str, str]]:
    """Return names and values of the facts.

    Parameters
    ----------
    torch : mapping
        What the run under PyTorch's profiler said about PyTorch.
    missing : str
        Why there are no such facts.
    """
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    facts = [
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("system", system),
        ("CPUs", _cpus()),
    ]
    if "torch" in torch:
        debug = ", debug build" if torch.get("debug") else ""
        facts.append(("PyTorch", f"{torch['torch']}{debug}, {torch['threads']} threads"))
        facts.append(("built for", str(torch["backend"])))
        if torch.get("cudnn"):
            facts.append(("cuDNN", str(torch["cudnn"])))
        facts += [(f"device {n}", name) for n, name in enumerate(torch.get("devices", ()))]
        if not torch.get("devices"):
            facts.append(("devices", "no GPU is available"))
    else:
        facts.append(("PyTorch", missing))
    facts += [(name, os.environ[name]) for name in VARIABLES if name in os.environ]
    return facts


def _cpus() -> str:
    count = os.cpu_count() or 1
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        usable = count
    return f"{count}" if usable == count else f"{usable} of {count}"
