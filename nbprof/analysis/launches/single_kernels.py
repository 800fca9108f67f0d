"""Rows of single kernels: everything recorded about each, its launch, operator and module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy
from nbprof.analysis.grouping import ratio, texts, us
from nbprof.analysis.kernels import kernel_columns
from nbprof.analysis.kernels.matrix_devices import with_term
from nbprof.analysis.kernels.matrix_units import dtype_of_rows, dtype_texts, use_flags, use_of_rows
from nbprof.analysis.kernels.npu_cores import has_cores, npu_rows
from nbprof.analysis.launches.columns import NPU_LAUNCHES
from nbprof.analysis.launches.origins import Origins, origin_columns
from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array
from nbprof.model.contract.table import Column, make_table
from nbprof.model.filters.selection import step_of_device_rows
from nbprof.model.lookup import values_at
from nbprof.model.trace import schema

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

_METRIC: Final = "Metric as measured and named by the recorder."


def single_kernels(model: TraceModel, rows: Rows) -> pa.Table:
    """Return one row per kernel, with everything recorded about it and its origin.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (kernels,)
        Device rows, ascending.

    Returns
    -------
    pyarrow.Table
        Columns of `LAUNCHES`; on an NPU, those of `NPU_LAUNCHES` and one column
        per recorded metric.
    """
    # Not needed for the first picture.
    from nbprof.analysis.launches.launch_costs import cost_columns

    npu = has_cores(model)
    columns = [*with_term(model, kernel_columns.columns("launch", npu=npu))]
    data = {
        **_common_columns(model, rows),
        **origin_columns(model, Origins.of(model, rows)),
        **cost_columns(model, rows),
        # An NPU records the inputs of its kernels itself.
        **(_npu_columns if npu else _gpu_columns)(model, rows),
    }
    if npu:
        metrics = _metrics(model, rows)
        known = {column.name for column in columns}
        for name, values in metrics.items():
            shown = name
            # A recorder's metric may have the name of one of our columns.
            while shown in known or (shown != name and shown in metrics):
                shown += " (recorded)"
            known.add(shown)
            columns.append(Column(shown, values.type, "", _METRIC))
            data[shown] = values
    return make_table(columns, data)


def _common_columns(model: TraceModel, rows: Rows) -> dict[str, Any]:
    def host_names(link: Rows) -> pa.Array:
        return texts(model, "host", "name", values_at(model.column("host", "name"), link[rows]))

    start, duration = (model.column("device", name)[rows] for name in ("start_ns", "duration_ns"))
    return {
        "step": _numbers(_step_numbers(model)[rows]),
        "name": texts(model, "device", "name", model.column("device", "name")[rows]),
        "operator": host_names(model.links.operator),
        "launched_by": host_names(model.links.launched_by),
        "device": model.column("device", "device")[rows],
        # lanes that are not streams have numbers below 0, which are not shown
        "stream": _numbers(model.column("device", "stream")[rows]),
        "start_us": us(start),
        "duration_us": us(duration),
        "pct": ratio(duration, duration.sum(), 100.0),
    }


def _gpu_columns(model: TraceModel, rows: Rows) -> dict[str, Any]:
    used = use_flags(use_of_rows(model)[rows])
    found: dict[str, Any] = {
        "matrix_unit_used": used,
        "matrix_unit_dtype": dtype_texts(dtype_of_rows(model)[rows]),
        "tensor_core_used": used,
        "recorded_name": recorded_names(model, rows),
    }
    for name in ("grid", "block"):
        found[name] = texts(model, "device", name, model.column("device", name)[rows])
    for name in ("registers", "shared_memory_bytes"):
        found[name] = _numbers(model.column("device", name)[rows])
    found["blocks_per_sm"] = _floats(model.column("device", "blocks_per_sm")[rows])
    found["occupancy_pct"] = _floats(KernelOccupancy.of(model).percent[rows])
    return found


def recorded_names(model: TraceModel, rows: Rows) -> pa.Array:
    """Return the names of device rows as in the file, null where they are shown unchanged.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (rows,)
        Device rows.
    """
    mangled = model.recorded_names("device")
    if not mangled:
        return pa.nulls(len(rows), pa.utf8())
    names = arrow_array(map(mangled.get, range(len(model.values("device", "name")))), pa.utf8())
    codes = model.column("device", "name")[rows]
    return names.take(arrow_array(codes.astype(np.int64), mask=codes < 0))


def _npu_columns(model: TraceModel, rows: Rows) -> dict[str, Any]:
    place = npu_rows(model)[rows]
    found: dict[str, Any] = {}
    for column in NPU_LAUNCHES:
        if column.name not in schema.TABLES["npu_kernels"].names or column.name == "step":
            continue
        found[column.name] = _npu_column(model, column.name, place)
    return found


def _metrics(model: TraceModel, rows: Rows) -> dict[str, pa.Array]:
    place = npu_rows(model)[rows]
    names = model.tables["npu_kernels"].column_names[len(schema.TABLES["npu_kernels"]) :]
    return {name: _npu_column(model, name, place) for name in names}


def _npu_column(model: TraceModel, name: str, place: Rows) -> pa.Array:
    """Return a column of `npu_kernels` at given rows, null at -1 and where it is missing."""
    column = model.tables["npu_kernels"].column(name)
    if pa.types.is_dictionary(column.type):
        return texts(
            model, "npu_kernels", name, values_at(model.column("npu_kernels", name), place)
        )
    if pa.types.is_floating(column.type):
        values = joined(column)
        if not len(values):
            return pa.nulls(len(place), pa.float64())
        return _floats(np.where(place >= 0, values[place], np.nan))
    return _numbers(values_at(model.column("npu_kernels", name), place))


def _step_numbers(model: TraceModel) -> Rows:
    """Return the step number of each device row, -1 for none.

    The recorder's number is used if there is one, otherwise the filters' assignment. Recordings
    without steps have none.
    """
    index = step_of_device_rows(model)
    number = np.full(len(index), -1, np.int64)
    if model.steps.recorded:
        number = np.where(index >= 0, model.steps.number[index], -1)
    recorded = values_at(model.column("npu_kernels", "step"), npu_rows(model))
    return np.where(recorded >= 0, recorded, number)


def _numbers(values: npt.NDArray[Any]) -> pa.Array:
    return arrow_array(values.astype(np.int64), mask=values < 0)


def _floats(values: npt.NDArray[Any]) -> pa.Array:
    return arrow_array(values, pa.float64(), mask=~np.isfinite(values))
