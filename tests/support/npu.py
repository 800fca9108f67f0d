"""Builds small models of NPU profiles with their own tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.sources.recorders import dialect_of
from tests.support.models import make_model

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]

#: Times of an operator that were not given.
_NONE = dict.fromkeys(
    (
        "host_self_us",
        "host_total_us",
        "device_self_us",
        "device_total_us",
        "ai_core_self_us",
        "ai_core_total_us",
    ),
    0.0,
)


def make_npu(
    host: Sequence[Row] = (),
    device: Sequence[Row] = (),
    *,
    measured: Sequence[Row] = (),
    kernels: Sequence[Row] = (),
    metrics: Sequence[str] = (),
    npu_steps: Sequence[Row] = (),
    step_ranges: Sequence[Row] = (),
    lanes: Sequence[Row] = (),
    **more: Any,
) -> TraceModel:
    """Build a model.

    Rows of `kernels` are known by their place among the device rows, ``row``; `metrics` names
    those of their columns that the recorder made up. In `measured` times are 0 and ``row`` is -1
    if not given. All else is as in `make_model`.
    """
    base = make_model(host, device, **more)
    tables = {
        **base.tables,
        "measured_operators": table("measured_operators", [_NONE | row for row in measured]),
        "npu_kernels": table("npu_kernels", kernels, metrics),
        "npu_steps": table("npu_steps", npu_steps),
        "step_ranges": table("step_ranges", step_ranges),
        "lanes": table("lanes", lanes),
    }
    known = {"format": "Ascend", "device_type": "npu"}
    return TraceModel(tables, {**base.metadata, **known}, dialect=dialect_of(known))


def table(name: str, rows: Sequence[Row], metrics: Sequence[str] = ()) -> pa.Table:
    """Build a table of a model; what rows do not say is missing."""
    fields = [*schema.TABLES[name], *(pa.field(metric, pa.float64()) for metric in metrics)]
    arrays = []
    for field in fields:
        values = [row.get(field.name) for row in rows]
        if pa.types.is_dictionary(field.type):
            arrays.append(pa.array(values, pa.utf8()).dictionary_encode())
        elif pa.types.is_string(field.type):
            arrays.append(pa.array(values, field.type))
        else:
            missing = float("nan") if pa.types.is_floating(field.type) else -1
            filled = [missing if value is None else value for value in values]
            arrays.append(pa.array(filled, field.type))
    return pa.table(arrays, schema=pa.schema(fields))
