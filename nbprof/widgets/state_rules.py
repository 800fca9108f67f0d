"""`StateRules`: the rules that keep the traits of the explorer consistent with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import traitlets

from nbprof.model.filters.filter import Filter
from nbprof.model.reprs import did_you_mean
from nbprof.sources.recorders import RECORDERS
from nbprof.widgets.baseline_traits import BaselineTraits
from nbprof.widgets.flame_traits import FLAME, FlameTraits
from nbprof.widgets.lane_traits import LaneTraits
from nbprof.widgets.notes import NoteTraits
from nbprof.widgets.table_traits import TableTraits
from nbprof.widgets.timeline_traits import TimelineTraits
from nbprof.widgets.traits import (
    ITEMS,
    carried,
    one_of,
)
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.widgets.session.session import Session
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
    "baseline",
    "window",
    "search",
    "timeline_workers",
    "memory_range",
    *FLAME,
)

#: Traits that select the trace on screen.
_TRACE: Final = ("run", "worker", "span")


class StateRules(
    BaselineTraits,
    LaneTraits,
    FlameTraits,
    NoteTraits,
    TableTraits,
    TimelineTraits,
):
    """Traits of the explorer, checked at assignment and kept consistent with each other.

    Both the browser and Python write them. If one change contains several traits (the browser saves
    them together), the rules are applied once for all of them.
    """

    _session: Session

    @traitlets.validate("active")
    def _check_active(self, proposal: Any) -> str:
        return one_of("view", proposal["value"], self.views)

    @traitlets.validate("group_by")
    def _check_group_by(self, proposal: Any) -> str:
        known = self._spec.all_groupings
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
        group_by = (
            self.group_by if self.group_by in spec.all_groupings else self._remembered(spec.name)
        )
        known = (*spec.keys(group_by), *(one for one in ITEMS if one not in spec.keys(group_by)))
        rows: list[dict[str, Any]] = proposal["value"]
        for row in rows:
            for column in row:
                if column not in known:
                    message = (
                        f"selection: {column!r} is not a key column of this table; key columns are "
                        f"{', '.join(spec.keys(group_by))}.{did_you_mean(column, known)}"
                    )
                    raise traitlets.TraitError(message)
        return rows

    @traitlets.validate("run")
    def _check_run(self, proposal: Any) -> str:
        return self._known("run", proposal["value"])

    @traitlets.validate("worker")
    def _check_worker(self, proposal: Any) -> str:
        return self._known("worker", proposal["value"], run=self.run)

    @traitlets.validate("timeline_workers")
    def _check_timeline_workers(self, proposal: Any) -> list[str]:
        return [self._known("worker", name, run=self.run) for name in proposal["value"]]

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
            self._settle_baseline()
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
        if seen["run"] != self.run and "timeline_workers" not in changed:
            self.timeline_workers = []
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
        """Restore the grouping of a view, and keep the selected items that all views have."""
        memory = self._groupings
        if "active" in changed:
            if seen:
                memory[seen["active"]] = seen["group_by"]
            if "group_by" not in changed or self.group_by not in self._spec.all_groupings:
                self.group_by = self._remembered(self.active)
        memory[self.active] = self.group_by
        if "selection" in changed:
            return
        if "active" in changed:
            self.selection = carried(self.selection)
        elif "group_by" in changed:
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
        return self._groupings.get(view) or VIEWS[view].default_grouping

    def _start_trace(self, run: str | None, worker: str | None, span: int | None) -> dict[str, Any]:
        """Replace missing run, worker and span by the first, so that the rest can be checked."""
        chosen: dict[str, Any] = {}
        for field, given in (("run", run), ("worker", worker), ("span", span)):
            first = next(iter(self._names(field, **chosen)), None)
            chosen[field] = first if given is None else given
        return chosen

    def _first_view(self, views: Sequence[str], chosen: Mapping[str, Any]) -> str:
        """Return the view to start with: the one that the recorder of the trace names, if any."""
        readable = self._session.available
        for file in readable.files if readable is not None else []:
            if all(getattr(file, field) == value for field, value in chosen.items()):
                recorder = RECORDERS.get(file.format)
                if recorder is not None and recorder.view in views:
                    return recorder.view
        return views[0]

    def _known(self, field: str, value: str, **chosen: Any) -> str:
        """Check a name; without a profile, any name is accepted until one is loaded."""
        known = self._names(field, **chosen)
        return one_of(field, value, known) if known else value

    def _names(self, field: str, **chosen: Any) -> list[Any]:
        """Return the existing runs, workers or spans, narrowed by given ones."""
        readable = self._session.available
        files = readable.files if readable is not None else []
        files_of_choice = [f for f in files if all(getattr(f, k) == v for k, v in chosen.items())]
        return list(dict.fromkeys(getattr(file, field) for file in files_of_choice))
