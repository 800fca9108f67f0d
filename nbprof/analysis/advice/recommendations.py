"""Table `recommendations`: what to improve first, with the numbers that support it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nbprof.analysis.advice import (
    rules_communication,
    rules_devices,
    rules_idle,
    rules_kernels,
    rules_labels,
    rules_npu,
    rules_steps,
)
from nbprof.analysis.advice.findings import RuleContext
from nbprof.analysis.grouping import latest
from nbprof.model.contract.columns import Columns, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.units import format_time

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.analysis.advice.findings import Finding
    from nbprof.model.trace.model import TraceModel

RECOMMENDATIONS: Final[Columns] = (
    text("rule", "Identifier of the rule."),
    text("severity", "high, medium or low."),
    text("message", "Finding, with its value."),
    text("advice", "What to try."),
    text("evidence", "Evidence as JSON: the table, filter and value."),
    time(
        "gain_us",
        "Time that it can save at most, of that of the steps; of an idle device, by the first host"
        " work that is named; empty if unknown.",
    ),
)


#: All rules. Each takes a context and yields findings.
RULES: Final = (
    rules_steps.data_loading,
    rules_devices.data_parallel,
    rules_devices.ddp_backend,
    rules_communication.exposed,
    rules_npu.communication_share,
    rules_npu.ai_core_share,
    rules_kernels.mixed_precision,
    rules_kernels.odd_dimensions,
    rules_devices.memory_limit,
    rules_idle.idle,
    rules_idle.synchronization,
    rules_idle.optimizer_loop,
    rules_npu.free_time,
    rules_devices.exposed_copies,
    rules_communication.hidden,
    rules_steps.uneven_steps,
    rules_labels.uneven_labels,
    rules_steps.stacks,
    rules_steps.steps_not_marked,
)
_SEVERITIES: Final = ("high", "medium", "low")


def recommendations(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the findings of all rules, those that can save the most time first.

    Severe ones whose gain is unknown precede them, others follow. Often there are none.

    The rules of the PyTorch TensorBoard plugin are included with its thresholds but without its
    known bugs: devices are identified by their id, CPU memory is ignored, and half precision is not
    suggested for kernels whose use of matrix units is unknown. On NPUs, the rules about
    communication and idle time read `npu_steps`.

    Only the steps, time range and devices of the filter are used. All other fields are ignored,
    because a device is not idle just because most of its kernels are filtered out.
    """
    time_us = _close_range(model, filter_.time_us)
    place = filter_.replace(time_us=time_us).of_devices.replace(workers=None)
    return latest(
        model, "recommendations", place, lambda: _recommendations(RuleContext(model, place))
    )


def _recommendations(context: RuleContext) -> pa.Table:
    findings = [finding for rule in RULES for finding in rule(context)]
    findings.sort(key=_place)
    names = [column.name for column in RECOMMENDATIONS]
    data = {name: [getattr(finding, name) for finding in findings] for name in names}
    data["message"] = [_with_gain(finding, context.total_us) for finding in findings]
    return make_table(RECOMMENDATIONS, data)


def _with_gain(finding: Finding, total_us: float) -> str:
    """Return the message of a finding with what it can save."""
    if not finding.gain_us or not total_us:
        return finding.message
    gain = f"{format_time(finding.gain_us)} of {format_time(total_us)}"
    return f"{finding.message} {finding.saves} can save at most {gain}."


def _place(finding: Finding) -> tuple[float, int]:
    """Return what findings are sorted by."""
    severity = _SEVERITIES.index(finding.severity)
    if finding.gain_us is None:
        return math.inf if severity else -math.inf, severity
    return -finding.gain_us, severity


def _close_range(
    model: TraceModel, time_us: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Replace open ends of a range by those of the recording, as JSON has no infinity."""
    if time_us is None:
        return None
    low, high = time_us
    low = min(0.0, high) if math.isinf(low) else low
    end = (model.metadata.get("end_ns", 0) + 1) / 1000.0  # ranges are half-open
    return low, max(low, end) if math.isinf(high) else high


TABLE: Final = TableSpec(
    name="recommendations",
    summary="what to look at first, with numbers and evidence",
    columns=RECOMMENDATIONS,
    make=recommendations,
    keys=("rule",),
    nouns=("recommendation", "recommendations"),
    empty_texts={"": "No rule found anything to report for this trace."},
    warns_if_empty=False,
    whole_devices=True,
)
