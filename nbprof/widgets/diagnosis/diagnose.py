"""`diagnose`: why nothing is drawn, and what to do about it."""

from __future__ import annotations

import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, Final

from nbprof.widgets.diagnosis import diagnose_text as text
from nbprof.widgets.kernelless.summary import in_kernel

if TYPE_CHECKING:
    from nbprof.widgets.diagnosis.probe import Probe
    from nbprof.widgets.explorer import Explorer

#: Seconds until it is said that no page has answered. The line changes when one does later.
PATIENCE: Final = 5.0

#: The question that was asked last; a newer one takes its place.
_asked: _Question | None = None


def diagnose(view: Explorer | None = None) -> None:
    """Print what a view needs and whether it is there: versions, page, cache, usual causes.

    In a notebook the page is asked as well, without drawing on it. Its answer comes when the cell
    is done, or at once where the kernel has subshells; the output is then updated in place.

    Parameters
    ----------
    view : Explorer, optional
        A view that is not drawn as it should; what its page has asked and what went wrong is told.

    Examples
    --------
    >>> nbprof.diagnose()  # doctest: +SKIP
    """
    global _asked  # noqa: PLW0603 - one question at a time, or pages would gather them
    if _asked is not None:
        _asked.close()
        _asked = None
    if not in_kernel():
        known = "" if view is None else text.of_view(view)
        sys.stdout.write(text.facts() + known + text.no_page())
        return
    _asked = _Question(view)


class _Question:
    """One output that tells what is known, and changes with what is heard."""

    def __init__(self, view: Explorer | None) -> None:
        from IPython.display import display

        from nbprof.widgets.diagnosis.probe import Probe

        self._facts = text.facts()
        # The question may outlive the view, and must not keep its tables.
        self._view = None if view is None else weakref.ref(view)
        self._lock = threading.Lock()
        self._late = False
        self._clock = threading.Timer(PATIENCE, self._wait_is_over)
        self._clock.daemon = True
        self._handle: Any = None
        with self._lock:  # where the kernel has subshells, answers may come before this is shown
            self._probe: Probe = Probe(self._heard)
            self._handle = display(self._bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]
        self._clock.start()

    def close(self) -> None:
        """Stop listening."""
        self._clock.cancel()
        self._probe.close()

    def _bundle(self) -> dict[str, str]:
        view = None if self._view is None else self._view()
        known = "" if view is None else text.of_view(view)
        page = text.page(self._probe.handshake, late=self._late)
        return {"text/plain": self._facts + known + page}

    def _heard(self) -> None:
        self._update()
        if self._probe.handshake.complete:
            self.close()

    def _wait_is_over(self) -> None:
        self._late = True
        self._update()

    def _update(self) -> None:
        with self._lock:
            self._handle.update(self._bundle(), raw=True)
