"""Converts device events to columns: kernels, copies, memsets, synchronisation, annotations."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import (
    Integers,
    as_integer,
    convert,
    floats,
    integers,
    last_number,
)
from nbprof.sources.chrome.dictionaries import JsonTexts
from nbprof.sources.kineto import categories
from nbprof.sources.kineto.host_rows import external_ids

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Batch, Context, Pieces

_get_device = attrgetter("device")
_get_stream = attrgetter("stream")
_get_pid = attrgetter("pid")
_get_tid = attrgetter("tid")

_INTEGERS = ("correlation", "registers", "shared_memory_bytes", "bytes", "graph_node")
_FLOATS = ("blocks_per_sm", "warps_per_sm", "occupancy_pct", "bandwidth_gbps")


class DeviceRows:
    """Collects the pieces of the device table."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.pieces: list[Pieces] = []
        self.extents = JsonTexts(context.defects)
        self._numbers = Numbers()

    def add(self, batch: Batch) -> None:
        """Add device slices of all kinds."""
        args = batch.args
        self._context.keep_collectives(batch, "device")
        device, stream = _places(batch)
        kind = (batch.roles - categories.DEVICE).astype(np.int8)
        numbers = {name: integers(args, name) for name in _INTEGERS}
        copies = (kind == kinds.MEMCPY) & (numbers["bytes"] < 0)
        if copies.any():  # MTIA's requests have their size under another name
            numbers["bytes"] = np.where(copies, integers(args, "size"), numbers["bytes"])
        self.pieces.append(
            {
                "order": batch.order,
                "name": batch.names,
                "kind": kind,
                "device": _small(self._numbers.encode(device)),
                "stream": self._numbers.encode(stream),
                "start_ns": batch.start,
                "duration_ns": self._context.durations(batch),
                "external_id": external_ids(batch),
                "grid": self.extents.encode_field(args, "grid"),
                "block": self.extents.encode_field(args, "block"),
                **numbers,
                **{name: floats(args, name) for name in _FLOATS},
            }
        )


def _places(batch: Batch) -> tuple[list[Any], list[Any]]:
    """Return the device and the stream of every event.

    Annotations have none: their track, (pid, tid), is used instead. In the EventList export the
    process is called "CUDA functions", and the thread is the device. Without a process it is 0.
    """
    device, stream = (list(map(get, batch.args)) for get in (_get_device, _get_stream))
    if None in device or None in stream:
        pids, tids = (list(map(get, batch.events)) for get in (_get_pid, _get_tid))
        device = [
            one if one is not None else 0 if pid is None else pid if _is_device(pid) else tid
            for one, pid, tid in zip(device, pids, tids, strict=True)
        ]
        stream = [tid if one is None else one for one, tid in zip(stream, tids, strict=True)]
    return device, stream


class Numbers(dict[Any, int]):
    """Encodes devices, streams and threads as numbers; takes the number from "stream 7"."""

    def __missing__(self, value: Any) -> int:
        number = last_number(value)
        self[value] = -1 if number is None else number
        return self[value]

    def encode(self, values: list[Any]) -> Integers:
        """Return the numbers for values, shape (values,)."""
        try:
            return np.fromiter(map(self.__getitem__, values), np.int64, len(values))
        except TypeError:  # such as a list
            return convert(values, lambda value: as_integer(last_number(value)))


def _small(numbers: Integers) -> npt.NDArray[np.int32]:
    """Return device numbers, with -1 for numbers that no device has."""
    fits = (numbers >= 0) & (numbers < 1 << 31)
    return np.where(fits, numbers, -1).astype(np.int32)


def _is_device(pid: Any) -> bool:
    return not isinstance(pid, str) or pid.isdecimal()
