"""Table `kernels`: by name, call stack, operator and launch configuration, or one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.rows import kept_device_rows, work_of_kind
from nbprof.analysis.grouping import (
    dense,
    extremes,
    ratio,
    require_group,
    sums,
    texts,
    us,
    weighted_means,
)
from nbprof.analysis.kernels.cores import of_names
from nbprof.analysis.kernels.launches import kernel_launches, recorded_names
from nbprof.analysis.kernels.matrix_devices import with_term
from nbprof.analysis.kernels.matrix_units import (
    agreed_dtype,
    agreed_use,
    dtype_of_rows,
    use_of_rows,
)
from nbprof.analysis.kernels.npu import core_codes, has_cores, npu_rows
from nbprof.model.contract import kernels as contract_kernels
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.call_stacks import call_stacks
from nbprof.model.links.module_tree import taken
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


#: Means weighted by kernel time, and the device columns that they are of.
MEANS: Final = {"mean_blocks_per_sm": "blocks_per_sm", "mean_occupancy_pct": "occupancy_pct"}

#: Keys that are numbers, and those of them that are missing where they are below 0.
_MAY_MISS: Final = frozenset({"registers", "shared_memory_bytes", "block_dim"})
_NUMBERS: Final = _MAY_MISS | {"device", "stream"}
#: Where the texts of keys are kept that are not of device rows themselves.
_TEXTS: Final = {
    "operator": ("host", "name"),
    "launched_by": ("host", "name"),
    "accelerator_core": ("npu_kernels", "accelerator_core"),
}


def kernels(model: TraceModel, filter_: Filter = NO_FILTER, *, group_by: str = "name") -> pa.Table:
    """Return the kernels that the filter keeps, by group, most time first.

    Copies and memory sets are not kernels; communication kernels are.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which kernels count; its name is the kernel's.
    group_by : {"name", "name+stack", "properties", "launch"}
        What makes a row: the name; name and call stack of the operator that launched it, else of
        the launch; name, operator and launch configuration; or every kernel by itself, in the
        order of time.

    Returns
    -------
    pyarrow.Table
        Columns of `contract_kernels.columns`; by launch those of `kernel_launches`. What an NPU
        says of a name, and what is known of matrix units, holds for all kernels of the group,
        whatever the filter.

    Raises
    ------
    UnknownNameError
        There is no such grouping.
    """
    require_group(group_by, list(contract_kernels.GROUPS))
    npu = has_cores(model)
    keys = contract_kernels.keys(group_by, npu=npu)
    is_kernel = work_of_kind(model, kinds.KERNEL)
    rows = np.flatnonzero(is_kernel & kept_device_rows(model, filter_))
    if group_by == "launch":
        return kernel_launches(model, rows)
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
        data.update(of_names(model, model.column("device", "name")[first]))
    else:
        data.update(_matrix_units(model, keys, first))
        data["recorded_name"] = recorded_names(model, first)
        for column, source in MEANS.items():
            values = model.column("device", source)[rows]
            data[column] = weighted_means(group, values, duration, count)
    for key in keys:
        data[key] = key_values(model, key, first)
    columns = with_term(model, contract_kernels.columns(group_by, npu=npu))
    table = make_table(columns, {column.name: data[column.name] for column in columns})
    return table.take(pa.array(np.lexsort((first, -calls, -total))))


def _matrix_units(model: TraceModel, keys: tuple[str, ...], rows: Rows) -> dict[str, pa.Array]:
    """Return what all launches of the groups of some device rows have in common."""
    every = np.flatnonzero(work_of_kind(model, kinds.KERNEL))

    def groups() -> tuple[Rows, int]:
        group, first = dense(*(key_codes(model, key)[every] for key in keys))
        of_row = np.full(model.tables["device"].num_rows, -1, np.int64)
        of_row[every] = group
        return of_row, len(first)

    of_row, count = model.cached(("kernel groups", keys), groups)
    group, wanted = of_row[every], pa.array(of_row[rows])
    used = agreed_use(use_of_rows(model)[every], group, count).take(wanted)
    dtype = agreed_dtype(dtype_of_rows(model)[every], group, count).take(wanted)
    return {"matrix_unit_used": used, "matrix_unit_dtype": dtype, "tensor_core_used": used}


def key_codes(model: TraceModel, key: str) -> npt.NDArray[Any]:
    """Return a number for each device row that is equal where the key is."""
    if key in ("operator", "launched_by"):
        return _names_of_hosts(model, key)
    if key == "call_stack":
        return model.cached("stacks of device rows", lambda: _stacks(model))
    if key == "accelerator_core":
        return core_codes(model)
    if key == "block_dim":
        return taken(model.column("npu_kernels", key), npu_rows(model))
    if key == "start_us":
        return model.column("device", "start_ns")
    return model.column("device", key)


def _stacks(model: TraceModel) -> Rows:
    """Return the code of the call stack of every device row, -1 for none."""
    code = call_stacks(model).code
    of_operator = taken(code, model.links.operator)
    return np.where(of_operator >= 0, of_operator, taken(code, model.links.launch))


def _names_of_hosts(model: TraceModel, key: str) -> Rows:
    """Return the name code of the host row that a link points to, -1 for none."""
    host: Rows = getattr(model.links, key)
    codes = np.full(len(host), -1, np.int64)
    codes[host >= 0] = model.column("host", "name")[host[host >= 0]]
    return codes


def key_values(model: TraceModel, key: str, rows: Rows) -> pa.Array:
    """Return what a key column shows of some device rows."""
    codes = key_codes(model, key)[rows]
    if key == "call_stack":
        stacks = pa.array(call_stacks(model).texts, pa.utf8())
        return stacks.take(pa.array(codes, mask=codes < 0))
    if key == "start_us":
        return pa.array(us(codes))
    if key in _NUMBERS:
        return pa.array(codes.astype(np.int64), mask=codes < 0 if key in _MAY_MISS else None)
    table, column = _TEXTS.get(key, ("device", key))
    return texts(model, table, column, codes)


TABLE: Final = TableSpec(
    name="kernels",
    summary="kernels",
    columns=contract_kernels.KERNELS,
    extra_columns=contract_kernels.NPU_KERNELS,
    columns_for=contract_kernels.known_columns,
    make=kernels,
    scope="both",
    groupings=contract_kernels.ALL_GROUPS,
    grouping_help="What makes a row: the name, name and call stack, name, operator and launch"
    " configuration, or every kernel by itself.",
    sort=("total_us", "duration_us"),
    sums=("calls", "total_us", "duration_us"),
    nouns=("kernel", "kernels"),
)
