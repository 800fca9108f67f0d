"""`diagnose`: prints why a view is not drawn and what to do, updated as the page answers."""

from __future__ import annotations

import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.visible_text import visible
from nbprof.widgets.diagnosis import report
from nbprof.widgets.saved.summary import in_kernel

if TYPE_CHECKING:
    from nbprof.widgets.diagnosis.probe import Probe
    from nbprof.widgets.explorer import Explorer

#: Seconds after which the output says that no page has answered. A later answer still updates it.
PATIENCE: Final = 5.0

#: The latest question; a newer one replaces it.
_asked: _Question | None = None


def diagnose(view: Explorer | None = None) -> None:
    """Print what a view needs and whether it is available: versions, page, cache, common causes.

    In a notebook it also asks the page, without drawing anything. The answer arrives when the cell
    has finished, or at once if the kernel has subshells; the output is then updated in place.

    Parameters
    ----------
    view : Explorer, optional
        A view that is not drawn properly; its requests and errors are then included.

    Raises
    ------
    TypeError
        The argument is not a view.

    Examples
    --------
    >>> nbprof.diagnose()
    Versions    nbprof ...
    """
    if view is not None and not hasattr(view, "errors"):
        message = f"Pass a view, such as nbprof.show returns, not {view!r}."
        raise TypeError(message)
    global _asked  # noqa: PLW0603 - one question at a time, or widgets would pile up
    if _asked is not None:
        _asked.close()
        _asked = None
    if not in_kernel():
        known = "" if view is None else report.of_view(view)
        sys.stdout.write(visible(report.facts() + known + report.no_page()))
        return
    _asked = _Question(view)


class _Question:
    """An output that is updated when answers of the page arrive."""

    def __init__(self, view: Explorer | None) -> None:
        from IPython.display import display

        from nbprof.widgets.diagnosis.probe import Probe

        self._facts = report.facts()
        # The question may outlive the view and must not keep its tables alive.
        self._view = None if view is None else weakref.ref(view)
        self._lock = threading.Lock()
        self._late = False
        self._clock = threading.Timer(PATIENCE, self._on_timeout)
        self._clock.daemon = True
        self._handle: Any = None
        with self._lock:  # with subshells, answers may arrive before this is displayed
            self._probe: Probe = Probe(self._on_answer)
            self._handle = display(self._bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]
        self._clock.start()

    def close(self) -> None:
        """Stop listening."""
        self._clock.cancel()
        self._probe.close()

    def _bundle(self) -> dict[str, str]:
        view = None if self._view is None else self._view()
        known = "" if view is None else report.of_view(view)
        page = report.page(self._probe.handshake, late=self._late)
        return {"text/plain": self._facts + known + page}

    def _on_answer(self) -> None:
        self._update()
        if self._probe.handshake.complete:
            self.close()

    def _on_timeout(self) -> None:
        self._late = True
        self._update()

    def _update(self) -> None:
        with self._lock:
            self._handle.update(self._bundle(), raw=True)
