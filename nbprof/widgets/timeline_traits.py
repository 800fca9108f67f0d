"""Traits of the timeline: its workers, and how their clocks and that of a baseline are aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets

from nbprof.model.reprs import did_you_mean
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.session.align import Align
from nbprof.widgets.views.timeline.choice import METHODS, Choice

if TYPE_CHECKING:
    _Trait = traitlets.TraitType[Any, Any]
else:
    _Trait = traitlets.TraitType  # not generic in the oldest traitlets that ipywidgets accepts


class AlignTrait(_Trait):
    """A dict of a step, a name and its occurrence; only the fields that are set."""

    info_text = "a dict of step, name and nth"
    default_value: Any = traitlets.Undefined

    def make_dynamic_default(self) -> dict[str, Any]:
        """Create a separate dict for every widget."""
        return {}

    def validate(self, obj: Any, value: Any) -> dict[str, Any]:  # noqa: ARG002 - theirs
        """Check the fields."""
        try:
            return Align.parse(value).plain()
        except RequestError as error:
            raise traitlets.TraitError(str(error)) from error


class TimelineTraits(traitlets.HasTraits):
    """Traits that choose the workers of the timeline and the alignment of their clocks."""

    timeline_workers = traitlets.List(traitlets.Unicode()).tag(sync=True, echo_update=False)
    """Workers shown in the timeline below the one on screen, of the same run and span, on its
    clock; empty for that one alone. Their files are read when they are chosen."""

    timeline_clock = traitlets.Unicode("auto").tag(sync=True)
    """Method of aligning the clocks of these workers: ``collectives`` (equal ones end together),
    ``time`` (of day), ``step`` (equal ones start together), or ``auto``, the first of these that is
    possible. The timeline shows the method that was used, and why."""

    timeline_align = AlignTrait().tag(sync=True, echo_update=False)
    """What the timeline and the memory curve of a ``baseline`` are aligned at: ``{"step": 3}`` (the
    start of a step), or ``{"name": "aten::mm", "nth": 2}``, the start of the second slice with that
    name (an operator, a module, a kernel), counted from the start of ``step`` if that is given as
    well. Empty for the first step that both have."""

    def _choice(self, group_by: str) -> Choice:
        """Return the choices of the timeline: lanes, workers and clock."""
        clock = next(method for method in METHODS if method == self.timeline_clock)
        align = Align.parse(self.timeline_align)
        return Choice(group_by, tuple(self.timeline_workers), clock, align)

    @traitlets.validate("timeline_clock")
    def _check_clock(self, proposal: Any) -> str:
        value: str = proposal["value"]
        if value not in METHODS:
            message = f"timeline_clock: there is no {value!r}; there is {', '.join(METHODS)}."
            raise traitlets.TraitError(message + did_you_mean(value, METHODS))
        return value
