"""`ViewSpec` of the modules view: the module tree and the flame graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from nbprof.model.building import arrow_scalar
from nbprof.widgets.flame_traits import ORDERS
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import table_of
from nbprof.widgets.views.drawing import colors
from nbprof.widgets.views.modules.rows import with_share
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.table_readers import TableReader
from nbprof.widgets.views.trees import TreeQuery, tree_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from nbprof.widgets.saved.parts import SavePlan
    from nbprof.widgets.session.session import Progress
    from nbprof.widgets.views.drawing.screen import Screen
    from nbprof.widgets.views.table_readers import Sort


class _TreeReader(TableReader):
    """Reads the modules, as rows of a tree on request."""

    def extra_of(self, params: Mapping[str, Any]) -> TreeQuery | None:
        return TreeQuery.parse(params.get("tree"))

    def read(
        self,
        screen: Screen,
        name: str,
        group_by: str,
        extra: Any,
        progress: Progress | None = None,
    ) -> pa.Table:
        return with_share(super().read(screen, name, group_by, extra, progress))

    def find(self, table: pa.Table, search: str, sort: Sort, extra: Any) -> pa.Table:
        if extra is None:
            return super().find(table, search, sort, extra)
        return tree_lines(table, extra, sort)

    def slots(self, screen: Screen, name: str, rows: pa.Table) -> list[int]:  # noqa: ARG002
        return colors.name_colors(screen.session, screen.state, rows["name"].to_pylist())[0]

    def about(self, screen: Screen, table: pa.Table, found: pa.Table, extra: Any) -> dict[str, Any]:
        if extra is None:
            return super().about(screen, table, found, extra)
        match = pc.index(found["match"], arrow_scalar(value=True)).as_py()
        return {"match": match, "maxima": pages.maxima(table)}


class _FlameReader(TableReader):
    """Reads the frames of the flame graph on screen."""

    def extra_of(self, params: Mapping[str, Any]) -> tuple[str, str]:
        from nbprof.widgets.views.modules import flame

        return flame.widths_and_order(params.get("flame"))

    def read(
        self,
        screen: Screen,
        name: str,  # noqa: ARG002 - it is the only one
        group_by: str,  # noqa: ARG002 - it has no groupings
        extra: Any,
        progress: Progress | None = None,  # noqa: ARG002 - the trace has been read
    ) -> pa.Table:
        from nbprof.widgets.views.modules import flame

        return flame.frames(screen.session, screen.state, *extra)


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:  # noqa: ARG001 - as of all views
    from nbprof.widgets.views.modules.saving import keep_flames

    return (
        table_of("modules", Priority.DETAILS),
        SavedPart(Priority.GRAPHS, partial(keep_flames, ORDERS[:1])),
        SavedPart(Priority.ORDERS, partial(keep_flames, ORDERS[1:])),
    )


VIEW: Final = ViewSpec(
    name="modules",
    title="Modules",
    script="modules",
    of_modules=True,
    content=("modules", "stacks"),
    table="modules",
    operations={"flame": Operation("nbprof.widgets.views.modules.flame:flame", shows=True)},
    readers={"modules": _TreeReader(), "flame": _FlameReader()},
    keeps=_keeps,
    summary=(),
)
