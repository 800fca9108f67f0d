"""Computes `distributed_overview`, `distributed_wait` and `distributed_ops` from all extracts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.analysis.grouped_time import covered
from nbprof.analysis.grouping import dense, ratio, sums, us
from nbprof.analysis.ranks.columns import STEP_TIMES
from nbprof.model.arrays import floats_of
from nbprof.model.building import arrow_array, arrow_scalar
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.table import Column, make_table
from nbprof.ranks.communication_calls import NO_STEP, CommunicationCalls
from nbprof.ranks.pairing import slots, transfers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DISTRIBUTED_OVERVIEW: Final[Columns] = (
    count("step", "Number of the step; empty for the mean over all steps."),
    text("worker", "Profiled process."),
    *STEP_TIMES,
)

DISTRIBUTED_WAIT: Final[Columns] = (
    count("step", "Number of the step; empty for the mean over all steps."),
    text("worker", "Profiled process."),
    time("data_transfer_us", "Communication time in which data was transferred."),
    time("synchronizing_us", "Communication spent waiting for other workers."),
    time(
        "other_us",
        "Remaining time of the calls, neither transfer nor waiting, as measured by the "
        "recorder; 0 if all other time counts as waiting.",
    ),
)

DISTRIBUTED_OPS: Final[Columns] = (
    text("worker", "Profiled process."),
    text("name", "Kind of communication operator."),
    count("calls", "Number of calls."),
    size(
        "total_bytes",
        "Total bytes sent in all calls, each byte counted once; 0 in a group of one rank.",
    ),
    Column("avg_bytes", pa.float64(), "bytes", "Mean bytes sent in a call."),
    time("total_latency_us", "Total time of the calls, including waiting."),
    time("avg_latency_us", "Mean time of a call."),
    time(
        "data_transfer_us",
        "Part of it in which data was transferred; empty where the other ranks are missing.",
    ),
    time("avg_data_transfer_us", "Mean data transfer time of a call."),
    Column(
        "algo_gbps",
        pa.float64(),
        "GB/s",
        "Bytes of the whole message per transfer time, in 10⁹ bytes per second; empty if "
        "the recorder reports only the bytes on links.",
    ),
    Column(
        "bus_gbps",
        pa.float64(),
        "GB/s",
        "Bytes carried by all links of the worker per transfer time.",
    ),
    Column(
        "link_gbps",
        pa.float64(),
        "GB/s",
        "Mean bytes carried by one link per time that it was busy; NPUs only.",
    ),
)

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """Communication of all ranks, with latency and transfer time.

    Attributes
    ----------
    wait, ops : pyarrow.Table
        Tables ``distributed_wait`` and ``distributed_ops``.
    calls : int
        Communication calls, of all ranks.
    unpaired : dict of str to int
        By worker, the number of calls that match no calls of other ranks.
    single_rank : bool
        Whether only one rank communicates, and its recorder did not measure its waiting time.
    """

    wait: pa.Table
    ops: pa.Table
    calls: int
    unpaired: dict[str, int]
    single_rank: bool


def overview(steps: Mapping[str, pa.Table]) -> pa.Table:
    """Return ``distributed_overview`` of `RANK_STEPS` by worker: means first, then every step."""
    blocks: list[dict[str, Any]] = []
    for worker, table in steps.items():
        rows = table.to_pylist()
        used = [row for row in rows if row["averaged"]]
        times = [name for name in table.column_names if name.endswith("_us")]
        if used:
            mean = {name: _mean([row[name] for row in used]) for name in times}
            blocks.append({"step": None, "worker": worker, **mean})
        blocks += [{**row, "worker": worker} for row in rows if row["step"] is not None]
    return _rows_by_step(DISTRIBUTED_OVERVIEW, blocks, list(steps))


def _mean(times: Sequence[float | None]) -> float | None:
    """Return the mean of the times that were recorded, None without any."""
    known = [time for time in times if time is not None]
    return float(np.mean(known)) if known else None


def measure(calls: Mapping[str, pa.Table], steps: Mapping[str, pa.Table]) -> Measured:
    """Compute waiting times and bandwidths from `RANK_CALLS` of all workers.

    Parameters
    ----------
    calls : mapping of str to pyarrow.Table
        `RANK_CALLS` by worker.
    steps : mapping of str to pyarrow.Table
        `RANK_STEPS` by worker, which mark the steps that are averaged.
    """
    communication = CommunicationCalls(calls)
    slot = slots(communication.calls)
    moved = transfers(slot[communication.call], communication.nth, communication.duration)
    # Only matched calls have a transfer time, unless the recorder measured it.
    communication.mark_known(moved >= 0)
    return Measured(
        _wait_table(communication, moved, steps),
        _ops_table(communication, moved),
        int(communication.kept.sum()),
        communication.unpaired(slot),
        len({*communication.calls.worker[~communication.measured].tolist()}) == 1,
    )


def _wait_table(
    communication: CommunicationCalls, moved: Rows, steps: Mapping[str, pa.Table]
) -> pa.Table:
    use = communication.known & communication.kept
    group, first = dense(communication.calls.worker, communication.calls.step)
    groups = len(first)
    whole, transfer = _active_and_transfer_time(communication, moved, use, group, groups)
    own = use & communication.measured
    latency, moving, waiting = (
        sums(group[own], np.nan_to_num(communication.floats(name)[own]), groups)
        for name in ("latency_us", "data_transfer_us", "synchronizing_us")
    )
    waited, transferred = whole - transfer + waiting, transfer + moving
    rest = np.maximum(latency - moving - waiting, 0.0)
    rows: dict[str, list[dict[str, Any]]] = {worker: [] for worker in communication.workers}
    there = np.bincount(group[use], minlength=groups) > 0
    for at in np.flatnonzero(there).tolist():
        worker = communication.workers[communication.calls.worker[first[at]]]
        step = int(communication.calls.step[first[at]])
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
    return _rows_by_step(DISTRIBUTED_WAIT, blocks, communication.workers)


def _with_mean(worker: str, rows: list[dict[str, Any]], steps: pa.Table) -> list[dict[str, Any]]:
    """Return the steps of a worker, and the mean over the steps with communication.

    Calls outside of steps are counted only if the recording has no steps.
    """
    numbered = [row for row in rows if row["step"] is not None]
    averaged = {row["step"] for row in steps.to_pylist() if row["averaged"]}
    use = [row for row in numbered if row["step"] in averaged] or numbered or rows
    if not use:
        return []
    names = ("data_transfer_us", "synchronizing_us", "other_us")
    mean = {name: float(np.mean([row[name] for row in use])) for name in names}
    return [{"step": None, "worker": worker, **mean}, *numbered]


def _ops_table(communication: CommunicationCalls, moved: Rows) -> pa.Table:
    kept = communication.kept
    group, first = dense(communication.calls.worker[kept], communication.name[kept])
    group_of = np.full(len(kept), -1, np.int64)
    group_of[kept] = group
    groups = len(first)
    count = np.bincount(group, minlength=groups)
    whole, transfer = _active_and_transfer_time(communication, moved, kept, group_of, groups)
    own = kept & communication.measured
    whole += sums(group_of[own], communication.floats("latency_us")[own], groups)
    transfer += sums(group_of[own], communication.floats("data_transfer_us")[own], groups)
    has_time = kept & ((communication.calls.ranges > 0) | communication.measured)
    timed = np.bincount(group_of[has_time], minlength=groups)
    complete = _holds_in_all(group, communication.known[kept], groups)

    def total(values: Floats) -> pa.Array:
        """Sum by group; null if the value of any call is unknown."""
        values = values[kept]
        has = np.isfinite(values)
        return arrow_array(
            sums(group, np.where(has, values, 0), groups), mask=~_holds_in_all(group, has, groups)
        )

    is_known = _holds_in_all(
        group, ~(own & np.isnan(communication.floats("latency_us")))[kept], groups
    )
    latency = arrow_array(np.nan_to_num(whole), mask=(timed == 0) | ~is_known)
    data = arrow_array(transfer, mask=~complete)
    given = total(communication.floats("bytes"))
    message = communication.floats("message_bytes")
    carried = total(communication.floats("bus_bytes"))
    busy = total(communication.floats("link_us"))
    link = _divide(given, np.nan_to_num(floats_of(busy)) * 1000, busy)
    at = np.flatnonzero(kept)[first]
    table = make_table(
        DISTRIBUTED_OPS,
        {
            "worker": [communication.workers[i] for i in communication.calls.worker[at].tolist()],
            "name": [communication.names[i] for i in communication.name[at].tolist()],
            "calls": count,
            "total_bytes": given.cast(pa.int64(), safe=False),
            "avg_bytes": _divide(given, count),
            "total_latency_us": latency,
            "avg_latency_us": _divide(latency, count),
            "data_transfer_us": data,
            "avg_data_transfer_us": _divide(data, count),
            "algo_gbps": _divide(total(message), transfer * 1000, data),
            "bus_gbps": _divide(carried, transfer * 1000, data),
            "link_gbps": link,
        },
    )
    places = dict(zip(communication.workers, range(len(communication.workers)), strict=True))
    order = np.lexsort(
        (
            np.arange(groups),
            -np.nan_to_num(floats_of(latency)),
            np.array([places[name] for name in table["worker"].to_pylist()], np.int64),
        )
    )
    return table.take(arrow_array(order, pa.int64()))


def _active_and_transfer_time(
    communication: CommunicationCalls,
    moved: Rows,
    use: npt.NDArray[np.bool_],
    group: Rows,
    groups: int,
) -> tuple[Floats, Floats]:
    """Return the active time and the transfer time of each group of calls, in microseconds."""
    ranges = use[communication.call]
    start, end = communication.start[ranges], (communication.start + communication.duration)[ranges]
    of = group[communication.call[ranges]]
    last = moved[ranges]
    has = last >= 0
    whole = covered(of, start, end, groups)
    data = covered(of[has], (end - last)[has], end[has], groups)
    return us(whole), us(data)


def _holds_in_all(group: Rows, holds: npt.NDArray[np.bool_], groups: int) -> npt.NDArray[np.bool_]:
    lacking: npt.NDArray[np.bool_] = np.bincount(group[~holds], minlength=groups) == 0
    return lacking


def _divide(part: pa.Array, whole: npt.NDArray[Any], also: pa.Array | None = None) -> pa.Array:
    """Divide; null where either is null or the divisor is 0."""
    divided = ratio(np.nan_to_num(floats_of(part)), whole)
    known = part.is_valid() if also is None else pc.and_(part.is_valid(), also.is_valid())
    return pc.if_else(known, divided, arrow_scalar(None, pa.float64()))


def _rows_by_step(
    columns: Any, rows: Sequence[Mapping[str, Any]], workers: Sequence[str]
) -> pa.Table:
    """Return a table with means first, then by step; workers in their order within a step."""
    place = {worker: i for i, worker in enumerate(workers)}
    ordered = sorted(
        rows, key=lambda row: (row["step"] is not None, row["step"] or 0, place[row["worker"]])
    )
    return make_table(columns, {c.name: [row[c.name] for row in ordered] for c in columns})
