"""Table `icicle`: the frames of an icicle chart of functions, estimated from their callers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.functions.call_tree import call_tree
from nbprof.analysis.functions.kept import KIND, kept_functions, names
from nbprof.analysis.grouping import latest
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, flag, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.nesting import depths, nearest_ancestor

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.analysis.functions.call_graph import Floats, Rows
    from nbprof.model.trace.model import TraceModel

ICICLE: Final[Columns] = (
    count("id", "Number of the frame; enclosing frames have smaller numbers."),
    count("parent_id", "Enclosing frame; empty for frames at the top."),
    count("depth", "Number of frames around it."),
    text("name", "The function as a frame of a call stack, file(line): function."),
    text("kind", "python."),
    flag("recursive", "Whether the function calls itself, directly or through others."),
    time("offset_us", "Where the frame begins, from the start of the chart."),
    time("total_us", "Estimated time of the function here, with those it called: its width."),
    time("self_us", "Estimated time in the function itself here."),
)


def icicle(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the frames of an icicle chart, estimated from the callers of functions.

    A profile of Python does not contain call stacks. It has the time of each function by caller;
    the chart splits it in proportion to the time of the paths to that caller. Where a function
    calls itself, directly or through others, the time of these calls is part of its frame and of
    the frames inside it. The self times of all frames of a function add up to its own; without
    recursion, so do their total times. Frames below a 100,000th of the whole are left out: the
    frame around them keeps a gap.

    Parameters
    ----------
    model : TraceModel
        The profile.
    filter_ : Filter
        Selects frames by name, which count in full. The time of a frame that is left out counts
        for the frame around it.
    """
    return latest(model, "icicle", filter_, lambda: _icicle(model, filter_))


def _icicle(model: TraceModel, filter_: Filter) -> pa.Table:
    tree = call_tree(model)
    rows = np.flatnonzero(kept_functions(model, filter_)[tree.function])
    wanted = np.zeros(len(tree.function), bool)
    wanted[rows] = True
    parent = nearest_ancestor(tree.parent, wanted)
    number = np.full(len(wanted) + 1, -1, np.int64)  # last: no parent
    number[rows] = np.arange(len(rows))
    above, total = number[parent[rows]], tree.total[rows]
    inside = np.bincount(above[above >= 0], weights=total[above >= 0], minlength=len(rows))
    everything = len(rows) == len(wanted)
    own = tree.own[rows] if everything else np.maximum(total - inside[: len(rows)], 0.0)
    depth = depths(above)
    order, offset = _laid_out(above, depth, total)
    place = np.full(len(rows) + 1, -1, np.int64)
    place[order] = np.arange(len(rows))
    above = place[above[order]]
    named = names(model)[tree.function[rows[order]]].tolist()
    return make_table(
        ICICLE,
        {
            "id": np.arange(len(rows)),
            "parent_id": arrow_array(above, mask=above < 0),
            "depth": depth[order],
            "name": named,
            "kind": [KIND] * len(rows),
            "recursive": tree.is_recursive[rows[order]],
            "offset_us": offset[order],
            "total_us": total[order],
            "self_us": own[order],
        },
    )


def _laid_out(parent: Rows, depth: Rows, total: Floats) -> tuple[Rows, Floats]:
    """Return the frames from top to bottom and left to right, and where they start."""
    place = np.full(len(parent) + 1, -1, np.int64)  # last: no parent
    offset = np.zeros(len(parent) + 1)
    count = 0
    found = [np.empty(0, np.int64)]
    for level in range(int(depth.max(initial=-1)) + 1):
        row = np.flatnonzero(depth == level)
        row = row[np.lexsort((row, -total[row], place[parent[row]]))]
        place[row] = count + np.arange(len(row))
        count += len(row)
        before = np.cumsum(total[row]) - total[row]
        new = np.ones(len(row), bool)
        new[1:] = parent[row[1:]] != parent[row[:-1]]
        first = np.flatnonzero(new)[np.cumsum(new) - 1]
        offset[row] = offset[parent[row]] + before - before[first]
        found.append(row)
    return np.concatenate(found), offset[:-1]


TABLE: Final = TableSpec(
    name="icicle",
    summary="an icicle chart of functions, estimated from their callers",
    columns=ICICLE,
    make=icicle,
    keys=("name",),
    sort=("total_us",),
    nouns=("frame", "frames"),
    needs="functions",
    lacks_times=lambda model: model.tables["functions"].num_rows > 0,
)
