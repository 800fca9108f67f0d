"""Table `operator_costs`: FLOPs, bytes and achieved rates of operators, beside what is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.costs.charges import Charges, charges_of
from nbprof.analysis.costs.coverage import COVERED, covered_share, has_figures, with_share
from nbprof.analysis.costs.limits import Limits, kernel_limits
from nbprof.analysis.devices.device_rows import (
    counted_device_rows,
    has_device,
    kept_device_rows,
    kept_host_rows,
    work_rows,
)
from nbprof.analysis.grouping import dense, ratio, require_group, sums, texts_at, us
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, grouped, pct, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import Column, make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

OPERATOR_COSTS: Final[Columns] = (
    text("name", "Name of the operator."),
    text("kernel", "Name of the kernel."),
    text("input_shapes", "Shapes of the inputs, as JSON."),
    text("input_types", "Types of the inputs, as JSON."),
    count("calls", "Calls, or launches of a kernel."),
    count(
        "flops",
        "Floating-point operations of all calls; 0 for elementwise work. Null without a formula or "
        "shapes.",
    ),
    size("bytes", "Bytes that the calls read and write at least. Null if unknown."),
    time("device_us", "Time of the kernels, copies and memory sets of the calls."),
    Column("tflops_per_s", pa.float64(), "TFLOP/s", "Operations by the time of their kernels."),
    Column("tb_per_s", pa.float64(), "TB/s", "Bytes by the time of their kernels."),
    Column("intensity", pa.float64(), "FLOP/byte", "Operations per byte."),
    text("type", "Type in which the kernels with the most time compute, which has its own peak."),
    pct(
        "pct_of_peak",
        "Least possible time on this device, at its peak and its bandwidth, by the actual time.",
    ),
    text(
        "bound",
        "What bounds the least possible time: compute or memory; unknown if the peaks of the"
        " device, operations or bytes are.",
    ),
    pct(COVERED, "Share of the device time that has figures."),
)
GROUPS: Final = {
    "name+shape": ("name", "input_shapes", "input_types"),
    "name": ("name",),
    "kernel": ("kernel",),
}
_MOST: Final = float(2**63 - 1024)


def operator_costs(
    model: TraceModel, filter_: Filter = NO_FILTER, *, group_by: str = "name+shape"
) -> pa.Table:
    """Return the costs of the calls that the filter keeps, most device time first.

    A call's cost is in the row of the operator that is charged (`nbprof.analysis.costs.charges`),
    as is the time of its kernels. On a trace without device work there are no times and rates.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which calls count; devices, streams and device kinds select their kernels.
    group_by : {"name+shape", "name", "kernel"}
        Key of a row.

    Returns
    -------
    pyarrow.Table
        Columns of `OPERATOR_COSTS`. The share of device time with figures is in the metadata of the
        table as well, for all rows together.
    """
    require_group(group_by, list(GROUPS))
    charges = charges_of(model)
    limits = kernel_limits(model)
    if not has_device(model):
        return _of_host(model, filter_, charges, group_by)
    rows = _rows(model, filter_, charges, group_by)
    made = _of_device(model, rows, charges, limits, group_by)
    # Work that no operator launched has no row, but counts for the share.
    every = rows if _narrows(filter_) else np.flatnonzero(counted_device_rows(model, filter_))
    return with_share(made, covered_share(model, charges, every))


def _rows(model: TraceModel, filter_: Filter, charges: Charges, group_by: str) -> Rows:
    if group_by == "kernel":
        return np.flatnonzero(work_rows(model) & kept_device_rows(model, filter_))
    owner = charges.owner
    rows = np.flatnonzero(counted_device_rows(model, filter_) & (owner >= 0))
    if _narrows(filter_):
        rows = rows[kept_host_rows(model, filter_)[owner[rows]]]
    return rows


def _narrows(filter_: Filter) -> bool:
    """Return whether a filter selects host rows."""
    return bool(filter_.replace(devices=None, streams=None, workers=None))


def _of_device(
    model: TraceModel, rows: Rows, charges: Charges, limits: Limits, group_by: str
) -> pa.Table:
    owner = charges.owner[rows]
    keys = GROUPS[group_by]
    if group_by == "kernel":
        group, first = dense(model.column("device", "name")[rows])
        calls = np.bincount(group, minlength=len(first))
    else:
        group, first = dense(*(model.column("host", key)[owner] for key in keys))
        _, index = np.unique(owner, return_index=True)
        calls = np.bincount(group[index], minlength=len(first))
    groups = _Sums(group, len(first))
    duration = model.column("device", "duration_ns")[rows].astype(np.float64)
    flops, moved = charges.device_flops[rows], charges.device_bytes[rows]
    least = limits.least_ns[rows]
    timed = np.where(np.isnan(least), np.nan, duration)
    order = np.lexsort((first, -groups.total(duration)))
    compute, memory = limits.compute_ns[rows], limits.memory_ns[rows]
    both = ~(np.isnan(compute) | np.isnan(memory))
    columns: dict[str, Any] = {
        "calls": calls,
        "flops": _whole(groups.known(flops)),
        "bytes": _whole(groups.known(moved)),
        "device_us": us(groups.total(duration)),
        "tflops_per_s": _rate(groups, flops, duration),
        "tb_per_s": _rate(groups, moved, duration),
        "intensity": _intensity(groups, flops, moved),
        "type": _types(limits, groups, rows, np.where(np.isnan(flops), 0, duration)),
        "pct_of_peak": ratio(groups.known(least), groups.known(timed), 100.0),
        "bound": _bounds(groups, np.where(both, compute, np.nan), np.where(both, memory, np.nan)),
        COVERED: ratio(
            groups.total(np.where(has_figures(charges)[rows], duration, 0)),
            groups.total(duration),
            100.0,
        ),
    }
    for key in keys:
        table, name = ("device", "name") if key == "kernel" else ("host", key)
        place = rows[first] if key == "kernel" else owner[first]
        codes, values = model.column(table, name), model.values(table, name)
        columns[key] = texts_at(values, codes[place])
    return _table(columns, order, group_by)


def _of_host(model: TraceModel, filter_: Filter, charges: Charges, group_by: str) -> pa.Table:
    """Return the costs of a trace without device work."""
    rows = np.flatnonzero(charges.charged & kept_host_rows(model, filter_))
    keys = GROUPS[group_by]
    if group_by == "kernel":
        rows = rows[:0]
    names = ("name",) if group_by == "kernel" else keys
    group, first = dense(*(model.column("host", key)[rows] for key in names))
    groups = _Sums(group, len(first))
    flops, moved = charges.flops[rows], charges.bytes[rows]
    columns: dict[str, Any] = {
        "calls": np.bincount(group, minlength=len(first)),
        "flops": _whole(groups.known(flops)),
        "bytes": _whole(groups.known(moved)),
        "intensity": _intensity(groups, flops, moved),
        "bound": ["unknown"] * len(first),
    }
    for key in keys:
        name = "name" if key == "kernel" else key
        columns[key] = texts_at(model.values("host", name), model.column("host", name)[rows[first]])
    order = np.lexsort((first, -np.nan_to_num(groups.known(flops))))
    return _table(columns, order, group_by)


def _table(columns: dict[str, Any], order: Rows, group_by: str) -> pa.Table:
    take = arrow_array(order)
    wanted = grouped(OPERATOR_COSTS, GROUPS, group_by)
    data = {name: arrow_array(values).take(take) for name, values in columns.items()}
    return make_table(wanted, {column.name: data.get(column.name) for column in wanted})


class _Sums:
    """Sums of rows by group."""

    def __init__(self, group: Rows, number: int) -> None:
        self.group = group
        self.number = number

    def total(self, values: Floats) -> Floats:
        """Return the sums of values without NaN."""
        return sums(self.group, values, self.number)

    def known(self, values: Floats) -> Floats:
        """Return the sums of the values that are known, NaN for groups without any."""
        has = ~np.isnan(values)
        total = sums(self.group[has], values[has], self.number)
        total[np.bincount(self.group[has], minlength=self.number) == 0] = np.nan
        return total


def _whole(values: Floats) -> pa.Array:
    fits = np.isfinite(values) & (values < _MOST)
    return arrow_array(np.rint(np.where(fits, values, 0)).astype(np.int64), mask=~fits)


def _rate(groups: _Sums, amount: Floats, duration: Floats) -> pa.Array:
    """Return 10**12 per second, over the time of the rows whose amount is known."""
    time_ns = groups.known(np.where(np.isnan(amount), np.nan, duration))
    return ratio(groups.known(amount), time_ns, 1e9 / 1e12)


def _intensity(groups: _Sums, flops: Floats, moved: Floats) -> pa.Array:
    both = ~(np.isnan(flops) | np.isnan(moved))
    return ratio(
        groups.known(np.where(both, flops, np.nan)), groups.known(np.where(both, moved, np.nan))
    )


def _types(limits: Limits, groups: _Sums, rows: Rows, weight: Floats) -> pa.Array:
    """Return the type with the most time in each group, null without any that computes."""
    width = len(limits.types)
    code = limits.type_code[rows]
    usable = (code >= 0) & (weight > 0)
    key = groups.group[usable] * width + code[usable]
    times = np.bincount(key, weights=weight[usable], minlength=groups.number * width)
    by_group = times.reshape(groups.number, width)
    best = by_group.argmax(axis=1) if groups.number else np.empty(0, np.int64)
    known = by_group.max(axis=1, initial=0) > 0
    names = [name or None for name in limits.types]
    return arrow_array([names[at] if has else None for at, has in zip(best, known, strict=True)],
                       pa.utf8())  # fmt: skip


def _bounds(groups: _Sums, compute: Floats, memory: Floats) -> list[str]:
    of_compute, of_memory = groups.known(compute), groups.known(memory)
    known = ~(np.isnan(of_compute) | np.isnan(of_memory))
    words = np.where(of_compute >= of_memory, "compute", "memory")
    found: list[str] = np.where(known, words, "unknown").tolist()
    return found


TABLE: Final = TableSpec(
    name="operator_costs",
    summary="the FLOPs, bytes and achieved rates of operators, and what the device could reach",
    notes="FLOPs and bytes follow from recorded shapes (docs/costs.md); each cost is charged once.",
    columns=OPERATOR_COSTS,
    make=operator_costs,
    groupings=GROUPS,
    sort=("device_us", "flops"),
    sums=("calls", "flops", "bytes", "device_us"),
    nouns=("row", "rows"),
    needs="shapes",
)
