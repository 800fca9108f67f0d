"""Traits of the flame graph: the meaning of its widths, its layout, and its zoom range."""

from __future__ import annotations

from typing import Any, Final

import traitlets

from nbprof.widgets.traits import WindowTrait, one_of

#: Meanings of the width of a frame; ``auto`` is the device if the trace has one, otherwise the
#: host.
WIDTHS: Final = ("auto", "host", "device", "bytes")
#: Orders of the frames on one parent.
ORDERS: Final = ("left_heavy", "time")

#: The traits of the flame graph.
FLAME: Final = ("flame_by", "flame_order", "flame_range")
#: Traits that determine what a range of the flame graph refers to.
_OF: Final = {"run", "worker", "span", "filter", "flame_by", "flame_order"}


class FlameTraits(traitlets.HasTraits):
    """Traits of the flame graph in the modules view."""

    flame_by = traitlets.Unicode("auto").tag(sync=True)
    """Meaning of the width of a frame: host time, device time, bytes allocated, or auto."""

    flame_order = traitlets.Unicode("left_heavy").tag(sync=True)
    """Order of frames: left_heavy (equal names merged, the widest first) or time."""

    flame_range = WindowTrait(allow_none=True).tag(sync=True, echo_update=False)
    """Zoom range of the flame graph, ``[first, last]`` in the unit of its widths (µs or bytes);
    None for everything."""

    def _settle_flame(self, changed: set[str]) -> None:
        """Reset the zoom when another graph is shown."""
        if changed & _OF and "flame_range" not in changed:
            self.flame_range = None

    @traitlets.validate("flame_by")
    def _check_flame_by(self, proposal: Any) -> str:
        return one_of("flame_by", proposal["value"], WIDTHS)

    @traitlets.validate("flame_order")
    def _check_flame_order(self, proposal: Any) -> str:
        return one_of("flame_order", proposal["value"], ORDERS)
