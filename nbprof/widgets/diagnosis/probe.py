"""Asks the page what it can do, without showing anything on it.

Three questions, each of which needs one thing more than the one before: a link between two widgets
of ipywidgets, a link from one of anywidget, and a small module that anywidget has to load from a
``blob:``. Which answers come back tells what is missing between kernel and page.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import ipywidgets

if TYPE_CHECKING:
    from collections.abc import Callable

#: What runs in the page. A style sheet that the page refuses has no rules, or is not there at all.
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
    """A widget without a view that speaks as soon as its module runs."""

    _esm: ClassVar[Any] = _MODULE


@dataclass(frozen=True)
class Handshake:
    """What the page has answered so far.

    Attributes
    ----------
    widgets : bool
        It has the front end of ipywidgets.
    anywidget : bool
        It has the front end of anywidget, of a version that fits the kernel's.
    modules : bool
        It loads modules from a ``blob:``, as anywidget does.
    styles : bool
        It takes style sheets that scripts make, as the charts do; False as long as not known.
    agent : str
        What the browser says it is; empty as long as not known.
    round_trip_ms : float or None
        How long a message to the page and back takes, in ms, while the kernel is idle.
    """

    widgets: bool = False
    anywidget: bool = False
    modules: bool = False
    styles: bool = False
    agent: str = ""
    round_trip_ms: float | None = None

    @property
    def complete(self) -> bool:
        """Whether all questions are answered."""
        return self.modules and self.round_trip_ms is not None


class Probe:
    """Asks once; `handshake` grows with every answer.

    Parameters
    ----------
    heard : callable
        Called after every answer, on the thread that the kernel hears messages on.
    """

    def __init__(self, heard: Callable[[], None]) -> None:
        self._heard = heard
        self._answers: dict[str, Any] = {}
        self._pinged = 0.0
        source = ipywidgets.IntText(value=1)
        target = ipywidgets.IntText(value=0)
        self._echo = _Echo()
        target.observe(lambda _: self._note(widgets=True), "value")
        # In place of a model that it has no class for, the page makes one that shows an error.
        drawn_by = ipywidgets.Text(value="")
        drawn_by.observe(lambda change: self._drawn_by(change["new"]), "value")
        self._echo.on_msg(self._told)
        links = [
            ipywidgets.jsdlink((source, "value"), (target, "value")),
            ipywidgets.jsdlink((self._echo, "_view_module"), (drawn_by, "value")),
        ]
        self._parts = [*links, source, target, drawn_by, self._echo]

    @property
    def handshake(self) -> Handshake:
        """What has been answered so far."""
        return Handshake(**self._answers)

    def close(self) -> None:
        """Take the question back."""
        for part in self._parts:
            part.close()
        self._parts.clear()

    def _drawn_by(self, module: str) -> None:
        self._note(widgets=True, anywidget=module == self._echo._view_module)  # noqa: SLF001 - theirs

    def _told(self, echo: _Echo, content: Any, buffers: list[Any]) -> None:  # noqa: ARG002 - theirs
        if "pong" in content:
            # Several pages may answer; the first was as quick as the link is.
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
