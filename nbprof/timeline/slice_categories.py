"""Assigns a category to every slice, which determines the colour of slices and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.analysis.kernels.communication import device_communication
from nbprof.model.names.roles import data_loader_rows
from nbprof.model.trace import kinds
from nbprof.timeline.lanes.recorded_lanes import RecordedLanes, are_streams

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Categories in the order of their codes, which messages to the browser use.
CATEGORIES: Final = (
    "operator",
    "runtime",
    "annotation",
    "step",
    "dataloader",
    "python",
    "module",
    "kernel",
    "memcpy",
    "memset",
    "communication",
    "sync",
    "device_annotation",
    "phase",
    "task",
    "computing",
    "communicating",
    "free",
    "library",
    "overhead",
)
CODES: Final = {name: code for code, name in enumerate(CATEGORIES)}

#: Categories of a recorder's overlap lanes, by prefix of the lane name; its "Communication" may or
#: may not overlap computing.
_BARS: Final = {"Computing": "computing", "Communication": "communicating", "Free": "free"}

#: Category names by kind code.
_HOST: Final = tuple(CODES[kind] for kind in kinds.HOST_KINDS)
_DEVICE: Final = tuple(
    CODES["device_annotation" if kind == "annotation" else kind] for kind in kinds.DEVICE_KINDS
)


def categories_of(model: TraceModel) -> npt.NDArray[np.uint8]:
    """Return the category code of every slice.

    Returns
    -------
    ndarray of uint8, shape (host rows + device rows,)
        Index into `CATEGORIES`; the host rows come first.
    """
    host = np.array(_HOST, np.uint8)[model.column("host", "kind")]
    host[data_loader_rows(model)] = CODES["dataloader"]
    device = np.array(_DEVICE, np.uint8)[model.column("device", "kind")]
    device[device_communication(model) & work_rows(model)] = CODES["communication"]
    _categorize_overlap_lanes(model, device)
    return np.concatenate([host, device])


def _categorize_overlap_lanes(model: TraceModel, category: npt.NDArray[np.uint8]) -> None:
    """Set the category of slices on a recorder's overlap lanes, in place."""
    streams = RecordedLanes.of(model).streams
    if not streams:
        return
    is_bar = model.column("device", "kind") == kinds.DEVICE_ANNOTATION
    device, stream = (model.column("device", name) for name in ("device", "stream"))
    for (number, one), lane in streams.items():
        called = next((word for word in _BARS if lane.name.startswith(word)), None)
        if called and not are_streams(one):
            category[is_bar & (device == number) & (stream == one)] = CODES[_BARS[called]]
