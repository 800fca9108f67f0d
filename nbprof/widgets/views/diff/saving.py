"""Saves the differences for readers without a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.widgets.saved.view_parts import keep_table
from nbprof.widgets.views.diff.choices import ROWS, TREE
from nbprof.widgets.views.diff.facts import keep_steps, keep_values
from nbprof.widgets.views.diff.requests import overview

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.saved.parts import Saving

#: The tables that the overview is made from.
_OVERVIEW: Final = ("category", "waterfall")


def keep_overview(saving: Saving) -> Iterator[str]:
    """Save both sides, the step by category and the waterfall."""
    if saving.state.baseline is not None:
        saving.writer.add("diff", overview(saving.session, saving.state))
        yield "diff"
        yield from keep_steps(saving)
        for word in _OVERVIEW:
            yield from keep_values(saving, word)


def keep_rows(saving: Saving, *, group_by: str) -> Iterator[str]:
    """Save one of the tables."""
    if saving.state.baseline is not None:
        yield from keep_table(saving, table=ROWS, group_by=group_by)
        if group_by not in _OVERVIEW:
            yield from keep_values(saving, group_by)


def keep_tree(saving: Saving) -> Iterator[str]:
    """Save the tree of both sides."""
    if saving.state.baseline is not None:
        yield from keep_table(saving, table=TREE)
        yield from keep_values(saving, "tree")
