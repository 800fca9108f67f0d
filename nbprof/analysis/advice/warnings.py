"""Table `warnings`: what was repaired, skipped or inconsistent in a trace, and notes on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.advice.launch_warnings import launch_warnings
from nbprof.analysis.devices.kernel_occupancy import OPT_IN, KernelOccupancy
from nbprof.analysis.memory.warnings import memory_warnings
from nbprof.model.contract.columns import Columns, count, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.links.nesting import crossings
from nbprof.model.trace import kinds
from nbprof.model.trace.warning import TraceWarning
from nbprof.model.units import format_count, format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

WARNINGS: Final[Columns] = (
    text("kind", "What was repaired, skipped or inconsistent; or what a note is about."),
    count("count", "Number of occurrences."),
    text("example", "First occurrence; of a note a sentence about all."),
    text("level", "warning for faults, note for what healthy recordings have, too."),
)


def warnings(model: TraceModel) -> pa.Table:
    """Return warnings and notes from reading the file, then those from linking its events."""
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
            "level": [warning.level for warning in found],
        },
    )


def notes_of(table: pa.Table) -> list[str]:
    """Return the sentences of the notes in a table ``warnings``, without full stops."""
    return [
        row["example"] or f"{row['kind']}: {row['count']:,}"
        for row in table.to_pylist()
        if row["level"] == "note"
    ]


def _link_warnings(model: TraceModel) -> Iterator[TraceWarning]:
    nesting = model.nesting
    if nesting.range_overlaps:
        yield from _overlaps(model)
    if nesting.unclosed:
        yield TraceWarning(
            "unclosed frames",
            nesting.unclosed,
            f"{_host_name(model, nesting.first_unclosed)} ends after the frame that called it: the"
            " recorder did not close it",
        )
    yield from launch_warnings(model)
    yield from _occupancy_notes(model)
    steps = model.steps
    if steps.recorded and not steps.complete.all():
        cut = np.flatnonzero(~steps.complete)
        yield TraceWarning(
            "incomplete step",
            len(cut),
            f"step {steps.number[cut[0]]}: part of its device work was not recorded",
        )
    yield from memory_warnings(model)


def _overlaps(model: TraceModel) -> Iterator[TraceWarning]:
    """Yield operators and steps that cross others, which return in order, then other ranges.

    Annotations may end when they like, as those of generators and coroutines do, and recorders
    write calls that a device answers later as ranges.
    """
    kind = model.column("host", "kind")
    wrong = _crossing(model, (kind == kinds.OPERATOR) | (kind == kinds.STEP))
    if len(wrong):
        yield TraceWarning(
            "overlapping slices",
            len(wrong),
            f"{_host_name(model, wrong[0])} starts inside another slice of its thread"
            " and ends after it",
        )
    not_nested = (kinds.PYTHON, kinds.MODULE, kinds.OVERHEAD)
    other = np.setdiff1d(_crossing(model, ~np.isin(kind, not_nested)), wrong)
    if len(other):
        number = format_count(len(other), "annotation or runtime call")
        number = number.replace("annotation or", "annotations or") if len(other) > 1 else number
        time = format_time(int(model.column("host", "duration_ns")[other].sum()) / 1000.0)
        text = f"{number} ({time}) began inside another one of the same thread and ended after it"
        yield TraceWarning("overlapping ranges", len(other), text)


def _crossing(model: TraceModel, among: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the host rows among some that start inside another of them and end after it."""
    rows = np.flatnonzero(among)
    start, thread = (model.column("host", one)[rows] for one in ("start_ns", "thread"))
    end = start + model.column("host", "duration_ns")[rows]
    parent = np.arange(-1, len(rows) - 1, dtype=np.int64)
    found = [crossing for crossing, _ in crossings(thread, start, end, parent)]
    return rows[np.unique(np.concatenate(found))] if found else rows[:0]


def _occupancy_notes(model: TraceModel) -> Iterator[TraceWarning]:
    occupancy = KernelOccupancy.of(model)
    for kind, rows, so in (
        (
            "occupancy of 0 computed",
            occupancy.computed,
            "; it is computed from their launch configuration",
        ),
        (
            "occupancy of 0 unknown",
            occupancy.unknown,
            "; the trace lacks what would tell the right one",
        ),
    ):
        if len(rows):
            shared = model.column("device", "shared_memory_bytes")[rows]
            large = " with more than 48 KiB of shared memory" if (shared > OPT_IN).all() else ""
            recorder = model.metadata.get("format") or "The recorder"
            number = format_count(len(rows), "kernel")
            text = f"{recorder} recorded an occupancy of 0 for {number}{large}{so}"
            yield TraceWarning(kind, len(rows), text)


def _host_name(model: TraceModel, row: int) -> str:
    code = model.column("host", "name")[row]
    return model.values("host", "name")[code] if code >= 0 else "a slice"


TABLE: Final = TableSpec(
    name="warnings",
    summary="what was repaired, skipped or inconsistent, and notes",
    columns=WARNINGS,
    make=lambda model, _: warnings(model),
    scope="both",
    keys=("kind",),
    nouns=("warning", "warnings"),
    empty_texts={"": "Nothing was repaired or skipped while reading."},
    filtered=False,
)
