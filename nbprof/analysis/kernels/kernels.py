"""Table `kernels`: kernels grouped by name, call stack or launch configuration, or one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import kept_device_rows, work_of_kind
from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy
from nbprof.analysis.grouping import (
    dense,
    extremes,
    ratio,
    require_group,
    sums,
    texts,
    texts_at,
    us,
    weighted_means,
)
from nbprof.analysis.kernels import kernel_columns
from nbprof.analysis.kernels.accelerator_cores import cores_of_names
from nbprof.analysis.kernels.kernel_columns import ALL_GROUPS, GROUPS, KERNELS, NPU_KERNELS
from nbprof.analysis.kernels.kernel_operators import kernel_operators
from nbprof.analysis.kernels.matrix_devices import with_term
from nbprof.analysis.kernels.matrix_units import (
    agreed_dtype,
    agreed_use,
    dtype_of_rows,
    use_of_rows,
)
from nbprof.analysis.kernels.npu_cores import core_codes, has_cores, npu_rows
from nbprof.analysis.launches.single_kernels import recorded_names, single_kernels
from nbprof.model.building import arrow_array
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.call_stacks import call_stacks
from nbprof.model.lookup import values_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Numeric key columns, and those that are missing if below 0.
_MAY_MISS: Final = frozenset({"registers", "shared_memory_bytes", "block_dim"})
_NUMBERS: Final = _MAY_MISS | {"device", "stream"}
#: Tables with the texts of key columns that are not columns of the device table.
_TEXTS: Final = {
    "operator": ("host", "name"),
    "launched_by": ("host", "name"),
    "accelerator_core": ("npu_kernels", "accelerator_core"),
}


def kernels(model: TraceModel, filter_: Filter = NO_FILTER, *, group_by: str = "name") -> pa.Table:
    """Return the kernels that the filter keeps, grouped, most time first.

    Copies and memory sets are not kernels; communication kernels are.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which kernels count; its name is the kernel's.
    group_by : {"name", "name+stack", "properties", "launch"}
        Key of a row: the name; name and call stack of the launching operator or, without one, of
        the launch; name, operator and launch configuration; or every kernel on its own, sorted by
        time.

    Returns
    -------
    pyarrow.Table
        Columns of `kernel_columns.columns`; grouped by launch, those of `single_kernels`.
        Details of NPU kernels and the use of matrix units refer to all kernels of a group,
        regardless of the filter.

    Raises
    ------
    UnknownNameError
        There is no such grouping.
    """
    require_group(group_by, list(GROUPS))
    npu = has_cores(model)
    keys = kernel_columns.keys(group_by, npu=npu)
    is_kernel = work_of_kind(model, kinds.KERNEL)
    rows = np.flatnonzero(is_kernel & kept_device_rows(model, filter_))
    if group_by == "launch":
        return single_kernels(model, rows)
    group, first = dense(*(key_codes(model, key)[rows] for key in keys))
    count = len(first)
    duration = model.column("device", "duration_ns")[rows]
    total = sums(group, duration, count)
    calls = np.bincount(group, minlength=count)
    longest, shortest = extremes(group, duration, count)
    first = rows[first]
    data: dict[str, Any] = {
        "calls": calls,
        "total_us": us(total),
        "mean_us": us(total / np.maximum(calls, 1)),
        "max_us": us(longest),
        "min_us": us(shortest),
        "pct": ratio(total, total.sum(), 100.0),
    }
    if npu:
        data.update(cores_of_names(model, model.column("device", "name")[first]))
    else:
        data.update(_matrix_units(model, keys, first))
        data["recorded_name"] = recorded_names(model, first)
        for column, values in averaged(model).items():
            data[column] = weighted_means(group, values[rows], duration, count)
    if group_by == "name":
        data["operators"] = kernel_operators(model, model.column("device", "name")[first])
    for key in keys:
        data[key] = key_values(model, key, first)
    columns = with_term(model, kernel_columns.columns(group_by, npu=npu))
    table = make_table(columns, {column.name: data[column.name] for column in columns})
    return table.take(arrow_array(np.lexsort((first, -calls, -total))))


def averaged(model: TraceModel) -> dict[str, Floats]:
    """Return the columns that are means weighted by kernel time, with values by device row."""
    return {
        "mean_blocks_per_sm": model.column("device", "blocks_per_sm"),
        "mean_occupancy_pct": KernelOccupancy.of(model).percent,
    }


def _matrix_units(model: TraceModel, keys: tuple[str, ...], rows: Rows) -> dict[str, pa.Array]:
    """Return the use of matrix units that all launches of each group share."""
    every = np.flatnonzero(work_of_kind(model, kinds.KERNEL))

    def groups() -> tuple[Rows, int]:
        group, first = dense(*(key_codes(model, key)[every] for key in keys))
        of_row = np.full(model.tables["device"].num_rows, -1, np.int64)
        of_row[every] = group
        return of_row, len(first)

    of_row, count = model.cached(("kernel groups", keys), groups)
    group, wanted = of_row[every], arrow_array(of_row[rows])
    used = agreed_use(use_of_rows(model)[every], group, count).take(wanted)
    dtype = agreed_dtype(dtype_of_rows(model)[every], group, count).take(wanted)
    return {"matrix_unit_used": used, "matrix_unit_dtype": dtype, "tensor_core_used": used}


def key_codes(model: TraceModel, key: str) -> npt.NDArray[Any]:
    """Return a code for each device row that is equal for equal values of a key column."""
    if key in ("operator", "launched_by"):
        return _names_of_hosts(model, key)
    if key == "call_stack":
        return model.cached("stacks of device rows", lambda: _stacks(model))
    if key == "accelerator_core":
        return core_codes(model)
    if key == "block_dim":
        return values_at(model.column("npu_kernels", key), npu_rows(model))
    if key == "start_us":
        return model.column("device", "start_ns")
    return model.column("device", key)


def _stacks(model: TraceModel) -> Rows:
    """Return the code of the call stack of each device row, -1 for none."""
    code = call_stacks(model).code
    of_operator = values_at(code, model.links.operator)
    return np.where(of_operator >= 0, of_operator, values_at(code, model.links.launch))


def _names_of_hosts(model: TraceModel, key: str) -> Rows:
    """Return the name code of the host row that a link points to, -1 for none."""
    host: Rows = getattr(model.links, key)
    codes = np.full(len(host), -1, np.int64)
    codes[host >= 0] = model.column("host", "name")[host[host >= 0]]
    return codes


def key_values(model: TraceModel, key: str, rows: Rows) -> pa.Array:
    """Return the values of a key column for device rows."""
    codes = key_codes(model, key)[rows]
    if key == "call_stack":
        return texts_at(call_stacks(model).texts, codes)
    if key == "start_us":
        return arrow_array(us(codes))
    if key in _NUMBERS:
        return arrow_array(codes.astype(np.int64), mask=codes < 0 if key in _MAY_MISS else None)
    table, column = _TEXTS.get(key, ("device", key))
    return texts(model, table, column, codes)


TABLE: Final = TableSpec(
    name="kernels",
    summary="kernels with their times and launch properties",
    columns=KERNELS,
    extra_columns=NPU_KERNELS,
    columns_for=kernel_columns.known_columns,
    make=kernels,
    scope="both",
    groupings=ALL_GROUPS,
    grouping_help="Key of a row: name; name and call stack; name, operator and launch "
    "configuration; or every kernel on its own.",
    sort=("total_us", "duration_us"),
    sums=("calls", "total_us", "duration_us"),
    nouns=("kernel", "kernels"),
    needs="kernels",
    empty_texts={"device": "Copies and memory sets were recorded, but no kernel."},
    step_parts="nbprof.analysis.steps.step_parts_tables:kernel_parts",
)
