"""The cases of `key_averages` of the live profiler of PyTorch 2.13, and their traces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

#: The trace of each case; of several files, the one at this place in the order of names.
TRACES: Final = {
    "convnet_dl": ("convnet_dl/logs/*", 0),
    "ddp_gloo_rank0": ("ddp_gloo/logs/worker0.*", 0),
    "ddp_gloo_rank1": ("ddp_gloo/logs/worker1.*", 0),
    "labels_bare": ("labels_noschedule/trace_bare.json", 0),
    "labels_mem_only": ("labels_noschedule/trace_mem_only.json", 0),
    "labels_modules_nostack": ("labels_noschedule/trace_modules_nostack.json", 0),
    "labels_shapes_only": ("labels_noschedule/trace_shapes_only.json", 0),
    "labels_stack": ("labels_noschedule/trace_stack.json", 0),
    "legacy_autograd": ("legacy_autograd/trace_kineto.json", 0),
    "memtimeline": ("memtimeline/trace.json.gz", 0),
    "transformer_gz_0": ("transformer_gz/logs/*", 0),
    "transformer_gz_1": ("transformer_gz/logs/*", 1),
    "verbose_stack": ("verbose_stack/trace.json", 0),
    "verbose_torchscript": ("verbose_stack/trace_torchscript.json", 0),
}

#: Our column for each figure of PyTorch.
FIGURES: Final = {
    "count": "calls",
    "cpu_time_total": "host_total_us",
    "self_cpu_time_total": "host_self_us",
    "cpu_memory_usage": "host_memory_bytes",
    "self_cpu_memory_usage": "host_self_memory_bytes",
    "device_memory_usage": "device_memory_bytes",
    "self_device_memory_usage": "device_self_memory_bytes",
    "flops": "flops",
}


def path_of(case: str, shared_data: Path) -> Path:
    """Return the trace of a case."""
    pattern, place = TRACES[case]
    return sorted((shared_data / "torchcpu").glob(pattern))[place]


def oracle_of(case: str, shared_oracle: Path) -> dict[str, Any]:
    """Return what the profiler gave."""
    path = shared_oracle / "torch_tables" / f"torchcpu_{case}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found
