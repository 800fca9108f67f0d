"""`ExplorerTraits`: the traits of the explorer that views share, and those of the memory view."""

from __future__ import annotations

from typing import Any

import traitlets

from nbprof.model.errors import FilterError
from nbprof.model.steps.step_choice import checked_pattern
from nbprof.model.units import TIME_UNITS
from nbprof.widgets.traits import (
    FilterTrait,
    SelectionTrait,
    TimeRangeTrait,
    WindowTrait,
    one_of,
)
from nbprof.widgets.views.drawing.look import TOP
from nbprof.widgets.views.memory.choices import CURVE_KINDS
from nbprof.widgets.views.registry import VIEWS


class ExplorerTraits(traitlets.HasTraits):
    """Traits of the explorer; each is checked by itself at assignment."""

    run = traitlets.Unicode().tag(sync=True)
    """Name of the run on screen; empty without any profile."""

    worker = traitlets.Unicode().tag(sync=True)
    """Name of the worker on screen."""

    span = traitlets.Int(0).tag(sync=True)
    """Number of the span on screen, from 1; 0 without any profile."""

    step = traitlets.Unicode("").tag(sync=True)
    """Annotations to use as steps if the recorder marked none: a part of their names, or
    ``/regular expression/``, as for `nbprof.load`. If empty, or if nothing matches, the recorded
    steps or the whole recording are used."""

    filter = FilterTrait().tag(sync=True)
    """The filter: a dict of the fields of `Filter` that are set, with lists for ranges. A
    `Filter` may be assigned. Assign a new dict; changes in place are not noticed."""

    active = traitlets.Unicode().tag(sync=True)
    """Name of the view on screen."""

    group_by = traitlets.Unicode("").tag(sync=True)
    """Grouping of the active view's table or of the timeline's lanes, or the table of the memory
    view: operators, events, holders or components. Each view remembers its own."""

    selection = SelectionTrait().tag(sync=True, echo_update=False)
    """Rows of the table that are selected, as dicts from its key columns to values, or items of
    charts: ``{"step": 3}``, ``{"name": "aten::mm"}`` or ``{"worker": "worker0"}``. In the timeline
    names, slices, ``[{"side": "host", "row": 7}]``, or an area, one range of time over some lanes:
    ``[{"lane": "gpu:0:7", "start_us": 10, "end_us": 20}]``; without ``lane`` over all of them."""

    time_range = TimeRangeTrait(allow_none=True).tag(sync=True, echo_update=False)
    """``[first, last]`` in microseconds, or None; the same as ``filter["time_us"]``."""

    window = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """Part of the timeline on screen, ``[first, last]`` in microseconds from the first event;
    None for everything."""

    search = traitlets.Unicode("").tag(sync=True)
    """Search text of the timeline and the modules view, which mark names that contain it, or that
    match it as a ``/regular expression/``."""

    snapshot = traitlets.Bytes(b"").tag(sync=True, echo_update=False)
    """The data that a saved notebook shows without a kernel: tables, flame graphs and the timeline,
    under the filter. Set when the view is shown, or once its trace has been read. It takes at most
    ``nbprof.options.snapshot_bytes``, and its scripts at most 400 kB in addition."""

    _scripts = traitlets.Dict().tag(sync=True, echo_update=False)
    """The scripts that show ``snapshot`` without a kernel, compressed, by name; set once, together
    with it. If there is a kernel, the browser requests scripts instead."""

    _connection = traitlets.Unicode("").tag(sync=True)
    """The id of this view in the kernel; the browser uses it to ask if the view still exists."""

    memory_device = traitlets.Unicode("").tag(sync=True)
    """Device whose memory is shown: ``"gpu:0"``, ``"cpu"``, or ``"all"`` for the curves of all
    devices. If empty or unknown to the trace, the first device that computes."""

    memory_by = traitlets.Unicode("operator").tag(sync=True)
    """Curves of the memory view: operator (memory in use and reserved) or component (each
    software component, if recorded)."""

    memory_range = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """Brushed part of the memory curve, ``[first, last]`` in microseconds. It narrows only the
    tables of the memory view. None for everything."""

    time_unit = traitlets.Unicode("auto").tag(sync=True)
    """Unit of times on screen: auto, ns, us, ms or s."""

    top = traitlets.Int(TOP, min=1, allow_none=True).tag(sync=True)
    """Number of slices of a donut, and of bars by name, before the others are summed; None for
    all."""

    theme = traitlets.Unicode("auto").tag(sync=True)
    """Theme: auto (that of the notebook), light or dark."""

    views = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of the views with tabs; a single view has none."""

    tabs = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Data about each view for the browser: name, title, first grouping, script and tables."""

    @traitlets.validate("views")
    def _check_views(self, proposal: Any) -> list[str]:
        if not proposal["value"]:
            message = "views: at least one is required."
            raise traitlets.TraitError(message)
        return [one_of("view", view, VIEWS.names()) for view in proposal["value"]]

    @traitlets.validate("time_unit")
    def _check_unit(self, proposal: Any) -> str:
        return one_of("time unit", proposal["value"], TIME_UNITS)

    @traitlets.validate("memory_by")
    def _check_memory_by(self, proposal: Any) -> str:
        return one_of("way to draw memory", proposal["value"], CURVE_KINDS)

    @traitlets.validate("theme")
    def _check_theme(self, proposal: Any) -> str:
        return one_of("theme", proposal["value"], ("auto", "light", "dark"))

    @traitlets.validate("step")
    def _check_step(self, proposal: Any) -> str:
        try:
            return checked_pattern(proposal["value"]) or ""
        except FilterError as error:
            raise traitlets.TraitError(str(error)) from error
