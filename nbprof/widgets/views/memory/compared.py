"""The memory of a baseline: its curves for the chart, and its peaks beside those of the trace."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.charts.memory.baseline import MemoryBaseline, partners_of
from nbprof.model.errors import NbprofError
from nbprof.model.filters import selection
from nbprof.widgets.session.aligned import aligned_baseline
from nbprof.widgets.session.trace_tables import table_of
from nbprof.widgets.views.memory.choices import CURVE_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from nbprof.widgets.session.align import Align
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State

#: Maximum number of points of a curve in saved state; a chart has fewer columns of pixels.
_MOST_POINTS = 3000


def memory_baseline(session: Session, state: State, align: Align) -> MemoryBaseline | None:
    """Return the memory of the baseline of a state; None without one, or if it has none.

    A baseline that cannot be read is left out: the control in which it was chosen says why.
    """
    try:
        found = aligned_baseline(session, state, align)
        if found is None:
            return None
        model = found.trace.model
    except NbprofError:
        return None
    tables = [
        session.cached(
            found.trace,
            ("baseline", found.trace.active_filter, name),
            partial(table_of, found.trace, name, {}),
        )
        for name in ("memory_curve", "memory_peak")
    ]
    if not tables[0].num_rows:
        return None
    shift_us = found.aligned.shift_ns / 1000
    window = selection.window(model, found.trace.active_filter)
    starts, ends = window or ([0], [model.metadata.get("end_ns", 0)])
    covered = starts[0] / 1000 + shift_us, ends[-1] / 1000 + shift_us
    return MemoryBaseline(tables[0], tables[1], shift_us, covered)


def peaks_before(
    session: Session, state: State, align: Align, labels: Sequence[str]
) -> list[float | None]:
    """Return the peak of the baseline for each device, by labels; None where it has none."""
    found = memory_baseline(session, state, align)
    if found is None:
        return [None] * len(labels)
    curves = found.curves("operator")
    places = partners_of(labels, [one.label for one in curves])
    return [None if at is None else curves[at].peak for at in places]


def saved_baseline(baseline: MemoryBaseline) -> dict[str, Any]:
    """Return the curves of a baseline as plain values, on the clock of the chart.

    Long curves are thinned out: of each stretch of time the first, least, greatest and last value
    remain, so that the picture is the same.
    """
    return {
        "range_us": list(baseline.range_us),
        **{
            by: [
                {
                    "label": one.label,
                    "time_us": (one.lines[0].time_ns[kept] / 1000).tolist(),
                    "values": one.lines[0].values[kept].tolist(),
                    "peak": one.peak,
                    "peak_us": None if np.isnan(one.peak_us) else one.peak_us,
                }
                for one in baseline.curves(by)
                for kept in [_kept(one.lines[0].values)]
            ]
            for by in CURVE_KINDS
        },
    }


def _kept(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the places of the values that remain, ascending."""
    count = len(values)
    if count <= _MOST_POINTS:
        return np.arange(count)
    edges = np.linspace(0, count, _MOST_POINTS // 4 + 1).astype(np.int64)
    low = [a + int(np.argmin(values[a:b])) for a, b in itertools.pairwise(edges)]
    high = [a + int(np.argmax(values[a:b])) for a, b in itertools.pairwise(edges)]
    found: npt.NDArray[np.int64] = np.unique([*edges[:-1], *low, *high, *(edges[1:] - 1)])
    return found
