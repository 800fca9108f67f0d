"""Table `events`: time by event type and by the stage of the step that events began in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import kept_device_rows, kept_host_rows, work_rows
from nbprof.analysis.grouped_time import covered
from nbprof.analysis.grouping import ratio, sums, us
from nbprof.analysis.steps.stage_rows import STAGES
from nbprof.analysis.steps.stage_times import stages_of_device_rows, stages_of_host_rows
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace import kinds
from nbprof.model.trace.event_types import STAGE_OF_TYPE, USER, has_types

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

EVENTS: Final[Columns] = (
    text("stage", "Stage of a step in which the events began, or Other."),
    text(
        "event_type",
        "Type of the events, as named by the recorder; UserDefined for annotations of users.",
    ),
    text("side", "host or device."),
    count("calls", "Number of events."),
    time("duration_us", "Time with at least one such event running; overlaps count once."),
    pct("pct", "Share of this stage in the time of the event type over all stages."),
)


Rows = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int16]

#: Order of rows; other types come last.
_ORDER: Final = (
    "Operator",
    "CudaRuntime",
    "UserDefined",
    "OperatorInner",
    "DygraphKernelLaunch",
    "StaticKernelLaunch",
    "Communication",
    "PythonOp",
    "MluRuntime",
)
#: Types without rows: steps and stages themselves, and Paddle's internal ranges.
_LEFT_OUT: Final = frozenset({"ProfileStep", *STAGE_OF_TYPE, "UserDefined"})
#: Kinds of host and device rows used as types if the recorder writes none.
_HOST_KINDS: Final = {
    kinds.OPERATOR: "operator",
    kinds.RUNTIME: "runtime",
    kinds.ANNOTATION: "annotation",
    kinds.PHASE: "phase",
}
_DEVICE_KINDS: Final = {kinds.KERNEL: "kernel", kinds.MEMCPY: "memcpy", kinds.MEMSET: "memset"}


def events(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per event type and stage with any events, as in Paddle's own tools.

    Events count in full in the stage that they began in; device work in the stage that its launch
    began in, and not at all if that is unknown. Events outside steps are left out, as are steps,
    stages and Paddle's internal ranges. Ranges named in Python have the type UserDefined. For
    recorders without event types, the kinds of rows are used.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects events.

    Returns
    -------
    pyarrow.Table
        Columns of `EVENTS`, host first.
    """
    step, stage = stages_of_host_rows(model)
    host = _Side("host", *_host_types(model))
    rows = (host.code >= 0) & (step >= 0)
    if filter_:
        rows &= kept_host_rows(model, filter_)
    step_of_work, stage_of_work = stages_of_device_rows(model)
    device = _Side("device", *_device_types(model))
    work = (step_of_work >= 0) & work_rows(model) & kept_device_rows(model, filter_)
    parts = [
        host.table(model, np.flatnonzero(rows), stage),
        device.table(model, np.flatnonzero(work), stage_of_work),
    ]
    return pa.concat_tables(parts)


class _Side:
    """The events of host or device, with the code of each event's type, -1 if left out."""

    def __init__(self, side: str, code: Codes, names: list[str]) -> None:
        self.side = side
        self.code = code
        self.names = names

    def table(self, model: TraceModel, rows: Rows, stage: Codes) -> pa.Table:
        width = len(STAGES)
        group = self.code.take(rows) * np.int16(width) + stage.take(rows)
        count = len(self.names) * width
        calls = np.bincount(group, minlength=count)
        start = model.column(self.side, "start_ns").take(rows)
        end = start + model.column(self.side, "duration_ns").take(rows)
        time = covered(group, start, end, count)
        shown = np.flatnonzero(calls)
        kind = shown // width
        of_type = sums(np.arange(count) // width, time, len(self.names))
        return make_table(
            EVENTS,
            {
                "stage": [STAGES[i] for i in shown % width],
                "event_type": [self.names[i] for i in kind],
                "side": [self.side] * len(shown),
                "calls": calls[shown],
                "duration_us": us(time[shown]),
                "pct": ratio(time[shown], of_type[kind], 100.0),
            },
        )


def _host_types(model: TraceModel) -> tuple[Codes, list[str]]:
    def make() -> tuple[Codes, list[str]]:
        if not has_types(model):
            return _types_by_kind(model, "host", _HOST_KINDS)
        types = model.values("host_types", "event_type")
        shown = ["UserDefined" if name == USER else name for name in types]
        out = [name in _LEFT_OUT for name in types]
        there = {name for name, is_out in zip(shown, out, strict=True) if not is_out}
        names = sorted(there, key=lambda name: (_sort_position(name), name))
        codes = [-1 if o else names.index(name) for name, o in zip(shown, out, strict=True)]
        code = model.column("host_types", "event_type")
        return np.array([*codes, -1], np.int16).take(code, mode="wrap"), names

    return model.cached("types of host events", make)


def _sort_position(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _device_types(model: TraceModel) -> tuple[Codes, list[str]]:
    code, names = model.cached(
        "types of device events", lambda: _types_by_kind(model, "device", _DEVICE_KINDS)
    )
    return code, [name.title() for name in names] if has_types(model) else names


def _types_by_kind(model: TraceModel, table: str, names: dict[int, str]) -> tuple[Codes, list[str]]:
    codes = np.full(len(kinds.HOST_KINDS) + len(kinds.DEVICE_KINDS), -1, np.int16)
    codes[list(names)] = np.arange(len(names))
    return codes[model.column(table, "kind")], list(names.values())


TABLE: Final = TableSpec(
    name="events",
    summary="time by event type and stage of the step",
    columns=EVENTS,
    make=events,
)
