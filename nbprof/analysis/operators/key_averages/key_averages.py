"""Table `key_averages`: the table that PyTorch's profiler prints, row for row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.grouping import latest, require_group
from nbprof.analysis.operators.key_averages.averages import Averages, Grouping, averages
from nbprof.analysis.operators.key_averages.columns import GROUPS, KEY_AVERAGES, STACK_DEPTHS
from nbprof.analysis.operators.key_averages.sorting import SORT_COLUMNS, sort_column
from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array, filled
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.contract.columns import Columns
    from nbprof.model.trace.model import TraceModel


def key_averages(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    group_by: str = "name",
    group_by_input_shape: bool = False,
    group_by_stack_n: int = 0,
    group_by_overload_name: bool = False,
    sort_by: str | None = None,
    top_level_events_only: bool = False,
    python_functions: bool = True,
) -> pa.Table:
    """Return the sums of events by name, as PyTorch's `key_averages` does.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects events. Their nesting and memory are those in the whole trace, and shares are of
        the events that it keeps.
    group_by : str
        Key of a row, one of `GROUPS`.
    group_by_input_shape, group_by_overload_name : bool
        Further keys, as in PyTorch.
    group_by_stack_n : int
        Number of innermost frames of the call stack that are a further key.
    sort_by : str or None
        A sort key of PyTorch; None keeps the order of first calls.
    top_level_events_only : bool
        Whether to keep only rows whose first call is in no other.
    python_functions : bool
        Whether Python functions are rows, and parents of other events.

    Returns
    -------
    pyarrow.Table
        Columns of `KEY_AVERAGES`.

    Raises
    ------
    UnknownNameError
        There is no such grouping or sort key.
    """
    grouping = grouping_of(
        group_by=group_by,
        group_by_input_shape=group_by_input_shape,
        group_by_stack_n=group_by_stack_n,
        group_by_overload_name=group_by_overload_name,
    )
    column = sort_column(sort_by)

    def make() -> Averages:
        return averages(model, filter_, grouping, python_functions=python_functions)

    made = latest(model, f"key averages {grouping} {python_functions}", filter_, make)
    table = made.table
    if top_level_events_only:
        table = table.filter(arrow_array(made.is_top_level))
    return table if column is None else sorted_rows(table, column)


def grouping_of(
    *,
    group_by: str = "name",
    group_by_input_shape: bool = False,
    group_by_stack_n: int = 0,
    group_by_overload_name: bool = False,
    **_: Any,
) -> Grouping:
    """Return the keys that options of the table ask for.

    Raises
    ------
    UnknownNameError
        There is no such grouping.
    """
    require_group(group_by, list(GROUPS))
    return Grouping(
        shapes=group_by_input_shape or group_by == "name+shape",
        overloads=group_by_overload_name,
        frames=max(int(group_by_stack_n), 0) or STACK_DEPTHS.get(group_by, 0),
    )


def sorted_rows(table: pa.Table, column: str) -> pa.Table:
    """Return the rows with the largest values of a column first; ties keep their order."""
    values = joined(filled(table[column], 0))
    return table.take(arrow_array(np.argsort(-values, kind="stable")))


def _columns(**options: Any) -> Columns:
    return grouping_of(**options).columns


def _yes_no(text: str) -> bool:
    """Convert ``yes`` or ``no`` on the command line.

    Raises
    ------
    ValueError
        The text is neither.
    """
    if text.lower() not in ("yes", "no"):
        message = "it takes yes or no"
        raise ValueError(message)
    return text.lower() == "yes"


def _switch(name: str, default: bool, text: str) -> Option:
    return Option(name, default, text, type=_yes_no, annotation="bool")


TABLE: Final = TableSpec(
    name="key_averages",
    summary="the table that PyTorch's profiler prints, row for row",
    columns=KEY_AVERAGES,
    make=key_averages,
    notes=(
        "Its rules are those of `prof.key_averages()` of PyTorch 2.13, with Python functions and "
        "labels as rows; docs/tables/key_averages.md has them, and where it differs. "
        "`nbprof.key_averages(trace)` prints it in PyTorch's layout."
    ),
    groupings=GROUPS,
    grouping_help="What makes a row besides the options below: also shapes, or innermost frames.",
    options=(
        _switch("group_by_input_shape", False, "Whether input shapes are a key."),  # noqa: FBT003
        Option(
            "group_by_stack_n",
            0,
            "Number of innermost frames of the call stack that are a key.",
            type=int,
        ),
        _switch("group_by_overload_name", False, "Whether overloads are a key."),  # noqa: FBT003
        Option(
            "sort_by",
            None,
            f"Attribute to sort by, largest first: {', '.join(SORT_COLUMNS)}; cuda, xpu and "
            "privateuse1 mean device. By default, rows are in the order of first calls.",
            annotation="str | None",
        ),
        _switch(
            "top_level_events_only",
            False,  # noqa: FBT003
            "Whether to keep only rows whose first call is in no other.",
        ),
        _switch(
            "python_functions",
            True,  # noqa: FBT003
            "Whether Python functions are rows, and parents of other events.",
        ),
    ),
    sort=("host_self_us",),
    sums=("calls", "host_self_us"),
    nouns=("row", "rows"),
    needs="operators",
    columns_for=_columns,
    layouts={"torch": "nbprof.export.key_averages:layout"},
)
