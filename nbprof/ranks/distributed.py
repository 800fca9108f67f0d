"""The tables of the distributed view, put together from what is kept of each rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.analysis.grouping import dense, ratio, sums, us
from nbprof.model.contract import ranks as contract_ranks
from nbprof.model.contract.table import make_table
from nbprof.ranks.found_calls import NO_STEP, FoundCalls
from nbprof.ranks.pairing import covered, slots, transfers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """Communication of all ranks: how long calls took, and in how much of it data moved.

    Attributes
    ----------
    wait, ops : pyarrow.Table
        Tables ``distributed_wait`` and ``distributed_ops``.
    calls : int
        Communication calls, of all ranks.
    unpaired : dict of str to int
        By worker, calls of whole groups that no other rank's could be laid beside.
    alone : bool
        Whether there is only one rank that communicates, and it does not know itself how long it
        waited.
    """

    wait: pa.Table
    ops: pa.Table
    calls: int
    unpaired: dict[str, int]
    alone: bool


def overview(steps: Mapping[str, pa.Table]) -> pa.Table:
    """Return ``distributed_overview`` of `RANK_STEPS` by worker: means first, then every step."""
    blocks: list[dict[str, Any]] = []
    for worker, table in steps.items():
        rows = table.to_pylist()
        used = [row for row in rows if row["averaged"]]
        times = [name for name in table.column_names if name.endswith("_us")]
        if used:
            mean = {name: float(np.mean([row[name] for row in used])) for name in times}
            blocks.append({"step": None, "worker": worker, **mean})
        blocks += [{**row, "worker": worker} for row in rows if row["step"] is not None]
    return _by_step(contract_ranks.DISTRIBUTED_OVERVIEW, blocks, list(steps))


def measure(calls: Mapping[str, pa.Table], steps: Mapping[str, pa.Table]) -> Measured:
    """Return what `RANK_CALLS` of all workers tell together.

    Parameters
    ----------
    calls : mapping of str to pyarrow.Table
        `RANK_CALLS` by worker.
    steps : mapping of str to pyarrow.Table
        `RANK_STEPS` by worker, which say over which steps means are taken.
    """
    found = FoundCalls(calls)
    slot = slots(found.calls)
    moved = transfers(slot[found.call], found.nth, found.duration)
    # Unless the recorder measured it, how long data moved is known of paired calls only.
    found.settle(moved >= 0)
    return Measured(
        _wait(found, moved, steps),
        _ops(found, moved),
        int(found.kept.sum()),
        found.unpaired(slot),
        len({*found.calls.worker[~found.measured].tolist()}) == 1,
    )


def _wait(found: FoundCalls, moved: Rows, steps: Mapping[str, pa.Table]) -> pa.Table:
    use = found.known & found.kept
    group, first = dense(found.calls.worker, found.calls.step)
    groups = len(first)
    whole, transfer = _covered(found, moved, use, group, groups)
    own = use & found.measured
    latency, moving, waiting = (
        sums(group[own], np.nan_to_num(found.floats(name)[own]), groups)
        for name in ("latency_us", "data_transfer_us", "synchronizing_us")
    )
    waited, transferred = whole - transfer + waiting, transfer + moving
    rest = np.maximum(latency - moving - waiting, 0.0)
    rows: dict[str, list[dict[str, Any]]] = {worker: [] for worker in found.workers}
    there = np.bincount(group[use], minlength=groups) > 0
    for at in np.flatnonzero(there).tolist():
        worker = found.workers[found.calls.worker[first[at]]]
        step = int(found.calls.step[first[at]])
        rows[worker].append(
            {
                "step": None if step == NO_STEP else step,
                "worker": worker,
                "data_transfer_us": float(transferred[at]),
                "synchronizing_us": float(waited[at]),
                "other_us": float(rest[at]),
            }
        )
    blocks = [row for worker, own in rows.items() for row in _with_mean(worker, own, steps[worker])]
    return _by_step(contract_ranks.DISTRIBUTED_WAIT, blocks, found.workers)


def _with_mean(worker: str, rows: list[dict[str, Any]], steps: pa.Table) -> list[dict[str, Any]]:
    """Return the steps of a worker and the mean over those with communication.

    Calls outside of steps count where the recording has none at all.
    """
    numbered = [row for row in rows if row["step"] is not None]
    averaged = {row["step"] for row in steps.to_pylist() if row["averaged"]}
    use = [row for row in numbered if row["step"] in averaged] or numbered or rows
    if not use:
        return []
    names = ("data_transfer_us", "synchronizing_us", "other_us")
    mean = {name: float(np.mean([row[name] for row in use])) for name in names}
    return [{"step": None, "worker": worker, **mean}, *numbered]


def _ops(found: FoundCalls, moved: Rows) -> pa.Table:
    kept = found.kept
    group, first = dense(found.calls.worker[kept], found.name[kept])
    group_of = np.full(len(kept), -1, np.int64)
    group_of[kept] = group
    groups = len(first)
    count = np.bincount(group, minlength=groups)
    whole, transfer = _covered(found, moved, kept, group_of, groups)
    own = kept & found.measured
    whole += sums(group_of[own], found.floats("latency_us")[own], groups)
    transfer += sums(group_of[own], found.floats("data_transfer_us")[own], groups)
    has_time = kept & ((found.calls.ranges > 0) | found.measured)
    timed = np.bincount(group_of[has_time], minlength=groups)
    complete = _all(group, found.known[kept], groups)

    def total(values: Floats) -> pa.Array:
        """Add up by group; null where the value of some call is not known."""
        values = values[kept]
        has = np.isfinite(values)
        return pa.array(
            sums(group, np.where(has, values, 0), groups), mask=~_all(group, has, groups)
        )

    latency = pa.array(whole, mask=timed == 0)
    data = pa.array(transfer, mask=~complete)
    given = total(found.floats("bytes"))
    message = found.floats("message_bytes")
    carried = total(found.floats("bus_bytes"))
    busy = total(found.floats("link_us"))
    link = _over(given, np.nan_to_num(np.asarray(busy, np.float64)) * 1000, busy)
    at = np.flatnonzero(kept)[first]
    table = make_table(
        contract_ranks.DISTRIBUTED_OPS,
        {
            "worker": [found.workers[i] for i in found.calls.worker[at].tolist()],
            "name": [found.names[i] for i in found.name[at].tolist()],
            "calls": count,
            "total_bytes": given.cast(pa.int64(), safe=False),
            "avg_bytes": _over(given, count),
            "total_latency_us": latency,
            "avg_latency_us": _over(latency, count),
            "data_transfer_us": data,
            "avg_data_transfer_us": _over(data, count),
            "algo_gbps": _over(total(message), transfer * 1000, data),
            "bus_gbps": _over(carried, transfer * 1000, data),
            "link_gbps": link,
        },
    )
    places = dict(zip(found.workers, range(len(found.workers)), strict=True))
    order = np.lexsort(
        (
            np.arange(groups),
            -np.nan_to_num(np.asarray(latency, np.float64)),
            np.array([places[name] for name in table["worker"].to_pylist()], np.int64),
        )
    )
    return table.take(pa.array(order, pa.int64()))


def _covered(
    found: FoundCalls, moved: Rows, use: npt.NDArray[np.bool_], group: Rows, groups: int
) -> tuple[Floats, Floats]:
    """Return by group how long calls were at work, and how long data moved, in microseconds."""
    ranges = use[found.call]
    start, end = found.start[ranges], (found.start + found.duration)[ranges]
    of = group[found.call[ranges]]
    last = moved[ranges]
    has = last >= 0
    whole = covered(start, end, of, groups)
    data = covered((end - last)[has], end[has], of[has], groups)
    return us(whole), us(data)


def _all(group: Rows, holds: npt.NDArray[np.bool_], groups: int) -> npt.NDArray[np.bool_]:
    lacking: npt.NDArray[np.bool_] = np.bincount(group[~holds], minlength=groups) == 0
    return lacking


def _over(part: pa.Array, whole: npt.NDArray[Any], also: pa.Array | None = None) -> pa.Array:
    """Divide, null where either is null or the second is 0."""
    divided = ratio(np.nan_to_num(np.asarray(part, np.float64)), whole)
    known = part.is_valid() if also is None else pc.and_(part.is_valid(), also.is_valid())
    return pc.if_else(known, divided, None)


def _by_step(columns: Any, rows: Sequence[Mapping[str, Any]], workers: Sequence[str]) -> pa.Table:
    """Return a table with means first, then by step; workers in their order within a step."""
    place = {worker: i for i, worker in enumerate(workers)}
    ordered = sorted(
        rows, key=lambda row: (row["step"] is not None, row["step"] or 0, place[row["worker"]])
    )
    return make_table(columns, {c.name: [row[c.name] for row in ordered] for c in columns})
