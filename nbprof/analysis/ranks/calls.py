"""The communication calls of one rank, with the times during which they ran.

The table is `RANK_CALLS`. A call of a device backend runs while its kernels run; its
host range only enqueues them. (The TensorBoard plugin counts the host range as one of the call's
ranges.) A call of a host backend runs during its host range. The table includes calls that the
filter excludes, because only complete sequences can be matched with other ranks.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import kept_host_rows
from nbprof.analysis.grouping import first_rows
from nbprof.analysis.kernels.collectives import is_point_to_point, volumes
from nbprof.analysis.kernels.communication import (
    communication_calls,
    device_communication,
    host_communication,
)
from nbprof.analysis.ranks.calls_npu import npu_rank_calls
from nbprof.analysis.ranks.columns import RANK_CALLS
from nbprof.model.building import arrow_array
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.patterns import match_names
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.communication_names import qualified_name
from nbprof.model.names.name_tests import starts
from nbprof.model.names.roles import named
from nbprof.model.steps.steps import step_at

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_BACKENDS = ("nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:", "rccl:")


def rank_calls(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return a row for each range of time during which a call ran, at least one per call.

    Parameters
    ----------
    model : TraceModel
        The trace of the rank.
    filter_ : Filter
        Determines which calls are kept. A device call is kept if any of its kernels is.
    """
    if model.tables["communication"].num_rows:
        return npu_rank_calls(model, filter_)
    calls = model.cached("calls of this rank", lambda: _Calls(model))  # no filter changes them
    moment = calls.moment
    order = np.lexsort((-calls.end, moment))
    names = arrow_array(calls.names, pa.utf8()).take(arrow_array(order)).to_pylist()
    volume = volumes(model, names, calls.host[order], calls.arguments[order])
    steps = model.steps
    step = step_at(steps.host_start_ns, steps.host_end_ns, moment[order])
    number = np.append(steps.number, 0)[step]
    is_kept = calls.kept(filter_)[order]
    groups = arrow_array(calls.groups, pa.utf8()).take(arrow_array(order))
    is_pairwise = {name: is_point_to_point(name) for name in set(names)}
    paired = [not is_pairwise[name] for name in names]
    # sort ranges by call, those of one call by start
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    start, duration, call = calls.ranges(place)
    known = start >= 0
    take = arrow_array(call)
    carried = np.where(volume.message >= 0, volume.message * volume.bus_factor, np.nan)
    return make_table(
        RANK_CALLS,
        {
            "call": call,
            "step": arrow_array(number[call], mask=step[call] < 0),
            "name": arrow_array(names, pa.utf8()).take(take),
            "process_group": groups.take(take),
            "kept": is_kept[call],
            "paired": arrow_array(paired, pa.bool_()).take(take),
            "bytes": arrow_array(volume.given[call], mask=volume.given[call] < 0),
            "message_bytes": arrow_array(volume.message[call], mask=volume.message[call] < 0),
            "bus_bytes": arrow_array(carried[call], nan_is_null=True),
            "start_ns": arrow_array(start, mask=~known),
            "duration_ns": arrow_array(duration, mask=~known),
            "latency_us": None,
            "data_transfer_us": None,
            "synchronizing_us": None,
            "link_us": None,
        },
    )


class _Calls:
    """The calls of a trace, unsorted: first those on the host, then kernels without a known call.

    Attributes
    ----------
    host : ndarray of int64, shape (calls,)
        Host row, -1 for a kernel that no known call launched.
    works : ndarray of int64, shape (device rows,)
        Index of the call of each communication kernel, -1 for other device rows.
    """

    def __init__(self, model: TraceModel) -> None:
        self._model = model
        calls = communication_calls(model)
        inner = calls & named(model, "host", starts(*_BACKENDS))
        kernels = np.flatnonzero(device_communication(model))
        launch = model.links.launch[kernels]
        owner = _round(model, launch, inner)
        owner = np.where(owner < 0, _round(model, launch, calls), owner)
        # Other calls only wrap the backend's call or wait, unless they launch kernels themselves.
        chosen = inner | (host_communication(model) & calls)
        chosen[owner[owner >= 0]] = True
        rows = np.flatnonzero(chosen)
        lone = kernels[owner < 0]
        self.host = np.concatenate([rows, np.full(len(lone), -1, np.int64)])
        self.works = np.full(model.tables["device"].num_rows, -1, np.int64)
        self.works[kernels[owner >= 0]] = np.searchsorted(rows, owner[owner >= 0])
        self.works[lone] = len(rows) + np.arange(len(lone))
        self._kernels = kernels
        self._lone = lone
        has_kernels = np.zeros(len(self.host), bool)
        has_kernels[self.works[kernels]] = True
        self._on_device = has_kernels
        measured = host_communication(model)
        self._on_host = np.zeros(len(self.host), bool)
        self._on_host[: len(rows)] = measured[rows] & ~has_kernels[: len(rows)]
        self.arguments = self._find_arguments()
        self.moment, self.end = self._times()

    @cached_property
    def names(self) -> list[str]:
        """Name of each call, shape (calls,)."""
        model, hosts = self._model, self.host[: len(self.host) - len(self._lone)]
        texts, codes = model.values("host", "name"), model.column("host", "name")[hosts]
        own = [texts[code] for code in codes.tolist()]
        texts, codes = model.values("device", "name"), model.column("device", "name")[self._lone]
        own += [qualified_name(texts[code]) for code in codes.tolist()]
        recorded = self._argument("collective")
        return [
            name if name.startswith(_BACKENDS) or text is None else text
            for name, text in zip(own, recorded, strict=True)
        ]

    @cached_property
    def groups(self) -> list[str]:
        """Process group of each call, shape (calls,)."""
        pairs = zip(self._argument("process_group"), self._argument("ranks"), strict=True)
        return [" ".join(text for text in pair if text) for pair in pairs]

    def ranges(self, place: Rows) -> tuple[Rows, Rows, Rows]:
        """Return start, duration and call of all ranges, calls in the order given by `place`.

        A call without a known time has one range that starts at -1.
        """
        host_start, host_duration = self._host_times()
        start, duration = (
            self._model.column("device", name)[self._kernels]
            for name in ("start_ns", "duration_ns")
        )
        others = np.flatnonzero(~self._on_device)
        on_host = self._on_host[others]
        starts = np.concatenate([start, np.where(on_host, host_start[others], -1)])
        durations = np.concatenate([duration, np.where(on_host, host_duration[others], -1)])
        call = place[np.concatenate([self.works[self._kernels], others])]
        order = np.lexsort((-durations, starts, call))
        return starts[order], durations[order], call[order]

    def kept(self, filter_: Filter) -> Mask:
        """Return which calls a filter keeps, shape (calls,)."""
        filter_ = filter_.replace(workers=None)
        if not filter_:
            return np.ones(len(self.host), bool)
        model = self._model
        is_kept = np.zeros(len(self.host), bool)
        rows = self.host >= 0
        is_kept[rows] = kept_host_rows(model, filter_)[self.host[rows]] & ~self._on_device[rows]
        if filter_.devices is not None or filter_.streams is not None:
            is_kept[:] = False
        placed = selection.device_rows_placed(model, filter_)[self._kernels]
        is_kept[self.works[self._kernels[placed]]] = True
        if filter_.name is not None:
            matching = match_names(self.names, filter_.name)
            full = selection.device_rows(model, Filter(name=filter_.name))[self._kernels]
            matching[self.works[self._kernels[full]]] = True
            is_kept &= matching
        return is_kept

    def _times(self) -> tuple[Rows, Rows]:
        """Return the time of each call, and the end of its host range."""
        start, duration = self._host_times()
        return start, start + duration

    def _host_times(self) -> tuple[Rows, Rows]:
        model, lone = self._model, self._lone
        rows = self.host[: len(self.host) - len(lone)]
        start, duration = (
            np.concatenate([model.column("host", name)[rows], model.column("device", name)[lone]])
            for name in ("start_ns", "duration_ns")
        )
        # A kernel with a known launch was called when it was launched.
        launch = model.links.launch[lone]
        launched = np.flatnonzero(launch >= 0)
        start[len(rows) + launched] = model.column("host", "start_ns")[launch[launched]]
        return start, duration

    def _find_arguments(self) -> Rows:
        """Return the row in `collectives` of each call, from its kernel or around its host row."""
        model = self._model
        table = model.tables["collectives"]
        argument_row = np.full(len(self.host), -1, np.int64)
        if table.num_rows == 0:
            return argument_row
        of_device = np.asarray(table["side"].to_pylist()) == "device"
        rows = model.column("collectives", "row")
        number = np.arange(table.num_rows)
        on_host = np.full(model.tables["host"].num_rows, -1, np.int64)
        on_host[rows[~of_device]] = number[~of_device]
        holder = _round(model, self.host, on_host >= 0)
        argument_row = np.append(on_host, -1)[holder]  # last: index -1
        recorded = rows[of_device]
        calls = self.works[recorded]
        first = first_rows(np.where(calls >= 0, calls, len(argument_row)), len(argument_row) + 1)[
            :-1
        ]
        has = first < len(recorded)
        argument_row[has] = number[of_device][first[has]]
        return argument_row

    def _argument(self, column: str) -> list[str | None]:
        texts = self._model.tables["collectives"].column(column)
        wanted = arrow_array(self.arguments, mask=self.arguments < 0)
        taken: list[str | None] = texts.take(wanted).to_pylist()
        return taken


def _round(model: TraceModel, rows: Rows, wanted: Mask) -> Rows:
    """Return the nearest wanted row that is or contains each host row, -1 for none."""
    if len(wanted) == 0:
        return np.full(len(rows), -1, np.int64)
    above = nearest_ancestor(model.nesting.parent, wanted)
    found = np.where(wanted, np.arange(len(wanted)), above)
    return np.where(rows >= 0, found[rows], -1)


def kernel_message_bytes(model: TraceModel) -> npt.NDArray[np.float64]:
    """Return the message bytes of the call that each kernel works for, NaN where unknown.

    Kernels of the same call share its message equally. Shape (device rows,).
    """
    calls = _Calls(model)
    message = volumes(model, calls.names, calls.host, calls.arguments).message
    works = calls.works
    kernels = np.bincount(works[works >= 0], minlength=len(message))
    share = np.where(message >= 0, message / np.maximum(kernels, 1), np.nan)
    known = works >= 0
    result = np.full(len(works), np.nan)
    result[known] = share[works[known]]
    return result
