"""Matches rows of `operator_details.csv` with host rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.arrays import codes_of, joined
from nbprof.model.building import arrow_array
from nbprof.model.trace import schema_vendors
from nbprof.sources.ascend.tables.row_matching import matching_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.sources.ascend.trace.columns import TraceRows
    from nbprof.sources.defects import DefectLog

Integers = npt.NDArray[np.int64]


def measured_operators(
    operators: pa.Table, trace: TraceRows | None, place: Integers, defects: DefectLog
) -> pa.Table:
    """Return the table of measured operators.

    The file has a row for each call of an operator, in the order in which they start. If the file
    and the trace have different calls, rows are matched by name and host time, in order, where the
    match is unambiguous.

    Parameters
    ----------
    operators : pyarrow.Table
        See `timeline.build`.
    trace : TraceRows or None
        The trace.
    place : ndarray of int64
        Row in HOST of each row of ``trace.host``.
    defects : DefectLog
        Counts rows that match no slice of the trace.
    """
    row = np.full(operators.num_rows, -1, np.int64)
    start = np.full(operators.num_rows, np.iinfo(np.int64).max)
    if trace is not None:
        calls = np.flatnonzero(trace.host["is_call"] == 1)
        calls = calls[np.argsort(trace.host["start_ns"][calls], kind="stable")]
        call = _calls_of(operators, trace, calls)
        hit = call >= 0
        row[hit] = place[calls[call[hit]]]
        start[hit] = trace.host["start_ns"][calls[call[hit]]]
        lost = np.flatnonzero(~hit)
        if len(calls) and len(lost):
            name = operators.column("name")[int(lost[0])].as_py()
            example = f"{name!r} in operator_details.csv matches no operator of the trace"
            defects.note("operator not in the trace", len(lost), example, fatal=False)
    table = operators.take(arrow_array(np.argsort(start, kind="stable")))
    rows = arrow_array(row[np.argsort(start, kind="stable")])
    table = table.add_column(0, schema_vendors.MEASURED_OPERATORS.field("row"), rows)
    return table.cast(schema_vendors.MEASURED_OPERATORS)


def _calls_of(operators: pa.Table, trace: TraceRows, calls: Integers) -> Integers:
    """Return the index of the call, in time order, of each row; -1 if unknown."""
    number = {text: at for at, text in enumerate(trace.texts["name"])}
    column = operators.column("name").unify_dictionaries()
    texts = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
    code_of = np.array([*(number.get(text, -2) for text in texts), -2], np.int64)
    wanted = code_of[codes_of(column)]
    names = trace.host["name"][calls].astype(np.int64)
    call = np.full(len(wanted), -1, np.int64)
    if len(names) == len(wanted):
        call = np.where(names == wanted, np.arange(len(names)), -1)
    rest = np.flatnonzero(call < 0)
    free = np.setdiff1d(np.arange(len(names)), call)
    # Both the file and the trace have microseconds.
    host_us = joined(operators.column("host_total_us"))[rest]
    # Times longer than any call have no match, so they may share one key.
    bounded_us = np.clip(np.nan_to_num(host_us, nan=-1.0), -1.0, 1e15)
    wanted_ns = np.rint(bounded_us * 1000.0).astype(np.int64)
    hit = matching_rows(
        [names[free], trace.host["duration_ns"][calls[free]]],
        [wanted[rest], wanted_ns],
        evenly=True,
    )
    call[rest[hit >= 0]] = free[hit[hit >= 0]]
    return call
