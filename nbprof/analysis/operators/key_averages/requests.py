"""Finds the operator or label that requested runtime calls and device work, for `key_averages`.

PyTorch gives them the External id of the operator or label. Some recorders have no such id in the
file, or write the correlation id there. Then the links of the trace are used, which find the
operator by correlation and by the innermost operator around the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.launches import look_up, operators_of_calls
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def requesters_of_calls(model: TraceModel) -> tuple[Rows, Rows]:
    """Return the host rows of runtime calls, and the host row that requested each, -1 for none."""
    call = np.flatnonzero(model.column("host", "kind") == kinds.RUNTIME)
    if not _has_ids(model):
        return call, operators_of_calls(model, call)
    return call, _by_external_id(model, "host", call)


def requesters_of_work(model: TraceModel, row: Rows) -> Rows:
    """Return the host row that requested each device row, -1 for none."""
    if not _has_ids(model):
        return model.links.operator[row]
    return _by_external_id(model, "device", row)


def _has_ids(model: TraceModel) -> bool:
    """Return whether External ids of calls or of device work are those of operators."""

    def find() -> bool:
        call = model.column("host", "kind") == kinds.RUNTIME
        known = _requesters(model)[0]
        for table, rows in (("host", call), ("device", slice(None))):
            external = model.column(table, "external_id")[rows]
            other = external != model.column(table, "correlation")[rows]
            if np.isin(external[other & (external > 0)], known).any():
                return True
        return False

    return model.cached("key average ids", find)


def _requesters(model: TraceModel) -> tuple[Rows, Rows]:
    """Return the External ids of operators and labels, and their host rows."""
    kind, external = model.column("host", "kind"), model.column("host", "external_id")
    requests = (kind == kinds.OPERATOR) | (kind == kinds.ANNOTATION) | (kind == kinds.STEP)
    rows = np.flatnonzero(requests & (external > 0))
    return external[rows], rows


def _by_external_id(model: TraceModel, table: str, row: Rows) -> Rows:
    """Return the host row with the External id of each row.

    If a profiler was restarted, ids may repeat: then the last one that starts before counts.
    """
    ids, hosts = _requesters(model)
    wanted = model.column(table, "external_id")[row]
    start = model.column("host", "start_ns")[hosts]
    order = np.lexsort((start, ids))
    ids, hosts, start = ids[order], hosts[order], start[order]
    if len(ids) < 2 or not (np.diff(ids) == 0).any():
        return look_up(ids, hosts, wanted)
    distinct, times = np.unique(ids), np.unique(start)
    width = len(times) + 1
    # Ranks instead of ids and times keep the packed key far from overflow.
    keys = np.searchsorted(distinct, ids) * width + np.searchsorted(times, start)
    place = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
    is_known = (wanted > 0) & (distinct[place] == wanted)
    until = np.searchsorted(times, model.column(table, "start_ns")[row], side="right")
    found = np.searchsorted(keys, place * width + until, side="left") - 1
    found = np.maximum(found, np.searchsorted(ids, wanted))  # clocks may differ: then the first
    return np.where(is_known, hosts[np.minimum(found, len(hosts) - 1)], -1)
