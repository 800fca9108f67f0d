"""Table `warnings`: what was repaired, skipped or inconsistent in a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy
from nbprof.analysis.memory.warnings import memory_warnings
from nbprof.model.contract.columns import Columns, count, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.trace.warning import TraceWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

WARNINGS: Final[Columns] = (
    text("kind", "What was repaired, skipped or inconsistent."),
    count("count", "Number of occurrences."),
    text("example", "First occurrence."),
)


def warnings(model: TraceModel) -> pa.Table:
    """Return the warnings from reading the file, then those from linking its events."""
    found = [
        *model.warnings,
        *model.cached("derived warnings", lambda: list(_link_warnings(model))),
    ]
    return make_table(
        WARNINGS,
        {
            "kind": [warning.kind for warning in found],
            "count": [warning.count for warning in found],
            "example": [warning.example for warning in found],
        },
    )


def _link_warnings(model: TraceModel) -> Iterator[TraceWarning]:
    nesting = model.nesting
    if nesting.range_overlaps:
        yield TraceWarning(
            "overlapping slices",
            nesting.range_overlaps,
            f"{_host_name(model, nesting.first_overlap)} starts inside another slice of its thread"
            " and ends after it",
        )
    if nesting.unclosed:
        yield TraceWarning(
            "unclosed frames",
            nesting.unclosed,
            f"{_host_name(model, nesting.first_unclosed)} ends after the frame that called it: the"
            " recorder did not close it",
        )
    unknown = np.flatnonzero(work_rows(model) & (model.links.launch < 0))
    if len(unknown) and not _has_device_files_alone(model):
        name = _kernel_name(model, unknown[0])
        yield TraceWarning(
            "launch not in the trace", len(unknown), f"no runtime call launched {name}"
        )
    occupancy = KernelOccupancy.of(model)
    for kind, rows, so in (
        ("occupancy of 0 computed", occupancy.computed, "so its launch configuration tells it"),
        ("occupancy of 0 unknown", occupancy.unknown, "and the trace lacks what would tell it"),
    ):
        if len(rows):
            example = f"{_kernel_name(model, rows[0])} ran with a recorded occupancy of 0 %, {so}"
            yield TraceWarning(kind, len(rows), example)
    steps = model.steps
    if steps.recorded and not steps.complete.all():
        cut = np.flatnonzero(~steps.complete)
        yield TraceWarning(
            "incomplete step",
            len(cut),
            f"step {steps.number[cut[0]]}: part of its device work was not recorded",
        )
    yield from memory_warnings(model)


def _has_device_files_alone(model: TraceModel) -> bool:
    """Return whether the trace has NPU kernels but no file about the host."""
    return bool(model.tables["npu_kernels"].num_rows) and not model.tables["host"].num_rows


def _kernel_name(model: TraceModel, row: int) -> str:
    code = model.column("device", "name")[row]
    return model.values("device", "name")[code] if code >= 0 else "a kernel"


def _host_name(model: TraceModel, row: int) -> str:
    code = model.column("host", "name")[row]
    return model.values("host", "name")[code] if code >= 0 else "a slice"


TABLE: Final = TableSpec(
    name="warnings",
    summary="what was repaired, skipped or inconsistent",
    columns=WARNINGS,
    make=lambda model, _: warnings(model),
    scope="both",
    keys=("kind",),
    nouns=("warning", "warnings"),
    empty_texts={"": "Nothing was repaired or skipped while reading."},
    filtered=False,
)
