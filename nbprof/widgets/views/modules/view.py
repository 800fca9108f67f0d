"""`ViewSpec` of the modules view: the module tree and the flame graph."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow.compute as pc

from nbprof.model.building import arrow_scalar
from nbprof.widgets.flame_traits import ORDERS
from nbprof.widgets.hints import hints
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import table_of
from nbprof.widgets.views.drawing import colors
from nbprof.widgets.views.modules import flame
from nbprof.widgets.views.modules.rows import TreeWish, tree_lines, with_share
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.table_readers import TableReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.session import Progress
    from nbprof.widgets.views.drawing.screen import Screen
    from nbprof.widgets.views.table_readers import Sort

#: Pixel columns of the saved flame graph; narrower frames are merged into blocks.
_WIDTH: Final = 1600


class _TreeReader(TableReader):
    """Reads the modules, as rows of a tree on request."""

    def wish(self, params: Mapping[str, Any]) -> TreeWish | None:
        return TreeWish.parse(params.get("tree"))

    def read(
        self,
        screen: Screen,
        name: str,
        group_by: str,
        wish: Any,
        progress: Progress | None = None,
    ) -> pa.Table:
        return with_share(super().read(screen, name, group_by, wish, progress))

    def find(self, table: pa.Table, search: str, sort: Sort, wish: Any) -> pa.Table:
        if wish is None:
            return super().find(table, search, sort, wish)
        return tree_lines(table, wish, sort)

    def slots(self, screen: Screen, name: str, rows: pa.Table) -> list[int]:  # noqa: ARG002
        return colors.name_colors(screen.session, screen.state, rows["name"].to_pylist())[0]

    def about(self, screen: Screen, table: pa.Table, found: pa.Table, wish: Any) -> dict[str, Any]:
        if wish is None:
            return super().about(screen, table, found, wish)
        match = pc.index(found["match"], arrow_scalar(value=True)).as_py()
        return {"match": match, "maxima": pages.maxima(table)}


class _FlameReader(TableReader):
    """Reads the frames of the flame graph on screen."""

    def wish(self, params: Mapping[str, Any]) -> tuple[str, str]:
        return flame.wish(params.get("flame"))

    def read(
        self,
        screen: Screen,
        name: str,  # noqa: ARG002 - it is the only one
        group_by: str,  # noqa: ARG002 - it has no groupings
        wish: Any,
        progress: Progress | None = None,  # noqa: ARG002 - the trace has been read
    ) -> pa.Table:
        return flame.frames(screen.session, screen.state, *wish)


def _keep_flames(orders: tuple[str, ...], saving: Saving) -> Iterator[str]:
    session, state, plan = saving.session, saving.state, saving.plan
    trace = session.trace(state)
    held = hints.holdings(trace.model)
    auto = flame.resolved("auto", trace)
    first = auto if plan.flame_by == "auto" else plan.flame_by
    others = () if plan.brief else ("host", "device", "bytes")
    ways = [first, *(by for by in others if by != first)]
    if "flame" not in saving.writer:
        saving.writer.add("flame", {"auto": auto})
    for order in orders:
        for by in ways:
            need = flame.NEEDS.get(by)
            if need is None or held[need]:
                _keep_flame(saving, by, order)
                yield "flame"


def _keep_flame(saving: Saving, by: str, order: str) -> None:
    params = {"state": saving.plain_state, "by": by, "order": order, "width": _WIDTH}
    reply = flame.flame(saving.session, params, _silent)
    index = flame.index_of(saving.session, saving.state, by, order)
    counts = np.bincount(index.name, minlength=len(index.names)).tolist()
    result = {**reply.result, "every": list(zip(index.names, counts, strict=True))}
    parts = [json.dumps(result, allow_nan=False).encode(), *reply.buffers]
    if not saving.writer.add(f"flame:{by}:{order}", parts=parts):
        way = "in time order" if order == "time" else "left-heavy"
        worth = by if by == "bytes" else f"{by} time"
        saving.writer.leave_out(f"The flame graph of {worth}, {way}, is left out.")


def _silent(done: int, total: int, text: str) -> None:
    """Progress callback that does nothing."""


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:  # noqa: ARG001 - as of all views
    return (
        table_of("modules", Priority.DETAILS),
        SavedPart(Priority.GRAPHS, partial(_keep_flames, ORDERS[:1])),
        SavedPart(Priority.ORDERS, partial(_keep_flames, ORDERS[1:])),
    )


VIEW: Final = ViewSpec(
    name="modules",
    title="Modules",
    script="modules",
    of_modules=True,
    table="modules",
    operations={"flame": Operation(flame.flame, shows=True)},
    readers={"modules": _TreeReader(), "flame": _FlameReader()},
    keeps=_keeps,
    summary=(),
)
