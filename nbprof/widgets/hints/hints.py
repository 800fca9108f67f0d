"""Hints: data that a trace lacks, and the profiler option that records it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.kernels.npu_cores import has_cores, knows_cores
from nbprof.model.links.lost_launches import LostLaunches
from nbprof.model.reprs import and_list
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.trace import kinds
from nbprof.model.trace.dialect import WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.model.trace.model import TraceModel

#: Columns that are null when a kind of data is missing.
_COLUMNS: Final = {
    "backward_device_us": "device",
    "device_self_us": "device",
    "device_total_us": "device",
    "device_mean_us": "device",
    "matrix_unit_pct": "device",
    "matrix_unit_unknown_pct": "device",
    "tensor_core_self_pct": "device",
    "tensor_core_total_pct": "device",
    "input_shapes": "shapes",
    "flops": "shapes",
    "recomputed_flops": "shapes",
    "tflops_per_s": "shapes",
    "tb_per_s": "shapes",
    "intensity": "shapes",
    "mfu_pct": "shapes",
    "hfu_pct": "shapes",
    "call_stack": "stacks",
    "module": "modules",
    "mean_blocks_per_sm": "occupancy",
    "mean_occupancy_pct": "occupancy",
    "sm_efficiency_pct": "occupancy",
    "occupancy_pct": "occupancy",
    "occupancy_unknown_pct": "occupancy",
}
#: The same for devices whose kernels run on different cores instead of using matrix units.
_CORE_COLUMNS: Final = {
    **_COLUMNS,
    "matrix_unit_pct": "matrix_units",
    "matrix_unit_unknown_pct": "matrix_units",
    "tensor_core_pct": "matrix_units",
    "compute_capability": "matrix_units",
    "ai_core_eligible": "cores",
    "ai_core_self_pct": "cores",
    "ai_core_total_pct": "cores",
    "ai_core_pct": "cores",
    "accelerator_core": "cores",
    "calls": "calls",
    "size_increase_bytes": "releases",
    "self_size_increase_bytes": "releases",
}


def hint(model: TraceModel, name: str) -> str:
    """Return the hint for one kind of missing data, worded for the trace's recorder.

    Parameters
    ----------
    model : TraceModel
        The trace.
    name : str
        A key of `PLAIN_HINTS`.
    """
    if known := _known_reason(model, name):
        return known
    dialect = model.dialect
    said, option = dialect.hint(name), dialect.options.get(name)
    if option is None or not model.metadata.get(option.name):
        return said
    files, there = option.files, model.metadata.get("files")
    if there is None:
        return f"{said.split('. ')[0]}. {option.name} was on, but the trace holds none."
    if set(files) & set(there):
        return said
    # The option was on, so its files are missing from the folder or not exported yet.
    missing = " and ".join(files)
    which = "neither is here" if len(files) > 1 else "which is not here"
    it = "It is" if name == "memory" else "They are"
    return f"{said.split('. ')[0]}. {it} in {missing}{', and' if len(files) > 1 else ','} {which}."


def _known_reason(model: TraceModel, name: str) -> str:
    """Return why a trace lacks something if its other events tell, otherwise an empty text."""
    if name == "steps" and (found := step_candidates(model)):
        labels = and_list([one.name for one in found[:3]])
        return f"{WHOLE} Labels that repeat can be the step: {labels}."
    if name == "steps" and not model.tables["host"].num_rows and model.tables["device"].num_rows:
        return f"{WHOLE.split(':')[0]}. {model.dialect.hint('host')}"
    launches = LostLaunches.of(model)
    if name in {"device", "kernels"} and launches.lost and launches.lost == launches.launches:
        return f"{launches}."
    return ""


def holdings(model: TraceModel) -> dict[str, bool]:
    """Return which kinds of data a trace contains; each that is missing has a hint."""
    return model.cached("widgets.holdings", lambda: _holdings(model))


def _holdings(model: TraceModel) -> dict[str, bool]:
    device_kind = model.column("device", "kind")
    host_kind = model.column("host", "kind")
    occupancy = model.column("device", "occupancy_pct"), model.column("device", "blocks_per_sm")
    return {
        "device": bool(len(device_kind)),
        "kernels": bool((device_kind == kinds.KERNEL).any()),
        "shapes": _any_text(model, "input_shapes"),
        # Python frames are slices: the slices inside them get their stacks from them
        "stacks": _any_text(model, "call_stack") or bool((host_kind == kinds.PYTHON).any()),
        "memory": any(model.tables[of].num_rows > 0 for of in ("memory", "memory_components")),
        "modules": bool((host_kind == kinds.MODULE).any()),
        "steps": model.steps.recorded,
        "functions": model.tables["functions"].num_rows > 0,
        "occupancy": any(bool(np.isfinite(values).any()) for values in occupancy),
        "allocator": any(
            model.tables[of].num_rows > 0 for of in ("allocator_events", "allocator_segments")
        ),
    }


def hints(model: TraceModel) -> dict[str, str]:
    """Return a sentence for everything that a trace does not hold."""
    held = holdings(model)
    # Snapshots are files of their own: a trace without one lacks nothing.
    missing = [name for name, there in held.items() if not there and name != "allocator"]
    if "occupancy" in missing and (not held["kernels"] or has_cores(model)):
        missing.remove("occupancy")  # without kernels, hints about their details are pointless
    return {name: hint(model, name) for name in missing}


def column_notes(model: TraceModel, columns: Iterable[str]) -> dict[str, str]:
    """Return why columns are null in every row, as far as that is known."""
    known = _CORE_COLUMNS if has_cores(model) else _COLUMNS
    never = ("matrix_units", "releases", "calls")
    held = {**holdings(model), "cores": knows_cores(model), **dict.fromkeys(never, False)}
    reasons = {name: known.get(name) for name in columns}
    return {name: hint(model, why) for name, why in reasons.items() if why and not held[why]}


def _any_text(model: TraceModel, column: str) -> bool:
    return any(bool((model.column(t, column) >= 0).any()) for t in ("host", "measured_operators"))
