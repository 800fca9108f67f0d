"""The dialect of PyTorch's profiler: vocabulary and recording hints."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nbprof.model.trace.dialect import WHOLE, Dialect, RecordingOption, Vocabulary

#: Name of the recorder.
FORMAT: Final = "PyTorch"

#: One sentence for each kind of data that may be missing.
HINTS: Final = {
    "device": (
        "No device work in this trace. Record it with "
        "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])."
    ),
    "kernels": (
        "No kernels in this trace. Record them with "
        "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])."
    ),
    "shapes": (
        "No input shapes in this trace. Record them with profile(record_shapes=True), for a few "
        "steps: small operators then take up to half as long again."
    ),
    "stacks": (
        "No call stacks in this trace. Record them with profile(with_stack=True), for a few steps: "
        "small operators then take up to half as long again."
    ),
    "memory": (
        "No memory was recorded. Record it with profile(profile_memory=True), from a few steps "
        "before the peak."
    ),
    "modules": (
        "No modules recorded. Record them with profile(with_stack=True, with_modules=True)."
    ),
    "steps": (
        f"{WHOLE} Pass schedule= to the profiler and call prof.step() after every iteration:"
        " without schedule=, PyTorch marks no steps."
    ),
    "host": (
        "Record CPU activity too, with profile(activities=[ProfilerActivity.CPU, …]): steps are"
        " labels on the host."
    ),
    "occupancy": (
        "No blocks per SM and no occupancy in this trace. PyTorch records them on NVIDIA GPUs."
    ),
    "operators": (
        "No operators in this trace. Record them with "
        "profile(activities=[ProfilerActivity.CPU, …])."
    ),
    "user_events": "Mark parts of the program with torch.profiler.record_function(name).",
}

#: The options that record these data; a trace contains the options it was recorded with.
OPTIONS: Final = {
    "shapes": RecordingOption(name="record_shapes"),
    "stacks": RecordingOption(name="with_stack"),
    "memory": RecordingOption(name="profile_memory"),
    "modules": RecordingOption(name="with_modules"),
}

#: PyTorch records what every recorder can, and nothing beyond.
DIALECT: Final = Dialect(
    vocabulary=Vocabulary(
        compiler="torch.compile",
        autocast="torch.autocast",
        record_ranks=(
            "Record every rank with profile(on_trace_ready=tensorboard_trace_handler(folder)), all"
            " into one folder, or pass nbprof.show({rank: path}) the files."
        ),
        mark_steps=(
            "Pass schedule= to the profiler and call prof.step() at the end of every {what}:"
            " without schedule=, PyTorch marks no steps."
        ),
    ),
    hints=HINTS,
    options=OPTIONS,
)

#: Members of `ProfilerActivity` of devices other than GPUs, by device type.
_ACTIVITIES: Final = {"xpu": "XPU", "mtia": "MTIA", "hpu": "HPU", "privateuse1": "PrivateUse1"}
#: The dialects of traces of these devices, whose hints name their activity.
OF_DEVICES: Final = {
    kind: replace(
        DIALECT, hints={key: hint.replace("CUDA", activity) for key, hint in HINTS.items()}
    )
    for kind, activity in _ACTIVITIES.items()
}
