"""Decides which slices are written without a category, and where device work among them is.

Those recorded without one stay without, if readers tell them by their names, processes and
arguments: see `uncertain_roles` and `device_processes` in `nbprof.sources.kineto`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.kineto import categories
from nbprof.sources.kineto.device_processes import DEVICE, OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass
class DeviceWork:
    """Device work that is written without a category.

    Attributes
    ----------
    place : ndarray of int64, shape (rows of the device table,)
        The place of each row as one of `places`; -1 for rows with a category.
    by_id : ndarray of bool, of the same shape
        Whether a row is told by the process: then its launch is an id of JAX and TensorFlow.
    places : list of (str, int)
        Processes and threads.
    names : list of str
        The names of these threads, empty if they have none.
    """

    place: Rows
    by_id: Mask
    places: list[tuple[str, int]]
    names: list[str]


def bare_host_slices(model: TraceModel, names: Sequence[str]) -> Mask:
    """Return which host rows are written without a category, shape (rows,).

    Parameters
    ----------
    model : TraceModel
        The trace.
    names : sequence of str
        The names that are written, by their codes.
    """
    name, kind, thread = (model.column("host", one) for one in ("name", "kind", "thread"))
    if not model.tables["host_categories"].num_rows:
        return np.zeros(len(kind), bool)
    is_call = model.column("host", "correlation") >= 0
    pids = model.tables["threads"]["pid"].to_pylist()
    of_device = np.array([categories.is_device_process(pid or "") for pid in pids], bool)[thread]
    told = np.where(of_device, categories.DEVICE + kinds.KERNEL, kinds.OPERATOR).astype(np.int16)
    told[is_call] = kinds.RUNTIME
    traits = categories.NameTraits(names)
    traits.apply_frames(told, name)
    traits.apply(told, name)
    told[(told == kinds.PYTHON) & (model.column("host", "module_id") >= 0)] = kinds.MODULE
    missing: Mask = model.column("host_categories", "is_missing") & (told == kind)
    return missing


def bare_device_work(model: TraceModel) -> DeviceWork:
    """Return the device work that is written without a category."""
    device, stream, kind, name = (
        model.column("device", one) for one in ("device", "stream", "kind", "name")
    )
    found = DeviceWork(np.full(len(kind), -1), np.zeros(len(kind), bool), [], [])
    if not model.tables["device_categories"].num_rows:
        return found
    process = model.column("device_categories", "process")
    kind_of_name = np.array([categories.device_kind(one) for one in model.recorded("device")])
    lines = {
        (row["place"], row["stream"]): row["name"] for row in model.tables["lanes"].to_pylist()
    }
    pids = model.recorded("device_categories", "process")
    order = np.argsort(process, kind="stable")
    bounds = np.searchsorted(process[order], np.arange(len(pids) + 1))
    for pid, first, last in zip(pids, bounds, bounds[1:], strict=False):
        rows = order[first:last]
        streams, at = np.unique(stream[rows], return_inverse=True)
        of_device = DEVICE.search(pid)
        if of_device is None:  # the EventList export: the thread is the device
            threads = [_Thread(one, "", is_work=True) for one in streams.tolist()]
            told = (device[rows] == stream[rows]) & (kind[rows] == kinds.KERNEL)
        else:
            number = int(of_device[2])
            is_work = kind[rows] != kinds.DEVICE_ANNOTATION
            names = [lines.get((number, one), "") for one in streams.tolist()]
            works = np.bincount(at, is_work) > 0
            if is_work.all() or works[streams < -1].any():
                threads = _threads_by_name(streams.tolist(), names)
            else:
                threads = _threads_by_stream(streams.tolist(), names, works.tolist())
            told_work = np.array([one.is_work for one in threads[: len(streams)]], bool)[at]
            wanted = np.where(told_work, kind_of_name[name[rows]], kinds.DEVICE_ANNOTATION)
            told = (device[rows] == number) & (kind[rows] == wanted)
            told &= (stream[rows] >= -1) | np.array([bool(one) for one in names], bool)[at]
        found.place[rows] = np.where(told, at + len(found.places), -1)
        found.by_id[rows] = told & (of_device is not None)
        found.places += [(pid, one.tid) for one in threads]
        found.names += [one.name for one in threads]
    return found


class _Thread(NamedTuple):
    """A thread of a process that stands for a device, and whether its slices are work."""

    tid: int
    name: str
    is_work: bool


def _threads_by_name(streams: list[int], names: list[str]) -> list[_Thread]:
    """Return threads of a device without streams: there is work in the line of operations, or all.

    Parameters
    ----------
    streams : list of int
        Streams in ascending order; lines that are no streams are below -1.
    names : list of str
        The names of lines, empty for streams.
    """
    every = OPERATIONS not in names
    return [
        _Thread(_line(one), name, every or name == OPERATIONS)
        for one, name in zip(streams, names, strict=True)
    ]


def _threads_by_stream(streams: list[int], names: list[str], works: list[bool]) -> list[_Thread]:
    """Return threads of a device whose work is in the threads that are called streams.

    `works` says which streams have work; readers need one stream at least, even if none has.
    """
    beyond = 1 + max(map(_line, streams))
    threads = [
        _Thread(one + beyond, f"Stream #{one}", is_work=True)
        if work
        else _Thread(_line(one), name, is_work=False)
        for one, name, work in zip(streams, names, works, strict=True)
    ]
    return threads if any(works) else [*threads, _Thread(beyond, "Stream #0", is_work=True)]


def _line(stream: int) -> int:
    """Return the thread of a line that is no stream, or has no name."""
    return -2 - stream if stream < -1 else stream
