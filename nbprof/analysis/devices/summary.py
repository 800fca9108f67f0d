"""Table `device_summary`: what each device is and how busy the steps kept it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.devices import summary_host_steps
from nbprof.analysis.devices.load import Running
from nbprof.analysis.devices.rows import device_type, devices_in, kept_device_rows
from nbprof.analysis.devices.sets import DeviceSets, kernels_of_device
from nbprof.analysis.grouping import latest, share
from nbprof.analysis.kernels.matrix_devices import tells_units, with_term
from nbprof.analysis.kernels.matrix_units import Shares
from nbprof.analysis.kernels.npu import has_cores
from nbprof.analysis.kernels.npu_computing import ai_core_share
from nbprof.analysis.steps.breakdown import break_down
from nbprof.model import intervals
from nbprof.model.contract import extras as contract_extras
from nbprof.model.contract import tables as contract
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace.device_models import device_properties

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.contract.columns import Columns
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

GIB = 1024**3


def device_summary(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per device that did any work.

    Shares of time are over the span from the first to the last complete step inside the filter's
    range, gaps between steps included; the shares of matrix units, on NPUs of AI Cores, are over
    whole kernels, as in `kernels`. The definitions are those of the PyTorch TensorBoard plugin.
    Where the recorder's own tools count over the steps on the host, these are followed
    (`nbprof.analysis.devices.summary_host_steps`), and the first row is the CPU's, in columns of
    its own.
    """
    return latest(model, "device_summary", filter_, lambda: _device_summary(model, filter_))


def _device_summary(model: TraceModel, filter_: Filter) -> pa.Table:
    if model.capabilities.host_step_shares:
        return _of_host_steps(model, filter_)
    window = break_down(model, filter_).window()
    columns = contract.NPU_SUMMARY if has_cores(model) else contract.DEVICE_SUMMARY
    records = [
        {
            "device_type": device_type(model),
            "device": number,
            **_properties(model, number),
            **_activity(model, filter_, number, window),
            **_core_share(model, filter_, number),
        }
        for number in devices_in(model, filter_)
    ]
    return _table(model, columns, records)


def _table(model: TraceModel, columns: Columns, records: list[dict[str, Any]]) -> pa.Table:
    columns = with_term(model, columns)
    return make_table(columns, {c.name: [r.get(c.name) for r in records] for c in columns})


def _of_host_steps(model: TraceModel, filter_: Filter) -> pa.Table:
    records: list[dict[str, Any]] = []
    if filter_.devices is None:  # the CPU has no number
        records.append(summary_host_steps.cpu(model))
    for number, active in summary_host_steps.activity(model, filter_).items():
        known = {"device_type": device_type(model), "device": number, **_properties(model, number)}
        records.append(known | active)
    columns = (*contract.DEVICE_SUMMARY, *contract_extras.DEVICE_SUMMARY)
    return _table(model, columns, records)


def _properties(model: TraceModel, number: int) -> dict[str, Any]:
    """Return what the file says about a device, by its id and not by its place in the list."""
    found = device_properties(model, number)
    memory, major, minor = (
        found[key] for key in ("memory_bytes", "compute_major", "compute_minor")
    )
    return {
        "name": found["name"] or None,
        "memory_gb": memory / GIB if memory is not None and memory >= 0 else None,
        "compute_capability": f"{major}.{minor}" if major is not None and major >= 0 else None,
    }


def _activity(
    model: TraceModel, filter_: Filter, device: int, window: IntervalSet
) -> dict[str, float | None]:
    """Return how busy a device was in a window of at most one interval."""
    length = intervals.measure(window)
    sets = DeviceSets.of(model, filter_, device)
    running = Running.of(model, filter_, device)
    return {
        "utilization_pct": share(sets.kernels.within_set(window), length),
        "sm_efficiency_pct": running.sm_efficiency(window),
        "occupancy_pct": running.occupancy(window),
        "idle_pct": share(length - sets.work.within_set(window), length),
    }


def _core_share(model: TraceModel, filter_: Filter, device: int) -> dict[str, float | None]:
    """Return the shares of matrix units, on an NPU that of AI Cores."""
    kernels = kernels_of_device(model, device)
    kernels = kernels[kept_device_rows(model, filter_).take(kernels)]
    if has_cores(model):
        return {"ai_core_pct": ai_core_share(model, kernels)}
    shares = Shares.of(model, kernels).columns
    return shares if tells_units(model, [device]) else dict.fromkeys(shares)


TABLE: Final = TableSpec(
    name="device_summary",
    summary="properties and utilization of every device",
    columns=contract.DEVICE_SUMMARY,
    extra_columns=(*contract.NPU_SUMMARY, *contract_extras.DEVICE_SUMMARY),
    make=device_summary,
    scope="both",
    keys=("device_type", "device"),
)
