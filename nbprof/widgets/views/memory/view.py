"""`ViewSpec` of the memory view: memory over time, and what allocates and holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.export.summary_part import SummaryPart, TextPlace
from nbprof.widgets.hints import empty_tables
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import keep_table
from nbprof.widgets.views import groupings
from nbprof.widgets.views.memory.choices import ALL, OF_DEVICES, TABLES
from nbprof.widgets.views.memory.memory_selection import Lens, with_share
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.table_readers import TableReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from nbprof.charts.chart import Chart
    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.session.session import Progress
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen

#: Tables saved for every trace with memory.
_KEPT: Final = (
    "memory_peak",
    "memory_curve",
    "memory_categories",
    "memory_operators",
    "memory_peak_holders",
    "memory_events",
)

#: Factor on the number of rows saved of curves, whose points compress well.
_POINTS: Final = 5


class _LensReader(TableReader):
    """Reads tables narrowed to the selected device and brushed range."""

    def extra_of(self, params: Mapping[str, Any]) -> Lens:
        return Lens.parse(params.get("memory"))

    def read(
        self,
        screen: Screen,
        name: str,
        group_by: str,  # noqa: ARG002 - none of them is grouped
        extra: Any,
        progress: Progress | None = None,
    ) -> pa.Table:
        lens: Lens = extra
        return lens.table(screen.session, screen.state, name, progress)

    def why_empty(self, screen: Screen, name: str, extra: Any) -> dict[str, Any] | None:
        lens: Lens = extra
        if lens == lens.whole():
            return None
        rows = lens.whole().table(screen.session, screen.state, name).num_rows
        if not rows:
            return None
        return empty_tables.nothing_in_range(name, rows, sizes=lens.sizes is not None)


class _CurveReader(_LensReader):
    """Reads memory over time, of which saved state keeps the extremes."""

    def rows_to_save(self, table: pa.Table, count: int) -> npt.NDArray[np.int64]:
        from nbprof.widgets.views.memory.saved_curve import curve_rows

        return curve_rows(table, count)


class _HoldersReader(_LensReader):
    """Reads the holders of memory at the peak, with shares of that peak."""

    def read(
        self,
        screen: Screen,
        name: str,
        group_by: str,
        extra: Any,
        progress: Progress | None = None,
    ) -> pa.Table:
        table = super().read(screen, name, group_by, extra, progress)
        return with_share(table, extra.peaks(screen.session, screen.state))

    def about(self, screen: Screen, table: pa.Table, found: pa.Table, extra: Any) -> dict[str, Any]:
        peaks = extra.peaks(screen.session, screen.state)
        told = peaks.select(["peak_bytes", "time_us"]).to_pylist()
        return {**super().about(screen, table, found, extra), "peaks": told}


def _rows(screen: Screen, group_by: str, look: Look) -> pa.Table:
    return look.memory.table(screen.session, screen.state, TABLES[group_by])


def _figures(screen: Screen, look: Look) -> Mapping[str, Chart]:
    from nbprof.widgets.views.memory.chart import curve_chart

    made = curve_chart(screen, look)
    return {} if made is None else {"memory": made}


def _keep(saving: Saving) -> Iterator[str]:
    from nbprof.widgets.views.memory.compared import memory_baseline, saved_baseline
    from nbprof.widgets.views.memory.devices import devices_left_out, offered_devices
    from nbprof.widgets.views.memory.requests import curve_facts

    session, state = saving.session, saving.state
    model = session.trace(state).model
    known = list(offered_devices(model))
    if len(known) > 1:
        known.append(ALL)
    align = saving.plan.timeline.align
    shown = {key: curve_facts(session, state, Lens(key), align) for key in known}
    listed = [{"key": key, "label": label} for key, label in offered_devices(model).items()]
    about: dict[str, Any] = {
        "devices": listed,
        **devices_left_out(model),
        "first": next(iter(known), ""),
        "shown": shown,
    }
    baseline = memory_baseline(session, state, align)
    if baseline is not None:
        about["baseline"] = saved_baseline(baseline)
    parts = {key: curve_facts(session, state, Lens(key, by="component"), align) for key in known}
    if any(facts["by"] == "component" for facts in parts.values()):
        about["parts"] = parts
    if not saving.writer.add("memory", about):
        return
    yield "memory"
    more = ("memory_components",) if "parts" in about else ()
    for name in (*_KEPT, *more):
        most = saving.plan.most_rows * (_POINTS if name == "memory_curve" else 1)
        yield from keep_table(saving, most_rows=most, table=name, memory={"device": ALL, "by": ALL})


def _keep_snapshot(saving: Saving) -> Iterator[str]:
    from nbprof.widgets.views.memory.saved_allocations import keep_allocations

    yield from keep_allocations(saving)


def _keep_finer(saving: Saving) -> Iterator[str]:
    from nbprof.widgets.views.memory.saved_allocations import keep_tiles

    yield from keep_tiles(saving)


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:  # noqa: ARG001 - as of all views
    return (
        SavedPart(Priority.GRAPHS, _keep_snapshot),
        SavedPart(Priority.GRAPHS, _keep),
        SavedPart(Priority.ORDERS, _keep_finer),
    )


VIEW: Final = ViewSpec(
    name="memory",
    title="Memory",
    script="memory",
    # which of its tables is meant
    groupings={group: groupings.keys(table, "") for group, table in TABLES.items()},
    needs=("memory",),
    shows="allocated",
    rows=_rows,
    figures=_figures,
    operations={
        "memory": Operation("nbprof.widgets.views.memory.requests:memory", shows=True),
        "blocks": Operation("nbprof.widgets.views.memory.allocations:blocks", shows=True),
        "segments": Operation("nbprof.widgets.views.memory.allocations:segments", shows=True),
    },
    readers={
        **dict.fromkeys(OF_DEVICES, _LensReader()),
        "memory_curve": _CurveReader(),
        "memory_peak_holders": _HoldersReader(),
    },
    keeps=_keeps,
    summary=(
        SummaryPart(
            "memory snapshot",
            "nbprof.export.html.held_memory:snapshot",
            "nbprof.export.text.held_memory:snapshot",
            TextPlace.FIRST,
        ),
        SummaryPart(
            "memory",
            "nbprof.export.html.memory:memory",
            "nbprof.export.text.summary:components",
            TextPlace.FIRST,
        ),
    ),
)
