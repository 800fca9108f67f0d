"""Decides whether both sides ran on devices of the same make, whose kernels have equal names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.analysis.devices.device_rows import device_type, devices_in, has_device
from nbprof.model.filters.filter import NO_FILTER

if TYPE_CHECKING:
    from nbprof.diffs.sides.sides import Side, Sides
    from nbprof.model.trace.model import TraceModel


def same_devices(sides: Sides) -> bool:
    """Return whether both sides ran on devices of one make, as far as the recordings say."""
    baseline, candidate = devices_of(sides.baseline), devices_of(sides.candidate)
    return not baseline or not candidate or baseline == candidate


def devices_of(side: Side) -> frozenset[str]:
    """Return the names of the devices that a side used, or their types without names."""
    return frozenset().union(*(_devices(model) for model in side.models))


def _devices(model: TraceModel) -> frozenset[str]:
    if not has_device(model):
        return frozenset()
    used = devices_in(model, NO_FILTER)
    table = model.tables["devices"].to_pydict()
    named = {
        number: name for number, name in zip(table["device"], table["name"], strict=True) if name
    }
    names = {named[number] for number in used if number in named}
    if not names and len(set(named.values())) == 1:
        names = set(named.values())  # a process that sees some devices numbers them anew
    return frozenset(names or {device_type(model)})
