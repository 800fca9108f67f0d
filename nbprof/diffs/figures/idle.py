"""Differences of the idle time of devices, by what they waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nbprof.analysis.devices.device_rows import device_type, devices_in, has_device
from nbprof.analysis.devices.gap_causes import CAUSE, CAUSES, causes_of
from nbprof.analysis.devices.gaps import gaps_of_whole_devices
from nbprof.analysis.grouping import NS_PER_US, dense, sums
from nbprof.analysis.steps.breakdown import steps_in_range
from nbprof.diffs.figures.keyed import keyed_table
from nbprof.diffs.spec import DiffTableSpec, Figure, compared, figure_option
from nbprof.diffs.values.by_step import AtBorders, ByStep, steps_of
from nbprof.diffs.values.cells import Cells, Keys
from nbprof.model.contract.columns import count, text
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.intervals import split
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from nbprof.analysis.devices.gaps import Gaps
    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

FIGURES: Final = (
    Figure("idle_us", "us", "time in which the device runs nothing."),
    Figure("gaps", "", "number of such gaps."),
)
KEYS: Final = (
    text("device_type", "Type of device: gpu, npu, …"),
    count("device", "Number of the device; empty if the recording has only one."),
    CAUSE,
)


def idle(sides: Sides, *, figure: str | None = None) -> pa.Table:
    """Return the idle time of devices on both sides by cause, the largest changes first."""
    return keyed_table(sides, measure, KEYS, FIGURES, figure=figure)


def measure(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the idle time of the devices of a trace, cut at the borders of its steps.

    In a step it is what ``device_time`` gives for this step alone.
    """
    found = _find(model, filter_, used)
    every = np.arange(len(found.row))
    return _cells(model, found, used, every).without_empty_rows()


def by_step(sides: Sides) -> ByStep | None:
    """Return the idle time in every step; None without steps.

    The gaps inside a step are the same whatever the other steps. Those that reach the end of a step
    or lie around its borders are cut where the first step begins and where the last one ends, which
    changes their causes, so each of them is kept. A filter of names takes the traces: it chooses
    the work between the gaps, all of whose times a page would have to hold.
    """
    if not sides.per_step:
        return None
    both: list[list[tuple[Cells, AtBorders]]] = [
        [
            _apart(model, filter_, used)
            for model, filter_, used in zip(
                side.models, side.filters, steps_of(side, sides), strict=True
            )
        ]
        for side in (sides.baseline, sides.candidate)
    ]
    baseline, candidate = ([cells for cells, _ in of] for of in both)
    borders = tuple([one for _, one in of] for of in both)
    return ByStep((baseline, candidate), borders=(borders[0], borders[1]))


class _Found(NamedTuple):
    """The gaps of devices, their rows among the keys, and the windows of steps."""

    gaps: Gaps
    row: npt.NDArray[np.int64]
    keys: Keys
    windows: IntervalSet


def _find(model: TraceModel, filter_: Filter, used: UsedSteps) -> _Found:
    found = steps_in_range(model, filter_)
    index = list(used.index)
    windows = found.start_ns[index], found.end_ns[index]
    if not used.whole and index:
        range_ = float(windows[0][0]) / NS_PER_US, float(windows[1][-1]) / NS_PER_US
        filter_ = filter_.replace(steps=None, time_us=range_)
    gaps = gaps_of_whole_devices(model, filter_)
    devices = devices_in(model, filter_)
    several = len(devices_in(model, NO_FILTER)) > 1
    kind = device_type(model)
    keys: Keys = [
        (kind, device if several else None, cause)
        for device in devices
        for cause in (None, *CAUSES)
    ]
    of_device = {device: at * (1 + len(CAUSES)) for at, device in enumerate(devices)}
    row = np.array([of_device[one] for one in gaps.device.tolist()], np.int64)
    return _Found(gaps, row + 1 + causes_of(model, gaps), keys, windows)


def _cells(
    model: TraceModel, found: _Found, used: UsedSteps, chosen: npt.NDArray[np.int64]
) -> Cells:
    """Sum chosen gaps; keys without any stay."""
    gaps, row = found.gaps.where(chosen), found.row[chosen]
    if used.whole:
        step, gap = np.zeros(len(row), np.int64), np.arange(len(row))
        low, high = gaps.start, gaps.end
    else:
        step, gap, low, high = split(gaps.start, gaps.end, found.windows)
    begins = low == gaps.start[gap]
    values = {"idle_us": (high - low) / NS_PER_US, "gaps": begins.astype(np.float64)}
    cell, first = dense(row[gap], step) if len(gap) else (gap, gap)
    sums_of = {name: sums(cell, of, len(first)) for name, of in values.items()}
    return Cells(
        found.keys,
        row[gap][first],
        step[first],
        sums_of if has_device(model) else {},
        used.count,
        used.complete,
    )


def _apart(model: TraceModel, filter_: Filter, used: UsedSteps) -> tuple[Cells, AtBorders]:
    """Return the sums of the gaps inside steps, and the other gaps."""
    found = _find(model, filter_, used)
    gaps, (starts, ends) = found.gaps, found.windows
    step = np.searchsorted(starts, gaps.start, side="right") - 1
    inside = (step >= 0) & (gaps.end < np.append(ends, 0)[step])
    launch = values_at(model.links.launch, gaps.next)
    launched = values_at(model.column("host", "start_ns"), launch)
    others = np.flatnonzero(~inside)
    causes = 1 + len(CAUSES)
    borders = AtBorders(
        windows=(starts, ends),
        row=found.row[others] // causes * causes,
        start=gaps.start[others],
        end=gaps.end[others],
        launch=np.where(launch < 0, -1, launched)[others],
    )
    return _cells(model, found, used, np.flatnonzero(inside)), borders


TABLE: Final = DiffTableSpec(
    name="idle",
    summary="the idle time of devices on both sides by cause",
    columns=(*KEYS, *compared(FIGURES)),
    make=idle,
    figures=FIGURES,
    measure=measure,
    options=(figure_option(FIGURES),),
    keys=("device_type", "device", "cause"),
    by={"idle": {}},
    by_step=by_step,
    nouns=("cause", "causes"),
    needs="device",
)
