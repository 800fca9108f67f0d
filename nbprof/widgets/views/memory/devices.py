"""The devices whose memory was recorded, and the kinds of curves that each has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.analysis.memory.components import BOTH, components
from nbprof.analysis.memory.records import memory_devices
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.units import device_label
from nbprof.widgets.views.memory.choices import ALL, CURVE_KINDS

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def devices(model: TraceModel) -> dict[str, str]:
    """Return the devices with memory as labels by key, those that compute first."""
    return {
        device_key(one.type_name, one.shown_number): device_label(one.type_name, one.shown_number)
        for one in sorted(memory_devices(model), key=lambda one: one.is_cpu)
    }


def device_key(kind: str | None, number: int | None) -> str:
    """Return the value of the trait ``memory_device`` for a device: ``"cpu"``, ``"gpu:0"``."""
    return (kind or "") if number is None else f"{kind or ''}:{number}"


def chosen_device(model: TraceModel, choice: str) -> str:
    """Return the key of the device shown; an unknown key becomes the first."""
    known = devices(model)
    if choice in known or (choice == ALL and len(known) > 1):
        return choice
    return next(iter(known), "")


def curve_kinds(model: TraceModel, device: str) -> list[str]:
    """Return the kinds of curves of a device or of `ALL`, by value of ``by``."""
    keys = [device_key(one.type_name, one.shown_number) for one in memory_devices(model)]
    shown = [at for at, key in enumerate(keys) if device in (ALL, key)]
    parts = [one for one in components(model) if one.device in shown and one.name != BOTH]
    whole = any(len(memory_totals(model)[at].time_ns) for at in shown)
    there = {"operator": whole or not parts, "component": bool(parts)}
    return [kind for kind in CURVE_KINDS if there[kind]]


def chosen_curve_kind(model: TraceModel, device: str, choice: str) -> str:
    """Return the kind of curve shown; an impossible one becomes the possible one."""
    known = curve_kinds(model, device)
    return choice if choice == ALL or choice in known else known[0]
