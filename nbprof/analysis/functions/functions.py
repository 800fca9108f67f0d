"""Table `functions`: calls and times of each function in a profile of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.functions.kept import files, kept_functions, names, plain_names
from nbprof.analysis.grouping import ratio
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

FUNCTIONS: Final[Columns] = (
    text("function", "Name of the function; in braces if it is not written in Python."),
    text("file", "File that defines it; ~ if it is not written in Python."),
    count("line", "Line of the definition in the file."),
    count("calls", "Number of calls."),
    count("primitive_calls", "Calls from outside of the function, that is, without recursion."),
    time("self_us", "Time in the function itself, without the functions it called."),
    pct("self_pct", "Share of the function itself in the time of the whole profile."),
    time("self_per_call_us", "Time in the function itself per call."),
    time("total_us", "Time in the function, including the functions it called."),
    pct("total_pct", "Share of the function and those it called in the time of the profile."),
    time("total_per_call_us", "Time in the function per primitive call."),
    text("name", "The function as a frame of a call stack, file(line): function."),
)


def functions(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the functions that the filter keeps, most self time first.

    Numbers and names are those that `pstats` prints: ``ncalls`` are `calls` and, after the stroke,
    `primitive_calls`; ``tottime`` and ``cumtime`` are `self_us` and `total_us`. Shares are of the
    self times of all functions, whatever the filter.
    """
    self_us = model.column("functions", "self_us")
    total_us = model.column("functions", "total_us")
    calls = model.column("functions", "calls")
    primitive = model.column("functions", "primitive_calls")
    whole = np.nansum(self_us)
    rows = np.flatnonzero(kept_functions(model, filter_))
    rows = rows[np.argsort(-np.nan_to_num(self_us[rows]), kind="stable")]
    return make_table(
        FUNCTIONS,
        {
            "function": plain_names(model)[rows].tolist(),
            "file": files(model)[rows].tolist(),
            "line": model.column("functions", "line")[rows],
            "calls": calls[rows],
            "primitive_calls": primitive[rows],
            "self_us": arrow_array(self_us[rows], nan_is_null=True),
            "self_pct": ratio(self_us[rows], whole, 100.0),
            "self_per_call_us": ratio(self_us[rows], calls[rows]),
            "total_us": arrow_array(total_us[rows], nan_is_null=True),
            "total_pct": ratio(total_us[rows], whole, 100.0),
            "total_per_call_us": ratio(total_us[rows], primitive[rows]),
            "name": names(model)[rows].tolist(),
        },
    )


TABLE: Final = TableSpec(
    name="functions",
    summary="the functions of a profile of Python, as `pstats` prints them",
    notes="Such profiles are written by `cProfile`.",
    columns=FUNCTIONS,
    make=functions,
    keys=("name",),
    sort=("self_us",),
    sums=("calls", "primitive_calls", "self_us"),
    nouns=("function", "functions"),
    needs="functions",
    step_parts="nbprof.analysis.functions.step_parts:function_parts",
    lacks_times=lambda model: model.tables["functions"].num_rows > 0,
)
