"""The devices whose memory was recorded, which of them are offered, and their kinds of curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.memory.components import BOTH, components
from nbprof.analysis.memory.records import memory_devices
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.units import device_label, format_number
from nbprof.widgets.views.memory.choices import ALL, CURVE_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.model.trace.model import TraceModel

#: With more devices, so many are offered: those with the highest peaks. Nobody could find one in a
#: longer list, nor tell more curves apart.
MOST_DEVICES: Final = 100


def devices(model: TraceModel) -> dict[str, str]:
    """Return the devices with memory as labels by key, those that compute first."""

    def make() -> dict[str, str]:
        known = sorted(memory_devices(model), key=lambda one: one.is_cpu)
        return {
            device_key(one.type_name, one.shown_number): device_label(
                one.type_name, one.shown_number
            )
            for one in known
        }

    return model.cached("labels of memory devices", make)


def device_order(model: TraceModel) -> dict[str, int]:
    """Return the place of each device in `devices`, by key."""
    return model.cached(
        "order of memory devices", lambda: {key: at for at, key in enumerate(devices(model))}
    )


def offered_devices(model: TraceModel) -> dict[str, str]:
    """Return the devices that can be chosen: of more than `MOST_DEVICES`, those of most memory."""
    every = devices(model)
    if len(every) <= MOST_DEVICES:
        return every

    def make() -> dict[str, str]:
        places = _places(model)
        totals = memory_totals(model)
        peak = np.array(
            [max(int(totals[at].allocated.max(initial=0)) for at in places[key]) for key in every]
        )
        kept = set(np.argsort(-peak, kind="stable")[:MOST_DEVICES].tolist())
        return {key: label for at, (key, label) in enumerate(every.items()) if at in kept}

    return model.cached("offered memory devices", make)


def devices_left_out(model: TraceModel) -> dict[str, str]:
    """Return what a reply says about devices that are not offered, nothing if all are."""
    every, offered = len(devices(model)), len(offered_devices(model))
    if offered == every:
        return {}
    words = f"the {offered} of {format_number(every)} devices with the highest peaks"
    return {"left_out": words}


def device_key(kind: str | None, number: int | None) -> str:
    """Return the value of the trait ``memory_device`` for a device: ``"cpu"``, ``"gpu:0"``."""
    return (kind or "") if number is None else f"{kind or ''}:{number}"


def chosen_device(model: TraceModel, choice: str) -> str:
    """Return the key of the device shown; an unknown key becomes the first."""
    known = devices(model)
    if choice in known or (choice == ALL and len(known) > 1):
        return choice
    return next(iter(offered_devices(model)), "")


def curve_kinds(model: TraceModel, device: str) -> list[str]:
    """Return the kinds of curves of a device or of `ALL`, by value of ``by``."""
    places = _places(model)
    shown = range(len(memory_devices(model))) if device == ALL else places.get(device, ())
    with_parts = model.cached(
        "memory devices with components",
        lambda: frozenset(one.device for one in components(model) if one.name != BOTH),
    )
    has_parts = any(at in with_parts for at in shown)
    whole = any(len(memory_totals(model)[at].time_ns) for at in shown)
    there = {"operator": whole or not has_parts, "component": has_parts}
    return [kind for kind in CURVE_KINDS if there[kind]]


def chosen_curve_kind(model: TraceModel, device: str, choice: str) -> str:
    """Return the kind of curve shown; an impossible one becomes the possible one."""
    known = curve_kinds(model, device)
    return choice if choice == ALL or choice in known else known[0]


def _places(model: TraceModel) -> Mapping[str, list[int]]:
    """Return the indices of the memory devices with each key."""

    def make() -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, one in enumerate(memory_devices(model)):
            found.setdefault(device_key(one.type_name, one.shown_number), []).append(at)
        return found

    return model.cached("places of memory devices", make)


def records_of_devices(model: TraceModel, shown: str) -> list[int]:
    """Return the indices of the memory devices that a key stands for; `ALL` is those offered."""
    keys = offered_devices(model) if shown == ALL else (shown,)
    return [at for key in keys for at in _places(model).get(key, ())]
