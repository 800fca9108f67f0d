"""Recommendation rules about devices: parallelism, utilization, memory limit, idle time, copies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.analysis.advice.findings import Finding, device_list
from nbprof.analysis.devices.device_rows import device_type, devices_in
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.kernels.npu_cores import has_cores
from nbprof.model.links.lost_launches import LostLaunches
from nbprof.model.names.name_tests import finds, is_one_of
from nbprof.model.names.roles import named
from nbprof.model.steps.training import is_inference, trains
from nbprof.model.trace import kinds
from nbprof.model.units import device_word, format_pct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext
    from nbprof.model.trace.model import TraceModel

#: Percent of the step time with a kernel running; below it, utilization is reported as low.
LOW_UTILIZATION = 50.0
VERY_LOW_UTILIZATION = 25.0
#: Percent of device time.
IDLE = 25.0
EXPOSED_COPIES = 5.0
#: Percent of a device's memory.
MEMORY = 90.0
#: Lowest compute capability that NCCL supports.
NCCL_CAPABILITY = 3.5
GIB = 1024**3
#: The evidence leads to so many devices, as many as the overview lists.
MOST_SHOWN = 100


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
        " call or kernel of NCCL was recognised.",
        'Use init_process_group(backend="nccl").',
        context.evidence("kernels", 0, name="nccl"),
    )


def low_utilization(context: RuleContext) -> Iterator[Finding]:
    """Report devices that run kernels for less than half of the step time.

    Where many kernels were not recorded, devices were busier than the trace shows.
    """
    if LostLaunches.of(context.model).many:
        return
    low = [
        row
        for row in context.devices
        if row["utilization_pct"] is not None and row["utilization_pct"] < LOW_UTILIZATION
    ]
    if not low:
        return
    worst = min(low, key=lambda row: row["utilization_pct"])
    share = worst["utilization_pct"]
    numbers = [row["device"] for row in low]
    # Of very many, the evidence is about the least used.
    least = sorted(low, key=lambda row: row["utilization_pct"])[:MOST_SHOWN]
    kind = device_type(context.model)
    many = f" on {device_list([worst['device']], kind)}, the least used" if len(low) > 1 else ""
    graphs = _run_ahead_techniques(context.model)
    trained = trains(context.model)
    changes = " A larger batch may change how the model converges." if trained else ""
    yield Finding(
        "low_utilization",
        "high" if share < VERY_LOW_UTILIZATION else "medium",
        f"{device_list(numbers, kind)} {'has' if len(low) == 1 else 'have'} low utilization:"
        f" kernels run {format_pct(share)} % of {context.step_time}{many}.",
        f"Try a larger batch, {graphs}, so that the {kind.upper()} waits less for the host."
        f"{changes}",
        context.evidence(
            "device_summary",
            share,
            column="utilization_pct",
            row={"device": worst["device"]},
            devices=sorted(row["device"] for row in least),
        ),
    )


def _run_ahead_techniques(model: TraceModel) -> str:
    """Return the techniques that let the host run ahead of the device."""
    words = model.vocabulary
    if words.launch_ahead:
        return words.launch_ahead
    compiler = words.compiler
    return f"{compiler} or CUDA graphs" if device_type(model) == "gpu" else compiler


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
            f" {100.0 * peak / capacity:.1f} % of its {capacity / GIB:.1f} GB were allocated at the"
            " peak.",
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


def idle(context: RuleContext) -> Iterator[Finding]:
    """Report a device without recorded work for over a quarter of the time.

    As for `low_utilization`, not where many kernels were not recorded.
    """
    if context.model.capabilities.step_totals:  # NPUs have their own table of idle time
        return
    if LostLaunches.of(context.model).many:
        return
    yield from _device_share(
        context,
        "idle",
        "idle_us",
        IDLE,
        message="{device} has no recorded work {share:.1f} % of the time from its first to its last"
        " work.",
        advice="Look for what the host does in the gaps: data loading, synchronization (.item(),"
        " .cpu(), print of a tensor) or many short operators.",
    )


def exposed_copies(context: RuleContext) -> Iterator[Finding]:
    """Report copies that nothing hides and that take over 5 % of the time."""
    loader = "pinned memory" if is_inference(context.model) else "DataLoader(pin_memory=True)"
    usual = f"{loader} with .to(device, non_blocking=True)"
    overlap = context.model.vocabulary.copy_overlap or usual
    yield from _device_share(
        context,
        "exposed_copies",
        "exposed_memcpy_us",
        EXPOSED_COPIES,
        message="{device} only copies {share:.1f} % of the time from its first to its last work,"
        " while it computes nothing.",
        advice=f"Use {overlap}, and keep data on the device that is needed there again.",
    )


def _device_share(
    context: RuleContext, rule: str, column: str, limit: float, *, message: str, advice: str
) -> Iterator[Finding]:
    """Report the device on which a part of `device_time` is largest, if over the limit."""
    shares = [
        (100.0 * row[column] / row["total_us"], row)
        for row in context.device_times
        if row["total_us"]
    ]
    share, worst = max(shares, key=lambda pair: pair[0], default=(0.0, {}))
    if share <= limit:
        return
    device = worst["device"]
    yield Finding(
        rule,
        "medium",
        message.format(device=device_list([device], device_type(context.model)), share=share),
        advice,
        context.evidence(
            "device_time",
            worst[column],
            column=column,
            row={"device": device},
            devices=[device],
        ),
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
