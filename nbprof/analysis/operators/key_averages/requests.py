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
from nbprof.model.links.overhead import enclosing, main_thread
from nbprof.model.lookup import distinct, values_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def threads_of_calls(model: TraceModel) -> tuple[Rows, Rows]:
    """Return the host rows of runtime calls and of the profiler's work, and the thread of each.

    It is the thread of the operator or label that requested it, and otherwise the main one, on
    which PyTorch puts all that the recorder knows no operator for. Without ids, calls of no
    operator are on threads of their own.
    """
    kind, thread = model.column("host", "kind"), model.column("host", "thread").astype(np.int64)
    call = np.flatnonzero((kind == kinds.RUNTIME) | (kind == kinds.OVERHEAD))
    if not _has_ids(model):
        owner = operators_of_calls(model, call)
        alone = thread[call] + model.tables["threads"].num_rows
        return call, np.where(owner >= 0, np.append(thread, -1)[owner], alone)
    owner = _by_external_id(model, "host", call)
    moved = np.where(owner >= 0, np.append(thread, -1)[owner], main_thread(model))
    ids, rows = _chance_requesters(model)
    if len(ids):
        start = np.append(model.column("host", "start_ns"), np.iinfo(np.int64).min)
        order = np.argsort(start[rows], kind="stable")
        wanted = model.column("host", "external_id")[call]
        other = look_up(ids[order], rows[order], wanted)
        moved[start[other] > start[owner]] = main_thread(model)
    return call, moved


def requesters_of_work(model: TraceModel, row: Rows) -> Rows:
    """Return the host row that requested each device row, -1 for none."""
    if not _has_ids(model):
        return model.links.operator[row]
    return _by_external_id(model, "device", row)


def chance_requests(model: TraceModel, row: Rows) -> tuple[Rows, Rows, Rows]:
    """Return the device work that PyTorch counts again, for host rows that did not request it.

    PyTorch takes every event of the host that has no External id of its own for a requester, and
    compares another number: the correlation of a runtime call, and for the profiler's own work the
    id of the operator in which it happened. Work whose External id equals that counts again.

    Returns
    -------
    group : ndarray of int64, shape (device rows,)
        Number of the id of each device row that counts again, -1 for others.
    host_group, host : ndarray of int64, shape (n,)
        Numbers of ids, and host rows in which all work of the id counts again.
    """
    ids, hosts = _chance_requesters(model)
    if not len(ids) or not _has_ids(model):
        return np.full(len(row), -1), np.empty(0, np.int64), np.empty(0, np.int64)
    known, host_group = np.unique(ids, return_inverse=True)
    wanted = model.column("device", "external_id")[row]
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, place, -1), host_group, hosts


def _chance_requesters(model: TraceModel) -> tuple[Rows, Rows]:
    """Return ids that runtime calls and the profiler's own work share with operators by chance.

    Returns
    -------
    ids, rows : ndarray of int64, shape (n,)
        Ids, and the host rows that have them.
    """

    def find() -> tuple[Rows, Rows]:
        kind = model.column("host", "kind")
        calls = np.flatnonzero(
            (kind == kinds.RUNTIME)
            & (model.column("host", "external_id") <= 0)
            & (model.column("host", "correlation") > 0)
        )
        own = np.flatnonzero(kind == kinds.OVERHEAD)
        around = enclosing(model, kind == kinds.OPERATOR, own)
        ids_around = np.maximum(values_at(model.column("host", "external_id"), around), 0)
        ids = np.concatenate([model.column("host", "correlation")[calls], ids_around])
        rows = np.concatenate([calls, own])
        known = np.isin(ids, _requesters(model)[0])
        return ids[known], rows[known]

    return model.cached("key average chance requesters", find)


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
    known, times = distinct(ids), distinct(start)
    width = len(times) + 1
    # Ranks instead of ids and times keep the packed key far from overflow.
    keys = np.searchsorted(known, ids) * width + np.searchsorted(times, start)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    is_known = (wanted > 0) & (known[place] == wanted)
    until = np.searchsorted(times, model.column(table, "start_ns")[row], side="right")
    found = np.searchsorted(keys, place * width + until, side="left") - 1
    found = np.maximum(found, np.searchsorted(ids, wanted))  # clocks may differ: then the first
    return np.where(is_known, hosts[np.minimum(found, len(hosts) - 1)], -1)
