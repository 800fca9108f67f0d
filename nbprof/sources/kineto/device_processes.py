"""Makes device work of the slices of processes that stand for devices, as JAX and TensorFlow do.

Such a process is called ``/device:GPU:0``. Its threads are streams (``Stream #16(Compute)``) and
lines that XLA derives from them (``XLA Modules``, ``Steps``, …). A TPU has no streams: its work is
in the line ``XLA Ops``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.kineto import categories

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources.chrome.batch import Context, Pieces
    from nbprof.sources.kineto.device_rows import DeviceRows
    from nbprof.sources.kineto.host_rows import HostRows
    from nbprof.sources.kineto.other_rows import OtherRows

_DEVICE: Final = re.compile(r"/(?:device:)?(?!CPU)([A-Za-z]\w*):(\d{1,9})(?:/stream:(?!all)\S*|$)")
_STREAM: Final = re.compile(r"^Stream #(\d{1,9})")
_OPERATIONS: Final = "XLA Ops"
#: The columns of host rows that device rows have as well.
_SHARED: Final = ("order", "name", "start_ns", "duration_ns", "correlation")


class _Lane(NamedTuple):
    """What a thread of such a process stands for; lines that are no streams are below -1."""

    device: int
    stream: int
    is_work: bool
    name: str


def move_device_rows(
    context: Context, other: OtherRows, host: HostRows, device: DeviceRows
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Move the slices of such processes from the host's rows to those of devices, in place.

    Returns
    -------
    dict of str to str
        The type of the device that a process stands for, by the id of the process.
    list of dict
        Rows of the table of lanes: the names of lines that are no streams.
    """
    found = {pid: _DEVICE.search(name) for pid, name in other.process_names.items()}
    devices = {pid: match for pid, match in found.items() if match}
    if not devices:
        return {}, []
    names, keys = other.thread_names, context.threads.keys_seen
    lanes = _lanes(names, keys, {pid: int(match[2]) for pid, match in devices.items()})
    is_moved = np.array([lane is not None for lane in lanes])
    number, stream, is_work = (
        np.array([-1 if lane is None else lane[at] for lane in lanes], np.int64) for at in range(3)
    )
    kind_of_name = np.array([categories.device_kind(name) for name in context.names.texts], np.int8)
    kept: list[Pieces] = []
    for piece in host.pieces:
        moved = is_moved[piece["thread"]]
        if not moved.all():
            kept.append({name: values[~moved] for name, values in piece.items()})
        if moved.any():
            thread = piece["thread"][moved]
            kind = kind_of_name[piece["name"][moved]]
            device.pieces.append(
                {
                    **{name: piece[name][moved] for name in _SHARED if name in piece},
                    "kind": np.where(is_work[thread] == 1, kind, kinds.DEVICE_ANNOTATION),
                    "device": number[thread].astype(np.int32),
                    "stream": stream[thread],
                }
            )
    host.pieces[:] = kept
    lines = [
        {
            "side": "device",
            "place": lane.device,
            "stream": lane.stream,
            "group": "XLA",
            "name": lane.name,
        }
        for lane in lanes
        if lane is not None and lane.name
    ]
    return {pid: match[1].lower() for pid, match in devices.items()}, lines


def _lanes(
    names: Mapping[tuple[str, int], str],
    keys: Sequence[tuple[str, int, str]],
    devices: Mapping[str, int],
) -> list[_Lane | None]:
    """Return what each thread of a device stands for, None for threads of other processes."""
    of_process: dict[str, list[str]] = {}
    for (pid, _), name in names.items():
        of_process.setdefault(pid, []).append(name)
    lanes: list[_Lane | None] = []
    for pid, tid, _ in keys:
        if pid not in devices:
            lanes.append(None)
            continue
        name, others = names.get((pid, tid), ""), of_process.get(pid, [])
        stream = _STREAM.match(name)
        if any(map(_STREAM.match, others)):
            is_work = stream is not None
        else:
            is_work = name == _OPERATIONS or _OPERATIONS not in others
        line = -2 - max(tid, 0)
        number = int(stream[1]) if stream else line if name else max(tid, -1)
        lanes.append(_Lane(devices[pid], number, is_work, "" if stream else name))
    return lanes
