"""`StateRules`: the traits of the explorer, and the rules that keep them consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import traitlets

from nbprof.model.errors import FilterError
from nbprof.model.filters.filter import Filter
from nbprof.model.reprs import did_you_mean
from nbprof.model.steps.step_choice import checked_pattern
from nbprof.widgets.flame_traits import FLAME, FlameTraits
from nbprof.widgets.traits import FilterTrait, SelectionTrait, TimeRangeTrait, WindowTrait
from nbprof.widgets.views.memory.memory_selection import WAYS
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from nbprof.widgets.session import Session
    from nbprof.widgets.views.spec import ViewSpec

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

#: Traits that select the trace on screen.
_TRACE: Final = ("run", "worker", "span")


class StateRules(FlameTraits):
    """Traits of the explorer, checked at assignment and kept consistent with each other.

    Both the browser and Python write them. If one change contains several traits (the browser saves
    them together), the rules are applied once for all of them.
    """

    _session: Session

    run = traitlets.Unicode().tag(sync=True)
    """Name of the run on screen; empty without any profile."""

    worker = traitlets.Unicode().tag(sync=True)
    """Name of the worker on screen."""

    span = traitlets.Int(0).tag(sync=True)
    """Number of the span on screen, from 1; 0 without any profile."""

    step = traitlets.Unicode("").tag(sync=True)
    """Annotations to use as steps if `prof.step()` was not called: a part of their names, or "
    "``/regular expression/``, as for `nbprof.load`. If empty, or if nothing matches, the recorded "
    "steps or the whole recording are used."""

    filter = FilterTrait().tag(sync=True)
    """The filter: a dict of the fields of `Filter` that are set, with lists for ranges. A "
    "`Filter` may be assigned. Assign a new dict; changes in place are not noticed."""

    active = traitlets.Unicode().tag(sync=True)
    """Name of the view on screen."""

    group_by = traitlets.Unicode("").tag(sync=True)
    """Grouping of the active view's table or of the timeline's lanes, or the table of the memory "
    "view: operators, events, holders or components. Each view remembers its own."""

    selection = SelectionTrait().tag(sync=True, echo_update=False)
    """Rows of the table that are selected, as dicts from its key columns to values. In the timeline
    slices, ``[{"side": "host", "row": 7}]``, or an area, one range of time over some lanes:
    ``[{"lane": "gpu:0:7", "start_us": 10, "end_us": 20}]``; without ``lane`` over all of them."""

    time_range = TimeRangeTrait(allow_none=True).tag(sync=True, echo_update=False)
    """``[first, last]`` in microseconds, or None; the same as ``filter["time_us"]``."""

    window = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """Part of the timeline on screen, ``[first, last]`` in microseconds from the first event;
    None for everything."""

    search = traitlets.Unicode("").tag(sync=True)
    """Search of the timeline and the modules view: marks names that contain a text or match a "
    "``/regular expression/``."""

    snapshot = traitlets.Bytes(b"").tag(sync=True, echo_update=False)
    """What is shown without a kernel in a saved notebook: tables, flame graphs and the timeline.
    Set when the view is shown, or once its trace has been read; of what the filter leaves. It takes
    at most ``nbprof.options.snapshot_bytes``; its scripts come on top of that, at most 400 kB."""

    _scripts = traitlets.Dict().tag(sync=True, echo_update=False)
    """The scripts that show ``snapshot`` without a kernel, compressed, by their names; set with it,
    once. Where there is a kernel the browser asks for what it needs."""

    memory_device = traitlets.Unicode("").tag(sync=True)
    """Device whose memory is shown: ``"gpu:0"``, ``"cpu"``, or ``"all"`` for the curves of all "
    "devices. If empty or unknown to the trace, the first device that computes."""

    memory_by = traitlets.Unicode("operator").tag(sync=True)
    """Curves of the memory view: operator (memory in use and reserved) or component (each "
    "software component, if recorded)."""

    memory_range = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """Brushed part of the memory curve, ``[first, last]`` in microseconds. It narrows only the "
    "tables of the memory view. None for everything."""

    time_unit = traitlets.Unicode("auto").tag(sync=True)
    """Unit of times on screen: auto, us, ms or s."""

    theme = traitlets.Unicode("auto").tag(sync=True)
    """Theme: auto (that of the notebook), light or dark."""

    views = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of the views with tabs; a single view has none."""

    tabs = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Data about each view for the browser: name, title, first grouping, script and tables."""

    @traitlets.validate("active")
    def _check_active(self, proposal: Any) -> str:
        return one_of("view", proposal["value"], self.views)

    @traitlets.validate("views")
    def _check_views(self, proposal: Any) -> list[str]:
        if not proposal["value"]:
            message = "views: at least one is required."
            raise traitlets.TraitError(message)
        return [one_of("view", view, VIEWS.names()) for view in proposal["value"]]

    @traitlets.validate("time_unit")
    def _check_unit(self, proposal: Any) -> str:
        return one_of("time unit", proposal["value"], ("auto", "us", "ms", "s"))

    @traitlets.validate("memory_by")
    def _check_memory_by(self, proposal: Any) -> str:
        return one_of("way to draw memory", proposal["value"], WAYS)

    @traitlets.validate("theme")
    def _check_theme(self, proposal: Any) -> str:
        return one_of("theme", proposal["value"], ("auto", "light", "dark"))

    @traitlets.validate("group_by")
    def _check_group_by(self, proposal: Any) -> str:
        known = self._spec.ways
        value: str = proposal["value"]
        if not known and value:
            message = f"group_by: the {self.active} view is not grouped; leave it empty."
            raise traitlets.TraitError(message)
        return one_of("grouping", value, known) if value else next(iter(known), "")

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[dict[str, Any]]:
        spec = self._spec
        if spec.check_selection is not None:
            return spec.check_selection(proposal["value"])
        group_by = self.group_by if self.group_by in spec.ways else self._remembered(spec.name)
        known = spec.keys(group_by)
        rows: list[dict[str, Any]] = proposal["value"]
        for row in rows:
            for column in row:
                if column not in known:
                    message = (
                        f"selection: {column!r} is not a key column of this table; key columns are "
                        f"{', '.join(known)}.{did_you_mean(column, known)}"
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
        # While several traits are set at once or rules are being applied, do nothing: the first
        # notification afterwards sees all changes.
        if getattr(self, "_seen", None) is not None and not self._settling:
            self._settle_all()

    _settling = False
    _seen: dict[str, Any] | None = None

    def _settle_all(self) -> None:
        """Apply all rules to the traits that changed since the last time."""
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
        """Select the first run, worker and span if those on screen no longer exist."""
        for name, chosen in (("run", ()), ("worker", ("run",)), ("span", ("run", "worker"))):
            known = self._names(name, **{field: getattr(self, field) for field in chosen})
            if known and getattr(self, name) not in known:
                setattr(self, name, known[0])

    def _settle_step(self, changed: set[str], seen: dict[str, Any]) -> None:
        """Clear state that referred to other steps: step filters, and saved data."""
        if not seen or "step" not in changed:
            return
        self.snapshot = b""
        if "filter" not in changed and "steps" in self.filter:
            self.filter = Filter.from_dict(self.filter).replace(steps=None)

    def _settle_timeline(self, changed: set[str], seen: dict[str, Any]) -> None:
        """Reset the timeline for another trace, which has other times, names and rows."""
        shown_before = bool(seen.get("span"))
        if not shown_before or all(seen[name] == getattr(self, name) for name in _TRACE):
            return
        self.snapshot = b""
        if "window" not in changed:
            self.window = None
        if "search" not in changed:
            self.search = ""
        if "memory_range" not in changed:
            self.memory_range = None
        if self._spec.selects_in_trace and "selection" not in changed:
            self.selection = []

    def _settle_range(self, changed: set[str]) -> None:
        """Keep `time_range` and the filter's time range equal; the filter wins."""
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
        """Restore the last grouping of each view, and clear a selection of another table."""
        memory = self._groupings
        if "active" in changed:
            if seen:
                memory[seen["active"]] = seen["group_by"]
            if "group_by" not in changed or self.group_by not in self._spec.ways:
                self.group_by = self._remembered(self.active)
        memory[self.active] = self.group_by
        if changed & {"active", "group_by"} and "selection" not in changed:
            self.selection = []

    @property
    def _spec(self) -> ViewSpec:
        """The view on screen."""
        return VIEWS[self.active]

    @property
    def _groupings(self) -> dict[str, str]:
        """The last grouping of each view."""
        memory: dict[str, str] = self.__dict__.setdefault("_group_memory", {})
        return memory

    def _remembered(self, view: str) -> str:
        return self._groupings.get(view) or VIEWS[view].first_way

    def _known(self, field: str, value: str, **chosen: Any) -> str:
        """Check a name; without a profile, any name is accepted until one is loaded."""
        known = self._names(field, **chosen)
        return one_of(field, value, known) if known else value

    def _names(self, field: str, **chosen: Any) -> list[Any]:
        """Return the existing runs, workers or spans, narrowed by given ones."""
        readable = self._session.available
        files = readable.files if readable is not None else []
        kept = [f for f in files if all(getattr(f, k) == v for k, v in chosen.items())]
        return list(dict.fromkeys(getattr(file, field) for file in kept))


def one_of(what: str, value: Any, known: Any) -> str:
    """Return a known value; raise TraitError with the closest name for any other."""
    if value not in known:
        listed = ", ".join(known) or "none"
        message = f"There is no {what} {value!r}; there is {listed}.{did_you_mean(value, known)}"
        raise traitlets.TraitError(message)
    return str(value)
