"""Which option of each profiler records what a trace does not hold, in words."""

from __future__ import annotations

from typing import Final

#: What takes the place of steps that nobody marked.
WHOLE: Final = (
    "No steps are marked, so the whole recording is one step: from the first to the last operator"
    " or annotation, and to the end of the device work that they launched."
)

#: One sentence for each thing that may be missing: of PyTorch's profiler.
TORCH: Final = {
    "slices": "Nothing in this profile has a start and an end.",
    "device": (
        "No device work in this trace. Record it with "
        "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])."
    ),
    "kernels": (
        "No kernels in this trace. Record them with "
        "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])."
    ),
    "shapes": "No input shapes in this trace. Record them with profile(record_shapes=True).",
    "stacks": "No call stacks in this trace. Record them with profile(with_stack=True).",
    "memory": "No memory was recorded. Record it with profile(profile_memory=True).",
    "modules": (
        "No modules recorded. Record them with profile(with_stack=True, with_modules=True)."
    ),
    "steps": (f"{WHOLE} Call prof.step() after every iteration."),
    "occupancy": (
        "No blocks per SM and no occupancy in this trace. PyTorch records them on NVIDIA GPUs."
    ),
    "operators": (
        "No operators in this trace. Record them with "
        "profile(activities=[ProfilerActivity.CPU, …])."
    ),
    "user_events": "Mark parts of the program with torch.profiler.record_function(name).",
}

_ACTIVITIES: Final = "activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"
#: Of torch_npu's.
TORCH_NPU: Final = {
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
    "occupancy": "NPUs have no multiprocessors and warps, of which these figures are.",
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
    "calls": "No operator of these names is in the trace, so that calls cannot be counted.",
    "slices": (
        "Nothing in this profile has a start and an end: that is in trace_view.json and"
        " kernel_details.csv, and neither is here."
    ),
    "placed": (
        "operator_details.csv does not say when and on which thread operators ran:"
        " trace_view.json does, and it is not here."
    ),
}

#: What torch_npu records with an option, and the files that it is written to: where the option was
#: on and none of the files is there, the option is no advice.
NPU_FILES: Final = {
    "shapes": ("record_shapes", ("operator_details.csv", "trace_view.json")),
    "stacks": ("with_stack", ("operator_details.csv", "trace_view.json")),
    "memory": ("profile_memory", ("operator_memory.csv", "memory_record.csv")),
    "modules": ("with_modules", ("trace_view.json",)),
}

_TARGETS: Final = "targets=[ProfilerTarget.CPU, ProfilerTarget.GPU]"
#: Of Paddle's.
PADDLE: Final = {
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

#: By the format of the trace; all others are PyTorch's.
BY_FORMAT: Final = {"Ascend": TORCH_NPU, "Paddle": PADDLE}
