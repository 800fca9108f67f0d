"""`Explorer`: the widget that one call of `nbprof.show` draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import traitlets

from nbprof import defaults
from nbprof.export import scripts
from nbprof.export.page import expect_place
from nbprof.export.text.table import printable
from nbprof.model.filters.filter import Filter
from nbprof.profile import Profile
from nbprof.trace import Trace
from nbprof.widgets.arguments import split_options
from nbprof.widgets.kernelless import page, summary, timeline_snapshot
from nbprof.widgets.kernelless.snapshot_keeper import SnapshotKeeper
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.handlers import HANDLERS
from nbprof.widgets.requests.protocol import VIEWS
from nbprof.widgets.requests.router import Router
from nbprof.widgets.session import Session, State
from nbprof.widgets.state_rules import StateRules
from nbprof.widgets.views import figures, timeline_selection
from nbprof.widgets.views.memory import TABLES, Lens

if TYPE_CHECKING:
    import os
    from pathlib import Path

    import pyarrow as pa
    from bokeh.plotting import figure

    from nbprof.widgets.hints.failures import ViewError
    from nbprof.widgets.kernelless.static import StaticView
    from nbprof.widgets.sources import Shown


class Explorer(StateRules, anywidget.AnyWidget):
    """The views of a profile in a notebook cell, with a control panel that filters all of them.

    Made by `nbprof.show`. Its traits hold plain values and can be observed, linked and assigned;
    what is assigned shows in the browser, and what is clicked there arrives here.

    Traits: ``run``, ``worker``, ``span``, ``step`` (which annotations are the steps), ``filter``,
    ``time_range`` (the filter's, µs), ``active`` (the view on screen), ``group_by``,
    ``selection``, ``views``, ``time_unit``, ``theme``; of the timeline ``window`` (the part on
    screen, µs) and ``search`` (what is marked, by name); of memory ``memory_device``,
    ``memory_by`` and ``memory_range``; of the flame graph ``flame_by``, ``flame_order`` and
    ``flame_range``. ``snapshot`` and ``timeline_snapshot`` are what a saved notebook shows without
    a kernel.

    Parameters
    ----------
    source : path, glob, list of paths, dict of rank to path, Profile or Trace
        What to show. Where nothing can be read, the view says so and keeps the reason in `errors`.
    view : {"overview", "operators", "kernels", "timeline", "memory", "modules", "distributed"}
        The view to start with.
    run, worker : str, optional
        The first by default.
    span : int, optional
        The first by default.
    filter : Filter or dict, optional
        What to narrow everything to.
    theme : {"auto", "light", "dark"}, optional
        ``"auto"`` follows the notebook. By default `nbprof.options.theme`.
    static : bool, optional
        Whether it is drawn as HTML that needs no kernel and no saved state, and is no widget: what
        `static` gives, as the view is when it is drawn. By default `nbprof.options.renderer` says.
    **options
        Fields of `Filter`, such as ``steps=(7, 9)``, and the traits ``step``, ``group_by``,
        ``selection``, ``time_range``, ``time_unit``, ``window``, ``search``, ``memory_device``,
        ``memory_by``, ``memory_range``, ``flame_by``, ``flame_order``, ``flame_range`` and
        ``layout``.

    Raises
    ------
    TypeError
        A keyword argument is unknown; the text names the closest one.
    traitlets.TraitError
        A value cannot be used.
    """

    _esm: ClassVar[Any] = scripts.STATIC / "widget.js"
    _css: ClassVar[Any] = scripts.STATIC / "widget.css"
    #: The views that there are tabs for.
    _views: ClassVar[tuple[str, ...]] = VIEWS

    def __init__(
        self,
        source: Shown,
        *,
        view: str | None = None,
        run: str | None = None,
        worker: str | None = None,
        span: int | None = None,
        filter: Filter | dict[str, Any] | None = None,  # noqa: A002 - the trait's name
        theme: str | None = None,
        static: bool | None = None,
        **options: Any,
    ) -> None:
        named = ("view", "run", "worker", "span", "filter", "theme", "static")
        fields = split_options(options, named)
        standard = defaults.options
        self._static = standard.renderer == "static" if static is None else bool(static)
        theme = standard.theme if theme is None else theme
        options.setdefault("time_unit", standard.time_unit)
        self._session = Session(source)
        self._router = Router(self._session, HANDLERS, self._send_reply)
        self._figures: tuple[Any, dict[str, figure]] | None = None
        options.setdefault("step", self._session.step)
        given = {"active": view, **options, **self._start_trace(run, worker, span)}
        given = {name: value for name, value in given.items() if value is not None}
        given["views"] = list(self._views)
        start = self._start_filter(source, filter, fields)
        if start:
            given["filter"] = start
        super().__init__(theme=theme, **given)
        self._settle_all()
        self._session.on_refresh.append(self._settle_all)
        self._session.on_timeline.append(self._keep_timeline)
        self._keeper = SnapshotKeeper(self)
        self._router.on_answer.append(self._keeper.answered)
        self.on_msg(_answer)
        if self._session.failure is not None:
            self._router.record("show", self._session.failure)

    @property
    def profile(self) -> Profile | None:
        """The profile behind the view; None for a view of a single `Trace`, or without any."""
        readable = self._session.available
        return readable if isinstance(readable, Profile) else None

    @property
    def trace(self) -> Trace:
        """The trace on screen, narrowed to the filter on screen.

        Raises
        ------
        TraceNotFoundError, TraceFormatError
            There is none.
        """
        return self._session.trace(self._state())

    @property
    def table(self) -> pa.Table:
        """The whole table behind the active view: of the timeline ``slices``, else of its name.

        Of the workers of a run it is ``distributed_ops``.

        Of memory it is the one of its tables that ``group_by`` names, narrowed to what is shown.
        """
        if self.active == "timeline":
            return self._session.table(self._state(), "slices")
        if self.active == "distributed":
            return self._session.table(self._state(), "distributed_ops")
        if self.active == "memory":
            return self._lens().table(self._session, self._state(), TABLES[self.group_by])
        return self._session.table(self._state(), self.active, self.group_by)

    @property
    def selected(self) -> pa.Table:
        """The rows of `table` that are selected; of an area of the timeline ``slice_summary``."""
        if self.active == "timeline":
            return timeline_selection.selected(self.trace, self.group_by, self.selection)
        return pages.matching_rows(self.table, self.selection)

    @property
    def figures(self) -> dict[str, figure]:
        """The Bokeh figures of the active view by name, free to restyle, embed and save."""
        theme = "dark" if self.theme == "dark" else "light"
        look = figures.Look(theme=theme, unit=self.time_unit, memory=self._lens())
        key = (self._state(), self.active, look)
        kept = self._figures
        if kept is None or kept[0] != key:
            kept = key, figures.draw(self._session, key[0], self.active, look)
            self._figures = kept
        return kept[1]

    @property
    def figure(self) -> figure | None:
        """The main chart of the active view; None where there is nothing to draw."""
        drawn = self.figures
        name = figures.main_name(self.active, drawn)
        return None if name is None else drawn[name]

    @property
    def errors(self) -> list[ViewError]:
        """What went wrong in this view so far, the last one last."""
        return self._router.errors

    def static(self) -> StaticView:
        """Return the summary of what is shown as HTML and text, reading the trace if need be.

        As the last expression of a cell, it is drawn like a view and outlives the kernel: in a
        notebook that is reopened, exported, or read by someone who does not trust it. It has the
        run, worker, span and filter of the view, its theme and its unit of time.
        """
        return summary.static_view(self._session, self._state(), self._form())

    def to_html(self, path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Path:
        """Write what is shown as one page that needs neither Python nor a network.

        Its views can be sorted, searched and grouped, its timeline moved; steps and name of the
        filter can be changed, and tables follow as far as that can be added up. Everything else of
        the filter stays. What did not fit, or needs Python, is said on the page.

        Parameters
        ----------
        path : path
            The file, which is replaced.
        max_bytes : int, optional
            What it may take; by default `nbprof.options.page_bytes`, 5 MB.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        PageError
            The size leaves no room.
        OSError
            It cannot be written there.
        """
        expect_place(path)
        most = defaults.options.page_bytes if max_bytes is None else max_bytes
        traits = {name: getattr(self, name) for name in StateRules.class_trait_names(sync=True)}
        return page.write_page(path, page.page_html(self._session, self._state(), traits, most))

    def open(self) -> None:
        """Open the line to the browser; a static view needs none."""
        if not self._static:
            super().open()

    def refresh(self) -> None:
        """Look for files that have come, changed or gone, and show them."""
        self._session.refresh()

    def close(self) -> None:
        """Remove the view from the page and let go of its tables."""
        session = getattr(self, "_session", None)  # absent when the arguments were refused
        if session is not None:
            self._keeper.close()
            session.close()
            self._figures = None
        super().close()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over what the browser changed; what cannot be used is told there and undone."""
        try:
            super().set_state(sync_data)
        except traitlets.TraitError as error:
            self._router.complain("traits", error)
            self.send_state([name for name in sync_data if name in self.keys])

    def _keep_timeline(self, state: State, group_by: str) -> None:
        """Keep what the timeline shows without a kernel, of the trace and the lanes on screen."""
        trace = self._session.trace(state)
        on_screen = (self.run, self.worker, self.span, self._remembered("timeline"))
        if (trace.run, trace.worker, trace.span, group_by) == on_screen:
            made = timeline_snapshot.snapshot(self._session, state, group_by)
            fits = defaults.options.snapshot_bytes > timeline_snapshot.MAX_BYTES
            self.timeline_snapshot = made if fits else b""

    def _keep_scripts(self) -> None:
        """Keep what shows a snapshot, before there is one."""
        names = (scripts.OFFLINE, *self.views)
        if not self._scripts.keys() >= set(names):
            self._scripts = {name: scripts.compressed(name) for name in names}

    def _state(self) -> State:
        return State(self.run, self.worker, self.span, Filter.from_dict(self.filter), self.step)

    def _lens(self) -> Lens:
        brushed = self.memory_range
        range_us = None if brushed is None else (brushed[0], brushed[1])
        return Lens(self.memory_device, range_us, by=self.memory_by)

    def _send_reply(self, message: dict[str, Any], buffers: list[bytes]) -> None:
        self.send(message, buffers)

    def _start_trace(self, run: str | None, worker: str | None, span: int | None) -> dict[str, Any]:
        """Put the first that there is for what is not given, so that the rest can be checked."""
        chosen: dict[str, Any] = {}
        for field, given in (("run", run), ("worker", worker), ("span", span)):
            first = next(iter(self._names(field, **chosen)), None)
            chosen[field] = first if given is None else given
        return chosen

    def _start_filter(
        self, source: Shown, given: Filter | dict[str, Any] | None, fields: dict[str, Any]
    ) -> Any:
        """Put the fields over the filter, and that over the one of what is shown."""
        if given is None:
            given = source.active_filter if isinstance(source, (Profile, Trace)) else Filter()
        plain = given.to_dict() if isinstance(given, Filter) else given
        return {**plain, **fields} if fields and isinstance(plain, dict) else plain

    def __repr__(self) -> str:
        """Return one line: what is shown, and where."""
        if self._session.available is None:
            return f"<nbprof.{type(self).__name__}: {self._session.failure or 'closed'}>"
        filters = ", ".join(text for _, text in Filter.from_dict(self.filter).describe())
        narrowed = f", {filters}" if filters else ""
        where = f"{self.run} · {self.worker} · span {self.span}"
        return printable(f"<nbprof.{type(self).__name__} {where}: {self.active}{narrowed}>")

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Return the widget, with its summary as HTML and text for readers without one."""
        if self._static and summary.in_kernel():
            return self._fallback()._repr_mimebundle_()
        bundle = None if self._static else super()._repr_mimebundle_(**kwargs)
        if bundle is None or not summary.in_kernel():
            return {"text/plain": repr(self)}
        self._keeper.shown()
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, **self._fallback()._repr_mimebundle_()}, metadata

    def _fallback(self) -> StaticView:
        try:
            at_once = not self._static
            return summary.static_view(self._session, self._state(), self._form(), at_once=at_once)
        except Exception as error:  # noqa: BLE001 - a cell output without a summary still shows the view
            return summary.words(str(self._router.record("summary", error)), self._form())

    def _form(self) -> summary.Form:
        return summary.Form(self._views, self.theme, self.time_unit)


def _answer(view: Explorer, content: Any, buffers: list[Any]) -> None:  # noqa: ARG001
    view._router.handle(content)  # noqa: SLF001 - a bound method would keep the view alive
