"""Assigns each lane of a trace to a host thread, a device stream, or another lane of a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.building import table_of_rows
from nbprof.model.trace import schema_vendors
from nbprof.sources.ascend.trace.processes import HARDWARE
from nbprof.sources.kineto.other_rows import identifiers

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.sources.ascend.trace.columns import TraceRows

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: On each device, lanes other than streams are numbered from here downwards.
FIRST_OTHER: Final = -2

_HOST_GROUP: Final = "Host"
_DEVICE_GROUP: Final = "NPU"


@dataclass
class LaneDetails:
    """Properties of every lane of a trace; arrays have shape (lanes,).

    Attributes
    ----------
    on_device : ndarray of bool
    device, stream : ndarray of int64
        Device and stream number; -1 for lanes on the host.
    group : list of str
        Name of the layer that the lane belongs to.
    name : list of str
    pid : list of str
    tid : ndarray of int64
    rank : ndarray of int64
        Position on the screen.
    """

    on_device: Mask
    device: Integers
    stream: Integers
    group: list[str]
    name: list[str]
    pid: list[str]
    tid: Integers
    rank: Integers


def lane_details(trace: TraceRows, default_device: int) -> LaneDetails:
    """Determine the device, stream, group and position of all lanes.

    Parameters
    ----------
    trace : TraceRows
        The trace.
    default_device : int
        Device of processes whose device is unknown.
    """
    said = trace.processes
    known = [said.named(pid) for pid, _ in trace.lanes]
    order = sorted(
        range(len(trace.lanes)),
        key=lambda at: (known[at].place, said.places.get(trace.lanes[at], 0.0), trace.lanes[at]),
    )
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    on_device = np.array([process.on_device for process in known], bool)
    device = np.full(len(known), -1, np.int64)
    stream = np.full(len(known), -1, np.int64)
    used = np.zeros(len(known), bool)
    used[trace.slices["lane"]] = True
    others: dict[int, int] = {}
    for at in order:
        pid, tid = trace.lanes[at]
        if not on_device[at]:
            continue
        device[at] = said.device(pid, default_device)
        if known[at].group == HARDWARE and tid >= 0:
            stream[at] = tid
        elif used[at]:
            stream[at] = others.get(int(device[at]), FIRST_OTHER)
            others[int(device[at])] = int(stream[at]) - 1
    return LaneDetails(
        on_device=on_device,
        device=device,
        stream=stream,
        group=[
            process.group or (_DEVICE_GROUP if process.on_device else _HOST_GROUP)
            for process in known
        ],
        name=[said.threads.get(key) or f"{key[1]}" for key in trace.lanes],
        pid=[pid for pid, _ in trace.lanes],
        tid=np.array([tid for _, tid in trace.lanes], np.int64),
        rank=rank,
    )


def lanes_table(
    trace: TraceRows, details: LaneDetails, thread_of_lane: Integers, extra: list[dict[str, object]]
) -> pa.Table:
    """Return the table of lanes.

    Parameters
    ----------
    trace, places
        The trace and its details.
    thread_of_lane : ndarray of int64, shape (lanes,)
        Row in THREADS, -1 for lanes that are not threads.
    extra : list of dict
        Additional rows for lanes that are not in the trace.
    """
    used = np.zeros(len(details.rank), bool)
    used[trace.slices["lane"]] = True
    rows: list[dict[str, object]] = []
    for at in np.argsort(details.rank).tolist():
        row = {"group": details.group[at], "name": details.name[at]}
        if details.on_device[at] and used[at]:
            place = int(details.device[at])
            rows.append(
                {"side": "device", "place": place, "stream": int(details.stream[at]), **row}
            )
        elif thread_of_lane[at] >= 0:
            rows.append({"side": "host", "place": int(thread_of_lane[at]), "stream": -1, **row})
    rows += extra
    rows += _of_counters(trace)
    return table_of_rows(rows, schema_vendors.LANES)


def _of_counters(trace: TraceRows) -> list[dict[str, object]]:
    """Return a row for each process that has counters."""
    counted = set(trace.counters["pid"].tolist())
    said = trace.processes.found
    named = {pid: number for pid in said if (number := int(identifiers([pid])[0])) in counted}
    rows: list[dict[str, object]] = [
        {
            "side": "counter",
            "place": number,
            "stream": -1,
            "group": said[pid].group,
            "name": said[pid].name,
        }
        for pid, number in sorted(named.items(), key=lambda item: (said[item[0]].place, item))
    ]
    unnamed = sorted(counted - set(named.values()))
    return rows + [
        {"side": "counter", "place": pid, "stream": -1, "group": "Counters", "name": str(pid)}
        for pid in unnamed
    ]
