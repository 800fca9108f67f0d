"""Warnings and notes about launches: missing ones, those before the recording, lost kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.model.links.lost_launches import LostLaunches
from nbprof.model.trace import kinds
from nbprof.model.trace.warning import TraceWarning
from nbprof.model.units import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

_NOUNS: Final = {
    kinds.KERNEL: ("kernel", "kernels"),
    kinds.MEMCPY: ("copy", "copies"),
    kinds.MEMSET: ("memory set", "memory sets"),
}
_MIXED: Final = "kernels, copies and memory sets"


def launch_warnings(model: TraceModel) -> Iterator[TraceWarning]:
    """Yield what is to be said of device work without a launch, and of launches without work."""
    unknown = np.flatnonzero(work_rows(model) & (model.links.launch < 0))
    if len(unknown) and not (model.column("host", "kind") == kinds.RUNTIME).any():
        if model.tables["npu_kernels"].num_rows == 0:
            work = _work(model, unknown)
            text = f"No runtime calls were recorded, so what launched {work} is unknown"
            yield TraceWarning("no launches recorded", len(unknown), text)
    elif len(unknown):
        before = _before_recording(model, unknown)
        yield from _unknown(model, unknown[before], unknown[~before])
    launches = LostLaunches.of(model)
    if launches.lost:
        yield TraceWarning("kernels not recorded", launches.lost, str(launches))


def _unknown(model: TraceModel, before: Rows, inside: Rows) -> Iterator[TraceWarning]:
    if len(before):
        verb = "was" if len(before) == 1 else "were"
        text = f"{_work(model, before)} {verb} launched before the recording began"
        yield TraceWarning("launched before the recording", len(before), text)
    if len(inside):
        code = model.column("device", "name")[inside[0]]
        name = model.values("device", "name")[code] if code >= 0 else "a kernel"
        yield TraceWarning(
            "launch not in the trace", len(inside), f"no runtime call launched {name}"
        )


def _before_recording(model: TraceModel, rows: Rows) -> npt.NDArray[np.bool_]:
    """Return which device rows without a launch were launched before the recording.

    Streams work in order. So what runs before the first work of its stream with a known launch was
    launched before it, hence before the recording. On a stream without known launches, the first
    known launch of any stream decides, or a correlation id below those of all recorded calls.
    """
    start, correlation = (model.column("device", one) for one in ("start_ns", "correlation"))
    device, stream = (model.column("device", one) for one in ("device", "stream"))
    known = np.flatnonzero(work_rows(model) & (model.links.launch >= 0))
    known = known[np.argsort(-start[known], kind="stable")]  # the earliest is set last
    lanes = zip(device[known].tolist(), stream[known].tolist(), strict=True)
    first = dict(zip(lanes, start[known].tolist(), strict=True))
    lanes = zip(device[rows].tolist(), stream[rows].tolist(), strict=True)
    limit = np.array([first.get(lane, -1) for lane in lanes], np.int64)
    is_call = model.column("host", "kind") == kinds.RUNTIME
    of_any = min(first.values(), default=int(model.column("host", "start_ns")[is_call].min()))
    ids = model.column("host", "correlation")
    lowest = ids[ids > 0].min(initial=np.iinfo(np.int64).max)
    earlier = (correlation[rows] > 0) & (correlation[rows] < lowest)
    limit_or_any = np.where(limit < 0, of_any, limit)
    before: npt.NDArray[np.bool_] = (start[rows] < limit_or_any) | ((limit < 0) & earlier)
    return before


def _work(model: TraceModel, rows: Rows) -> str:
    """Return the number of device rows and the sum of their times."""
    found = np.unique(model.column("device", "kind")[rows]).tolist()
    singular, plural = _NOUNS[found[0]] if len(found) == 1 else ("", _MIXED)
    time = int(model.column("device", "duration_ns")[rows].sum())
    noun = singular if len(rows) == 1 else plural
    return f"{len(rows):,} {noun} ({format_time(time / 1000.0)})"
