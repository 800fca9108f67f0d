"""`ViewSpec` of the overview: average step, devices and recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from nbprof.analysis.advice.warnings import notes_of
from nbprof.charts.cards.overview import cards_of as overview_cards
from nbprof.export.summary_part import SummaryPart, TextPlace
from nbprof.model.filters.filter import Filter
from nbprof.model.links.overhead import overhead_taken
from nbprof.sources.discovery.catalog import in_jobs
from nbprof.widgets.hints.run_configuration import facts
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import cards_part, keep_context, keep_table
from nbprof.widgets.session.state import State
from nbprof.widgets.views.drawing.cards import describe
from nbprof.widgets.views.drawing.figure_items import figure_items, known_templates
from nbprof.widgets.views.drawing.figures import charts_of
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.listed_rows import listed_devices, listed_steps
from nbprof.widgets.views.spec import ViewSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from nbprof.charts.chart import Chart
    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.traits import Selection

#: Tables beside the cards, in the order of the buffers.
TABLES: Final = (
    "overview",
    "steps",
    "device_summary",
    "device_time",
    "recommendations",
)

#: The share of the remaining size of saved state that one of these tables may take.
_SHARE: Final = 0.5

_HTML: Final = "nbprof.export.html"
_TEXT: Final = "nbprof.export.text"


def overview(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return all data of the overview."""
    state = State.parse(params.get("state"))
    look = Look.parse(params)
    tables, left_out = _listed([session.table(state, name, "", progress) for name in TABLES])
    screen = Screen(session, state)
    shown = () if look.part == "own" else VIEW.cards(screen)
    cards, more = describe(shown, screen.table, look.choices, first=len(tables))
    result = {
        "tables": {name: index for index, name in enumerate(TABLES)},
        **left_out,
        "figures": figure_items(charts_of(VIEW, screen, look), look.theme, known_templates(params)),
        "facts": _facts_of(screen),
        "cards": cards,
    }
    return Reply(result, [to_ipc(table) for table in (*tables, *more)])


def _listed(tables: list[pa.Table]) -> tuple[list[pa.Table], dict[str, Any]]:
    """Return the tables for the page, and what they leave out of very many devices and steps.

    Parameters
    ----------
    tables : list of pyarrow.Table
        In the order of `TABLES`.
    """
    means, steps, summary, time, recommendations = tables
    summary, time, left_out = listed_devices(summary, time)
    steps, many_steps = listed_steps(steps)
    said = {"left_out": left_out, "many_steps": many_steps}
    found = [means, steps, summary, time, recommendations]
    return found, {name: value for name, value in said.items() if value}


def _facts_of(screen: Screen, *, shared: bool = False) -> list[list[str]]:
    """Return facts about device, job and recording as pairs of label and value.

    Parameters
    ----------
    screen : Screen
        The trace.
    shared : bool
        As of `facts`.
    """
    # devices do not depend on the filter, which may exclude all of them
    devices = screen.whole().table("device_summary")
    trace = screen.trace
    files = in_jobs(screen.session.readable.files)
    workers = {file.worker for file in files if file.run == trace.run}
    found = facts(
        trace.model.metadata,
        devices,
        len(workers),
        overhead=overhead_taken(trace.model),
        notes=notes_of(trace.filter(Filter()).warnings()),
        shared=shared,
    )
    return [[label, value] for label, value in found]


def _figures(screen: Screen, look: Look) -> Mapping[str, Chart]:
    """Return the donut of the average step and the bars of all steps.

    The bar of a single step replaces the donut.
    """
    from nbprof import charts

    means, steps = screen.table("overview"), screen.table("steps")
    every = screen.around("steps", "steps")
    recorded = screen.trace.model.steps.recorded
    shared: dict[str, Any] = {"unit": look.unit}
    figures = {}
    single = (steps if every is None else every).num_rows == 1
    if means.num_rows and _takes_time(steps) and not single:
        figures["summary"] = charts.summary_donut(
            means,
            width=look.width("summary"),
            hole="a step" if recorded else "in total",
            other=screen.trace.active_filter.other,
            **shared,
        )
    if _takes_time(steps if every is None else every):
        figures["steps"] = charts.step_breakdown(
            steps,
            width=look.width("steps"),
            mean=recorded,
            whole=every,
            **shared,
        )
    return figures


def _selected(screen: Screen, group_by: str, selection: Selection) -> pa.Table:
    """Return the selected steps; without any, the selected rows of its table."""
    if any("step" in row for row in selection):
        every = screen.around("steps", "steps")
        return pages.matching_rows(screen.table("steps") if every is None else every, selection)
    return pages.matching_rows(screen.table("overview", group_by), selection)


def _takes_time(steps: pa.Table) -> bool:
    return bool(steps.num_rows) and (pc.sum(steps["total_us"]).as_py() or 0) > 0


def _keep_facts(saving: Saving) -> Iterator[str]:
    screen = Screen(saving.session, saving.state)
    saving.writer.add("facts", _facts_of(screen, shared=True))
    for name in TABLES:
        yield from keep_table(saving, _SHARE, table=name)
    yield from keep_context(saving, "steps", _SHARE, table="steps")


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:  # noqa: ARG001 - as of all views
    return (SavedPart(Priority.FACTS, _keep_facts), cards_part(VIEW))


VIEW: Final = ViewSpec(
    name="overview",
    title="Overview",
    script="overview",
    table="overview",
    cards=overview_cards,
    figures=_figures,
    main_figures=("steps",),
    selected=_selected,
    operations={"overview": Operation(overview, shows=True)},
    keeps=_keeps,
    summary=(
        SummaryPart(
            "average step",
            f"{_HTML}.steps:average_step",
            f"{_TEXT}.summary:steps",
            TextPlace.FIRST,
        ),
        SummaryPart(
            "step time",
            f"{_HTML}.steps:steps",
            f"{_TEXT}.cards:npu_steps",
            TextPlace.FIRST,
        ),
        SummaryPart("stages", f"{_HTML}.cards:cards", f"{_TEXT}.cards:stages", TextPlace.FIRST),
        SummaryPart(
            "devices",
            f"{_HTML}.steps:devices",
            f"{_TEXT}.summary:devices",
            TextPlace.FIRST,
        ),
        SummaryPart(
            "recommendations",
            f"{_HTML}.rankings:advice",
            f"{_TEXT}.summary:advice",
            TextPlace.LAST,
        ),
    ),
)
