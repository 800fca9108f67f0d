"""`ViewSpec` of the diff view: the trace on screen beside a baseline."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nbprof.export.summary_part import SummaryPart, TextPlace
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.views.diff.choices import CHOICES, ROWS, TREE
from nbprof.widgets.views.diff.tables import DiffReader, TreeReader
from nbprof.widgets.views.spec import ViewSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from nbprof.charts.chart import Chart
    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen


def _rows(screen: Screen, group_by: str, look: Look) -> pa.Table:  # noqa: ARG001 - as of all views
    return _READER.read(screen, ROWS, group_by or next(iter(CHOICES)), None)


def _figures(screen: Screen, look: Look) -> Mapping[str, Chart]:
    from nbprof.widgets.views.diff.charts import waterfall_of

    chart = waterfall_of(screen, look)
    return {} if chart is None else {"waterfall": chart}


def _keep(what: str, saving: Saving, **options: Any) -> Iterator[str]:
    from nbprof.widgets.views.diff import saving as parts

    yield from getattr(parts, what)(saving, **options)


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:
    first = next(iter(CHOICES))
    shown = plan.group_by if plan.view == VIEW.name and plan.group_by in CHOICES else first
    yield SavedPart(Priority.FACTS, partial(_keep, "keep_overview"))
    yield SavedPart(Priority.ON_SCREEN, partial(_keep, "keep_rows", group_by=shown))
    yield SavedPart(Priority.GRAPHS, partial(_keep, "keep_tree"))
    for word in CHOICES:
        if word != shown:
            yield SavedPart(Priority.GROUPINGS, partial(_keep, "keep_rows", group_by=word))


_READER: Final = DiffReader()
_PLACE: Final = "nbprof.widgets.views.diff"

VIEW: Final = ViewSpec(
    name="diff",
    title="Diff",
    script="diff",
    content=("comparison",),
    optional=True,  # most profiles have nothing to compare with
    table=ROWS,
    groupings={word: choice.keys for word, choice in CHOICES.items()},
    rows=_rows,
    figures=_figures,
    operations={
        "diff": Operation(f"{_PLACE}.requests:diff", shows=True),
        "swap": Operation(f"{_PLACE}.requests:swap"),
    },
    readers={ROWS: _READER, TREE: TreeReader()},
    keeps=_keeps,
    summary=(
        SummaryPart(
            "differences",
            f"{_PLACE}.summary:differences_html",
            f"{_PLACE}.summary:differences_text",
            TextPlace.FIRST,
        ),
    ),
)
