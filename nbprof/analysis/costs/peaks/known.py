"""Finds the peaks of a trace's devices: those in `nbprof.options.device_peaks`, then our own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nbprof.analysis.costs.peaks import amd, npu, nvidia, rtx
from nbprof.analysis.costs.peaks.peak import DevicePeak
from nbprof.defaults import options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.model.trace.model import TraceModel

#: The name of a part of a device, such as ``NVIDIA A100-SXM4-40GB MIG 1g.5gb``, which has a part
#: of its rates.
_PART = re.compile(r"\bMIG \d+g\b")
_MEMORY = "memory_tb_per_s"
_LINK = "link_gb_per_s"


def known_peaks() -> tuple[DevicePeak, ...]:
    """Return all peaks, the user's first; their entry ``""`` for all others is the last."""
    given = _given()
    named = [peak for peak in given if peak.pattern]
    other = [peak for peak in given if not peak.pattern]
    return (*named, *nvidia.PEAKS, *rtx.PEAKS, *amd.PEAKS, *npu.PEAKS, *other)


def peak_of(device: str) -> DevicePeak | None:
    """Return the peaks of a device with a recorded name, None if it is unknown."""
    known = _given() if _PART.search(device) else known_peaks()
    return next((peak for peak in known if peak.is_of(device)), None)


def device_peaks(model: TraceModel, devices: Iterable[int]) -> dict[int, DevicePeak]:
    """Return the peaks of the numbers of devices that are known."""
    names = {row["device"]: row["name"] or "" for row in model.tables["devices"].to_pylist()}
    named = [name for name in names.values() if name]
    # Recorders that do not describe a device describe others of the same kind, if any.
    common = named[0] if named and len(set(named)) == 1 else ""
    shown = {device: names.get(device) or common for device in devices}
    known = {name: peak_of(name) for name in set(shown.values())}
    found = {device: known[name] for device, name in shown.items()}
    return {device: peak for device, peak in found.items() if peak is not None}


def _given() -> tuple[DevicePeak, ...]:
    given: dict[str, dict[str, float]] = dict(options.device_peaks)
    return tuple(
        DevicePeak(
            name or "any device",
            re.escape(name),
            {key: value for key, value in rates.items() if key not in {_MEMORY, _LINK}},
            rates.get(_MEMORY),
            rates.get(_LINK),
            "nbprof.options.device_peaks",
        )
        for name, rates in given.items()
    )
