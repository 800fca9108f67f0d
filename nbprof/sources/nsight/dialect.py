"""The dialect of Nsight Systems: vocabulary and recording hints."""

from __future__ import annotations

from typing import Final

from nbprof.model.trace.dialect import WHOLE, Dialect, Vocabulary

#: Name of the recorder.
FORMAT: Final = "Nsight Systems"

#: A hint for each thing that may be missing.
HINTS: Final = {
    "device": "No GPU work in this report. Record it with nsys profile --trace=cuda,nvtx,osrt.",
    "kernels": "No kernels in this report. Record them with nsys profile --trace=cuda,nvtx.",
    "shapes": (
        "No input shapes in this report. Run the program in torch.autograd.profiler.emit_nvtx("
        "record_shapes=True) under nsys profile --trace=cuda,nvtx."
    ),
    "stacks": (
        "No call stacks of operators in this report: Nsight Systems samples stacks by time, not by"
        " operator."
    ),
    "memory": (
        "No memory was recorded. Record it with nsys profile --cuda-memory-usage=true, and export"
        " the report again."
    ),
    "modules": "No modules in this report: Nsight Systems does not record any.",
    "steps": (
        f"{WHOLE} Put every iteration into a range, such as torch.cuda.nvtx.range(f'step {{i}}')."
    ),
    "occupancy": (
        "No blocks per SM in this report: it does not describe the GPUs. Nsight Systems does not"
        " record occupancy."
    ),
    "operators": (
        "No operators in this report. Run the program in torch.autograd.profiler.emit_nvtx() under"
        " nsys profile --trace=cuda,nvtx."
    ),
    "user_events": "Mark parts of the program with torch.cuda.nvtx.range(name).",
}

DIALECT: Final = Dialect(
    vocabulary=Vocabulary(
        compiler="torch.compile",
        autocast="torch.autocast",
        mark_steps=("Put every {what} into a range, such as torch.cuda.nvtx.range(f'step {{i}}')."),
        record_ranks=(
            "Record every rank with nsys profile -o report_%q{RANK}, export each report with nsys"
            " export --type sqlite, and put the files into one folder."
        ),
    ),
    hints=HINTS,
)
