"""Recommendation rules about devices: parallelism, utilization, memory limit, idle time, copies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.analysis.advice.findings import Finding, device_list
from nbprof.analysis.advice.places import most_of
from nbprof.analysis.devices.device_rows import device_type, devices_in, work_of_kind
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.kernels.npu_cores import has_cores
from nbprof.model.filters.selection import window
from nbprof.model.intervals import measure_within
from nbprof.model.names.name_tests import finds, is_one_of
from nbprof.model.names.roles import named
from nbprof.model.steps.training import is_inference
from nbprof.model.trace import kinds
from nbprof.model.units import device_word, format_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext

#: Percent of device time.
EXPOSED_COPIES, VERY_EXPOSED = 5.0, 25.0
#: Percent of a device's memory.
MEMORY = 90.0
#: Lowest compute capability that NCCL supports.
NCCL_CAPABILITY = 3.5
GIB = 1024**3


def data_parallel(context: RuleContext) -> Iterator[Finding]:
    """Report that one process drives several devices through `DataParallel`."""
    used = devices_in(context.model, context.filter)
    if len(used) < 2 or not _calls_named(context, "DataParallel.forward"):
        return
    word = device_word(device_type(context.model))
    yield Finding(
        "data_parallel",
        "high",
        f"DataParallel drives {len(used)} {word}s from one process.",
        f"Use DistributedDataParallel, which has a process per {word}.",
        context.evidence("device_time", len(used)),
    )


def ddp_backend(context: RuleContext) -> Iterator[Finding]:
    """Report that `DistributedDataParallel` runs without NCCL on devices that support it."""
    passes = _calls_named(context, "DistributedDataParallel.forward")
    capable = any(_capability(row) >= NCCL_CAPABILITY for row in _known_devices(context))
    if not passes or not capable or _uses_nccl(context):
        return
    yield Finding(
        "ddp_backend",
        "medium",
        f"DistributedDataParallel ran {passes} forward passes on devices that support NCCL, and no"
        " call or kernel of NCCL was recognized.",
        'Use init_process_group(backend="nccl").',
        context.evidence("kernels", 0, name="nccl"),
    )


def memory_limit(context: RuleContext) -> Iterator[Finding]:
    """Report devices whose memory was nearly full; the CPU has no such limit."""
    peaks = context.model.cached("most allocated", lambda: _most_allocated(context))
    for row in _known_devices(context):
        capacity = row["memory_bytes"]
        peak = peaks[row["device"]]
        if not capacity or capacity <= 0 or 100.0 * peak / capacity <= MEMORY:
            continue
        yield Finding(
            "memory_limit",
            "high",
            f"{device_list([row['device']], device_type(context.model))} is near its memory limit:"
            f" {100.0 * peak / capacity:.1f} % of {format_bytes(capacity)} in use at peak.",
            "Try a smaller batch, a smaller cache of keys and values, or smaller data types."
            if is_inference(context.model)
            else "Try activation checkpointing or automatic mixed precision.",
            context.evidence(
                "device_summary",
                capacity / GIB,
                column="memory_gb",
                row={"device": row["device"]},
                devices=[row["device"]],
            ),
        )


def exposed_copies(context: RuleContext) -> Iterator[Finding]:
    """Report copies that nothing hides and that take over 5 % of the time."""
    model = context.model
    rows = [row for row in context.device_times if row["total_us"]]
    worst = max(rows, key=lambda row: row["exposed_memcpy_us"] / row["total_us"], default=None)
    if worst is None:
        return
    device, copied = worst["device"], worst["exposed_memcpy_us"]
    share = 100.0 * copied / worst["total_us"]
    if share <= EXPOSED_COPIES:
        return
    is_here = model.column("device", "device") == device
    copies = np.flatnonzero(work_of_kind(model, kinds.MEMCPY) & is_here)
    start, time = (model.column("device", f"{name}_ns")[copies] for name in ("start", "duration"))
    covered = window(model, context.filter)
    if covered is not None:  # a copy counts for what the range has of it, as in `device_time`
        time = measure_within(covered, start, start + time)
    name, by, where = most_of(model, copies, time)
    loader = "pinned memory" if is_inference(model) else "DataLoader(pin_memory=True)"
    usual = f"{loader} with .to(device, non_blocking=True)"
    pinned = (
        " A copy from or to pageable memory makes the host wait, too: pin it (pin_memory())."
        if "Pageable" in name
        else ""
    )
    yield Finding(
        "exposed_copies",
        "high" if share > VERY_EXPOSED else "medium",
        f"{device_list([device], device_type(model))} only copies {share:.1f} % of the time from"
        f" its first to its last work, mostly {name}{by}{where}.",
        f"Use {model.vocabulary.copy_overlap or usual}, on a stream of its own, and keep data on"
        f" the device that is needed there again.{pinned}",
        context.evidence(
            "device_time",
            copied,
            column="exposed_memcpy_us",
            row={"device": device},
            devices=[device],
        ),
        copied,
    )


def _most_allocated(context: RuleContext) -> dict[int, int]:
    """Return the most bytes that were allocated on each known device, whatever the filter."""
    model = context.model
    codes = _device_codes(device_type(model) if has_cores(model) else "gpu")
    is_gpu = np.isin(model.column("memory", "device_type"), codes)
    device, total = (model.column("memory", name) for name in ("device", "total_allocated"))
    return {
        row["device"]: int(total[is_gpu & (device == row["device"])].max(initial=0))
        for row in _known_devices(context)
    }


def _calls_named(context: RuleContext, name: str) -> int:
    return context.model.cached(("runs of", name), lambda: _count_calls(context, name))


def _count_calls(context: RuleContext, name: str) -> int:
    kind = context.model.column("host", "kind")
    ranges = np.isin(kind, (kinds.OPERATOR, kinds.ANNOTATION))
    return int((ranges & named(context.model, "host", is_one_of([name]))).sum())


def _uses_nccl(context: RuleContext) -> bool:
    return context.model.cached("uses nccl", lambda: _find_nccl(context))


def _find_nccl(context: RuleContext) -> bool:
    is_nccl = finds(re.compile("nccl", re.IGNORECASE))
    on_device = device_communication(context.model) & named(context.model, "device", is_nccl)
    return bool(named(context.model, "host", is_nccl).any() or on_device.any())


def _known_devices(context: RuleContext) -> list[dict[str, Any]]:
    devices = context.model.tables["devices"]
    return context.model.cached("known devices", devices.to_pylist)


def _capability(row: dict[str, Any]) -> float:
    major, minor = row["compute_major"], row["compute_minor"]
    return float(f"{major}.{max(minor, 0)}") if major is not None and major >= 0 else 0.0


def _device_codes(kind: str) -> list[int]:
    return [code for code, name in kinds.DEVICE_TYPES.items() if name == kind]
