"""Table ``tree``: the call trees of both sides, from the step down to kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.diffs.spec import DiffTableSpec, compared, figure_option
from nbprof.diffs.trees.rows import (
    CALLS,
    DEVICE,
    DEVICE_SELF,
    HOST,
    HOST_SELF,
    TreeRows,
)
from nbprof.diffs.values.comparison import rows_of
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides

FIGURES: Final = (DEVICE, HOST, DEVICE_SELF, HOST_SELF, CALLS)
ROW: Final = count("row", "Number of the row, from 0, in reading order.")
PLACES: Final[Columns] = (
    count("parent", "Row that this one is in; empty at the top."),
    count("depth", "Number of rows around it."),
    text("kind", "step, annotation, module, operator, kernel, memcpy or memset."),
    text("phase", "forward or backward; the backward pass lies in the module of its forward pass."),
    text("name", "Name in the baseline or, without one, in the candidate."),
    text("candidate_name", "Name in the candidate; another one if it was renamed or replaced."),
    count("occurrence", "Which one it is of its siblings with this name, from 1."),
)


def tree(sides: Sides, *, figure: str | None = None) -> pa.Table:
    """Return the positions of both call trees, those that belong together in one row."""
    rows = TreeRows.of(sides)
    parents = np.array([pair.parent for pair in rows.pairs], np.int64)
    values = {
        "parent": arrow_array(parents, mask=parents < 0),
        "depth": [pair.depth for pair in rows.pairs],
        "kind": rows.kind,
        "phase": rows.phase,
        "name": rows.name,
        "candidate_name": rows.candidate_name,
        "occurrence": rows.occurrence,
    }
    return rows_of(
        rows.comparison,
        [ROW.field],
        FIGURES,
        figure=figure,
        order=np.arange(len(rows.pairs)),
        more={column.name: (column.field, values[column.name]) for column in PLACES},
    )


TABLE: Final = DiffTableSpec(
    name="tree",
    summary="the call trees of both sides, from the step down to kernels",
    notes="Levels are aligned as sequences: an operator that was inserted, removed or renamed "
    "shifts no other. Times of a row include all rows below it. Of several workers, the first.",
    columns=(ROW, *PLACES, *compared(FIGURES)),
    make=tree,
    figures=FIGURES,
    options=(figure_option(FIGURES),),
    keys=("row",),
    by={"tree": {}},
    of_calls=(),
    nouns=("position", "positions"),
)
