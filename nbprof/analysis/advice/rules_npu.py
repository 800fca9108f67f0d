"""Recommendation rules about NPUs: work outside AI Cores, idle time, exposed communication."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.advice.findings import Finding
from nbprof.analysis.kernels.accelerator_cores import accelerator_cores
from nbprof.analysis.kernels.npu_cores import cores_of
from nbprof.analysis.steps.npu_steps import npu_steps
from nbprof.model.steps.training import is_inference
from nbprof.model.units import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext

#: Percent of the computing time on AI Cores below which it is reported, and below which it is
#: severe.
AI_CORE: Final = (90.0, 70.0)
#: Percent of a step above which it is reported, and above which it is severe.
FREE: Final = (10.0, 30.0)
COMMUNICATION: Final = (10.0, 25.0)

_OTHER_ADVICE: Final = (
    "Group the kernels by launch to see what runs there, and with which data types."
)


def ai_core_share(context: RuleContext) -> Iterator[Finding]:
    """Report that much of the computing time of an NPU is spent outside AI Cores."""
    known = [row for row in context.devices if row.get("ai_core_pct") is not None]
    worst = min(known, key=lambda row: row["ai_core_pct"], default=None)
    if worst is None or worst["ai_core_pct"] >= AI_CORE[0]:
        return
    share, device = worst["ai_core_pct"], worst["device"]
    kinds = cores_of(context.model)
    cores = accelerator_cores(context.model, context.filter.replace(devices=[device])).to_pylist()
    other = next(
        row["accelerator_core"]
        for row in cores
        if row["accelerator_core"] not in kinds.main | kinds.communication
    )
    most = f", most of the rest on {other}" if other else ""
    yield Finding(
        "ai_core_share",
        "high" if share < AI_CORE[1] else "medium",
        f"{share:.1f} % of the computing time of NPU {device} is spent on AI Cores{most}.",
        kinds.advice.get(other or "", _OTHER_ADVICE),
        context.evidence(
            "device_summary", share, column="ai_core_pct", row={"device": device}, devices=[device]
        ),
    )


def free_time(context: RuleContext) -> Iterator[Finding]:
    """Report steps in which an NPU has no recorded work for much of the time."""
    yield from _step_finding(
        context,
        "npu_free_time",
        "free_us",
        FREE,
        message="the NPU is idle {share:.1f} % of its time, {whole} from the first to the last"
        " device work of the step.",
        advice="Check what the host does in the gaps: data loading, synchronization (.item(),"
        " .cpu(), printing a tensor), just-in-time compilation of kernels, many short operators."
        " Binding the process to cores (CPU_AFFINITY_CONF) and the two-level queue"
        " (TASK_QUEUE_ENABLE=2) help the host run ahead.",
    )


def communication_share(context: RuleContext) -> Iterator[Finding]:
    """Report steps with much exposed communication."""
    yield from _step_finding(
        context,
        "npu_communication",
        "communication_not_overlapped_us",
        COMMUNICATION,
        message="{share:.1f} % of the NPU's time, {whole} from the first to the last device work of"
        " the step, is communication that no computation hides.",
        advice="The distributed view shows whether this is waiting for a slow worker or transfer"
        " time. If workers wait, balance their work. If transfers are slow, try "
        + (
            "fewer devices for a model, or overlapping it with computation."
            if is_inference(context.model)
            else "gradient accumulation, larger buckets, or overlapping it with the backward pass."
        ),
    )


def _step_finding(
    context: RuleContext,
    rule: str,
    column: str,
    limits: tuple[float, float],
    *,
    message: str,
    advice: str,
) -> Iterator[Finding]:
    """Report the step with the largest share of a part of `npu_steps`, if it exceeds a limit."""
    if not context.model.capabilities.step_totals:
        return
    parts = ("computing_us", "communication_not_overlapped_us", "free_us")
    rows = npu_steps(context.model, context.filter).to_pylist()
    shares = [
        (100.0 * row[column] / whole, row)
        for row in rows
        if (whole := _known_sum(row, parts)) > 0.0
    ]
    if not shares:
        return
    share, worst = max(shares, key=lambda pair: pair[0])
    if share <= limits[0]:
        return
    number = worst["step"]
    where = "In the recording" if number is None else f"In step {number}"
    where += f", the worst of {len(rows)}" if len(rows) > 1 else ""
    yield Finding(
        rule,
        "high" if share > limits[1] else "medium",
        f"{where}, {message.format(share=share, whole=format_time(_known_sum(worst, parts)))}",
        advice,
        context.evidence("npu_steps", worst[column], column=column, row={"step": number}),
        sum(row[column] for _, row in shares),
    )


def _known_sum(row: dict[str, float | None], parts: tuple[str, ...]) -> float:
    """Return the sum of the parts of a step, 0 if one of them is unknown."""
    known = [value for name in parts if (value := row[name]) is not None]
    return sum(known) if len(known) == len(parts) else 0.0
