"""Differences by collective: the communication calls of a rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.grouping import NS_PER_US
from nbprof.analysis.ranks.calls import rank_calls
from nbprof.diffs.figures.keyed import keyed_table
from nbprof.diffs.spec import DiffTableSpec, Figure, compared, figure_option
from nbprof.diffs.values.by_step import ByStep
from nbprof.diffs.values.cells import Cells
from nbprof.model.arrays import floats_of, joined
from nbprof.model.building import filled
from nbprof.model.contract.columns import text

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

FIGURES: Final = (
    Figure("total_us", "us", "time during which the calls ran, waiting for other ranks included."),
    Figure("calls", "", "number of calls."),
    Figure("bytes", "bytes", "input bytes of the calls, as far as they are known."),
)
KEYS: Final = (text("name", "Kind of communication operator."),)


def collectives(sides: Sides, *, figure: str | None = None) -> pa.Table:
    """Return communication calls with their times on both sides, the largest changes first."""
    return keyed_table(sides, measure, KEYS, FIGURES, figure=figure)


def measure(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the values of the communication calls of a trace.

    A call on the device runs while its kernels run, a call of a host backend during its host range.
    """
    table = rank_calls(model, filter_)
    table = table.filter(table["kept"])
    number = joined(filled(table["step"], -1))
    place = {int(model.steps.number[at]): order for order, at in enumerate(used.index)}
    step = np.array([place.get(one, -1) for one in number.tolist()], np.int64)
    call = joined(table["call"])
    is_first = np.append(True, call[1:] != call[:-1])[: len(call)]
    ran = np.maximum(floats_of(filled(table["duration_ns"], 0)), 0.0) / NS_PER_US
    measured = floats_of(table["latency_us"])
    names = table["name"].to_pylist()
    known = {name: row for row, name in enumerate(sorted(set(names)))}
    row = [known[name] for name in names]
    return Cells.summed(
        [(name,) for name in known],
        np.array(row, np.int64),
        np.zeros(len(step), np.int64) if used.whole else step,
        {
            "total_us": np.where(np.isnan(measured), ran, measured * is_first),
            "calls": is_first,
            "bytes": floats_of(filled(table["bytes"], 0)) * is_first,
        },
        steps=used.count,
        complete=used.complete,
    )


def by_step(sides: Sides) -> ByStep:
    """Return the values of communication calls in every step."""
    return ByStep.of(sides, measure)


TABLE: Final = DiffTableSpec(
    name="collectives",
    summary="communication calls with their times and bytes on both sides",
    columns=(*KEYS, *compared(FIGURES)),
    make=collectives,
    figures=FIGURES,
    measure=measure,
    options=(figure_option(FIGURES),),
    keys=("name",),
    by={"collective": {}},
    by_step=by_step,
    nouns=("collective", "collectives"),
)
