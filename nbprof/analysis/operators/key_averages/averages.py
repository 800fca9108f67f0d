"""Groups the events of `key_averages` and sums their figures, under a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import device_type, kept_device_rows, kept_host_rows
from nbprof.analysis.grouping import dense, ratio, sums, texts_at
from nbprof.analysis.memory.records import kept_records
from nbprof.analysis.operators.key_averages import keys
from nbprof.analysis.operators.key_averages.columns import KEY_AVERAGES
from nbprof.analysis.operators.key_averages.figures import Figures, figures
from nbprof.analysis.operators.key_averages.names import MEMORY, event_names
from nbprof.analysis.operators.key_averages.times import Times, times
from nbprof.model.contract.table import make_table
from nbprof.model.filters.patterns import match_names

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.contract.columns import Columns
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

#: Columns that only a grouping has.
_KEYS: Final = ("overload_name", "input_shapes", "call_stack")

_NO_DEVICE: Final = dict.fromkeys(
    ("device_self_us", "device_total_us", "device_mean_us", "device_self_pct")
)
_NO_MEMORY: Final = dict.fromkeys(
    f"{side}_{which}memory_bytes" for side in ("host", "device") for which in ("", "self_")
)


@dataclass(frozen=True)
class Grouping:
    """What makes a row besides the name.

    Attributes
    ----------
    shapes, overloads : bool
        Whether input shapes, and overloads, do.
    frames : int
        Number of frames of the call stack that do.
    rebuilt_stacks : bool
        Whether stacks that were not recorded as text are rebuilt from Python functions.
    single_events : bool
        Whether every event is a row of its own.
    """

    shapes: bool = False
    overloads: bool = False
    frames: int = 0
    rebuilt_stacks: bool = True
    single_events: bool = False

    @property
    def columns(self) -> Columns:
        """The columns of the table."""
        wanted = dict(zip(_KEYS, (self.overloads, self.shapes, self.frames > 0), strict=True))
        return tuple(column for column in KEY_AVERAGES if wanted.get(column.name, True))


@dataclass(frozen=True)
class Averages:
    """The rows of a table in the order of first calls.

    Attributes
    ----------
    table : pyarrow.Table
        The table.
    is_top_level : ndarray of bool, shape (rows,)
        Whether the first call of each row is at the top level of its thread.
    """

    table: pa.Table
    is_top_level: Mask


def averages(
    model: TraceModel,
    filter_: Filter,
    grouping: Grouping,
    *,
    python_functions: bool = True,
    as_printed: bool = False,
) -> Averages:
    """Return the sums of the events that the filter keeps, by their keys.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects events. Their nesting and memory are those in the whole trace.
    grouping : Grouping
        The keys.
    python_functions : bool
        Whether Python functions are events.
    as_printed : bool
        Whether to name events as they were recorded, and to round times like PyTorch, see
        `nbprof.analysis.operators.key_averages.times`.
    """
    made = figures(model, python_functions=python_functions)
    chosen = _kept(model, made, filter_)
    events = {name: code[chosen] for name, code in _keys(model, made, grouping).items()}
    texts = _texts(model, made, grouping, as_printed=as_printed)
    if grouping.single_events:
        group = first = np.arange(len(events["name"]))
    else:
        group, first = dense(*events.values())
    # Groups are numbered in the order of their first events.
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    group, first = rank[group], np.sort(first)
    rows = _Rows(chosen, group, first)
    data: dict[str, Any] = {
        name: texts_at(texts[name], code[first]) if name in texts else code[first] > 0
        for name, code in events.items()
    }
    data["asynchronous"] = rows.first_of(made.joined(made.host.is_asynchronous))
    data["calls"] = np.bincount(group, minlength=len(first))
    data["node_id"] = None
    is_work = (events["device_type"][first] > 0) & ~data["user_annotation"]
    spent = times(model, made, filter_, as_printed=as_printed)
    data.update(_host_times(spent, rows, data))
    data.update(_device_times(spent, rows, data, is_work) if made.has_device else _NO_DEVICE)
    data.update(_memory(made, rows) if made.has_memory else _NO_MEMORY)
    data["flops"] = None if made.flops is None else rows.whole(made.joined(made.flops))
    columns = grouping.columns
    table = make_table(columns, {column.name: data[column.name] for column in columns})
    return Averages(table, rows.first_of(made.joined(made.host.parent, -1, -1)) < 0)


@dataclass(frozen=True)
class _Rows:
    """The rows of a table, and the events of each.

    Attributes
    ----------
    chosen : slice or ndarray of int64
        The events that count, in order.
    group : ndarray of int64, shape (chosen events,)
        Row of each.
    first : ndarray of int64, shape (rows,)
        The first event of each row, among the chosen ones.
    """

    chosen: slice | Rows
    group: Rows
    first: Rows

    def first_of(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the value of the first event of each row."""
        return values[self.chosen][self.first]

    def sum(self, values: Floats) -> Floats:
        """Sum floats, one event after the other."""
        return sums(self.group, values[self.chosen], len(self.first))

    def whole(self, values: Rows) -> Rows:
        """Sum integers exactly."""
        total = np.zeros(len(self.first), np.int64)
        np.add.at(total, self.group, values[self.chosen])
        return total


def _kept(model: TraceModel, made: Figures, filter_: Filter) -> slice | Rows:
    """Return the events that the filter keeps, in their order."""
    if not filter_.replace(workers=None):
        return slice(None)
    records = kept_records(model, filter_)[made.memory.outside]
    if filter_.name is not None:
        records = records & bool(match_names([MEMORY], filter_.name)[0])
    kept = made.joined(
        kept_host_rows(model, filter_)[made.host.row],
        records,
        kept_device_rows(model, filter_)[made.device.row],
    )
    return np.flatnonzero(kept)


def _keys(model: TraceModel, made: Figures, grouping: Grouping) -> dict[str, Rows]:
    """Return the code of each event in every key column."""
    host, device = made.host, made.device
    found = {
        "name": made.joined(host.name, event_names(model).memory, device.name),
        "device_type": made.joined(0, 0, 1),
        "user_annotation": made.joined(host.is_annotation, 0, device.is_annotation),
    }
    more = _more_keys(model, made, grouping)
    return {**found, **{name: made.joined(key.code) for name, key in more.items()}}


def _texts(
    model: TraceModel, made: Figures, grouping: Grouping, *, as_printed: bool
) -> dict[str, list[str]]:
    """Return the texts that the codes of key columns refer to."""
    names = event_names(model)
    found = {
        "name": names.recorded if as_printed else names.texts,
        "device_type": ["cpu", device_type(model)],
    }
    more = _more_keys(model, made, grouping)
    return {**found, **{name: key.texts for name, key in more.items()}}


def _more_keys(model: TraceModel, made: Figures, grouping: Grouping) -> dict[str, keys.Key]:
    """Return the key columns that only this grouping has; computed once."""

    def make() -> dict[str, keys.Key]:
        found = {}
        if grouping.overloads:
            found["overload_name"] = keys.overloads(model, made.host, event_names(model).overload)
        if grouping.shapes:
            found["input_shapes"] = keys.shapes(model, made.host)
        if grouping.frames:
            found["call_stack"] = keys.stacks(
                model, made.host, grouping.frames, rebuilt=grouping.rebuilt_stacks
            )
        return found

    return model.cached(("key average keys", grouping, len(made.host.row)), make)


def _host_times(spent: Times, rows: _Rows, data: dict[str, Any]) -> dict[str, Any]:
    own, total = rows.sum(spent.host_self), rows.sum(spent.host_total)
    counted = np.where(data["asynchronous"], 0.0, total)
    return {
        "host_self_us": own / spent.per_us,
        "host_total_us": total / spent.per_us,
        "host_mean_us": total / spent.per_us / data["calls"],
        "host_self_pct": ratio(own, own.sum(keepdims=True), 100.0),
        "host_total_pct": ratio(counted, own.sum(keepdims=True), 100.0),
    }


def _device_times(spent: Times, rows: _Rows, data: dict[str, Any], is_work: Mask) -> dict[str, Any]:
    own, total = rows.sum(spent.device_self), rows.sum(spent.device_total)
    return {
        "device_self_us": own / spent.per_us,
        "device_total_us": total / spent.per_us,
        "device_mean_us": total / spent.per_us / data["calls"],
        "device_self_pct": ratio(own, own[is_work].sum(keepdims=True), 100.0),
    }


def _memory(made: Figures, rows: _Rows) -> dict[str, Any]:
    found = {}
    for side in ("host", "device"):
        of_calls = getattr(made.memory, side)
        of_records = getattr(made.memory, f"{side}_of_record")[made.memory.outside]
        own = made.own(of_calls)
        found[f"{side}_memory_bytes"] = rows.whole(made.joined(of_calls, of_records))
        found[f"{side}_self_memory_bytes"] = rows.whole(made.joined(own, of_records))
    return found
