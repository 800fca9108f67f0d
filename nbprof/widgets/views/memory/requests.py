"""Handler of ``memory``: the memory figure, devices and peaks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.analysis.memory.components import BOTH, components
from nbprof.analysis.memory.records import memory_devices
from nbprof.model.filters import selection
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session.state import State
from nbprof.widgets.views.drawing.figure_items import figure_items, known_templates
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.memory.chart import curve_chart
from nbprof.widgets.views.memory.compared import peaks_before
from nbprof.widgets.views.memory.devices import (
    chosen_curve_kind,
    chosen_device,
    curve_kinds,
    device_key,
    devices,
    devices_left_out,
    offered_devices,
    records_of_devices,
)
from nbprof.widgets.views.memory.memory_selection import Lens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel
    from nbprof.widgets.session.align import Align
    from nbprof.widgets.session.session import Progress, Session


def memory(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the memory figure, the devices, and the peaks of the curves shown."""
    state = State.parse(params.get("state"))
    lens = replace(Lens.parse(params.get("memory")), range_us=None)  # the browser marks the range
    look = replace(Look.parse(params), memory=lens)
    model = session.trace(state, progress).model
    made = curve_chart(Screen(session, state), look)
    shown = chosen_device(model, lens.device)
    known = offered_devices(model)
    result: dict[str, Any] = {
        "devices": [{"key": key, "label": label} for key, label in known.items()],
        **devices_left_out(model),
        "device": shown,
        **curve_facts(session, state, Lens(shown, by=lens.by), look.align),
        "figure": None,
        "plane": None,
    }
    if made is not None:
        items = figure_items({"memory": made}, look.theme, known_templates(params))
        result |= {"figure": items["memory"], "plane": made.geometry}
    return Reply(result)


def curve_facts(session: Session, state: State, lens: Lens, align: Align) -> dict[str, Any]:
    """Return facts about the curves of a device or of its components.

    These are peaks, those of a baseline, number of records, and possible kinds of curves.
    """
    model = session.trace(state).model
    known = devices(model)
    kind = chosen_curve_kind(model, lens.device, lens.by)
    if kind == "component":
        table = lens.table(session, state, "memory_components")
        peaks = [_reserved(row) for row in table.to_pylist() if _is_allocator(row)]
    else:
        peaks = [_peak(row, known) for row in lens.peaks(session, state).to_pylist()]
        if state.baseline is not None:
            before = peaks_before(session, state, align, [peak["label"] for peak in peaks])
            peaks = [{**peak, "before": old} for peak, old in zip(peaks, before, strict=True)]
    if components(model):  # then records are of blocks, and the curve has its own points
        records = lens.table(session, state, "memory_curve").num_rows
    else:
        records = _records(model, state.filter, lens.device)
    return {
        "by": kind,
        "kinds": curve_kinds(model, lens.device),
        "peaks": peaks,
        "records": records,
    }


def _is_allocator(row: dict[str, Any]) -> bool:
    return bool(row["source"] == "profiler" and row["component"] != BOTH)


def _reserved(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "label": row["component"],
        "bytes": row["peak_reserved_bytes"],
        "time_us": row["time_us"],
        "capacity": None,
    }


def _peak(row: dict[str, Any], known: Mapping[str, str]) -> dict[str, Any]:
    return {
        "label": known[device_key(row["device_type"], row["device"])],
        "bytes": row["peak_bytes"],
        "time_us": row["time_us"],
        "capacity": row["capacity_bytes"],
    }


def _records(model: TraceModel, filter_: Filter, shown: str) -> int:
    """Return the number of records of the shown devices that the filter keeps."""
    kept = selection.memory_records(model, filter_)
    every = memory_devices(model)
    rows = [every[at].rows for at in records_of_devices(model, shown)]
    return int(sum(np.count_nonzero(kept[of_device]) for of_device in rows))
