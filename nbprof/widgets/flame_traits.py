"""The traits of the flame graph: what its widths are, how it is laid out, where it is zoomed to."""

from __future__ import annotations

from typing import Any, Final

import traitlets

from nbprof.widgets.arguments import closest
from nbprof.widgets.traits import WindowTrait

#: What the width of a frame can be; ``auto`` is the device where the trace has one, else the host.
WIDTHS: Final = ("auto", "host", "device", "bytes")
#: How frames of one parent are laid out.
ORDERS: Final = ("left_heavy", "time")

#: The traits of the flame graph.
FLAME: Final = ("flame_by", "flame_order", "flame_range")
#: What a range of the flame graph is of.
_OF: Final = {"run", "worker", "span", "filter", "flame_by", "flame_order"}


class FlameTraits(traitlets.HasTraits):
    """Traits of the flame graph in the modules view."""

    flame_by = traitlets.Unicode("auto").tag(sync=True)
    """What the width of a frame is: host or device time, the bytes allocated, or auto."""

    flame_order = traitlets.Unicode("left_heavy").tag(sync=True)
    """How frames stand: left_heavy (those of one name together, the widest first) or time."""

    flame_range = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """What the flame graph is zoomed to, ``[first, last]`` of its widths (µs or bytes); None for
    everything."""

    def _settle_flame(self, changed: set[str]) -> None:
        """Zoom out where the graph is another one."""
        if changed & _OF and "flame_range" not in changed:
            self.flame_range = None

    @traitlets.validate("flame_by")
    def _check_flame_by(self, proposal: Any) -> str:
        return _one_of("flame_by", proposal["value"], WIDTHS)

    @traitlets.validate("flame_order")
    def _check_flame_order(self, proposal: Any) -> str:
        return _one_of("flame_order", proposal["value"], ORDERS)


def _one_of(trait: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        message = f"{trait}: there is no {value!r}; there is {', '.join(known)}."
        raise traitlets.TraitError(message + closest(value, known))
    return value
