"""Saves the icicle chart for readers without a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.widgets.views.flames.saved_graph import SAVED_WIDTH, add_graph
from nbprof.widgets.views.functions.icicle import icicle, index_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.saved.parts import Saving


def keep_icicle(saving: Saving) -> Iterator[str]:
    """Save the whole chart."""
    params = {"state": saving.plain_state, "width": SAVED_WIDTH}
    reply = icicle(saving.session, params, _silent)
    if not add_graph(saving, "icicle", reply, index_of(saving.session, saving.state)):
        saving.writer.leave_out("The icicle chart of functions is left out.")
    yield "icicle"


def _silent(done: int, total: int, text: str) -> None:
    """Progress callback that does nothing."""
