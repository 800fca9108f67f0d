"""Table `operator_phases`: time operators spend inferring shapes, computing and creating nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.devices.device_rows import counted_device_rows, has_device, kept_host_rows
from nbprof.analysis.grouping import dense, latest, sums, texts, us
from nbprof.analysis.launched_work import Ranges
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.operator_ranges import PHASES, calls_around, phases_of_rows
from nbprof.analysis.operators.operators import launched_by_calls
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

OPERATOR_PHASES: Final[Columns] = (
    text("name", "Name of the operator."),
    text("phase", "infer_shape, compute, node_creation, or others for the rest of the operator."),
    count("calls", "Number of these phases; for others, number of calls of the operator."),
    time(
        "host_us", "Total host time of the phase. The phases of an operator sum to its host time."
    ),
    time("device_us", "Total time of the device work launched in the phase."),
)


OTHERS = "others"


def operator_phases(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return four rows per operator name that the filter keeps, the longest operator first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects calls, as for `nbprof.analysis.operators.operators.operators`; their phases count in
        full.

    Returns
    -------
    pyarrow.Table
        Columns of `OPERATOR_PHASES`: the three phases and the rest, which sum to
        the host and device total of the operator. No rows if phases are not recorded.
    """
    return latest(model, "operator phases", filter_, lambda: _operator_phases(model, filter_))


def _operator_phases(model: TraceModel, filter_: Filter) -> pa.Table:
    columns = OPERATOR_PHASES
    phase_of = phases_of_rows(model)
    if not (phase_of >= 0).any():
        return make_table(columns, {column.name: [] for column in columns})
    calls = operator_calls(model)
    is_kept = kept_host_rows(model, filter_)[calls.row]
    own_name = model.column("host", "name")[calls.row]
    group, first = dense(own_name)
    names, width = len(first), len(PHASES) + 1
    rows = np.flatnonzero(phase_of >= 0)
    call = calls_around(model, rows)
    rows, call = rows[is_kept[call]], call[is_kept[call]]
    cell = group[call] * width + phase_of[rows]
    cells = names * width
    size = np.bincount(group[is_kept], minlength=names)
    duration = model.column("host", "duration_ns")
    count = np.bincount(cell, minlength=cells).reshape(names, width)
    host = sums(cell, duration[rows], cells).reshape(names, width)
    total = sums(group[is_kept], duration[calls.row[is_kept]], names)
    count[:, -1], host[:, -1] = size, total - host.sum(axis=1)
    order_by, device = [total], None
    if has_device(model):
        counted = counted_device_rows(model, filter_)
        ranges = model.cached("ranges of phases", lambda: Ranges.of(model, phase_of >= 0))
        place = np.searchsorted(ranges.row, rows)
        device = sums(cell, ranges.launched(model, counted)[place], cells).reshape(names, width)
        whole = sums(group[is_kept], launched_by_calls(model, filter_)[is_kept], names)
        device[:, -1] = whole - device.sum(axis=1)
        order_by = [total, whole]
    shown = np.flatnonzero(size)
    shown = shown[np.lexsort([first[shown], *(-values[shown] for values in order_by)])]
    name = texts(model, "host", "name", own_name[first[shown]])
    return make_table(
        columns,
        {
            "name": name.take(arrow_array(np.repeat(np.arange(len(shown)), width))),
            "phase": [*PHASES, OTHERS] * len(shown),
            "calls": count[shown].ravel(),
            "host_us": us(host[shown].ravel()),
            "device_us": None if device is None else us(device[shown].ravel()),
        },
    )


TABLE: Final = TableSpec(
    name="operator_phases",
    summary="the time of operators by phase, such as shape inference",
    notes="Only some recorders record the inside of operators.",
    columns=OPERATOR_PHASES,
    make=operator_phases,
)
