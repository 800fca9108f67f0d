"""`Watcher`: refreshes a view when its files have changed."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Protocol

from nbprof import defaults

if TYPE_CHECKING:
    from nbprof.widgets.requests.router import Router
    from nbprof.widgets.session.session import Session


class WatchedView(Protocol):
    """The part of `nbprof.Explorer` that the watcher uses; it must not import the class."""

    _session: Session
    _router: Router

    def refresh(self) -> None:
        """Look for files again, and show the result."""


class Watcher:
    """Checks the files of a view on a thread, until the view is closed or deleted.

    The thread opens no traces: the browser asks for them after a refresh.

    Parameters
    ----------
    view : WatchedView
        The view; only a weak reference is held.
    """

    def __init__(self, view: WatchedView) -> None:
        stop = threading.Event()
        self._stop = stop
        shown = weakref.ref(view, lambda _: stop.set())
        thread = threading.Thread(
            target=_watch, args=(shown, stop), name="nbprof-watch", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # there are no threads, as in a browser; the button is still offered
            return
        view._session.files.watched = True  # noqa: SLF001 - of this package

    def stop(self) -> None:
        """Stop checking."""
        self._stop.set()


def _watch(shown: weakref.ref[WatchedView], stop: threading.Event) -> None:
    said: set[str] = set()
    while not stop.wait(defaults.options.watch_seconds):
        view = shown()
        if view is None:
            return
        _check(view, said)
        del view  # the thread must not keep it alive


def _check(view: WatchedView, said: set[str]) -> None:
    """Refresh the view if its files have changed; record each error once."""
    try:
        changes = view._session.changes()  # noqa: SLF001 - of this package
        if changes is not None and changes.any:
            view.refresh()
    except Exception as error:  # noqa: BLE001 - the view shows what it has
        text = f"{type(error).__name__}: {error}"
        if text not in said:
            said.add(text)
            view._router.record("watch", error)  # noqa: SLF001 - of this package
