"""Builds the tables of the model from the events of the trace and the rows of the CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbprof.model.arrays import codes_of, joined
from nbprof.model.building import arrow_array, table_of_rows
from nbprof.model.trace import kinds, schema_vendors
from nbprof.sources.ascend.tables.device_rows import DeviceRows
from nbprof.sources.ascend.tables.device_tables import device_tables
from nbprof.sources.ascend.tables.host_table import host_tables
from nbprof.sources.ascend.tables.measured_operators import measured_operators
from nbprof.sources.ascend.trace.flows import counters_table, flows_table
from nbprof.sources.ascend.trace.lanes import lane_details, lanes_table

if TYPE_CHECKING:
    from nbprof.sources.ascend.trace.view import TraceRows
    from nbprof.sources.defects import DefectLog


def build(
    trace: TraceRows | None,
    kernels: pa.Table | None,
    operators: pa.Table | None,
    zero_ns: int,
    defects: DefectLog,
    *,
    device: int = -1,
) -> dict[str, pa.Table]:
    """Return the tables of events, by their names in `nbprof.model.trace.schema.TABLES`.

    Parameters
    ----------
    trace : TraceRows or None
        From `trace_view.json`; None if it is missing.
    kernels : pyarrow.Table or None
        From `kernel_details.csv`, in its order: the columns of `csv_kernels.COLUMNS`, then one for
        each metric; start_ns is absolute.
    operators : pyarrow.Table or None
        From `operator_details.csv`, in its order: MEASURED_OPERATORS without `row`.
    zero_ns : int
        Time zero of the model on the clock of the files.
    defects : DefectLog
        Counts inconsistencies between the files.
    device : int
        The device of events without a device; -1 takes it from the trace, or else 0.

    Returns
    -------
    dict of str to pyarrow.Table
        host, device, flows, counters, threads, lanes, devices, collectives, npu_kernels,
        measured_operators and step_ranges, if there is data for them.
    """
    tables: dict[str, pa.Table] = {}
    details = None if trace is None else lane_details(trace, max(device, 0))
    place = np.zeros(0, np.int64)
    thread_of_lane = place
    if trace is not None and details is not None:
        tables["flows"] = flows_table(trace, details, zero_ns)
        tables["counters"] = counters_table(trace, zero_ns)
        hosts, thread_of_lane, place = host_tables(trace, details, zero_ns)
        tables |= hosts
        if device < 0:
            device = int(details.device.max(initial=-1))
    rows = DeviceRows(trace, details)
    if kernels is not None:
        rows.join(kernels, max(device, 0), defects)
    devices, lanes = device_tables(rows, kernels, zero_ns)
    tables |= devices
    if trace is not None and details is not None:
        tables["lanes"] = lanes_table(trace, details, thread_of_lane, lanes)
    else:
        tables["lanes"] = table_of_rows(lanes, schema_vendors.LANES)
    if operators is not None:
        tables["measured_operators"] = measured_operators(operators, trace, place, defects)
    if kernels is not None and not _has_steps(tables):
        tables["step_ranges"] = _step_ranges(kernels, zero_ns)
    return tables


def _has_steps(tables: dict[str, pa.Table]) -> bool:
    if "host" not in tables:
        return False
    return bool((codes_of(tables["host"].column("kind")) == kinds.STEP).any())


def _step_ranges(kernels: pa.Table, zero_ns: int) -> pa.Table:
    """Return the range of the kernels of every step, from the first start to the last end."""
    step, start = (joined(kernels.column(name)) for name in ("step", "start_ns"))
    end = start + joined(kernels.column("duration_ns"))
    steps, number = np.unique(step, return_inverse=True)
    first = np.full(len(steps), np.iinfo(np.int64).max)
    last = np.full(len(steps), np.iinfo(np.int64).min)
    np.minimum.at(first, number, start)
    np.maximum.at(last, number, end)
    known = steps >= 0
    columns = {"step": steps, "start_ns": first - zero_ns, "end_ns": last - zero_ns}
    arrays = {name: arrow_array(values[known], pa.int64()) for name, values in columns.items()}
    return pa.table(arrays, schema=schema_vendors.STEP_RANGES)
