"""Table `operators`: host and device time of operators, by name, shape or call stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import (
    counted_device_rows,
    devices_in,
    has_device,
    kept_host_rows,
)
from nbprof.analysis.grouping import (
    NS_PER_US,
    dense,
    first_rows,
    latest,
    ratio,
    require_group,
    sums,
    texts_at,
    us,
)
from nbprof.analysis.kernels.matrix_devices import knows_matrix_units, with_term
from nbprof.analysis.kernels.matrix_units import times_by_group, used_rows
from nbprof.analysis.kernels.npu_cores import ai_core_rows, has_cores, knows_cores
from nbprof.analysis.operators.calls import OperatorCalls, operator_calls
from nbprof.analysis.operators.measured_calls import has_measured, lacks_times
from nbprof.analysis.operators.measured_operators import measured_operators
from nbprof.analysis.operators.operator_columns import (
    NPU_OPERATORS,
    OPERATOR_EXTREMES,
    OPERATOR_GROUPS,
    OPERATORS,
)
from nbprof.analysis.operators.time_statistics import means_and_shares, spread
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import grouped
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.call_stacks import call_stacks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def operators(
    model: TraceModel, filter_: Filter = NO_FILTER, *, group_by: str = "name"
) -> pa.Table:
    """Return the operator calls that the filter keeps, grouped, most device time first.

    Calls count in full. Their device time is that of everything they launched, regardless of kernel
    names and time; devices, streams and device kinds do narrow it. If calls of the same name are
    nested, both totals count, so a total may exceed the length of the trace. If the recorder summed
    the times of operators itself, its sums are used.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects calls.
    group_by : {"name", "name+shape", "name+stack"}
        Key of a row.

    Returns
    -------
    pyarrow.Table
        Columns of `OPERATORS`, on NPUs of `NPU_OPERATORS`, on Paddle's traces
        also those of `OPERATOR_EXTREMES`; device columns are null if the trace contains no
        device work.

    Raises
    ------
    UnknownNameError
        There is no such grouping.
    """
    require_group(group_by, list(OPERATOR_GROUPS))
    make = measured_operators if has_measured(model) else _operators
    return latest(model, f"operators {group_by}", filter_, lambda: make(model, filter_, group_by))


def _operators(model: TraceModel, filter_: Filter, group_by: str) -> pa.Table:
    keys = OPERATOR_GROUPS[group_by]
    calls = operator_calls(model)
    group, first = model.cached(("operator groups", keys), lambda: _groups(model, calls, keys))
    groups = _Groups(group, len(first), _kept_calls(model, filter_, calls))
    host_self, host_total = (groups.sum(of_call) for of_call in _host_times(model, calls))
    data: dict[str, Any] = {
        "calls": groups.sizes,
        "host_self_us": us(host_self),
        "host_total_us": us(host_total),
        **means_and_shares("host", host_self, host_total, groups.sizes),
        **_memory_columns(model, filter_, calls, groups),
    }
    sort_by = [host_self, host_total]
    if has_device(model):
        columns = _device_columns(model, filter_, calls, groups)
        sort_by = [columns["device_self_us"], columns["device_total_us"], *sort_by]
        data.update(columns)
    if model.capabilities.call_extremes:
        data.update(groups.spread("host", _host_times(model, calls)[1]))
    shown = np.flatnonzero(groups.sizes)
    # Ties are broken by the first call, which is the same in every part of a trace.
    keys_of_order = [groups.first(), *(-values for values in reversed(sort_by))]
    shown = shown[np.lexsort([values[shown] for values in keys_of_order])]
    data = {name: arrow_array(values).take(arrow_array(shown)) for name, values in data.items()}
    rows = calls.row[first[shown]]
    for key in keys:
        codes, values = key_codes(model, key)
        data[key] = texts_at(values, codes[rows])
    every = NPU_OPERATORS if has_cores(model) else OPERATORS
    columns_wanted = grouped(every, OPERATOR_GROUPS, group_by)
    columns_wanted += OPERATOR_EXTREMES if model.capabilities.call_extremes else ()
    columns_wanted = with_term(model, columns_wanted)
    return make_table(columns_wanted, {c.name: data.get(c.name) for c in columns_wanted})


def device_self_us(model: TraceModel, filter_: Filter, row: Mapping[str, str]) -> float:
    """Return ``device_self_us`` of one row of the table.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which calls count.
    row : mapping of str to str
        The key columns of the row with their texts, which are columns of the host table.
    """
    calls = operator_calls(model)
    rows = np.flatnonzero(counted_device_rows(model, filter_) & (calls.call_of_device >= 0))
    host = calls.row.take(calls.call_of_device.take(rows))
    # There are far fewer launched kernels than calls, so the calls of other rows are not looked at.
    for column, text in row.items():
        code = model.values("host", column).index(text)
        same = np.flatnonzero(model.column("host", column).take(host) == code)
        rows, host = rows.take(same), host.take(same)
    if _narrows_calls(filter_):
        rows = rows[kept_host_rows(model, filter_).take(host)]
    return int(model.column("device", "duration_ns").take(rows).sum()) / NS_PER_US


def launched_by_calls(model: TraceModel, filter_: Filter) -> Floats:
    """Return the device time in ns launched by each call, including calls inside it.

    Shape (calls,), in the order of `operator_calls`.
    """
    call = operator_calls(model).call_of_device
    rows = np.flatnonzero(counted_device_rows(model, filter_) & (call >= 0))
    return _launched(model, operator_calls(model), rows)[1]


class _Groups:
    """The selected calls by group; all calls if `kept` is None."""

    def __init__(self, group: Rows, count: int, kept: Mask | None) -> None:
        self._of_call = group
        self._kept = kept
        self._rows = None if kept is None else np.flatnonzero(kept)
        self._group = group if self._rows is None else group.take(self._rows)
        self._count = count
        self.sizes = np.bincount(self._group, minlength=count)

    def first(self) -> Rows:
        """Return the index of the first call of each group among the selected ones."""
        return first_rows(self._group, self._count)

    def sum(self, values: npt.NDArray[Any]) -> Floats:
        """Sum values of the calls by group."""
        values = values if self._rows is None else values.take(self._rows)
        return sums(self._group, values, self._count)

    def spread(self, stem: str, values: npt.NDArray[Any]) -> dict[str, Any]:
        """Return mean, maximum, minimum and share of the values of the calls of each group."""
        values = values if self._rows is None else values.take(self._rows)
        return spread(stem, self._group, values, self._count)

    def sum_sparse(self, values: npt.NDArray[Any]) -> Floats:
        """Sum values of the calls by group when most values are 0."""
        some = np.flatnonzero(values)
        if self._kept is not None:
            some = some[self._kept.take(some)]
        return sums(self._of_call.take(some), values.take(some), self._count)


def _groups(model: TraceModel, calls: OperatorCalls, keys: tuple[str, ...]) -> tuple[Rows, Rows]:
    return dense(*(key_codes(model, key)[0][calls.row] for key in keys))


def key_codes(model: TraceModel, key: str) -> tuple[npt.NDArray[Any], Sequence[str]]:
    """Return the codes of host rows in a key column, and their texts."""
    if key == "call_stack":
        stacks = call_stacks(model)
        return stacks.code, stacks.texts
    return model.column("host", key), model.values("host", key)


def _host_times(model: TraceModel, calls: OperatorCalls) -> tuple[Floats, Floats]:
    """Return self and total host time of each call, as floats for summing."""

    def make() -> tuple[Floats, Floats]:
        total = model.column("host", "duration_ns").take(calls.row)
        return calls.self_ns.astype(np.float64), total.astype(np.float64)

    return model.cached("host times of calls", make)


def _kept_calls(model: TraceModel, filter_: Filter, calls: OperatorCalls) -> Mask | None:
    """Return which calls the filter keeps; None for all."""
    return kept_host_rows(model, filter_).take(calls.row) if _narrows_calls(filter_) else None


def _narrows_calls(filter_: Filter) -> bool:
    """Return whether a filter may leave calls out."""
    return bool(filter_.replace(devices=None, streams=None, workers=None))


def _device_columns(
    model: TraceModel, filter_: Filter, calls: OperatorCalls, groups: _Groups
) -> dict[str, Any]:
    rows = np.flatnonzero(counted_device_rows(model, filter_) & (calls.call_of_device >= 0))
    own, total = _launched(model, calls, rows)
    device_self, device_total = groups.sum_sparse(own), groups.sum_sparse(total)
    more = groups.spread("device", total) if model.capabilities.call_extremes else {}
    columns = {
        "device_self_us": us(device_self),
        "device_total_us": us(device_total),
        **means_and_shares("device", device_self, device_total, groups.sizes),
        **more,
    }
    npu = has_cores(model)
    if npu and not knows_cores(model):
        return columns
    on_cores = ai_core_rows(model) if npu else used_rows(model)
    core_own, core_total = _launched(model, calls, rows[on_cores.take(rows)])
    stem, eligible = ("ai_core", core_total > 0) if npu else ("tensor_core", calls.eligible)
    if not npu and knows_matrix_units(model, devices_in(model, NO_FILTER)):
        time = {
            name: groups.sum_sparse(of) for name, of in kernel_times(model, calls, rows).items()
        }
        columns["matrix_unit_pct"] = ratio(time["used"], time["total"], 100.0)
        columns["matrix_unit_unknown_pct"] = ratio(time["unknown"], time["total"], 100.0)
    return {
        **columns,
        f"{stem}_eligible": groups.sum_sparse(eligible) > 0,
        f"{stem}_self_pct": ratio(groups.sum_sparse(core_own), device_self, 100.0),
        f"{stem}_total_pct": ratio(groups.sum_sparse(core_total), device_total, 100.0),
    }


def _memory_columns(
    model: TraceModel, filter_: Filter, calls: OperatorCalls, groups: _Groups
) -> dict[str, Any]:
    """Return the memory that the calls of each group keep; nothing if none was recorded."""
    if not model.tables["memory"].num_rows:
        return {}
    from nbprof.analysis.operators.call_memory import call_memory

    return {
        f"{name}_bytes": groups.sum_sparse(of_call).astype(np.int64)
        for name, of_call in call_memory(model, filter_, calls).items()
    }


def kernel_times(model: TraceModel, calls: OperatorCalls, rows: Rows) -> dict[str, Floats]:
    """Return for each call the time of the selected kernels that it launched.

    Calls inside it are included. ``total`` is the time of all kernels, ``used`` and ``unknown``
    refer to matrix units.
    """
    times = times_by_group(model, rows, calls.call_of_device.take(rows), len(calls.row))
    return {name: calls.forest.totals(own) for name, own in times.items()}


def _launched(model: TraceModel, calls: OperatorCalls, rows: Rows) -> tuple[Floats, Floats]:
    """Return for each call the time of the device rows it launched, alone or with nested calls."""
    duration = model.column("device", "duration_ns").take(rows)
    own = sums(calls.call_of_device.take(rows), duration, len(calls.row))
    return own, calls.forest.totals(own)


TABLE: Final = TableSpec(
    name="operators",
    summary="operators with their host and device times",
    columns=OPERATORS,
    extra_columns=(*NPU_OPERATORS, *OPERATOR_EXTREMES),
    make=operators,
    scope="both",
    groupings=OPERATOR_GROUPS,
    sort=("device_self_us", "host_self_us"),
    sums=("calls", "device_self_us", "host_self_us"),
    nouns=("operator", "operators"),
    needs="operators",
    parts_table="operator_parts",
    step_parts="nbprof.analysis.steps.step_parts_tables:operator_parts",
    lacks_times=lacks_times,
)
