"""Table `function_callers`: which function called which, how often and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.functions.kept import kept_functions, names
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

FUNCTION_CALLERS: Final[Columns] = (
    text("caller", "The calling function, as `name` in `functions`; empty if it has no times."),
    text("callee", "The called function, as `name` in `functions`."),
    count("calls", "Number of calls of the callee by the caller."),
    count("primitive_calls", "Those of these calls that are not recursive."),
    time("self_us", "Time in the callee itself during these calls."),
    time("total_us", "Time in the callee during these calls, with the functions it called."),
)


def function_callers(
    model: TraceModel, filter_: Filter = NO_FILTER, *, function: str = ""
) -> pa.Table:
    """Return the pairs of caller and callee of which the filter keeps one, most total time first.

    The module `profile` counts calls but records no times of pairs; these are empty then.

    Parameters
    ----------
    model : TraceModel
        The profile.
    filter_ : Filter
        Selects functions by name.
    function : str
        Only the calls of and by this function, in full as `name` in `functions`.
    """
    kept = np.append(kept_functions(model, filter_), False)  # last: an unknown caller
    if function:
        texts = np.array(model.recorded("functions", "name"), object)
        kept[:-1] &= (texts == function)[model.column("functions", "name")]
    caller = model.column("function_calls", "caller")
    callee = model.column("function_calls", "callee")
    total = model.column("function_calls", "total_us")
    calls = model.column("function_calls", "calls")
    rows = np.flatnonzero(kept[caller] | kept[callee])
    rows = rows[np.lexsort((rows, -calls[rows], -np.nan_to_num(total[rows], nan=-1.0)))]
    named = np.array([*names(model), None], object)
    primitive = model.column("function_calls", "primitive_calls")[rows]
    self_us = model.column("function_calls", "self_us")[rows]
    return make_table(
        FUNCTION_CALLERS,
        {
            "caller": named[caller[rows]].tolist(),
            "callee": named[callee[rows]].tolist(),
            "calls": calls[rows],
            "primitive_calls": arrow_array(primitive, mask=primitive < 0),
            "self_us": arrow_array(self_us, nan_is_null=True),
            "total_us": arrow_array(total[rows], nan_is_null=True),
        },
    )


TABLE: Final = TableSpec(
    name="function_callers",
    summary="the callers of each function of a profile of Python",
    notes="The callees of a function are the rows in which it is the caller.",
    columns=FUNCTION_CALLERS,
    make=function_callers,
    options=(Option("function", "", "Only the calls of and by this function, by its `name`."),),
    keys=("caller", "callee"),
    sort=("total_us",),
    sums=("calls", "self_us"),
    nouns=("call", "calls"),
    needs="functions",
    lacks_times=lambda model: model.tables["functions"].num_rows > 0,
)
