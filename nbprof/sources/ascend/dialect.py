"""The dialect of the Ascend profiler: capabilities, vocabulary and recording hints."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nbprof.model.trace.dialect import (
    Capabilities,
    Cores,
    Dialect,
    RecordingOption,
    Vocabulary,
)
from nbprof.sources.kineto.dialect import DIALECT as TORCH_DIALECT
from nbprof.sources.kineto.dialect import HINTS as TORCH

_ACTIVITIES: Final = "activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"
#: A hint for each thing that may be missing; PyTorch's hints apply to the others.
HINTS: Final = {
    **TORCH,
    "device": (
        "No device work in this profile: it is in kernel_details.csv and trace_view.json, which are"
        f" written with torch_npu.profiler.profile({_ACTIVITIES})."
    ),
    "kernels": (
        "No kernels in this profile: they are in kernel_details.csv, which is written with"
        f" torch_npu.profiler.profile({_ACTIVITIES})."
    ),
    "shapes": (
        "No input shapes in this profile. Record them with"
        " torch_npu.profiler.profile(record_shapes=True)."
    ),
    "stacks": (
        "No call stacks in this profile. Record them with"
        " torch_npu.profiler.profile(with_stack=True)."
    ),
    "memory": (
        "No memory was recorded. Record it with torch_npu.profiler.profile(profile_memory=True)."
    ),
    "modules": (
        "No modules recorded. Record them with torch_npu.profiler.profile(with_modules=True)."
    ),
    "occupancy": "NPUs have no multiprocessors or warps, so these figures do not exist.",
    "host": (
        f"Record CPU activity too, with torch_npu.profiler.profile({_ACTIVITIES}): steps are labels"
        " on the host."
    ),
    "matrix_units": "NPUs have AI Cores instead.",
    "cores": (
        "The cores that kernels ran on were not recorded. Record them with"
        " experimental_config=torch_npu.profiler._ExperimentalConfig("
        "profiler_level=torch_npu.profiler.ProfilerLevel.Level1)."
    ),
    "operators": (
        "No operators in this profile: they are in operator_details.csv and trace_view.json, which"
        f" are written with torch_npu.profiler.profile({_ACTIVITIES})."
    ),
    "releases": "torch_npu records who allocates a block, but not who releases it.",
    "slices": (
        "Nothing in this profile has a start and an end: times are in trace_view.json and"
        " kernel_details.csv, and both are missing."
    ),
    "placed": (
        "operator_details.csv does not say when and on which thread operators ran:"
        " trace_view.json does, but it is missing."
    ),
}

#: Options of torch_npu, and the files that they fill: if the option was on and none of the files
#: exists, recommending the option would not help.
OPTIONS: Final = {
    "shapes": RecordingOption(
        name="record_shapes", files=("operator_details.csv", "trace_view.json")
    ),
    "stacks": RecordingOption(name="with_stack", files=("operator_details.csv", "trace_view.json")),
    "memory": RecordingOption(
        name="profile_memory", files=("operator_memory.csv", "memory_record.csv")
    ),
    "modules": RecordingOption(name="with_modules", files=("trace_view.json",)),
}

_CORES: Final = Cores(
    # AI Cores consist of cores for matrices (AIC) and for vectors (AIV); MIX is both at once.
    main=frozenset({"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV"}),
    operator_tasks=frozenset({"AI_CORE", "AI_VECTOR_CORE"}),
    communication=frozenset({"COMMUNICATION", "HCCL"}),  # in newer files and in older ones
    communication_prefix="hcom_",
    advice={
        "AI_CPU": "Operators run on the AI CPU if AI Cores do not support their data types, such"
        " as int64, double or bool: try int32 and float.",
        "DSA_SQE": "The DSA generates random numbers, mostly for dropout: try a fused dropout, or"
        " less dropout.",
    },
)

DIALECT: Final = Dialect(
    capabilities=Capabilities(cores=_CORES, step_totals=True, rank_step_totals=True),
    vocabulary=Vocabulary(
        compiler=TORCH_DIALECT.vocabulary.compiler,
        autocast=TORCH_DIALECT.vocabulary.autocast,
        launch_ahead="TASK_QUEUE_ENABLE=2",
        communication_lanes="HCCL",
        record_ranks=(
            "Record every rank with torch_npu.profiler.profile(on_trace_ready="
            "tensorboard_trace_handler(folder)), profiler_level at Level1 at least, into one"
            " folder."
        ),
        mark_steps=TORCH_DIALECT.vocabulary.mark_steps,
    ),
    hints=HINTS,
    options=OPTIONS,
)

#: The dialect of a trace of these devices in PyTorch's format: there the distributed view sums
#: steps itself.
IN_CHROME_TRACES: Final = replace(
    DIALECT,
    capabilities=replace(DIALECT.capabilities, rank_step_totals=False),
    vocabulary=replace(DIALECT.vocabulary, record_ranks=TORCH_DIALECT.vocabulary.record_ranks),
)
