"""Recommendation rules about communication: exposed, and hidden behind computation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nbprof.analysis.advice.findings import Finding, device_list, severity, step_share
from nbprof.analysis.devices.device_rows import device_type
from nbprof.analysis.kernels.communication import device_communication
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import named
from nbprof.model.steps.training import is_inference
from nbprof.model.units import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext
    from nbprof.model.trace.model import TraceModel

#: Percent of the average step above which exposed communication is reported, and is severe.
EXPOSED: Final = (10.0, 25.0)
#: Percent of a device's time above which hidden communication is reported.
HIDDEN: Final = 50.0

_TRAINING: Final = (
    "Try gradient compression, gradient accumulation or a larger batch (with LAMB, if it gets very"
    " large)."
)
_INFERENCE: Final = (
    "Try splitting the model over fewer devices, all-reduce kernels of your engine that are "
    "optimized for small messages, or batches that overlap communication with computation."
)
_EXPERTS: Final = re.compile(r"dispatch|combine", re.IGNORECASE)


def exposed(context: RuleContext) -> Iterator[Finding]:
    """Report exposed communication that takes over 10 % of the step."""
    share = context.step_shares.get("communication", 0.0)
    if context.model.capabilities.step_totals or share <= EXPOSED[0]:
        return
    advice = _INFERENCE if is_inference(context.model) else _TRAINING
    if _exchanges_experts(context.model):
        advice = (
            "Overlap the exchange between experts with the computation of another part of the "
            "batch, and balance the load of the experts: all ranks wait for the slowest."
        )
    yield Finding(
        "communication",
        severity(share, EXPOSED),
        f"Communication that no computation hides takes {share:.1f} % of {context.step_time}.",
        advice,
        step_share(context, "communication", share),
        context.step_gain("communication"),
    )


def hidden(context: RuleContext) -> Iterator[Finding]:
    """Report communication that takes much device time although computation hides most of it."""
    exposed_share = context.step_shares.get("communication", 0.0)
    if context.model.capabilities.step_totals or exposed_share > EXPOSED[0]:
        return
    rows = [row for row in context.device_times if row["total_us"] and row["overlap_pct"]]
    row = max(rows, key=lambda row: row["communication_us"] / row["total_us"], default=None)
    if row is None or 100.0 * row["communication_us"] / row["total_us"] <= HIDDEN:
        return
    share, left = (
        100.0 * row[name] / row["total_us"]
        for name in ("communication_us", "exposed_communication_us")
    )
    device = device_list([row["device"]], device_type(context.model))
    yield Finding(
        "hidden_communication",
        "low",
        f"{device} communicates {share:.1f} % of the time"
        f" ({format_time(row['communication_us'])} of {format_time(row['total_us'])}). Computation"
        f" hides {row['overlap_pct']:.1f} % of that; perfect overlap would save {left:.1f} %.",
        "Overlapping computation and communication share multiprocessors and memory bandwidth. "
        "Compare the compute kernels with and without overlap, and give communication fewer "
        "multiprocessors (NCCL_MAX_CTAS, num_sms of DeepEP) if that barely slows it down. Kernels "
        "that notify or synchronize mostly wait for other ranks: their time is load imbalance.",
        context.evidence(
            "device_time",
            row["overlap_pct"],
            column="overlap_pct",
            row={"device": row["device"]},
            devices=[row["device"]],
        ),
        row["exposed_communication_us"],
    )


def _exchanges_experts(model: TraceModel) -> bool:
    """Return whether the communication includes sending tokens to experts on other ranks."""

    def find() -> bool:
        match = named(model, "device", finds(_EXPERTS))
        return bool((match & device_communication(model)).any())

    return model.cached("exchanges experts", find)
