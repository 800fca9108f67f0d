"""The traits of the views, and the rules that hold between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import traitlets

from nbprof.model.errors import FilterError
from nbprof.model.filters.filter import Filter
from nbprof.model.steps.step_choice import checked_pattern
from nbprof.widgets.arguments import closest
from nbprof.widgets.flame_traits import FLAME, FlameTraits
from nbprof.widgets.requests.protocol import VIEWS
from nbprof.widgets.traits import FilterTrait, SelectionTrait, TimeRangeTrait, WindowTrait
from nbprof.widgets.views import groupings, timeline_selection
from nbprof.widgets.views.memory import WAYS

if TYPE_CHECKING:
    from nbprof.widgets.session import Session

#: Traits that depend on each other.
_RELATED: Final = (
    "run",
    "worker",
    "span",
    "step",
    "filter",
    "time_range",
    "active",
    "group_by",
    "selection",
    "window",
    "search",
    "memory_range",
    *FLAME,
)

#: Traits that say which trace is on screen.
_TRACE: Final = ("run", "worker", "span")


class StateRules(FlameTraits):
    """Traits of the explorer, checked at assignment and kept consistent with each other.

    The browser and Python both write them. Where one change carries several (the browser saves
    them together), the rules are applied once, to all of them.
    """

    _session: Session

    run = traitlets.Unicode().tag(sync=True)
    """Name of the run on screen; empty without any profile."""

    worker = traitlets.Unicode().tag(sync=True)
    """Name of the worker on screen."""

    span = traitlets.Int(0).tag(sync=True)
    """Number of the span on screen, from 1; 0 without any profile."""

    step = traitlets.Unicode("").tag(sync=True)
    """Which annotations are the steps, where `prof.step()` was not called: a part of their names,
    or ``/regular expression/``, as for `nbprof.load`. Empty for the steps that were recorded, or
    the whole recording; so is a trace in which nothing matches."""

    filter = FilterTrait().tag(sync=True)
    """What everything is narrowed to: a dict of the fields of `Filter` that are set, lists for
    ranges. A `Filter` may be assigned. Assign a new dict; one that is changed in place is not
    noticed."""

    active = traitlets.Unicode("overview").tag(sync=True)
    """The view on screen: overview, operators, kernels, timeline, memory or modules."""

    group_by = traitlets.Unicode("").tag(sync=True)
    """How the table of the active view is grouped, how the timeline makes its lanes, or which table
    of the memory view is meant: operators, events, holders or components; each view remembers its
    own."""

    selection = SelectionTrait().tag(sync=True, echo_update=False)
    """Rows of the table that are selected, as dicts from its key columns to values. In the timeline
    slices, ``[{"side": "host", "row": 7}]``, or an area, one range of time over some lanes:
    ``[{"lane": "gpu:0:7", "start_us": 10, "end_us": 20}]``; without ``lane`` over all of them."""

    time_range = TimeRangeTrait(allow_none=True).tag(sync=True, echo_update=False)
    """``[first, last]`` in microseconds, or None; the same as ``filter["time_us"]``."""

    window = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """The part of the timeline on screen, ``[first, last]`` in microseconds from the first event;
    None for everything."""

    search = traitlets.Unicode("").tag(sync=True)
    """What the timeline and the modules view mark: names that hold a text, or match a
    ``/regular expression/``."""

    timeline_snapshot = traitlets.Bytes(b"").tag(sync=True, echo_update=False)
    """What the timeline shows without a kernel, at most 512 kB; set once it has been drawn. An
    Arrow stream whose schema metadata ``nbprof`` says what it holds."""

    snapshot = traitlets.Bytes(b"").tag(sync=True, echo_update=False)
    """What is shown without a kernel in a saved notebook: tables and flame graphs. Set when the
    view is shown, or once its trace has been read; of what the filter leaves. With
    ``timeline_snapshot`` it takes at most ``nbprof.options.snapshot_bytes``; what shows it comes on
    top of that, at most 400 kB."""

    _scripts = traitlets.Dict().tag(sync=True, echo_update=False)
    """The scripts that show ``snapshot`` without a kernel, compressed, by their names; set with it,
    once. Where there is a kernel the browser asks for what it needs."""

    memory_device = traitlets.Unicode("").tag(sync=True)
    """Whose memory is shown: ``"gpu:0"``, ``"cpu"``, or ``"all"`` for the curves of all devices,
    one over the other; empty, or one that the trace does not have, for the first that computes."""

    memory_by = traitlets.Unicode("operator").tag(sync=True)
    """What the memory curve is drawn of: operator (all that is in use and reserved) or component
    (each part of the software, where the trace tells them)."""

    memory_range = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """The part of the memory curve that is brushed, ``[first, last]`` in microseconds; the tables
    of the memory view are narrowed to it, nothing else is. None for everything."""

    time_unit = traitlets.Unicode("auto").tag(sync=True)
    """Unit of times on screen: auto, us, ms or s."""

    theme = traitlets.Unicode("auto").tag(sync=True)
    """Colours: auto (those of the notebook), light or dark."""

    views = traitlets.List(traitlets.Unicode(), list(VIEWS)).tag(sync=True)
    """The views that there are tabs for; with one view there are no tabs."""

    @traitlets.validate("active")
    def _check_active(self, proposal: Any) -> str:
        return _one_of("view", proposal["value"], self.views)

    @traitlets.validate("views")
    def _check_views(self, proposal: Any) -> list[str]:
        if not proposal["value"]:
            message = "views: at least one is needed."
            raise traitlets.TraitError(message)
        return [_one_of("view", view, VIEWS) for view in proposal["value"]]

    @traitlets.validate("time_unit")
    def _check_unit(self, proposal: Any) -> str:
        return _one_of("time unit", proposal["value"], ("auto", "us", "ms", "s"))

    @traitlets.validate("memory_by")
    def _check_memory_by(self, proposal: Any) -> str:
        return _one_of("way to draw memory", proposal["value"], WAYS)

    @traitlets.validate("theme")
    def _check_theme(self, proposal: Any) -> str:
        return _one_of("theme", proposal["value"], ("auto", "light", "dark"))

    @traitlets.validate("group_by")
    def _check_group_by(self, proposal: Any) -> str:
        known = groupings.groupings_of(self.active)
        value: str = proposal["value"]
        if not known and value:
            message = f"group_by: the {self.active} view is not grouped; leave it empty."
            raise traitlets.TraitError(message)
        return _one_of("grouping", value, known) if value else next(iter(known), "")

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[dict[str, Any]]:
        if self.active == "timeline":
            return timeline_selection.check(proposal["value"])
        ways = groupings.groupings_of(self.active)
        group_by = self.group_by if self.group_by in ways else self._remembered(self.active)
        known = groupings.keys(self.active, group_by)
        rows: list[dict[str, Any]] = proposal["value"]
        for row in rows:
            for column in row:
                if column not in known:
                    message = (
                        f"selection: {column!r} is no key column of this table; "
                        f"those are {', '.join(known)}.{closest(column, known)}"
                    )
                    raise traitlets.TraitError(message)
        return rows

    @traitlets.validate("run")
    def _check_run(self, proposal: Any) -> str:
        return self._known("run", proposal["value"])

    @traitlets.validate("step")
    def _check_step(self, proposal: Any) -> str:
        try:
            return checked_pattern(proposal["value"]) or ""
        except FilterError as error:
            raise traitlets.TraitError(str(error)) from error

    @traitlets.validate("worker")
    def _check_worker(self, proposal: Any) -> str:
        return self._known("worker", proposal["value"], run=self.run)

    @traitlets.validate("span")
    def _check_span(self, proposal: Any) -> int:
        spans = self._names("span", run=self.run, worker=self.worker)
        if spans and proposal["value"] not in spans:
            message = (
                f"There is no span {proposal['value']}; there is {', '.join(map(str, spans))}."
            )
            raise traitlets.TraitError(message)
        value: int = proposal["value"]
        return value

    @traitlets.observe(*_RELATED)
    def _related_changed(self, change: Any) -> None:  # noqa: ARG002 - traitlets' signature
        # While several traits are set at once, and while rules are applied, there is nothing to
        # do yet: the first of the notifications that come afterwards sees all of them.
        if getattr(self, "_seen", None) is not None and not self._settling:
            self._settle_all()

    _settling = False
    _seen: dict[str, Any] | None = None

    def _settle_all(self) -> None:
        """Apply all rules to what has changed since they were applied last."""
        seen = self._seen or {}
        changed = {name for name in _RELATED if seen.get(name) != getattr(self, name)}
        self._settling = True
        try:
            self._settle_trace()
            self._settle_step(changed, seen)
            self._settle_timeline(changed, seen)
            self._settle_flame(changed)
            self._settle_range(changed)
            self._settle_table(changed, seen)
        finally:
            self._settling = False
        self._seen = {name: getattr(self, name) for name in _RELATED}

    def _settle_trace(self) -> None:
        """Take the first run, worker and span where those on screen are not there."""
        for name, chosen in (("run", ()), ("worker", ("run",)), ("span", ("run", "worker"))):
            known = self._names(name, **{field: getattr(self, field) for field in chosen})
            if known and getattr(self, name) not in known:
                setattr(self, name, known[0])

    def _settle_step(self, changed: set[str], seen: dict[str, Any]) -> None:
        """Drop what was about other steps: the filter by their numbers, and what is kept."""
        if not seen or "step" not in changed:
            return
        self.timeline_snapshot = self.snapshot = b""
        if "filter" not in changed and "steps" in self.filter:
            self.filter = Filter.from_dict(self.filter).replace(steps=None)

    def _settle_timeline(self, changed: set[str], seen: dict[str, Any]) -> None:
        """Start anew in another trace, whose times, names and rows are others."""
        shown_before = bool(seen.get("span"))
        if not shown_before or all(seen[name] == getattr(self, name) for name in _TRACE):
            return
        self.timeline_snapshot = self.snapshot = b""
        if "window" not in changed:
            self.window = None
        if "search" not in changed:
            self.search = ""
        if "memory_range" not in changed:
            self.memory_range = None
        if self.active == "timeline" and "selection" not in changed:
            self.selection = []

    def _settle_range(self, changed: set[str]) -> None:
        """Keep `time_range` and the filter's time range the same; the filter wins."""
        in_filter = self.filter.get("time_us")
        if in_filter == self.time_range:
            return
        first_time = self._seen is None
        wins = "filter" in changed and not (first_time and in_filter is None)
        if wins or "time_range" not in changed:
            self.time_range = in_filter
        else:
            self.filter = Filter.from_dict(self.filter).replace(time_us=self.time_range)

    def _settle_table(self, changed: set[str], seen: dict[str, Any]) -> None:
        """Give each view the grouping it had; a selection belongs to one table."""
        memory = self._groupings
        if "active" in changed:
            if seen:
                memory[seen["active"]] = seen["group_by"]
            known = groupings.groupings_of(self.active)
            if "group_by" not in changed or self.group_by not in known:
                self.group_by = self._remembered(self.active)
        memory[self.active] = self.group_by
        if changed & {"active", "group_by"} and "selection" not in changed:
            self.selection = []

    @property
    def _groupings(self) -> dict[str, str]:
        """The grouping that each view had last."""
        memory: dict[str, str] = self.__dict__.setdefault("_group_memory", {})
        return memory

    def _remembered(self, view: str) -> str:
        return self._groupings.get(view) or next(iter(groupings.groupings_of(view)), "")

    def _known(self, field: str, value: str, **chosen: Any) -> str:
        """Check a name; without any profile every name waits for one to come."""
        known = self._names(field, **chosen)
        return _one_of(field, value, known) if known else value

    def _names(self, field: str, **chosen: Any) -> list[Any]:
        """Return the runs, workers or spans that there are, narrowed to some."""
        readable = self._session.available
        files = readable.files if readable is not None else []
        kept = [f for f in files if all(getattr(f, k) == v for k, v in chosen.items())]
        return list(dict.fromkeys(getattr(file, field) for file in kept))


def _one_of(what: str, value: Any, known: Any) -> str:
    if value not in known:
        listed = ", ".join(known) or "none"
        message = f"There is no {what} {value!r}; there is {listed}.{closest(value, known)}"
        raise traitlets.TraitError(message)
    return str(value)
