"""Table `recommendations`: what to look at first, each with its number and where it stands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nbprof.analysis.advice import (
    rules_communication,
    rules_devices,
    rules_kernels,
    rules_npu,
    rules_steps,
)
from nbprof.analysis.advice.findings import Scene
from nbprof.analysis.grouping import latest
from nbprof.model.contract import tables as contract
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

#: Every rule looks at a scene and returns its findings; the order is that of the table within one
#: severity.
RULES: Final = (
    rules_steps.data_loading,
    rules_devices.data_parallel,
    rules_devices.ddp_backend,
    rules_communication.exposed,
    rules_npu.communication_share,
    rules_npu.ai_core_share,
    rules_devices.low_utilization,
    rules_kernels.mixed_precision,
    rules_kernels.odd_dimensions,
    rules_devices.memory_limit,
    rules_devices.idle,
    rules_npu.free_time,
    rules_devices.exposed_copies,
    rules_communication.hidden,
    rules_steps.steps_not_marked,
)
_SEVERITIES: Final = ("high", "medium", "low")


def recommendations(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return what the rules found inside the filter, the most severe first; often no row at all.

    The rules of the PyTorch TensorBoard plugin are there with its thresholds, without its known
    faults: devices are known by their id, the memory of the CPU is left out, and half precision is
    not advised for kernels of which it is unknown whether they use matrix units. On NPUs what is
    said of communication and of idle time is about `npu_steps`.

    Of the filter only steps, times and devices count. Names, kinds, threads, streams and what
    work is within narrow rows, and a device is not idle because most of its kernels are filtered
    out.
    """
    time_us = _with_ends(model, filter_.time_us)
    place = Filter(steps=filter_.steps, time_us=time_us, devices=filter_.devices)
    return latest(model, "recommendations", place, lambda: _recommendations(Scene(model, place)))


def _recommendations(scene: Scene) -> pa.Table:
    found = [finding for rule in RULES for finding in rule(scene)]
    found.sort(key=lambda finding: _SEVERITIES.index(finding.severity))
    names = [column.name for column in contract.RECOMMENDATIONS]
    return make_table(
        contract.RECOMMENDATIONS,
        {name: [getattr(finding, name) for finding in found] for name in names},
    )


def _with_ends(
    model: TraceModel, time_us: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Give the open ends of a range those of the recording: evidence is JSON, which has none."""
    if time_us is None:
        return None
    low, high = time_us
    low = min(0.0, high) if math.isinf(low) else low
    end = (model.metadata.get("end_ns", 0) + 1) / 1000.0  # ranges are half-open
    return low, max(low, end) if math.isinf(high) else high


TABLE: Final = TableSpec(
    name="recommendations",
    summary="what to look at first, with numbers and evidence",
    columns=contract.RECOMMENDATIONS,
    make=recommendations,
    keys=("rule",),
    nouns=("recommendation", "recommendations"),
    warns_if_empty=False,
)
