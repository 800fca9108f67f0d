"""`StateSaver`: updates the saved state of a view after the cell, and when the view is idle."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import sys
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Final, Protocol

from nbprof import defaults
from nbprof.widgets.hints import waiting_time
from nbprof.widgets.saved.parts import TIMELINE_BYTES, SavePlan
from nbprof.widgets.views.distributed.rank_loading import all_read
from nbprof.widgets.views.timeline.view import VIEW as TIMELINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.trace import Trace
    from nbprof.widgets.requests.operations import Operation
    from nbprof.widgets.requests.router import Router
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.views.timeline.choice import Choice

#: Seconds without a request after which the state is saved, on a separate thread.
QUIET_SECONDS: Final = 1.5

#: Maximum seconds that saving may prolong a cell; the rest is saved later.
_CELL_SECONDS: Final = 1.0

#: Maximum seconds that an exit of Python waits for a table that is being computed.
_EXIT_SECONDS: Final = 20.0

_timers: weakref.WeakSet[threading.Timer] = weakref.WeakSet()
_exits = threading.Event()


def _stop_all() -> None:
    """Stop saving. An exit would end the threads amid code of Arrow, which aborts the process."""
    _exits.set()
    with contextlib.suppress(KeyboardInterrupt):
        for timer in list(_timers):
            timer.cancel()
            if timer.is_alive():
                timer.join(_EXIT_SECONDS)


atexit.register(_stop_all)


class SavedView(Protocol):
    """The part of `nbprof.Explorer` that the saver uses; it must not import the class."""

    active: Any
    group_by: Any
    flame_by: Any
    snapshot: Any
    _session: Session
    _router: Router

    def _state(self) -> State: ...
    def _remembered(self, view: str) -> str: ...
    def _keep_scripts(self) -> None: ...
    def _choice(self, group_by: str) -> Choice: ...


class StateSaver:
    """Sets the trait ``snapshot`` of a view whenever its state has changed.

    If the trace has been read, the state is saved at the end of the cell that shows the view,
    because programs that run notebooks save only what arrives while a cell runs. Otherwise it is
    saved once there was no request for a while, so that no reply is delayed.

    Parameters
    ----------
    view : SavedView
        The view; only a weak reference is held.
    """

    def __init__(self, view: SavedView) -> None:
        self._view = weakref.ref(view)
        self._lock = threading.Lock()
        self._generation = 0
        self._timer: threading.Timer | None = None
        self._saved_state: tuple[Any, ...] | None = None
        self._is_scheduled_after_cell = False
        self._drawn = ""  # the path of the trace whose timeline was drawn last

    def save_after_cell(self) -> None:
        """Save the state at the end of the cell that shows the view."""
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        if shell is None or self._is_scheduled_after_cell:
            return
        self._is_scheduled_after_cell = True

        def at_end(result: Any = None) -> None:  # noqa: ARG001 - passed by IPython
            shell.events.unregister("post_run_cell", at_end)
            self._is_scheduled_after_cell = False
            self.save(_CELL_SECONDS)

        shell.events.register("post_run_cell", at_end)

    def save_when_idle(self, operation: Operation) -> None:
        """Save the state once there was no request for a while."""
        if operation is TIMELINE.operations["timeline"]:
            trace = self._trace()
            self._drawn = trace.path if trace else ""
        if operation.shows and self._state_key() not in (None, self._saved_state):
            self._schedule()

    def save(self, seconds: float | None = None) -> None:
        """Save the state now, if the trace has been read.

        Parameters
        ----------
        seconds : float, optional
            Maximum time; the rest is saved later.
        """
        with self._lock:
            self._generation += 1
            generation = self._generation
        end = None if seconds is None else time.monotonic() + seconds
        complete = self._save(lambda: generation == self._generation and not _exits.is_set(), end)
        if not complete:
            self._schedule()

    def close(self) -> None:
        """Cancel saving."""
        with self._lock:
            self._generation += 1
            if self._timer is not None:
                self._timer.cancel()

    def _schedule(self) -> None:
        with self._lock:
            self._generation += 1
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(QUIET_SECONDS, self.save)
            self._timer.daemon = True
            _timers.add(self._timer)
            try:
                self._timer.start()
            except RuntimeError:  # there are no threads, as in a browser
                self._timer = None

    def _save(self, is_current: Callable[[], bool], end: float | None) -> bool:
        """Set the trait; return whether the state was saved completely."""
        view, state = self._view(), self._state_key()
        if view is None or state in (None, self._saved_state):
            return True
        if end is not None and _is_large(view):
            return False  # a single table may take longer
        try:
            view._keep_scripts()  # noqa: SLF001 - of this package
            data, complete = self._build(view, is_current, end)
        except Exception as error:  # noqa: BLE001 - the view works without it
            view._router.record("snapshot", error)  # noqa: SLF001 - of this package
            self._saved_state = state
            return True
        if data is None or state != self._state_key():
            return True  # the newer request saves its own state
        view.snapshot = data
        if complete:
            self._saved_state = state
        return complete

    def _build(
        self, view: SavedView, is_current: Callable[[], bool], end: float | None
    ) -> tuple[bytes | None, bool]:
        """Return the saved state, and whether it is complete; None if it is outdated by now."""
        from nbprof.widgets.saved import content
        from nbprof.widgets.saved.page_parts import PartsOfTables

        session, state = view._session, view._state()  # noqa: SLF001
        shown = view._choice("")  # noqa: SLF001 - of this package
        plan = SavePlan(
            defaults.options.snapshot_bytes,
            view=view.active,
            group_by=view.group_by,
            flame_by=view.flame_by,
            timeline_by=self._timeline_by(view),
            timeline=shown,
            compact=_is_large(view),
        )
        writer = content.start(session, state, plan.max_bytes)
        parts = content.fill(writer, session, state, plan)
        if not plan.compact and not {"steps", "name"}.intersection(state.filter.to_dict()):
            # With room left, the reader can filter, by what each step contributes. Of tables that
            # are filtered already, the rest of the trace is not known.
            parts = itertools.chain(parts, PartsOfTables(writer, session, state).add_new())
        for _ in parts:
            if not is_current():
                return None, False
            if end is not None and time.monotonic() > end:
                writer.leave_out("The rest was not computed before the cell ended.")
                return writer.to_bytes(), False
        return writer.to_bytes(), True

    def _state_key(self) -> tuple[Any, ...] | None:
        """Return a key for everything that saved state depends on; None if nothing can be saved."""
        view, trace = self._view(), self._trace()
        if view is None or trace is None:
            return None
        if not trace.is_read or defaults.options.snapshot_bytes == 0:
            return None
        state = view._state()  # noqa: SLF001
        rules = defaults.options.communication_names
        read = all_read(view._session, state)  # noqa: SLF001
        shown = view._choice(self._timeline_by(view))  # noqa: SLF001
        return state, trace.path, trace.file.bytes, read, rules, shown

    def _trace(self) -> Trace | None:
        """Return the trace on screen; None without one."""
        view = self._view()
        if view is None or view._session.available is None:  # noqa: SLF001
            return None
        try:
            return view._session.trace(view._state())  # noqa: SLF001
        except Exception:  # noqa: BLE001 - the view reports it
            return None

    def _timeline_by(self, view: SavedView) -> str:
        """Return the grouping of the timeline if it was drawn, else "".

        Also "" if the size limit is small: tables are then saved before any timeline.
        """
        trace = self._trace()
        if trace is None or trace.path != self._drawn:
            return ""
        fits = defaults.options.snapshot_bytes > TIMELINE_BYTES
        return view._remembered(TIMELINE.name) if fits else ""  # noqa: SLF001


def _is_large(view: SavedView) -> bool:
    return waiting_time.is_large(view._session.trace(view._state()))  # noqa: SLF001 - of this package
