"""Finds what idle devices and streams waited for: the cause of each gap.

The causes follow Holistic Trace Analysis. The cause is the host if the work that ends a gap was
launched only after the previous work had ended; a kernel if it was launched earlier and the gap is
short; otherwise something else, such as an event that the stream waited for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.gaps import Gaps, gaps_of_whole_devices
from nbprof.analysis.devices.host_times import HOST_KINDS, HostTimes, InWindows, ranges
from nbprof.analysis.grouping import texts, words
from nbprof.model.contract.columns import text
from nbprof.model.contract.spec import Option
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Gaps shorter than this that the host did not cause are attributed to launching a kernel.
KERNEL_US: Final = 30.0

#: The option of tables that sets this limit.
KERNEL_OPTION: Final = Option(
    "kernel_us",
    KERNEL_US,
    "Shorter gaps that the host did not cause have the cause kernel.",
    type=float,
)

#: The columns that describe gaps, see `cause_texts`.
HOST_KIND: Final = text(
    "host_kind",
    "Kind of that name: operator, annotation, runtime, or overhead for the profiler's own work.",
)
CAUSE: Final = text(
    "cause",
    "host: the next work was launched after the work before had ended; kernel: it was launched"
    " before, and the gap is short; other: neither; empty where the launch is unknown.",
)

#: The causes by their number.
CAUSES: Final = ("host", "kernel", "other")


def causes_of(model: TraceModel, gaps: Gaps, kernel_us: float = KERNEL_US) -> Rows:
    """Return what each gap waited for.

    Parameters
    ----------
    model : TraceModel
        The trace.
    gaps : Gaps
        The gaps.
    kernel_us : float
        Gaps shorter than this, in microseconds, that the host did not cause have the cause
        "kernel".

    Returns
    -------
    ndarray of int64, shape (gaps,)
        Index in `CAUSES`; -1 if the launch of the next work is unknown.
    """
    launch = values_at(model.links.launch, gaps.next)
    late = values_at(model.column("host", "start_ns"), launch) > gaps.start
    short = gaps.end - gaps.start < kernel_us * 1000
    return np.where(launch < 0, -1, np.where(late, 0, np.where(short, 1, 2)))


def windows_on_threads(model: TraceModel, gaps: Gaps) -> tuple[Rows, Rows, Rows]:
    """Return the gaps whose next work has a known launch, as windows of the launching thread.

    Returns
    -------
    known : ndarray of int64, shape (n,)
        Indices of these gaps.
    low, high : ndarray of int64, shape (n,)
        Their times on the axis of `HostTimes`.
    """
    launch = values_at(model.links.launch, gaps.next)
    known = np.flatnonzero(launch >= 0)
    thread = model.column("host", "thread")[launch[known]].astype(np.int64)
    return known, *HostTimes.of(model).windows(thread, gaps.start[known], gaps.end[known])


class _WholeGaps(NamedTuple):
    """The time of each name in the gaps of a whole trace, which most gaps of a range are.

    Attributes
    ----------
    ended_by : ndarray of int64, shape (device rows,)
        Index of the gap after which each row runs, -1 for none.
    low, high : ndarray of int64, shape (gaps,)
        As of `windows_on_threads`.
    first : ndarray of int64, shape (gaps + 1,)
        Where the pairs of each gap begin, and the last ones end.
    key, time : ndarray of int64, shape (pairs,)
        As of `InWindows`.
    """

    ended_by: Rows
    low: Rows
    high: Rows
    first: Rows
    key: Rows
    time: Rows


def host_times_in(model: TraceModel, gaps: Gaps) -> InWindows:
    """Return the time of each name in each gap whose next work has a known launch.

    Gaps of whole devices that no range cuts are looked up once for all ranges.
    """
    known, low, high = windows_on_threads(model, gaps)
    every = model.cached("host times in whole gaps", lambda: _find_whole(model))
    place = every.ended_by[gaps.next[known]]
    is_whole = (values_at(every.low, place) == low) & (values_at(every.high, place) == high)
    whole, cut = np.flatnonzero(is_whole), np.flatnonzero(~is_whole)
    place = place[whole]
    of, pair = ranges(every.first[place], every.first[place + 1])
    found = HostTimes.of(model).in_windows(low[cut], high[cut])
    return InWindows(
        known[np.concatenate([whole[of], cut[found.window]])],
        np.concatenate([every.key[pair], found.key]),
        np.concatenate([every.time[pair], found.time]),
    )


def _find_whole(model: TraceModel) -> _WholeGaps:
    gaps = gaps_of_whole_devices(model, NO_FILTER)
    known, low, high = windows_on_threads(model, gaps)
    found = HostTimes.of(model).in_windows(low, high)
    order = np.argsort(found.window, kind="stable")
    ended_by = np.full(model.tables["device"].num_rows, -1)
    ended_by[gaps.next[known]] = np.arange(len(known))
    first = np.searchsorted(found.window[order], np.arange(len(known) + 1))
    return _WholeGaps(ended_by, low, high, first, found.key[order], found.time[order])


def cause_texts(model: TraceModel, cause: Rows, key: Rows) -> dict[str, pa.Array]:
    """Return the columns host_operator, host_kind and cause, for keys of `HostTimes` or -1."""
    times = HostTimes.of(model)
    return {
        "host_operator": texts(model, "host", "name", values_at(times.name, key)),
        "host_kind": words(HOST_KINDS, values_at(times.kind, key)),
        "cause": words(CAUSES, cause),
    }
