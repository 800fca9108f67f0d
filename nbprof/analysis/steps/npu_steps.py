"""Table `npu_steps`: computation, communication and free time of complete steps on an NPU.

The recorder's own figures are used if present. Otherwise they are summed by its rules, from the
overlap lanes of its trace or, without these, from the kernels: each event belongs to the step that
it starts in, and a step lasts as long as the device works on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_intervals import times_of
from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.analysis.grouping import NS_PER_US, latest
from nbprof.analysis.kernels.npu_kernels import communicating_rows, computing_rows
from nbprof.model import intervals
from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.names.name_tests import is_one_of, starts
from nbprof.model.names.roles import named, operator_rows
from nbprof.model.steps.steps import step_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

NPU_STEPS: Final[Columns] = (
    count("step", "Number of the step; empty if the recording has no steps."),
    time("computing_us", "Time with computation running on the NPU."),
    time("communication_not_overlapped_us", "Communication that no computation hides."),
    time("overlapped_us", "Communication that computation hides."),
    time("communication_us", "Time with communication running."),
    time("free_us", "Time with neither computation nor communication running."),
    time(
        "stage_us",
        "From the first to the last device work of the step, without waiting for"
        " another stage of the pipeline.",
    ),
    time("bubble_us", "Time waiting to receive from another stage of the pipeline."),
    time("preparing_us", "From the first operator of the step to its first device work."),
)


Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Record = dict[str, Any]

#: Events of the overlap lanes that sum to the columns, by the recorder's names.
BARS: Final = {
    "computing_us": "Computing",
    "communication_us": "Communication",
    "communication_not_overlapped_us": "Communication(Not Overlapped)",
    "free_us": "Free",
}
#: Names of events that wait for another pipeline stage.
_RECEIVE: Final = "hcom_receive"


def npu_steps(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per complete step.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps select by number (0 for a recording without steps), the time range selects steps that
        begin in it, devices the steps on them; steps are never cut, and all their rows count.

    Returns
    -------
    pyarrow.Table
        Columns of `NPU_STEPS`; no rows on other devices.
    """
    narrow = Filter(steps=filter_.steps, time_us=filter_.time_us, devices=filter_.devices)
    return latest(model, "npu_steps", narrow, lambda: _npu_steps(model, narrow))


def _npu_steps(model: TraceModel, filter_: Filter) -> pa.Table:
    whole: pa.Table = model.cached("whole NPU steps", lambda: _all_steps(model))
    keep = np.ones(whole.num_rows, bool)
    if filter_.steps is not None:
        step = numbers_in_filters(joined(whole["step"]))
        keep &= (step >= filter_.steps[0]) & (step <= filter_.steps[1])
    if filter_.time_us is not None:
        low, high = selection.time_range_ns(filter_.time_us)
        begin = joined(whole["begin_ns"])
        keep &= (begin >= low) & (begin < high)
    if filter_.devices is not None:
        device = joined(whole["device"])
        keep &= (device < 0) | np.isin(device, filter_.devices)
    chosen = whole.filter(arrow_array(keep))
    data: dict[str, Any] = {}
    for column in NPU_STEPS:
        values = joined(chosen[column.name])
        missing = values < 0 if column.name == "step" else np.isnan(values)
        data[column.name] = arrow_array(values, column.type, mask=missing)
    return make_table(NPU_STEPS, data)


def numbers_in_filters(step: Rows) -> Rows:
    """Return the step numbers that filters use: 0 for a recording without steps."""
    return step if (step >= 0).any() else np.maximum(step, 0)


def _all_steps(model: TraceModel) -> pa.Table:
    """Return all steps with device and start; -1 and NaN if unknown."""
    recorded = model.tables["npu_steps"]
    has_totals = model.capabilities.step_totals
    if not has_totals or not recorded.num_rows:
        records = _computed_records(model) if has_totals else []
        names = [*recorded.column_names, "begin_ns"]
        types = [*(field.type for field in recorded.schema), pa.int64()]
        columns = [
            arrow_array([r[name] for r in records], type_)
            for name, type_ in zip(names, types, strict=True)
        ]
        return pa.table(columns, names=names)
    step = joined(recorded["step"])
    order = np.lexsort((joined(recorded["device"]), step))
    return recorded.append_column("begin_ns", arrow_array(_starts_of_steps(model, step))).take(
        arrow_array(order)
    )


def _starts_of_steps(model: TraceModel, step: Rows) -> Rows:
    """Return the start of each step; a step unknown to the trace starts with the trace."""
    known = model.steps.number.tolist()
    place = [known.index(number) if number in known else 0 for number in step.tolist()]
    begin: Rows = model.steps.start_ns[np.array(place, np.int64)]
    return begin


@dataclass(frozen=True)
class _DeviceRows:
    """Properties of device rows; arrays of shape (device rows,)."""

    bars: dict[str, Mask]
    computing: Mask
    communication: Mask
    waiting: Mask


def _computed_records(model: TraceModel) -> list[Record]:
    waits = named(model, "device", starts(_RECEIVE))
    communication = communicating_rows(model)
    of = _DeviceRows(
        _overlap_rows(model), computing_rows(model), communication, waits & communication
    )
    counted = of.computing | of.communication
    for mask in of.bars.values():
        counted = counted | mask
    rows = np.flatnonzero(counted)
    if not len(rows):
        return []
    steps = model.steps
    start = model.column("device", "start_ns")[rows]
    step = step_at(steps.start_ns, steps.end_ns, start)
    # The device lags behind the host: its work after the last step belongs to that step.
    step[start >= steps.end_ns[-1]] = len(steps.number) - 1
    records = []
    for index in np.unique(step[step >= 0]).tolist():
        record = _record(model, rows[step == index], of, int(steps.row[index]))
        number = int(steps.number[index]) if steps.recorded else -1
        records.append({**record, "step": number, "begin_ns": int(steps.start_ns[index])})
    return records


def _record(model: TraceModel, rows: Rows, of: _DeviceRows, step_row: int) -> Record:
    """Return the figures of a step from its host row and the device rows that start in it."""
    start, end = times_of(model, rows)
    low, high = int(start.min()), int(end.max())
    if any(mask[rows].any() for mask in of.bars.values()):
        times = {name: int((end - start)[mask[rows]].sum()) for name, mask in of.bars.items()}
    else:
        times = _sums_of_kernels(model, rows, of, high - low)
    bubble = int((end - start)[of.waiting[rows]].sum())
    first = _first_operator(model, step_row)
    figures: Record = {name: ns / NS_PER_US for name, ns in times.items()}
    hidden = times["communication_us"] - times["communication_not_overlapped_us"]
    return {
        **figures,
        "device": int(model.column("device", "device")[rows[0]]),
        "overlapped_us": hidden / NS_PER_US,
        "stage_us": (high - low - bubble) / NS_PER_US,
        "bubble_us": bubble / NS_PER_US,
        "preparing_us": float("nan") if first is None else (low - first) / NS_PER_US,
    }


def _sums_of_kernels(model: TraceModel, rows: Rows, of: _DeviceRows, length: int) -> dict[str, int]:
    computing = intervals.union(*times_of(model, rows[of.computing[rows]]))
    communication = intervals.union(*times_of(model, rows[of.communication[rows]]))
    exposed = intervals.subtract(communication, computing)
    busy = intervals.measure(computing) + intervals.measure(exposed)
    return {
        "computing_us": intervals.measure(computing),
        "communication_us": intervals.measure(communication),
        "communication_not_overlapped_us": intervals.measure(exposed),
        "free_us": length - busy,
    }


def _overlap_rows(model: TraceModel) -> dict[str, Mask]:
    is_bar = work_of_kind(model, kinds.DEVICE_ANNOTATION)
    return {name: is_bar & named(model, "device", is_one_of([text])) for name, text in BARS.items()}


def _first_operator(model: TraceModel, step_row: int) -> int | None:
    """Return the start of a step's first operator, None if it was not recorded."""
    start = model.column("host", "start_ns")
    if step_row >= 0:
        return int(start[step_row])
    rows = operator_rows(model)
    return int(start[rows].min()) if rows.any() and len(model.steps.number) == 1 else None


TABLE: Final = TableSpec(
    name="npu_steps",
    summary="computation, communication and free time of NPUs by step",
    columns=NPU_STEPS,
    make=npu_steps,
    keys=("step",),
    nouns=("step", "steps"),
)
