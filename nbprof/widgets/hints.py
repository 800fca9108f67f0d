"""What a trace holds, and which profiler option records what it does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.model import kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.model.trace_model import TraceModel

#: One sentence for each thing that may be missing.
HINTS: Final = {
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
    "steps": (
        "No steps were recorded, so the whole trace is one step. "
        "Call prof.step() after every iteration."
    ),
    "occupancy": (
        "No blocks per SM and no occupancy in this trace. PyTorch records them on NVIDIA GPUs."
    ),
}

#: Columns that stay null without something.
_COLUMNS: Final = {
    "backward_device_us": "device",
    "device_self_us": "device",
    "device_total_us": "device",
    "device_mean_us": "device",
    "tensor_core_self_pct": "device",
    "tensor_core_total_pct": "device",
    "input_shapes": "shapes",
    "call_stack": "stacks",
    "module": "modules",
    "mean_blocks_per_sm": "occupancy",
    "mean_occupancy_pct": "occupancy",
    "sm_efficiency_pct": "occupancy",
    "occupancy_pct": "occupancy",
}


def holdings(model: TraceModel) -> dict[str, bool]:
    """Return what a trace holds, by the keys of `HINTS`."""
    return model.cached("widgets.holdings", lambda: _holdings(model))


def _holdings(model: TraceModel) -> dict[str, bool]:
    device_kind = model.column("device", "kind")
    host_kind = model.column("host", "kind")
    work = np.isin(device_kind, (kinds.KERNEL, kinds.MEMCPY, kinds.MEMSET))
    occupancy = model.column("device", "occupancy_pct"), model.column("device", "blocks_per_sm")
    return {
        "device": bool(work.any()),
        "kernels": bool((device_kind == kinds.KERNEL).any()),
        "shapes": _any_text(model, "input_shapes"),
        # frames as slices: what they enclose gets its stack from them
        "stacks": _any_text(model, "call_stack") or bool((host_kind == kinds.PYTHON).any()),
        "memory": any(model.tables[of].num_rows > 0 for of in ("memory", "memory_components")),
        "modules": bool((host_kind == kinds.MODULE).any()),
        "steps": model.steps.recorded,
        "occupancy": any(bool(np.isfinite(values).any()) for values in occupancy),
    }


def hints(model: TraceModel) -> dict[str, str]:
    """Return a sentence for everything that a trace does not hold."""
    held = holdings(model)
    missing = [name for name, there in held.items() if not there]
    if not held["kernels"]:
        missing.remove("occupancy")  # what has no kernels cannot have theirs
    return {name: HINTS[name] for name in missing}


def column_notes(model: TraceModel, columns: Iterable[str]) -> dict[str, str]:
    """Return why columns are null in every row, as far as that is known."""
    held = holdings(model)
    reasons = {name: _COLUMNS.get(name) for name in columns}
    return {name: HINTS[why] for name, why in reasons.items() if why and not held[why]}


def _any_text(model: TraceModel, column: str) -> bool:
    return bool((model.column("host", column) >= 0).any())
