"""`ViewSpec` of the functions view: Python's own profile, as a table and as an icicle chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.export.summary_part import SummaryPart
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import table_of
from nbprof.widgets.views.functions.rows import CallerReader, FunctionReader
from nbprof.widgets.views.spec import ViewSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbprof.widgets.saved.parts import SavePlan, Saving


def _keep_icicle(saving: Saving) -> Iterator[str]:
    from nbprof.widgets.views.functions.saving import keep_icicle

    yield from keep_icicle(saving)


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:  # noqa: ARG001 - as of all views
    return (
        table_of("functions"),
        table_of("function_callers", Priority.DETAILS),
        SavedPart(Priority.GRAPHS, _keep_icicle),
    )


VIEW: Final = ViewSpec(
    name="functions",
    title="Functions",
    script="functions",
    needs=("functions",),
    optional=True,  # other recorders have no such data
    table="functions",
    operations={
        "icicle": Operation("nbprof.widgets.views.functions.icicle:icicle", shows=True),
    },
    readers={"functions": FunctionReader(), "function_callers": CallerReader()},
    keeps=_keeps,
    summary=(
        SummaryPart(
            "functions",
            "nbprof.export.html.functions:functions",
            "nbprof.export.text.functions:functions",
        ),
    ),
)
