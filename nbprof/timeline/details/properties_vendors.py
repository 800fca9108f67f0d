"""Properties of slices that only some recorders have: NPU kernels, collectives, Paddle's events."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.trace.schema_vendors import NPU_KERNELS
from nbprof.model.units import format_bytes, format_number, format_time

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Fact = tuple[str, str]

#: Text columns of NPU kernels and their labels; some values are recorded in quotes.
_TEXTS: Final = {
    "type": "Type",
    "accelerator_core": "Accelerator core",
    "input_shapes": "Input shapes",
    "input_types": "Input types",
    "input_formats": "Input formats",
    "output_shapes": "Output shapes",
    "output_types": "Output types",
    "output_formats": "Output formats",
    "op_state": "State",
}
_NOTHING: Final = ("", "N/A", "NA")
#: Parts of the time of a collective, with labels.
_PARTS: Final = {
    "transit_us": "Transit",
    "wait_us": "Wait",
    "synchronization_us": "Synchronization",
    "idle_us": "Idle",
}


def npu_kernel_facts(model: TraceModel, row: int) -> list[Fact]:
    """Return the properties of an NPU kernel; metrics other than 0 come last."""
    at = int(np.searchsorted(model.column("npu_kernels", "row"), row))
    rows = model.tables["npu_kernels"].slice(at, 1).to_pylist()
    if not rows or rows[0]["row"] != row:
        return []
    one = rows[0]
    texts = {key: str(one[key] or "").strip('"') for key in _TEXTS}
    facts = [(label, texts[key]) for key, label in _TEXTS.items() if texts[key] not in _NOTHING]
    core = next((at + 1 for at, (label, _) in enumerate(facts) if "core" in label), len(facts))
    facts[core:core] = [
        *_positive(one, "block_dim", "Block dim"),
        *_positive(one, "mix_block_dim", "Mix block dim"),
        *([("Waited", format_time(one["wait_us"]))] if one["wait_us"] > 0 else []),
    ]
    metrics = ((name, one[name]) for name in one if name not in NPU_KERNELS.names)
    return [*facts, *((name, _metric(value)) for name, value in metrics if _is_meaningful(value))]


def _positive(one: dict[str, Any], column: str, label: str) -> list[Fact]:
    return [(label, format_number(one[column]))] if one[column] > 0 else []


def _is_meaningful(value: Any) -> bool:
    """Return whether a metric is meaningful; those of other kinds of cores are 0 or missing."""
    if value is None or isinstance(value, str):
        return value not in (None, *_NOTHING)
    number = float(value)
    return number != 0 and math.isfinite(number)


def _metric(value: Any) -> str:
    if isinstance(value, str):
        return value
    return format_number(value, 0 if float(value).is_integer() else 3)


def collective_facts(model: TraceModel, row: int) -> list[Fact]:
    """Return the measurements of a collective, found by its name and the nearest start."""
    names = model.values("communication", "name")
    code = int(model.column("device", "name")[row])
    name = model.values("device", "name")[code] if code >= 0 else None
    if name is None or name not in names:
        return []
    table = model.tables["communication"]
    rows = np.flatnonzero(
        (model.column("communication", "name") == names.index(name))
        & ~np.array(table.column("is_total").to_pylist(), bool)
    )
    if not len(rows):
        return []
    start = model.column("communication", "start_ns")[rows]
    at = int(rows[np.argmin(np.abs(start - model.column("device", "start_ns")[row]))])
    one = table.slice(at, 1).to_pylist()[0]
    facts = [(label, format_time(one[key])) for key, label in _PARTS.items() if one[key] > 0]
    if one["group"]:
        facts.append(("Group", one["group"]))
    links = np.flatnonzero(model.column("communication_links", "row") == at)
    for link in model.tables["communication_links"].take(links).to_pylist():
        if link["bytes"] > 0:
            size, time = format_bytes(link["bytes"]), format_time(link["transit_us"])
            facts.append((f"Sent over {link['link']}", f"{size} in {time}"))
    return facts


def type_facts(model: TraceModel, row: int) -> list[Fact]:
    """Return the event type that the recorder gives a host row."""
    code = int(model.column("host_types", "event_type")[row]) if _has_types(model) else -1
    return [("Type", model.values("host_types", "event_type")[code])] if code >= 0 else []


def _has_types(model: TraceModel) -> bool:
    return bool(model.tables["host_types"].num_rows)


def named_inputs(text: str) -> str:
    """Write shapes or types recorded by argument in one line; other text stays unchanged."""
    if not text.startswith("{"):
        return text
    try:
        values = json.loads(text)
    except ValueError:
        return text
    if not isinstance(values, dict):
        return text
    return ", ".join(f"{name} {_several(value)}" for name, value in values.items())


def _several(value: Any) -> str:
    """Write the shapes of one argument, which may be several tensors."""
    parts = value if isinstance(value, list) else [value]
    return " and ".join(part if isinstance(part, str) else json.dumps(part) for part in parts)
