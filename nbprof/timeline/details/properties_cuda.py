"""Properties of CUDA work that only Nsight Systems and nvprof record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from nbprof.model.units import format_bytes

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Fact = tuple[str, str]

#: Sizes, numbers that tell something from 0, and texts, with their labels.
_SIZES: Final = {
    "static_shared_bytes": ("Static shared memory", "a block"),
    "dynamic_shared_bytes": ("Dynamic shared memory", "a block"),
    "local_bytes": ("Local memory", "a thread"),
}
_NUMBERS: Final = {"context": "Context", "green_context": "Green context", "graph": "CUDA graph"}


def cuda_work_facts(model: TraceModel, row: int) -> list[Fact]:
    """Return how a kernel, copy or memory set was launched, and the memory that it used.

    Sizes of 0 and what was not recorded are left out.
    """
    if not model.tables["cuda_work"].num_rows:
        return []
    one = model.tables["cuda_work"].slice(row, 1).to_pylist()[0]
    facts = [
        (label, f"{format_bytes(one[name])} {of}")
        for name, (label, of) in _SIZES.items()
        if one[name] > 0
    ]
    cluster = _cluster(one["cluster"])
    if cluster:
        facts.append(("Cluster", cluster))
    ends = [one[name] for name in ("source_memory", "target_memory") if one[name]]
    if ends:
        facts.append(("Memory", " to ".join(ends)))
    if one["launch_type"]:
        facts.append(("Launch type", one["launch_type"]))
    facts += [(label, str(one[name])) for name, label in _NUMBERS.items() if one[name] >= 0]
    return facts


def _cluster(text: str | None) -> str:
    """Return the size of a cluster of blocks; empty for clusters of a single block."""
    if not text:
        return ""
    try:
        sizes = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(sizes, list) and sizes != [1] * len(sizes) and any(sizes) else ""
