"""`Explorer`: the widget that one call of `nbprof.show` draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

import anywidget
import traitlets

from nbprof import defaults
from nbprof.export import scripts
from nbprof.model.filters.filter import Filter
from nbprof.model.signatures import named_keywords
from nbprof.model.visible_text import printable
from nbprof.profiles import Profile
from nbprof.widgets.arguments import ViewOptions, initial_filter, split_options
from nbprof.widgets.baseline_traits import compare
from nbprof.widgets.downloads.chart_files import ChartFiles
from nbprof.widgets.downloads.page_writer import PageFile
from nbprof.widgets.notes import notes_of
from nbprof.widgets.requests.handlers import operations
from nbprof.widgets.requests.router import Router
from nbprof.widgets.saved import summary
from nbprof.widgets.saved.notes import lines_of
from nbprof.widgets.saved.state_saver import StateSaver
from nbprof.widgets.session.align import Align
from nbprof.widgets.session.session import Session
from nbprof.widgets.session.shown_diff import FIRST_VIEW, as_diff, session_of
from nbprof.widgets.session.state import State
from nbprof.widgets.state_rules import StateRules
from nbprof.widgets.traits import one_of
from nbprof.widgets.views.drawing import figures
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.memory.memory_selection import Lens
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.tabs import tabs_of
from nbprof.widgets.watching.watcher import Watcher

if TYPE_CHECKING:
    import pyarrow as pa
    from bokeh.plotting import figure
    from typing_extensions import Unpack

    from nbprof.diffs.diff import Diff
    from nbprof.trace import Trace
    from nbprof.widgets.hints.failures import ViewError
    from nbprof.widgets.saved.static import StaticView
    from nbprof.widgets.session.profile_source import Shown
    from nbprof.widgets.views.spec import ViewSpec


class Explorer(ChartFiles, PageFile, StateRules, anywidget.AnyWidget):
    """The views of a profile in a notebook cell, with a control panel that filters all of them.

    Created by `nbprof.show`. Its traits are plain values that can be observed, linked and assigned.
    Assigned values are shown in the browser, and changes made there set the traits.

    Traits: ``run``, ``worker``, ``span``, ``step`` (which annotations are the steps), ``baseline``
    (the trace to compare with), ``filter``, ``time_range`` (the filter's, µs), ``active`` (the view
    on screen), ``group_by``, ``selection``, ``views``, ``time_unit``, ``top`` (slices of a donut),
    ``theme``, ``column_widths``, ``averages_by`` (the grouping of PyTorch's table); of the timeline
    ``window`` (the part on screen, µs), ``search`` (what is marked, by name), ``notes``, ``lanes``
    (how its lanes are arranged), ``timeline_height``, ``timeline_align`` (what two runs are aligned
    at); of memory ``memory_device``, ``memory_by`` and ``memory_range``; of the flame graph
    ``flame_by``, ``flame_order`` and ``flame_range``. ``snapshot`` is what a saved notebook shows
    without a kernel.

    Parameters
    ----------
    source : path, glob, list of paths, dict of rank to path, Profile, Trace or Diff
        What to show. If nothing can be read, the view says so and keeps the reason in `errors`.
    view : str, optional
        Name of the view to start with; by default the first.
    run, worker : str, optional
        The first by default.
    span : int, optional
        The first by default.
    filter : Filter or dict, optional
        The filter to start with.
    theme : {"auto", "light", "dark"}, optional
        ``"auto"`` follows the notebook. By default `nbprof.options.theme`.
    static : bool, optional
        Whether it is drawn as HTML, as `static` returns it, instead of a widget. By default as
        `nbprof.options.renderer` says.
    private : bool, optional
        Whether the paths of Python frames are shortened to their package, as in `nbprof.show`.
    watch : bool, optional
        Whether the view refreshes itself when files arrive or change, as in `nbprof.show`.
    **keywords
        Fields of `Filter`, such as ``steps=(7, 9)``, and traits, such as ``search="conv"``.

    Raises
    ------
    TypeError
        A keyword argument is unknown; the text names the closest one.
    traitlets.TraitError
        A value cannot be used.
    """

    # As text: anywidget watches paths for changes, and its callbacks would keep every view alive.
    _esm: ClassVar[Any] = scripts.core("widget.js")
    _css: ClassVar[Any] = scripts.core("widget.css")
    #: Views with tabs; all if empty.
    _views: ClassVar[tuple[ViewSpec, ...]] = ()
    _watcher: Watcher | None = None
    #: The layout that ipywidgets made for this view; None for one that the caller gave.
    _own_layout: Any = None

    @named_keywords(ViewOptions)
    def __init__(
        self,
        source: Shown | Diff,
        *,
        view: str | None = None,
        run: str | None = None,
        worker: str | None = None,
        span: int | None = None,
        filter: Filter | dict[str, Any] | None = None,  # noqa: A002 - the trait's name
        theme: str | None = None,
        static: bool | None = None,
        private: bool | None = None,
        watch: bool = False,
        **keywords: Unpack[ViewOptions],
    ) -> None:
        diff = as_diff(source)
        named = ("view", "run", "worker", "span", "filter", "theme", "static", "private", "watch")
        fields, options = split_options(keywords, named)
        tabs = tabs_of(self._views or VIEWS.specs())
        views = [tab["name"] for tab in tabs]
        if view is not None:
            view = one_of("view", view, views)
        elif diff is not None and FIRST_VIEW in views:
            view = FIRST_VIEW
        self._view_names = tuple(views)
        standard = defaults.options
        self._static = standard.renderer == "static" if static is None else bool(static)
        theme = standard.theme if theme is None else theme
        options.setdefault("time_unit", standard.time_unit)
        private = standard.private if private is None else bool(private)
        if diff is None:
            session = Session(source, private)
            options["baseline"] = compare(session, options.get("baseline"))
        else:
            source = diff.candidate  # with its filter
            session = session_of(diff, private, options)
            run, worker, span = run or source.run, worker or source.worker, span or source.span
        self._session = session
        self._router = Router(self._session, operations(), self._send_reply)
        self._saver = StateSaver(self)
        self._figures: tuple[Any, dict[str, figure]] | None = None
        options.setdefault("step", self._session.step)
        # the trace first: notes are on the one on screen if they name none
        first = self._start_trace(run, worker, span)
        given = {**first, "active": view or self._first_view(views, first), **options}
        # None is what arguments are by default, but all slices of a donut.
        given = {k: value for k, value in given.items() if value is not None or k == "top"}
        given["views"] = views
        given["tabs"] = tabs
        start = initial_filter(source, filter, fields)
        given |= {"filter": start} if start else {}
        given["model_id"] = given["_connection"] = uuid4().hex
        super().__init__(theme=theme, **given)
        if "layout" not in given:
            self._own_layout = self._trait_values.get("layout")  # none where nothing is sent
        self._settle_all()
        self._session.on_refresh += [self._settle_all, self._router.tell_refreshed]
        self._session.on_swap += [self._follow_swap, lambda _: self._router.tell_refreshed()]
        if run is None and worker is None and span is None:
            # A file that turns out to be unreadable gives way to the next one.
            self._session.on_unreadable.append(self._settle_all)
        self._router.on_answer.append(self._saver.save_when_idle)
        self._session.traits = self._plain_traits
        self.on_msg(_answer)
        if self._session.failure is not None:
            self._router.record("show", self._session.failure)
        if watch and not self._static:
            self._watcher = Watcher(self)

    @property
    def profile(self) -> Profile | None:
        """The profile behind the view; None for a single `Trace` or without any."""
        readable = self._session.available
        return readable if isinstance(readable, Profile) else None

    @property
    def trace(self) -> Trace:
        """The trace on screen under the filter on screen.

        Raises
        ------
        TraceNotFoundError, TraceFormatError
            There is none.
        """
        return self._session.trace(self._state())

    @property
    def table(self) -> pa.Table:
        """The whole table behind the active view, grouped as on screen.

        For the timeline it is ``slices``, for the workers of a run ``distributed_ops``. For memory
        it is the table that ``group_by`` names, narrowed to what is shown.
        """
        return self._spec.read(self._screen, self.group_by, self._look)

    @property
    def selected(self) -> pa.Table:
        """The selected rows of `table`; for an area of the timeline ``slice_summary``."""
        read = self._spec.read_selected
        return read(self._screen, self.group_by, self._look, self.selection)

    @property
    def figures(self) -> dict[str, figure]:
        """The Bokeh figures of the active view by name, free to restyle, embed and save."""
        look = self._look
        key = (self._state(), self.active, look)
        kept = self._figures
        if kept is None or kept[0] != key:
            kept = key, figures.draw(self._spec, self._screen, look)
            self._figures = kept
        return kept[1]

    @property
    def figure(self) -> figure | None:
        """The main chart of the active view; None if there is nothing to draw."""
        return figures.main_figure(self._spec, self.figures)

    @property
    def view(self) -> str:
        """The view on screen: the same as the trait ``active``."""
        return str(self.active)

    @view.setter
    def view(self, name: str) -> None:
        """Show another view."""
        self.active = name

    @property
    def errors(self) -> list[ViewError]:
        """The errors of this view so far, oldest first."""
        return self._router.errors

    def static(self) -> StaticView:
        """Return a summary of what is shown as HTML and text, reading the trace if needed.

        As the last expression of a cell it is drawn like a view and does not need the kernel: it is
        still shown in a notebook that is reopened, exported or not trusted. It uses the run,
        worker, span, filter, theme and time unit of the view.
        """
        return summary.static_view(self._session, self._state(), self._form())

    def open(self) -> None:
        """Open the connection to the browser; a static view needs none."""
        if not self._static:
            super().open()

    def refresh(self) -> None:
        """Look for new, changed and deleted files, and show the result."""
        self._session.refresh()

    def close(self) -> None:
        """Remove the view from the page and release its tables."""
        session = getattr(self, "_session", None)  # missing if the arguments were rejected
        if session is not None:
            self._saver.close()
            if self._watcher is not None:
                self._watcher.stop()
            session.close()
            self._figures = None
            # ipywidgets keeps each widget until it is closed, also the layout that it makes.
            if self._own_layout is not None:
                self._own_layout.close()
        super().close()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Apply changes from the browser; invalid ones are reported there and reverted."""
        try:
            super().set_state(sync_data)
        except traitlets.TraitError as error:
            self._router.report_error("traits", error)
            self.send_state([name for name in sync_data if name in self.keys])

    def _keep_scripts(self) -> None:
        """Keep what shows saved state, before there is one."""
        names = scripts.scripts_of_views(tab["script"] for tab in self.tabs)
        if not self._scripts.keys() >= set(names):
            self._scripts = {name: scripts.compressed(name) for name in names}

    def _state(self) -> State:
        filter_, baseline = Filter.from_dict(self.filter), self._named_baseline()
        return State(self.run, self.worker, self.span, filter_, self.step, baseline)

    @property
    def _screen(self) -> Screen:
        return Screen(self._session, self._state())

    @property
    def _look(self) -> Look:
        brushed = self.memory_range
        range_us = None if brushed is None else (brushed[0], brushed[1])
        lens = Lens(self.memory_device, range_us, by=self.memory_by)
        theme = "dark" if self.theme == "dark" else "light"
        align = Align.parse(self.timeline_align)
        return Look(theme=theme, unit=self.time_unit, top=self.top, memory=lens, align=align)

    def _plain_traits(self) -> dict[str, Any]:
        """Return the state that the browser shares."""
        return {name: getattr(self, name) for name in StateRules.class_trait_names(sync=True)}

    def _send_reply(self, message: dict[str, Any], buffers: list[bytes]) -> None:
        self.send(message, buffers)

    def __repr__(self) -> str:
        """Return one line: what is shown, and where."""
        if self._session.available is None:
            return f"<nbprof.{type(self).__name__}: {self._session.failure_text or 'closed'}>"
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
        self._saver.save_after_cell()
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, **self._fallback()._repr_mimebundle_()}, metadata

    def _fallback(self) -> StaticView:
        shown = self._session, self._state(), self._form()
        return summary.output(*shown, self._router.record, at_once=not self._static)

    def _form(self) -> summary.Form:
        notes = lines_of(notes_of(self.notes, self._state()))
        align = Align.parse(self.timeline_align)
        return summary.Form(self._view_names, self.theme, self.time_unit, notes, align)


def _answer(view: Explorer, content: Any, buffers: list[Any]) -> None:  # noqa: ARG001
    view._router.handle(content)  # noqa: SLF001 - a bound method would keep the view alive
