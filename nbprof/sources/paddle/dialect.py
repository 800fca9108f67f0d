"""The dialect of Paddle's profiler: capabilities, vocabulary and recording hints."""

from __future__ import annotations

from typing import Final

from nbprof.model.trace.dialect import Capabilities, Dialect, Vocabulary
from nbprof.sources.kineto.dialect import HINTS as TORCH

#: Name of the recorder.
FORMAT: Final = "Paddle"

_TARGETS: Final = "targets=[ProfilerTarget.CPU, ProfilerTarget.GPU]"
#: A hint for each thing that may be missing; PyTorch's hints apply to the others.
HINTS: Final = {
    **TORCH,
    "device": (
        f"No device work in this profile. Record it with paddle.profiler.Profiler({_TARGETS})."
    ),
    "kernels": (
        f"No kernels in this profile. Record them with paddle.profiler.Profiler({_TARGETS})."
    ),
    "shapes": (
        "No input shapes in this profile. Record them with"
        " paddle.profiler.Profiler(record_shapes=True); in dynamic graphs on the CPU Paddle leaves"
        " them empty."
    ),
    "stacks": "No call stacks in this profile: Paddle's profiler does not record any.",
    "memory": (
        "No memory was recorded. Record it with paddle.profiler.Profiler(profile_memory=True)."
    ),
    "modules": "No modules recorded. Paddle's profiler does not record any.",
    "occupancy": (
        "No blocks per SM and no occupancy in this profile. Paddle records them on NVIDIA GPUs."
    ),
    "operators": (
        "No operators in this profile. Record them with"
        " paddle.profiler.Profiler(targets=[ProfilerTarget.CPU, …])."
    ),
    "user_events": "Mark parts of the program with paddle.profiler.RecordEvent(name).",
}

DIALECT: Final = Dialect(
    capabilities=Capabilities(
        event_types=True,
        call_extremes=True,
        host_step_shares=True,
        host_communication=True,
    ),
    vocabulary=Vocabulary(
        compiler="paddle.jit.to_static",
        autocast="paddle.amp.auto_cast",
        copy_overlap=("DataLoader(use_buffer_reader=True), which copies the next batch meanwhile"),
        record_ranks=(
            "Record every rank with paddle.profiler.Profiler(on_trace_ready="
            "export_chrome_tracing(folder)), all into one folder."
        ),
    ),
    hints=HINTS,
)
