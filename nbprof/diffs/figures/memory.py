"""Differences of peak memory, and of what holds it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.analysis.memory.peak import memory_peak, memory_peak_holders
from nbprof.analysis.memory.records import memory_devices
from nbprof.diffs.figures.keyed import keyed_table
from nbprof.diffs.spec import DiffTableSpec, Figure, compared, figure_option
from nbprof.diffs.values.by_step import ByStep
from nbprof.diffs.values.cells import Cells
from nbprof.model.contract.columns import count, text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

    #: Values by the key of their row.
    Found: TypeAlias = dict[tuple[Any, ...], list[int]]

PEAK: Final = (Figure("peak_bytes", "bytes", "most memory in use at one time.", pa.int64()),)
HOLDERS: Final = (
    Figure("bytes", "bytes", "bytes of the blocks that are in use at the peak.", pa.int64()),
    Figure("blocks", "", "number of these blocks.", pa.int64()),
)
DEVICE: Final = (
    text("device_type", "Kind of memory: cpu, gpu, …"),
    count("device", "Number of the device; empty for the CPU and if the recording has only one."),
)
#: Blocks at the peak of each step are looked for anew, so that more steps would take seconds.
_MOST_STEPS: Final = 64
#: Word of the table of peaks, and the place of the operator among the keys of holders.
_WORD: Final = "memory"
_OPERATOR: Final = 2
HOLDER_KEYS: Final = (
    *DEVICE,
    text("operator", "Operator that allocated the blocks; empty if none was running."),
    text("module", "Innermost module around the operator, or around its forward operator."),
)


def memory(sides: Sides) -> pa.Table:
    """Return the peak of every device on both sides, over all workers and the filter's range."""
    return keyed_table(sides, measure, DEVICE, PEAK, noisy=False, worst=True)


def memory_holders(sides: Sides, *, figure: str | None = None) -> pa.Table:
    """Return what holds the memory at the peaks of both sides, the largest changes first."""
    return keyed_table(
        sides, _measure_holders, HOLDER_KEYS, HOLDERS, figure=figure, noisy=False, worst=True
    )


def measure(model: TraceModel, filter_: Filter, _: UsedSteps) -> Cells:
    """Return the peak of every memory device of a trace."""
    rows = _without_number(memory_peak(model, filter_))
    keys = [(row["device_type"], row["device"]) for row in rows]
    return _once(model, keys, {"peak_bytes": [row["peak_bytes"] for row in rows]})


def _measure_holders(model: TraceModel, filter_: Filter, _: UsedSteps) -> Cells:
    """Return what holds the memory at the peaks of a trace, by operator and module."""
    found = _held(_without_number(memory_peak_holders(model, filter_)))
    bytes_, blocks = ([held[at] for held in found.values()] for at in (0, 1))
    return _once(model, list(found), {"bytes": bytes_, "blocks": blocks})


def _peaks_by_step(sides: Sides) -> ByStep:
    """Return the peaks of every step; that of several steps is the largest of theirs."""
    return ByStep.of(sides, _measure_steps, at_peak=_WORD)


def _holders_by_step(sides: Sides) -> ByStep | None:
    """Return what holds the memory at the peak of every step; None if there are many steps."""
    steps = max(one.count for side in (sides.baseline, sides.candidate) for one in sides.used(side))
    if steps > _MOST_STEPS:
        return None
    return ByStep.of(sides, _measure_holders_of_steps, named=_OPERATOR, at_peak=_WORD)


def _measure_steps(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the peak of every memory device in every step, and in the range, which is step -1."""

    def peaks(one: Filter) -> Found:
        rows = memory_peak(model, one).to_pylist()
        return {(row["device_type"], row["device"]): [row["peak_bytes"]] for row in rows}

    return _in_steps(model, filter_, used, PEAK, peaks)


def _measure_holders_of_steps(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return what holds the memory at the same peaks, by operator and module."""

    def holders(one: Filter) -> Found:
        return _held(memory_peak_holders(model, one).to_pylist())

    return _in_steps(model, filter_, used, HOLDERS, holders)


def _in_steps(
    model: TraceModel,
    filter_: Filter,
    used: UsedSteps,
    figures: tuple[Figure, ...],
    find: Callable[[Filter], Found],
) -> Cells:
    """Return values in every step alone, and in the whole range, which is step -1."""
    ranges = {-1: filter_}
    for place, index in enumerate(used.index):
        number = int(model.steps.number[index])
        ranges[place] = filter_.replace(steps=(number, number))
    keys: dict[tuple[Any, ...], int] = {}
    row, step, values = [], [], []
    for place, one in ranges.items():
        for key, of in find(one).items():
            row.append(keys.setdefault(key, len(keys)))
            step.append(place)
            values.append(of)
    table = np.array(values, np.float64).reshape(-1, len(figures))
    recorded = bool(memory_devices(model))
    return Cells(
        list(keys),
        np.array(row, np.int64),
        np.array(step, np.int64),
        {one.name: table[:, at] for at, one in enumerate(figures)} if recorded else {},
        used.count,
        complete=0,
    )


def _held(rows: list[dict[str, Any]]) -> Found:
    """Return bytes and blocks by device, operator and module."""
    found: Found = {}
    for row in rows:
        held = found.setdefault(tuple(row[key.name] for key in HOLDER_KEYS), [0, 0])
        held[0] += row["bytes"]
        held[1] += row["blocks"] or 0
    return found


def _without_number(table: pa.Table) -> list[dict[str, Any]]:
    """Return rows; the device has no number if it is the only one of its kind.

    The number of the only device says which one a run was given, and differs between runs.
    `js/src/views/diff/later/peaks.ts` does the same.
    """
    rows: list[dict[str, Any]] = table.to_pylist()
    devices = {(row["device_type"], row["device"]) for row in rows}
    of_type = Counter(kind for kind, _ in devices)
    for row in rows:
        if of_type[row["device_type"]] == 1:
            row["device"] = None
    return rows


def _once(model: TraceModel, keys: list[tuple[Any, ...]], values: dict[str, list[int]]) -> Cells:
    """Return values that a recording has once, whatever its steps; none without memory."""
    recorded = bool(memory_devices(model))
    return Cells(
        keys,
        np.arange(len(keys)),
        np.zeros(len(keys), np.int64),
        {name: np.array(of, np.float64) for name, of in values.items()} if recorded else {},
        steps=1,
        complete=0,
    )


MEMORY_TABLE: Final = DiffTableSpec(
    name="memory",
    summary="the peak memory of every device on both sides",
    columns=(*DEVICE, *compared(PEAK)),
    make=memory,
    figures=PEAK,
    measure=measure,
    worst=True,
    keys=("device_type", "device"),
    by={_WORD: {}},
    by_step=_peaks_by_step,
    nouns=("peak", "peaks"),
    needs="memory",
)

HOLDERS_TABLE: Final = DiffTableSpec(
    name="memory_holders",
    summary="what holds the memory at the peaks of both sides",
    columns=(*HOLDER_KEYS, *compared(HOLDERS)),
    make=memory_holders,
    figures=HOLDERS,
    measure=_measure_holders,
    worst=True,
    options=(figure_option(HOLDERS),),
    keys=tuple(key.name for key in HOLDER_KEYS),
    by={"holder": {}},
    by_step=_holders_by_step,
    nouns=("holder", "holders"),
    needs="memory",
)
