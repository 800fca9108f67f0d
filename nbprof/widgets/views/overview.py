"""`ViewSpec` of the overview: average step, devices and recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from nbprof.charts.cards.overview import cards_of as overview_cards
from nbprof.export.html import cards as html_cards
from nbprof.export.html import rankings as html_rankings
from nbprof.export.html import steps as html_steps
from nbprof.export.summary_part import SummaryPart, TextPlace
from nbprof.export.text import cards as text_cards
from nbprof.export.text import summary as text_summary
from nbprof.widgets.hints.run_configuration import facts
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import cards_part, keep_table
from nbprof.widgets.session import State
from nbprof.widgets.views.drawing.cards import describe
from nbprof.widgets.views.drawing.figure_items import figure_items, known_templates
from nbprof.widgets.views.drawing.figures import charts_of
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.spec import ViewSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from nbprof.charts.chart import Chart
    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.session import Progress, Session

#: Tables beside the cards, in the order of the buffers.
TABLES: Final = (
    "overview",
    "steps",
    "device_summary",
    "device_time",
    "recommendations",
)

#: Of the room that is left in saved state, what one of these tables may take.
_SHARE: Final = 0.5


def overview(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return all data of the overview."""
    state = State.parse(params.get("state"))
    look = Look.parse(params)
    tables = [session.table(state, name, "", progress) for name in TABLES]
    screen = Screen(session, state)
    cards, more = describe(VIEW.cards(screen), screen.table, look.choices, first=len(tables))
    result = {
        "tables": {name: index for index, name in enumerate(TABLES)},
        "figures": figure_items(charts_of(VIEW, screen, look), look.theme, known_templates(params)),
        "facts": _facts_of(screen),
        "cards": cards,
    }
    return Reply(result, [to_ipc(table) for table in (*tables, *more)])


def _facts_of(screen: Screen) -> list[list[str]]:
    """Return facts about device, job and recording as pairs of label and value."""
    # devices do not depend on the filter, which may exclude all of them
    devices = screen.whole().table("device_summary")
    trace = screen.trace
    workers = {file.worker for file in screen.session.readable.files if file.run == trace.run}
    found = facts(trace.model.metadata, devices, len(workers))
    return [[label, value] for label, value in found]


def _figures(screen: Screen, look: Look) -> Mapping[str, Chart]:
    """Return the donut of the average step and the bars of all steps."""
    from nbprof import charts

    means, steps = screen.table("overview"), screen.table("steps")
    recorded = screen.trace.model.steps.recorded
    shared: dict[str, Any] = {"unit": look.unit}
    found = {}
    if steps.num_rows and (pc.sum(steps["total_us"]).as_py() or 0) > 0:
        if means.num_rows:
            found["summary"] = charts.summary_donut(
                means,
                width=look.width("summary"),
                hole="a step" if recorded else "in total",
                **shared,
            )
        found["steps"] = charts.step_breakdown(
            steps, width=look.width("steps"), mean=recorded, **shared
        )
    return found


def _keep_facts(saving: Saving) -> Iterator[str]:
    screen = Screen(saving.session, saving.state)
    saving.writer.add("facts", _facts_of(screen))
    for name in TABLES:
        yield from keep_table(saving, _SHARE, table=name)


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
    operations={"overview": Operation(overview, shows=True)},
    keeps=_keeps,
    summary=(
        SummaryPart("average step", html_steps.average_step, text_summary.steps, TextPlace.FIRST),
        SummaryPart("step time", html_steps.steps, text_cards.npu_steps, TextPlace.FIRST),
        SummaryPart("stages", html_cards.cards, text_cards.stages, TextPlace.FIRST),
        SummaryPart("devices", html_steps.devices, text_summary.devices, TextPlace.FIRST),
        SummaryPart("recommendations", html_rankings.advice, text_summary.advice, TextPlace.LAST),
    ),
)
