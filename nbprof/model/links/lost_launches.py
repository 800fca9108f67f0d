"""`LostLaunches`: calls that launch kernels, and those of them whose kernels were not recorded."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.launches import links_of
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.trace_data import TraceData

Rows = npt.NDArray[np.int64]

#: Calls that always run something on the device. Copies and memory sets are none of them: those of
#: 0 bytes, and those within the host, run nothing.
_LAUNCH: Final = re.compile("Launch(Cooperative)?Kernel|KernelLaunch|GraphLaunch")
_BEGIN: Final = re.compile("StreamBeginCapture")
_END: Final = re.compile("StreamEndCapture")

#: Share of lost launches above which times of the device say little, since most recordings that
#: lost some lost whole buffers.
MANY: Final = 0.01


@dataclass(frozen=True)
class LostLaunches:
    """The launches of a trace, and how many of them have no work on a device.

    Calls made while a graph is captured launch nothing, whichever thread makes them, and do not
    count. Calls after the last one whose work was recorded do not count as lost: the recording may
    have ended before their kernels did.

    Attributes
    ----------
    launches : int
        Number of calls that launch kernels or graphs.
    lost : int
        Number of them without a kernel.
    name : str
        The most frequent call among the lost ones; empty without any.
    """

    launches: int
    lost: int
    name: str

    @classmethod
    def of(cls, model: TraceData) -> LostLaunches:
        """Return the lost launches of a trace; computed once."""
        return model.as_read.cached("lost launches", lambda: _find(model.as_read))

    @property
    def many(self) -> bool:
        """Whether so many are lost that devices were busier than recorded."""
        return self.lost > MANY * self.launches

    def __str__(self) -> str:
        if self.lost == self.launches:
            return f"{self.launches:,} launches were recorded, but none of their kernels"
        verb = "has" if self.lost == 1 else "have"
        return (
            f"{self.lost:,} of {self.launches:,} launches {verb} no kernel in the trace, most often"
            f" {self.name}"
        )


def _find(model: TraceData) -> LostLaunches:
    start = model.column("host", "start_ns")
    correlation = model.column("host", "correlation")
    calls = _calls(model, _LAUNCH)
    calls = calls[correlation[calls] > 0]
    calls = calls[~_during_capture(model, start[calls])]
    links = links_of(model).launch
    linked = links[links >= 0]
    has_work = np.isin(correlation[calls], model.column("device", "correlation"))
    has_work |= np.isin(calls, linked)
    lost = calls[~has_work]
    if len(linked):
        lost = lost[start[lost] < start[linked].max()]
    names = model.values("host", "name")
    counts = Counter(names[code] for code in model.column("host", "name")[lost].tolist())
    return LostLaunches(len(calls), len(lost), max(counts, key=counts.__getitem__, default=""))


def _calls(model: TraceData, pattern: re.Pattern[str]) -> Rows:
    """Return the host rows of runtime calls whose name contains a pattern."""
    hits = np.array([bool(pattern.search(one)) for one in model.values("host", "name")], bool)
    runtime = np.flatnonzero(model.column("host", "kind") == kinds.RUNTIME)
    code = model.column("host", "name")[runtime]
    found: Rows = runtime[np.append(hits, False)[code]]  # a missing name is -1
    return found


def captures(model: TraceData) -> Rows:
    """Return the host rows of calls that begin or end the capture of a graph."""
    return np.concatenate([_calls(model, one) for one in (_BEGIN, _END)])


def _during_capture(model: TraceData, times: Rows) -> npt.NDArray[np.bool_]:
    """Return which times lie between the begin and the end of a capture, on any thread."""
    start = model.column("host", "start_ns")
    begins, ends = (np.sort(start[_calls(model, one)]) for one in (_BEGIN, _END))
    # A capture that ends first began before the recording.
    before = max((at + 1 - np.searchsorted(begins, end) for at, end in enumerate(ends)), default=0)
    running = np.searchsorted(begins, times) - np.searchsorted(ends, times)
    captured: npt.NDArray[np.bool_] = running + max(before, 0) > 0
    return captured
