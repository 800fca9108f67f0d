"""Traits of the timeline: the workers it shows, and the method of aligning their clocks."""

from __future__ import annotations

from typing import Any

import traitlets

from nbprof.model.reprs import did_you_mean
from nbprof.widgets.views.timeline.choice import METHODS, Choice


class TimelineTraits(traitlets.HasTraits):
    """Traits that choose the workers of the timeline and the alignment of their clocks."""

    timeline_workers = traitlets.List(traitlets.Unicode()).tag(sync=True, echo_update=False)
    """Workers shown in the timeline below the one on screen, of the same run and span, on its
    clock; empty for that one alone. Their files are read when they are chosen."""

    timeline_clock = traitlets.Unicode("auto").tag(sync=True)
    """Method of aligning the clocks of these workers: ``collectives`` (equal ones end together),
    ``time`` (of day), ``step`` (equal ones start together), or ``auto``, the first of these that is
    possible. The timeline shows the method that was used, and why."""

    def _choice(self, group_by: str) -> Choice:
        """Return the choices of the timeline: lanes, workers and clock."""
        clock = next(method for method in METHODS if method == self.timeline_clock)
        return Choice(group_by, tuple(self.timeline_workers), clock)

    @traitlets.validate("timeline_clock")
    def _check_clock(self, proposal: Any) -> str:
        value: str = proposal["value"]
        if value not in METHODS:
            message = f"timeline_clock: there is no {value!r}; there is {', '.join(METHODS)}."
            raise traitlets.TraitError(message + did_you_mean(value, METHODS))
        return value
