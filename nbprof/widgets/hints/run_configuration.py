"""The run configuration shown on the overview: devices, job and recording, as labels and values."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.names.communication_names import rules_text
from nbprof.model.units import device_label, device_word, format_pct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

_VERSIONS: Final = (
    ("cuda_runtime_version", "CUDA runtime"),
    ("cuda_driver_version", "CUDA driver"),
    ("hip_runtime_version", "HIP runtime"),
    ("hip_driver_version", "HIP driver"),
)

#: CPU utilization, which Paddle records.
_CPU: Final = (
    ("process_cpu_pct", "CPU, this process"),
    ("system_cpu_pct", "CPU, all processes"),
)

#: So many devices are listed one by one; of more, their models are counted.
_MOST: Final = 64

#: Factor of the major version in HIP's integer version.
_HIP: Final = 10_000_000

_OPTIONS: Final = (
    ("record_shapes", "shapes"),
    ("profile_memory", "memory"),
    ("with_stack", "stacks"),
    ("with_modules", "modules"),
    ("with_flops", "FLOPs"),
)


def facts(
    metadata: Mapping[str, Any],
    devices: pa.Table,
    workers: int,
    *,
    overhead: str = "",
    notes: Sequence[str] = (),
    shared: bool = False,
) -> list[tuple[str, str]]:
    """Return the known facts about devices, job and recording.

    Parameters
    ----------
    metadata : mapping
        Metadata of the trace.
    devices : pyarrow.Table
        Its table ``device_summary``.
    workers : int
        Number of workers of the run that have a trace.
    overhead : str
        What the profiler's own work took, see `overhead_taken`.
    notes : sequence of str
        Sentences of the notes on the trace, see `notes_of`.
    shared : bool
        Whether the facts will be shared with others; the name of the machine is then left out.
    """
    found = _devices(devices, metadata.get("device_type"))
    found += [
        (label, f"{format_pct(metadata[key])} % of the time recorded")
        for key, label in _CPU
        if metadata.get(key) is not None
    ]
    world = metadata.get("world_size")
    more = f" of {world:,}" if world is not None and world != workers else ""
    found.append(("Workers", f"{workers:,}{more}"))
    if metadata.get("rank") is not None and (world or 0) != 1:
        found.append(("Rank", str(metadata["rank"])))
    if metadata.get("backend"):
        found.append(("Backend", str(metadata["backend"])))
    if metadata.get("host_name") and not shared:
        found.append(("Host", str(metadata["host_name"])))
    found += [(label, _version(metadata[key])) for key, label in _VERSIONS if metadata.get(key)]
    found += _rules_of_user(metadata)
    recorded = [word for key, word in _OPTIONS if metadata.get(key)]
    if recorded:
        found.append(("Recorded", ", ".join(recorded)))
    if overhead:
        found.append(("The profiler itself", f"took {overhead}"))
    found.append(("Trace", f"{metadata.get('events', 0):,} events"))
    if notes:
        found.append(("About this file", f"{'. '.join(notes)}."))
    return found


def _rules_of_user(metadata: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the user's rules for communication names as a fact; nothing without such rules."""
    rules = metadata.get("communication_names")
    if not rules:
        return []
    return [("User-defined communication", rules_text(rules))]


def _devices(devices: pa.Table, type_: str | None) -> list[tuple[str, str]]:
    rows = [row for row in devices.to_pylist() if row["device"] is not None]
    if not rows and type_ in {None, "", "cpu"}:
        return [("Device", "none recorded")]
    if not rows:
        return [("Device", f"{device_word(type_)}, no work recorded")]
    found: list[tuple[str, str]] = []
    if len(rows) > _MOST:
        models = Counter((row["device_type"], row["name"] or "unknown model") for row in rows)
        common = models.most_common(_MOST)
        found += [
            (f"{device_word(kind)}s", f"{name} ({count:,})") for (kind, name), count in common
        ]
        if len(models) > _MOST:
            found.append(("Models", f"{len(models) - _MOST:,} more"))
    else:
        labels = [device_label(row["device_type"], row["device"]) for row in rows]
        names = [row["name"] or "unknown model" for row in rows]
        found += zip(labels, names, strict=True)
    found += _same(rows, "memory_gb", "Memory", lambda value: f"{value:,.2f} GiB")
    found += _same(rows, "compute_capability", "Compute capability", str)
    return found


def _same(rows: list[dict[str, Any]], key: str, label: str, write: Any) -> list[tuple[str, str]]:
    values = {row[key] for row in rows if row[key] is not None}
    return [(label, write(values.pop()))] if len(values) == 1 else []


def _version(value: object) -> str:
    """Format integer versions: CUDA's 12040 as 12.4, HIP's 60443483 as 6.4.43483; keep text."""
    if not isinstance(value, int) or value < 1000:
        return str(value)
    if value >= _HIP:
        return f"{value // _HIP}.{value % _HIP // 100_000}.{value % 100_000}"
    return f"{value // 1000}.{value % 1000 // 10}"
