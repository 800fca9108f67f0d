"""The dialect of nvprof: vocabulary and recording hints."""

from __future__ import annotations

from typing import Final

from nbprof.model.trace.dialect import WHOLE, Dialect, Vocabulary

#: Name of the recorder.
FORMAT: Final = "nvprof"

#: A hint for each thing that may be missing.
HINTS: Final = {
    "device": "No GPU work in this profile. Record it with nvprof -o net.sql.",
    "kernels": "No kernels in this profile. Record them with nvprof -o net.sql.",
    "shapes": (
        "No input shapes in this profile. Run the program with PyProf, or in"
        " torch.autograd.profiler.emit_nvtx(record_shapes=True), under nvprof."
    ),
    "stacks": "No call stacks in this profile. PyProf records them as it wraps functions.",
    "memory": "No memory was recorded: nvprof does not record the memory of PyTorch.",
    "modules": "No modules in this profile: nvprof does not record any.",
    "steps": (
        f"{WHOLE} Put every iteration into a range, such as torch.cuda.nvtx.range(f'step {{i}}')."
    ),
    "occupancy": "No blocks per SM in this profile: it does not describe the GPUs.",
    "operators": (
        "No operators in this profile. Run the program in torch.autograd.profiler.emit_nvtx() under"
        " nvprof."
    ),
    "user_events": "Mark parts of the program with torch.cuda.nvtx.range(name).",
}

DIALECT: Final = Dialect(
    vocabulary=Vocabulary(
        compiler="torch.compile",
        autocast="torch.autocast",
        mark_steps=("Put every {what} into a range, such as torch.cuda.nvtx.range(f'step {{i}}')."),
        record_ranks=(
            "Record every rank with nvprof -o net_%p.sql, and put the files into one folder."
        ),
    ),
    hints=HINTS,
)
