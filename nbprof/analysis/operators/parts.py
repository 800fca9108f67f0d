"""Table `operator_parts`: the parts that operators consist of, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import counted_device_rows, has_device, kept_host_rows
from nbprof.analysis.grouping import dense, latest, ratio, require_group, sums, us
from nbprof.analysis.launched_work import Ranges
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.operator_columns import OPERATOR_GROUPS
from nbprof.analysis.operators.operator_ranges import calls_around, parts
from nbprof.analysis.operators.operators import key_codes, launched_by_calls
from nbprof.analysis.operators.time_statistics import spread
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, grouped, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Columns of `operator_parts`; input_shapes appears only if operators are grouped by it.
OPERATOR_PARTS: Final[Columns] = (
    text("operator", "Name of the operator."),
    text("input_shapes", "Shapes of the inputs of the operator, as JSON."),
    text("name", "Name of the part."),
    count("calls", "Number of these parts."),
    time("host_total_us", "Total host time."),
    time("host_mean_us", "Mean host time."),
    time("host_max_us", "Longest."),
    time("host_min_us", "Shortest."),
    pct("host_pct", "Share of the host time of the operator."),
    time("device_total_us", "Total time of the device work launched in it."),
    time("device_mean_us", "Mean device time."),
    time("device_max_us", "Longest device time."),
    time("device_min_us", "Shortest device time."),
    pct("device_pct", "Share of the device time of the operator."),
)

#: Key columns of `operator_parts` that each grouping of operators has.
PART_GROUPS: Final = {
    "name": ("operator", "name"),
    "name+shape": ("operator", "input_shapes", "name"),
}


Rows = npt.NDArray[np.int64]


def operator_parts(
    model: TraceModel, filter_: Filter = NO_FILTER, *, group_by: str = "name"
) -> pa.Table:
    """Return what runs directly inside the operators that the filter keeps, by name.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects operator calls, as for `nbprof.analysis.operators.operators.operators`.
    group_by : {"name", "name+shape"}
        Key of an operator.

    Returns
    -------
    pyarrow.Table
        Columns of `OPERATOR_PARTS`, sorted by host time of the operator. No rows if
        parts are not recorded.

    Raises
    ------
    UnknownNameError
        There is no such grouping.
    """
    require_group(group_by, list(PART_GROUPS))
    key = f"operator parts {group_by}"
    return latest(model, key, filter_, lambda: _operator_parts(model, filter_, group_by))


def _operator_parts(model: TraceModel, filter_: Filter, group_by: str) -> pa.Table:
    keys = OPERATOR_GROUPS[group_by]
    calls = operator_calls(model)
    is_kept = kept_host_rows(model, filter_)[calls.row]
    ranges = model.cached("ranges of parts", lambda: Ranges.of(model, parts(model)))
    owner, _ = dense(*(key_codes(model, key)[0][calls.row] for key in keys))
    call = calls_around(model, ranges.row)
    use = is_kept[call]
    rows, call = ranges.row[use], call[use]
    name = model.column("host", "name")
    group, first = dense(owner[call], name[rows])
    count = len(first)
    duration = model.column("host", "duration_ns")
    of_owner = owner[call[first]]
    figures = _figures("host", group, duration[rows], count)
    figures["host_pct"] = _share(
        figures, "host", owner[is_kept], duration[calls.row[is_kept]], of_owner
    )
    if has_device(model):
        counted = counted_device_rows(model, filter_)
        figures |= _figures("device", group, ranges.launched(model, counted)[use], count)
        whole = launched_by_calls(model, filter_)[is_kept]
        figures["device_pct"] = _share(figures, "device", owner[is_kept], whole, of_owner)
    names = arrow_array(model.values("host", "name"), pa.utf8())
    data: dict[str, Any] = {
        "operator": names.take(arrow_array(name[calls.row[call[first]]])),
        "name": names.take(arrow_array(name[rows[first]])),
        "calls": np.bincount(group, minlength=count),
        **figures,
    }
    if "input_shapes" in keys:
        codes, values = key_codes(model, "input_shapes")
        codes = codes[calls.row[call[first]]].astype(np.int64)
        data["input_shapes"] = arrow_array(values, pa.utf8()).take(
            arrow_array(codes, mask=codes < 0)
        )
    columns = grouped(OPERATOR_PARTS, PART_GROUPS, group_by)
    table = make_table(columns, {c.name: data.get(c.name) for c in columns})
    host = np.asarray(figures["host_total_us"])
    total = sums(owner[is_kept], duration[calls.row[is_kept]], int(owner.max(initial=0)) + 1)
    return table.take(arrow_array(np.lexsort((first, -host, of_owner, -total[of_owner]))))


def _figures(side: str, group: Rows, values: npt.NDArray[Any], groups: int) -> dict[str, Any]:
    total = us(sums(group, values, groups))
    return {f"{side}_total_us": total, **spread(side, group, values, groups)}


def _share(
    figures: dict[str, Any], side: str, owner: Rows, values: npt.NDArray[Any], of_owner: Rows
) -> pa.Array:
    """Return the share of each row in the time of its operator."""
    whole = us(sums(owner, values, int(max(owner.max(initial=0), of_owner.max(initial=0))) + 1))
    return ratio(figures[f"{side}_total_us"], whole[of_owner], 100.0)


TABLE: Final = TableSpec(
    name="operator_parts",
    summary="events directly inside operators",
    notes="Only some recorders record the inside of operators.",
    columns=OPERATOR_PARTS,
    make=operator_parts,
    groupings=PART_GROUPS,
    grouping_help="Key of an operator.",
    sort=("host_total_us",),
    nouns=("part of an operator", "parts of operators"),
)
