"""Table `step_flops`: the FLOPs of every step, and the share of the peak that they reach.

Model FLOPs utilization (MFU) is the time that the matrix products, convolutions and attention of a
step take at the peak of their types, by the time of the step on all devices that worked in it
(Chowdhery et al., PaLM, 2022, appendix B). Forward operators that run again in the backward pass do
not count; hardware FLOPs utilization (HFU) counts them, too (Korthikanti et al., Reducing
Activation Recomputation in Large Transformer Models, 2022).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.costs.charges import Charges, charges_of
from nbprof.analysis.costs.coverage import COVERED, has_figures
from nbprof.analysis.costs.limits import kernel_limits
from nbprof.analysis.costs.recomputation import recomputed_rows
from nbprof.analysis.devices.device_rows import (
    has_device,
    kept_device_rows,
    kept_host_rows,
    work_rows,
)
from nbprof.analysis.grouping import dense, ratio, sums
from nbprof.analysis.steps.breakdown import break_down
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, pct
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.selection import step_of_device_rows, step_of_host_rows
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: What the figures leave out, as views say it.
STATEMENT: Final = (
    "FLOPs of matrix products, convolutions and attention whose shapes were recorded, at the dense"
    " peak of their type. Elementwise work, normalization and optimizers do not count; custom and"
    " compiled kernels do only with a formula. MFU leaves out forward work that is repeated in the"
    " backward pass; HFU includes it."
)

STEP_FLOPS: Final[Columns] = (
    count("step", "Number of the step, as in the table steps."),
    count("flops", "Operations of matrix products, convolutions and attention, repeated ones too."),
    count("recomputed_flops", "The part of forward operators that ran again in the backward pass."),
    pct("mfu_pct", "Model FLOPs utilization: of the peak, without repeated operations."),
    pct("hfu_pct", "Hardware FLOPs utilization: of the peak, with repeated operations."),
    pct(COVERED, "Share of the step's device time that has FLOPs or bytes."),
)


def step_flops(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the FLOPs of every step and the share of the peak that they reach.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range cut the steps; all other fields select the rows that count.

    Returns
    -------
    pyarrow.Table
        Columns of `STEP_FLOPS`; shares are null if the peak of the device or of a type is unknown,
        or if there are no FLOPs.
    """
    steps = break_down(model, filter_)
    place = np.full(len(model.steps.number) + 1, -1, np.int64)
    place[steps.index] = np.arange(len(steps.index))
    charges = charges_of(model)
    # Numbers of steps may repeat, so places follow from indices.
    sum_up = _of_device if has_device(model) else _of_host
    data = sum_up(model, filter_, charges, place, steps.total_ns)
    return make_table(STEP_FLOPS, {"step": steps.number, **data})


def _of_device(
    model: TraceModel, filter_: Filter, charges: Charges, place: Rows, total_ns: Rows
) -> dict[str, Any]:
    count_ = len(total_ns)
    rows = np.flatnonzero(work_rows(model) & kept_device_rows(model, filter_))
    step = place[step_of_device_rows(model)[rows]]
    rows, step = rows[step >= 0], step[step >= 0]
    duration = model.column("device", "duration_ns")[rows]
    covered = ratio(
        sums(step, np.where(has_figures(charges)[rows], duration, 0), count_),
        sums(step, duration, count_),
        100.0,
    )
    # each device could work for the whole step
    _, first = dense(step, model.column("device", "device")[rows])
    devices = np.bincount(step[first], minlength=count_)
    counts = charges.device_matrix[rows] & ~np.isnan(charges.device_flops[rows])
    rows, step = rows[counts], step[counts]
    flops = charges.device_flops[rows]
    again = values_at(recomputed_rows(model), charges.owner[rows]) == 1
    least = kernel_limits(model).compute_ns[rows]
    # a type without a known peak makes the share unknown, unless it has no operations
    unknown = np.bincount(step, weights=np.isnan(least) & (flops > 0), minlength=count_) > 0
    least = np.nan_to_num(least)
    has = np.bincount(step, weights=flops, minlength=count_) > 0
    time_ns = np.where(has & ~unknown, total_ns * devices, 0)
    return {
        "flops": _whole(sums(step, flops, count_), has),
        "recomputed_flops": _whole(sums(step, np.where(again, flops, 0), count_), has),
        "mfu_pct": ratio(sums(step, np.where(again, 0, least), count_), time_ns, 100.0),
        "hfu_pct": ratio(sums(step, least, count_), time_ns, 100.0),
        COVERED: covered,
    }


def _of_host(
    model: TraceModel, filter_: Filter, charges: Charges, place: Rows, total_ns: Rows
) -> dict[str, Any]:
    """Return the FLOPs of steps without device work; the peak of a processor is not known."""
    count_ = len(total_ns)
    chosen = charges.charged & charges.is_matrix & ~np.isnan(charges.flops)
    rows = np.flatnonzero(chosen & kept_host_rows(model, filter_))
    step = place[step_of_host_rows(model)[rows]]
    rows, step = rows[step >= 0], step[step >= 0]
    flops, again = charges.flops[rows], recomputed_rows(model)[rows]
    has = np.bincount(step, weights=flops, minlength=count_) > 0
    return {
        "flops": _whole(sums(step, flops, count_), has),
        "recomputed_flops": _whole(sums(step, np.where(again, flops, 0), count_), has),
        "mfu_pct": None,
        "hfu_pct": None,
        COVERED: None,
    }


def _whole(values: Floats, has: npt.NDArray[np.bool_]) -> pa.Array:
    fits = has & (values < 2.0**63 - 1024)
    return arrow_array(np.rint(np.where(fits, values, 0)).astype(np.int64), mask=~fits)


TABLE: Final = TableSpec(
    name="step_flops",
    summary="the FLOPs of every step and the share of the device's peak that they reach",
    notes=STATEMENT,
    columns=STEP_FLOPS,
    make=step_flops,
    keys=("step",),
    sums=("flops", "recomputed_flops"),
    nouns=("step", "steps"),
)
