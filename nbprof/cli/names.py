"""The names of the views that the command line takes."""

from __future__ import annotations

from typing import Final

#: The views, in the order of their tabs: `nbprof.widgets.requests.protocol.VIEWS`.
VIEWS: Final = (
    "overview",
    "operators",
    "kernels",
    "timeline",
    "memory",
    "modules",
    "distributed",
)
