"""Finds the operator call of a memory record slowly, by looking at every slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.analysis.operators.calls import operator_calls

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]


def innermost_call(model: TraceModel, record: Row) -> int:
    """Find the operator call round a record by looking at every slice of its thread."""
    row = -1
    for index, one in enumerate(model.tables["host"].to_pylist()):
        end = one["start_ns"] + one["duration_ns"]
        if one["thread"] == record["thread"] and one["start_ns"] <= record["time_ns"] < end:
            row = index  # sorted so that inner ones come later
    calls = operator_calls(model).call_of_host
    while row >= 0 and calls[row] < 0:
        row = int(model.nesting.parent[row])
    return int(calls[row]) if row >= 0 else -1
