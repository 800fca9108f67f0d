"""Differences by kernel, or by the operators that launch kernels.

Devices of different makes run different kernels, so that two kernels have no name in common. Their
operators do.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import has_device, kept_device_rows, work_of_kind
from nbprof.analysis.grouping import NS_PER_US, dense, sums
from nbprof.analysis.steps.attribution import launching_names
from nbprof.diffs.sides.devices import same_devices
from nbprof.diffs.spec import DiffTableSpec, Figure, compared, figure_option
from nbprof.diffs.values.by_step import ByStep
from nbprof.diffs.values.cells import Cells
from nbprof.diffs.values.comparison import Comparison, rows_of
from nbprof.model.contract.columns import Columns, count, text
from nbprof.model.filters.selection import step_of_device_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Side, Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

FIGURES: Final = (
    Figure("total_us", "us", "time of the kernels."),
    Figure("calls", "", "number of launches."),
)
NAME: Final = text(
    "name",
    "Name of the kernel; by operator, the operator that launched it or, without one, the "
    "annotation or call, or else the kernel.",
)
STREAM: Final = count("stream", "Stream that the kernel ran on.")
#: Columns of the kernels of an operator on each side.
KERNELS: Final = (
    text("baseline_kernels", "Kernels of the operator in the baseline as JSON, longest first."),
    text("candidate_kernels", "Kernels of the operator in the candidate as JSON, longest first."),
)
GROUPS: Final = {
    "auto": ("name",),
    "name": ("name",),
    "operator": ("name",),
    "name+stream": ("name", "stream"),
}
#: How many kernels are named for an operator.
MOST_NAMES: Final = 5


def kernels(sides: Sides, *, group_by: str = "auto", figure: str | None = None) -> pa.Table:
    """Return kernels with their times on both sides, the largest changes first."""
    by = grouping(sides, group_by)
    comparison = Comparison.of(sides.cells(measure, group_by=by))
    more = {}
    if by == "operator":
        of_sides = (_names(side) for side in (sides.baseline, sides.candidate))
        for column, names in zip(KERNELS, of_sides, strict=True):
            texts = [
                json.dumps(names[key[0]]) if key[0] in names else None for key in comparison.keys
            ]
            more[column.name] = (column.field, texts)
    keys = [column.field for column in (NAME, STREAM) if column.name in GROUPS[by]]
    return rows_of(comparison, keys, FIGURES, figure=figure, more=more)


def grouping(sides: Sides, group_by: str) -> str:
    """Return what makes a row: by default the name on equal devices, else the operator."""
    if group_by != "auto":
        return group_by
    return "name" if same_devices(sides) else "operator"


def measure(model: TraceModel, filter_: Filter, used: UsedSteps, *, group_by: str) -> Cells:
    """Return the values of the kernels of a trace, as in its table ``kernels``."""
    rows = _kernel_rows(model, filter_)
    group, keys = _groups(model, rows, group_by)
    place = used.place(step_of_device_rows(model)[rows], len(model.steps.number))
    duration = model.column("device", "duration_ns")[rows] / NS_PER_US
    values = {"total_us": duration, "calls": np.ones(len(rows))} if has_device(model) else {}
    return Cells.summed(keys, group, place, values, steps=used.count, complete=used.complete)


def by_step(sides: Sides, *, group_by: str) -> ByStep:
    """Return the values of kernels in every step; a filter of names chooses kernels.

    The rows of operators have their kernels, since the filter is matched against these.
    """
    by = grouping(sides, group_by)
    if by == "operator":
        return ByStep.of(sides, _measure_pairs, named=1, width=1)
    return ByStep.of(sides, measure, named=0, group_by=by)


def _measure_pairs(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the values of the kernels of each operator; after the steps, those outside of them."""
    rows = _kernel_rows(model, filter_)
    operator, operators = _groups(model, rows, "operator")
    kernel, names = _groups(model, rows, "name")
    pair, first = dense(operator, kernel) if len(rows) else (rows, rows)
    place = used.place(step_of_device_rows(model)[rows], len(model.steps.number))
    duration = model.column("device", "duration_ns")[rows] / NS_PER_US
    return Cells.summed(
        [operators[operator[at]] + names[kernel[at]] for at in first.tolist()],
        pair,
        np.where(place < 0, used.count, place),
        {"total_us": duration, "calls": np.ones(len(rows))} if has_device(model) else {},
        steps=used.count,
        complete=used.complete,
    )


def _kernel_rows(model: TraceModel, filter_: Filter) -> Rows:
    return np.flatnonzero(work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, filter_))


def _groups(model: TraceModel, rows: Rows, group_by: str) -> tuple[Rows, list[tuple[Any, ...]]]:
    """Return the group of each kernel, and the key of each group."""
    names = model.values("device", "name")
    code = model.column("device", "name")[rows].astype(np.int64)
    if group_by == "name+stream":
        group, first = dense(code, model.column("device", "stream")[rows])
        streams = model.column("device", "stream")[rows][first].tolist()
        texts = [names[one] if one >= 0 else None for one in code[first].tolist()]
        return group, list(zip(texts, streams, strict=True))
    if group_by != "operator":
        group, first = dense(code)
        return group, [(names[one] if one >= 0 else None,) for one in code[first].tolist()]
    is_host, code = launching_names(model, rows)
    group, first = dense(is_host.astype(np.int64), code)
    hosts = model.values("host", "name")
    texts = [
        (hosts if of_host else names)[one] if one >= 0 else None
        for of_host, one in zip(is_host[first].tolist(), code[first].tolist(), strict=True)
    ]
    return _merged(group, texts)


def _merged(group: Rows, texts: list[Any]) -> tuple[Rows, list[tuple[Any, ...]]]:
    """Merge groups with equal texts."""
    known: dict[Any, int] = {}
    place = np.array([known.setdefault(one, len(known)) for one in texts], np.int64)
    return place[group] if len(texts) else group, [(one,) for one in known]


def _names(side: Side) -> dict[str, list[str]]:
    """Return the names of the kernels of each operator, longest time first."""
    found: dict[str, dict[str, float]] = {}
    for model, filter_ in zip(side.models, side.filters, strict=True):
        rows = _kernel_rows(model, filter_)
        operator, operators = _groups(model, rows, "operator")
        kernel, names = _groups(model, rows, "name")
        pair, first = dense(operator, kernel) if len(rows) else (rows, rows)
        time = sums(pair, model.column("device", "duration_ns")[rows], len(first))
        for at, total in zip(first.tolist(), time.tolist(), strict=True):
            (name,), (of,) = names[kernel[at]], operators[operator[at]]
            of_operator = found.setdefault(of, {})
            of_operator[name or ""] = of_operator.get(name or "", 0.0) + total
    return {name: sorted(of, key=lambda one: -of[one])[:MOST_NAMES] for name, of in found.items()}


def _columns(group_by: str = "auto", **_: object) -> Columns:
    """Return the columns of a grouping; on different devices, ``auto`` has those of operators."""
    keys = tuple(column for column in (NAME, STREAM) if column.name in GROUPS[group_by])
    return (*keys, *(KERNELS if group_by == "operator" else ()), *compared(FIGURES))


TABLE: Final = DiffTableSpec(
    name="kernels",
    summary="kernels with their times on both sides",
    notes="On different devices kernels are compared through the operators that launch them.",
    columns=(NAME, STREAM, *KERNELS, *compared(FIGURES)),
    columns_for=_columns,
    make=kernels,
    figures=FIGURES,
    measure=measure,
    groupings=GROUPS,
    grouping_help="What makes a row: the kernel's name, its operator, its name and stream, or, "
    "by default, the name on equal devices and else the operator.",
    options=(figure_option(FIGURES),),
    by={"kernel": {"group_by": "auto"}, "kernel+stream": {"group_by": "name+stream"}},
    by_step=by_step,
    nouns=("kernel", "kernels"),
    needs="kernels",
)
