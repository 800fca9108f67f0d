"""`Probe`: asks the page which widget components it can run, without showing anything.

It asks three questions, each needing one component more than the last: a link between two
ipywidgets, a link from an anywidget, and a small module that anywidget loads from a ``blob:`` URL.
The answers show which component is missing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import ipywidgets

if TYPE_CHECKING:
    from collections.abc import Callable

#: The module that runs in the page. A style sheet that the page refuses has no rules or is missing.
_MODULE = """
function styled() {
  const style = document.createElement("style");
  style.textContent = "nbprof-probe { color: red }";
  document.head.append(style);
  const rules = style.sheet?.cssRules.length ?? 0;
  style.remove();
  return rules === 1;
}
export default {
  initialize({ model }) {
    model.on("msg:custom", (message) => model.send({ pong: message.ping }));
    model.send({ agent: navigator.userAgent, styled: styled() });
  },
  render() {},
};
"""


class _Echo(anywidget.AnyWidget):
    """A widget without a view that sends a message as soon as its module runs."""

    _esm: ClassVar[Any] = _MODULE


@dataclass(frozen=True)
class Handshake:
    """The answers of the page so far.

    Attributes
    ----------
    widgets : bool
        Whether the page has the front end of ipywidgets.
    anywidget : bool
        Whether it has the front end of anywidget, in a version compatible with the kernel's.
    modules : bool
        Whether it loads modules from ``blob:`` URLs, as anywidget does.
    styles : bool
        Whether it accepts style sheets created by scripts, as the charts need; False until known.
    agent : str
        The user agent of the browser; empty until known.
    round_trip_ms : float or None
        Round-trip time of a message in ms, while the kernel is idle.
    """

    widgets: bool = False
    anywidget: bool = False
    modules: bool = False
    styles: bool = False
    agent: str = ""
    round_trip_ms: float | None = None

    @property
    def complete(self) -> bool:
        """Whether all questions have been answered."""
        return self.modules and self.round_trip_ms is not None


class Probe:
    """Asks the page once and collects its answers in `handshake`.

    Parameters
    ----------
    heard : callable
        Called after every answer, on the kernel's message thread.
    """

    def __init__(self, heard: Callable[[], None]) -> None:
        self._heard = heard
        self._answers: dict[str, Any] = {}
        self._pinged = 0.0
        source = ipywidgets.IntText(value=1)
        target = ipywidgets.IntText(value=0)
        self._echo = _Echo()
        target.observe(lambda _: self._note(widgets=True), "value")
        # For a model without a class, the page creates an error widget.
        drawn_by = ipywidgets.Text(value="")
        drawn_by.observe(lambda change: self._on_module(change["new"]), "value")
        self._echo.on_msg(self._on_message)
        links = [
            ipywidgets.jsdlink((source, "value"), (target, "value")),
            ipywidgets.jsdlink((self._echo, "_view_module"), (drawn_by, "value")),
        ]
        self._parts = [*links, source, target, drawn_by, self._echo]

    @property
    def handshake(self) -> Handshake:
        """The answers so far."""
        return Handshake(**self._answers)

    def close(self) -> None:
        """Close the widgets that ask the page."""
        for part in self._parts:
            part.close()
        self._parts.clear()

    def _on_module(self, module: str) -> None:
        self._note(widgets=True, anywidget=module == self._echo._view_module)  # noqa: SLF001 - theirs

    def _on_message(self, echo: _Echo, content: Any, buffers: list[Any]) -> None:  # noqa: ARG002 - theirs
        if "pong" in content:
            # Several pages may answer; the first answer measures the round trip.
            if "round_trip_ms" not in self._answers:
                self._note(round_trip_ms=1000 * (time.monotonic() - self._pinged))
            return
        agent = str(content.get("agent", ""))[:300]
        styles = content.get("styled") is True
        self._note(widgets=True, anywidget=True, modules=True, styles=styles, agent=agent)
        self._pinged = time.monotonic()
        echo.send({"ping": 1})

    def _note(self, **answers: Any) -> None:
        self._answers.update(answers)
        self._heard()
