"""Table ``modules`` of a comparison: the modules of the aligned call trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.diffs.spec import DiffTableSpec, compared, figure_option
from nbprof.diffs.trees.calls import MODULE
from nbprof.diffs.trees.positions import Positions
from nbprof.diffs.trees.rows import (
    BACKWARD_DEVICE,
    BACKWARD_HOST,
    DEVICE,
    HOST,
    TreeRows,
)
from nbprof.diffs.values.cells import Cells
from nbprof.diffs.values.comparison import rows_of
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

FIGURES: Final = (DEVICE, HOST, BACKWARD_DEVICE, BACKWARD_HOST)
ROW: Final = count("row", "Number of the row in the table tree.")
PLACES: Final[Columns] = (
    count("parent", "Row of the module around it; empty at the top."),
    count("depth", "Number of modules around it."),
    text("name", "Class and number of the module in the baseline, else in the candidate."),
    text("candidate_name", "Class and number in the candidate."),
)


def modules(sides: Sides, *, figure: str | None = None) -> pa.Table:
    """Return the modules of both aligned call trees, those that belong together in one row."""
    rows = TreeRows.of(sides)
    around: list[int] = []  # the module that each row is in
    depth: list[int] = []
    for pair in rows.pairs:
        above = pair.parent
        if above >= 0 and rows.kind[above] != "module":
            above = around[above]
        around.append(above)
        depth.append(depth[above] + 1 if above >= 0 else 0)
    chosen = np.array([at for at, kind in enumerate(rows.kind) if kind == "module"], np.int64)
    parents = np.array(around, np.int64)
    values = {
        "parent": arrow_array(parents, mask=parents < 0),
        "depth": depth,
        "name": rows.name,
        "candidate_name": rows.candidate_name,
    }
    return rows_of(
        rows.comparison,
        [ROW.field],
        FIGURES,
        figure=figure,
        order=chosen,
        more={column.name: (column.field, values[column.name]) for column in PLACES},
    )


def measure(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the values of the modules of a trace, all with one name together, for limits."""
    positions = Positions.of(model, filter_, used)
    row = np.full(len(positions.label), -1, np.int64)
    keys: dict[tuple[str], int] = {}
    for at, (kind, _, name) in enumerate(positions.label):
        if kind == MODULE:
            row[at] = keys.setdefault((name,), len(keys))
    cells = positions.cells
    return Cells.summed(
        list(keys),
        row[cells.row],
        cells.step,
        cells.values,
        steps=cells.steps,
        complete=cells.complete,
    )


TABLE: Final = DiffTableSpec(
    name="modules",
    summary="the calls of modules on both sides as a tree, forward and backward",
    notes="Rows are the modules of ``tree``. Modules belong together by class and place, since the"
    " numbers of modules change when one is inserted.",
    columns=(ROW, *PLACES, *compared(FIGURES)),
    make=modules,
    figures=FIGURES,
    measure=measure,
    options=(figure_option(FIGURES),),
    keys=("row",),
    by={"module": {}},
    of_calls=("module",),
    nouns=("module", "modules"),
    needs="modules",
)
