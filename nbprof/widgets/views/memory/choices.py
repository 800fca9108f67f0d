"""The choices in the memory view: tables, devices and kinds of curves."""

from __future__ import annotations

from typing import Final

#: The tables of the view, by value of the trait ``group_by``.
TABLES: Final = {
    "operators": "memory_operators",
    "events": "memory_events",
    "holders": "memory_peak_holders",
    "components": "memory_components",
    "blocks": "memory_blocks",
    "segments": "memory_segments",
}

#: Tables each of whose rows belongs to one device.
OF_DEVICES: Final = (*TABLES.values(), "memory_curve", "memory_peak")

#: Selects all devices, or the curves of both devices and components.
ALL: Final = "all"

#: Kinds of curves; the first is the default if both exist.
CURVE_KINDS: Final = ("operator", "component")
