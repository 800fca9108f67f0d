"""Device work that belongs to no operator, such as that of replayed graphs, and who launched it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nbprof.analysis.devices.device_rows import kept_device_rows, work_rows
from nbprof.analysis.grouping import NS_PER_US
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.lookup import values_at
from nbprof.model.reprs import and_list
from nbprof.model.trace import kinds
from nbprof.model.units import format_count, format_pct, format_time

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: So many launching calls are named.
_NAMED: Final = 3
#: What is launched, by kind: one and many.
_WORDS: Final = (
    (kinds.KERNEL, "kernel", "kernels"),
    (kinds.MEMCPY, "copy", "copies"),
    (kinds.MEMSET, "memory set", "memory sets"),
)
#: Percent of the device time from which on it is worth a sentence.
_LEAST: Final = 1.0


class WithoutOperator(NamedTuple):
    """Device time of no operator, and of all work, in microseconds; who launched the former."""

    time_us: float
    whole_us: float
    launched_by: str

    @property
    def sentence(self) -> str:
        """What operators leave out, as a sentence; empty if that is next to nothing."""
        if not self.whole_us or 100.0 * self.time_us / self.whole_us < _LEAST:
            return ""
        share = format_pct(100.0 * self.time_us / self.whole_us)
        return (
            f"{format_time(self.time_us)} of {format_time(self.whole_us)} device time ({share} %)"
            f" belongs to no operator{self.launched_by}"
        )


def without_operator(model: TraceModel, filter_: Filter = NO_FILTER) -> WithoutOperator:
    """Return how much device time belongs to no operator, and which calls launched most of it.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which device work counts.
    """
    work = np.flatnonzero(work_rows(model) & kept_device_rows(model, filter_))
    time = model.column("device", "duration_ns")[work] / NS_PER_US
    alone = model.links.operator[work] < 0
    rows, own = work[alone], time[alone]
    by = model.links.launched_by[rows]
    code = values_at(model.column("host", "name"), by).astype(np.int64)
    launch = model.links.launch[rows]
    names = model.values("host", "name")
    kind = model.column("device", "kind")
    total = np.bincount(code + 1, weights=own)
    parts = []
    for name in (np.argsort(-total, kind="stable") - 1)[:_NAMED].tolist():
        here = code == name
        if name < 0 or not total[name + 1]:
            continue
        calls = len(np.unique(launch[here]))
        count = np.bincount(kind[rows[here]], minlength=len(kinds.DEVICE_KINDS))
        pieces = and_list(
            [
                f"{count[k]:,} {one if count[k] == 1 else many}"
                for k, one, many in _WORDS
                if count[k]
            ]
        )
        parts.append(f"{names[name]} ({format_count(calls, 'call')}, {pieces})")
    unknown = ", and its launch is not in the trace" if (launch < 0).all() else ""
    launched_by = f", launched by {and_list(parts)}" if parts else unknown
    return WithoutOperator(float(own.sum()), float(time.sum()), launched_by)
