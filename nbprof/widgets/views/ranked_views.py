"""Functions shared by the operators and kernels views: chart options, and the tables they save."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nbprof.widgets.hints import hints
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import LAST_SHARE, SHARE, keep_context, keep_table
from nbprof.widgets.views.drawing.colors import ranked_names
from nbprof.widgets.views.drawing.look import DEFAULT_WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen
    from nbprof.widgets.views.spec import ViewSpec

#: Data that groupings need and a trace may lack.
_NEEDS: Final = {"name+shape": "shapes", "name+stack": "stacks"}


def shared_options(screen: Screen, table: str, look: Look) -> dict[str, Any]:
    """Return the chart options: how charts look, and the names that have colours."""
    return {
        "width": {"": DEFAULT_WIDTH, **(look.widths or {})},
        "unit": look.unit,
        "top": look.top,
        "order": ranked_names(screen.session, screen.state, table),
    }


def keep_groupings(view: ViewSpec, plan: SavePlan) -> Iterator[SavedPart]:
    """Return the table of a view in every grouping as parts of saved state, and all its names.

    The grouping on screen has the highest priority, then the first one, then the others.
    """
    whole = partial(keep_context, picks="name", table=view.main_table, group_by="name")
    yield SavedPart(Priority.DETAILS, whole)
    for group_by in view.all_groupings:
        if (plan.view, plan.group_by) == (view.name, group_by):
            priority = Priority.ON_SCREEN
        else:
            priority = Priority.TABLES if group_by == view.default_grouping else Priority.GROUPINGS
        share = LAST_SHARE if priority == Priority.GROUPINGS else SHARE
        yield SavedPart(priority, partial(_keep_grouping, view.main_table, group_by, share))


def _keep_grouping(table: str, group_by: str, share: float, saving: Saving) -> Iterator[str]:
    need = _NEEDS.get(group_by)
    held = hints.holdings(saving.session.trace(saving.state).model)
    if need is None or held[need]:
        yield from keep_table(saving, share, table=table, group_by=group_by)
