"""When a view keeps what it shows for where there is no kernel."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Final, Protocol

from nbprof import defaults
from nbprof.widgets.hints import waiting_time
from nbprof.widgets.saved import content
from nbprof.widgets.saved import timeline as saved_timeline
from nbprof.widgets.saved.parts import SavePlan
from nbprof.widgets.views.distributed.rank_loading import all_read
from nbprof.widgets.views.timeline.view import VIEW as TIMELINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.trace import Trace
    from nbprof.widgets.requests.operations import Operation
    from nbprof.widgets.requests.router import Router
    from nbprof.widgets.session import Session, State

#: Seconds without a question after which what is shown is kept, on a thread of its own.
QUIET_SECONDS: Final = 1.5

#: Seconds that a cell may take longer for it; what has no room in them follows later.
_CELL_SECONDS: Final = 1.0


class SavedView(Protocol):
    """What the keeper needs of `nbprof.Explorer`, which it must not import."""

    active: Any
    group_by: Any
    flame_by: Any
    snapshot: Any
    _session: Session
    _router: Router

    def _state(self) -> State: ...
    def _remembered(self, view: str) -> str: ...
    def _keep_scripts(self) -> None: ...


class StateKeeper:
    """Sets the trait ``snapshot`` of a view, once for every state.

    When the view is shown, and its trace has been read by then, it is made at the end of the cell:
    programs that run notebooks keep what they have heard while a cell ran. Everywhere else it waits
    until nothing has been asked for a while, so that no answer waits for it.

    Parameters
    ----------
    view : SavedView
        Whose trait it is. Nothing here keeps it alive.
    """

    def __init__(self, view: SavedView) -> None:
        self._view = weakref.ref(view)
        self._lock = threading.Lock()
        self._turn = 0
        self._timer: threading.Timer | None = None
        self._kept: tuple[Any, ...] | None = None
        self._waits = False
        self._drawn = ""  # the path of the trace whose timeline was drawn last

    def shown(self) -> None:
        """Keep what the view shows at the end of the cell that shows it."""
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        if shell is None or self._waits:
            return
        self._waits = True

        def at_end(result: Any = None) -> None:  # noqa: ARG001 - what IPython gives
            shell.events.unregister("post_run_cell", at_end)
            self._waits = False
            self.keep(_CELL_SECONDS)

        shell.events.register("post_run_cell", at_end)

    def answered(self, operation: Operation) -> None:
        """Keep what the view shows once nothing has been asked for a while."""
        if operation is TIMELINE.operations["timeline"]:
            trace = self._trace()
            self._drawn = trace.path if trace else ""
        if operation.shows and self._state() not in (None, self._kept):
            self._later()

    def keep(self, seconds: float | None = None) -> None:
        """Keep what the view shows now, where its trace has been read.

        Parameters
        ----------
        seconds : float, optional
            Time it may take; what is missing then is kept later.
        """
        with self._lock:
            self._turn += 1
            turn = self._turn
        end = None if seconds is None else time.monotonic() + seconds
        complete = self._keep(lambda: turn == self._turn, end)
        if not complete:
            self._later()

    def close(self) -> None:
        """Stop what is being made."""
        with self._lock:
            self._turn += 1
            if self._timer is not None:
                self._timer.cancel()

    def _later(self) -> None:
        with self._lock:
            self._turn += 1
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(QUIET_SECONDS, self.keep)
            self._timer.daemon = True
            try:
                self._timer.start()
            except RuntimeError:  # there are no threads, as in a browser
                self._timer = None

    def _keep(self, wanted: Callable[[], bool], end: float | None) -> bool:
        """Set the trait; tell whether all of what there is was looked at."""
        view, state = self._view(), self._state()
        if view is None or state in (None, self._kept):
            return True
        if end is not None and _is_large(view):
            return False  # a table alone may take longer
        try:
            view._keep_scripts()  # noqa: SLF001 - of this package
            data, complete = self._made(view, wanted, end)
        except Exception as error:  # noqa: BLE001 - the view goes on without
            view._router.record("snapshot", error)  # noqa: SLF001 - of this package
            self._kept = state
            return True
        if data is None or state != self._state():
            return True  # whoever asked for something else has it kept
        view.snapshot = data
        if complete:
            self._kept = state
        return complete

    def _made(
        self, view: SavedView, wanted: Callable[[], bool], end: float | None
    ) -> tuple[bytes | None, bool]:
        """Return saved state, and whether it is complete; none where another is wanted by now."""
        session, state = view._session, view._state()  # noqa: SLF001
        plan = SavePlan(
            defaults.options.snapshot_bytes,
            view=view.active,
            group_by=view.group_by,
            flame_by=view.flame_by,
            timeline_by=self._timeline_by(view),
            brief=_is_large(view),
        )
        writer = content.start(session, state, plan.max_bytes)
        for _ in content.fill(writer, session, state, plan):
            if not wanted():
                return None, False
            if end is not None and time.monotonic() > end:
                writer.leave_out("The rest was not computed before the cell ended.")
                return writer.to_bytes(), False
        return writer.to_bytes(), True

    def _state(self) -> tuple[Any, ...] | None:
        """Return what saved state would be of; None where there is nothing to keep."""
        view, trace = self._view(), self._trace()
        if view is None or trace is None:
            return None
        if not trace.is_read or defaults.options.snapshot_bytes == 0:
            return None
        state = view._state()  # noqa: SLF001
        rules = defaults.options.communication_names
        read = all_read(view._session, state)  # noqa: SLF001
        return state, trace.path, trace.file.bytes, read, rules, self._timeline_by(view)

    def _trace(self) -> Trace | None:
        """Return the trace on screen; None without one."""
        view = self._view()
        if view is None or view._session.available is None:  # noqa: SLF001
            return None
        try:
            return view._session.trace(view._state())  # noqa: SLF001
        except Exception:  # noqa: BLE001 - the view says so
            return None

    def _timeline_by(self, view: SavedView) -> str:
        """Return how the lanes of the timeline are made if it was drawn; empty if not.

        Empty as well where little may be kept: then tables go in before any timeline.
        """
        trace = self._trace()
        drawn = trace is not None and trace.path == self._drawn
        fits = defaults.options.snapshot_bytes > saved_timeline.MAX_BYTES
        return view._remembered(TIMELINE.name) if drawn and fits else ""  # noqa: SLF001


def _is_large(view: SavedView) -> bool:
    return waiting_time.is_large(view._session.trace(view._state()))  # noqa: SLF001 - of this package
