"""Call stacks as text for flame graph tools, one line per event, in PyTorch's format.

A line contains the call stack of an event, outermost frame first, and its self time in
microseconds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import counted_device_rows, kept_host_rows
from nbprof.analysis.grouping import sums
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.call_stacks import CallStacks, call_stacks, stack_sources
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.communication_names import is_communication_operator
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The metrics. A trace has device work of one kind only, so all device names mean the same.
METRICS: Final = (
    "self_cpu_time_total",
    "self_cuda_time_total",
    "self_xpu_time_total",
    "self_privateuse1_time_total",
    "self_device_time_total",
)

_NS_PER_US: Final = 1000
#: Framework frames that PyTorch omits from stacks.
_LEFT_OUT: Final = re.compile(
    r"autograd/__init__.{0,300}(?:_make_grads|backward)|torch/tensor.{0,300}backward"
)
_OVERLOAD: Final = re.compile(r"^(\w+::\w+)\.\w+$")
#: Characters that end a frame or a line.
_BREAKS: Final = str.maketrans(" ;\t\n", "____")


def stack_lines(
    model: TraceModel, filter_: Filter = NO_FILTER, *, metric: str = METRICS[0]
) -> Iterator[str]:
    """Yield the call stack of each event that has one, with its self time, in the order of rows.

    Events are host rows of all kinds. Operators of the backward pass have the stack of their
    forward operator.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects events.
    metric : str
        One of `METRICS`: host time, or the time of the device work that the event launched, in
        whole microseconds; events of less than one are skipped.

    Returns
    -------
    iterator of str
        ``outermost;…;innermost microseconds``, without the end of the line.

    Raises
    ------
    UnknownNameError
        The metric is unknown.
    """
    if metric not in METRICS:
        message = f"There is no metric {metric!r}; there are {', '.join(METRICS)}."
        raise UnknownNameError(message)
    return _lines(model, filter_, metric)


def _lines(model: TraceModel, filter_: Filter, metric: str) -> Iterator[str]:
    is_host = metric == METRICS[0]
    worth = _own_host_time(model) if is_host else _own_device_time(model, filter_)
    stacks = _stacks(model)
    shown = kept_host_rows(model, filter_) & (stacks.code >= 0) & (worth >= _NS_PER_US)
    rows = np.flatnonzero(shown)
    texts: dict[int, str] = {}
    for code, microseconds in zip(
        stacks.code[rows].tolist(), (worth[rows] // _NS_PER_US).tolist(), strict=True
    ):
        if code not in texts:
            texts[code] = _line(stacks.texts[code])
        if texts[code]:
            yield f"{texts[code]} {microseconds}"


def _line(stack: str) -> str:
    """Reverse a stack and remove the frames that PyTorch omits."""
    frames = [frame for frame in stack.split(";") if frame and not _LEFT_OUT.search(frame)]
    return ";".join(frame.translate(_BREAKS) for frame in reversed(frames))


def _stacks(model: TraceModel) -> CallStacks:
    """Return the stacks of host rows, treating recorded backward stacks like rebuilt ones."""
    stacks = call_stacks(model)
    moved = values_at(stacks.code, stack_sources(model))
    return CallStacks(np.where(moved >= 0, moved, stacks.code), stacks.texts)


def _own_host_time(model: TraceModel) -> Rows:
    """Return each row's duration minus that of its direct children, by PyTorch's rule.

    A row that is the only child of a row with the same name is merged with it. Collectives end on
    another thread than they begin on: they have no self time and contain nothing.
    """
    is_annotation = model.column("host", "kind") == kinds.ANNOTATION
    counts = ~(is_annotation & named(model, "host", is_communication_operator))
    above = nearest_ancestor(model.nesting.parent, counts)
    inside = np.flatnonzero(counts & (above >= 0))
    duration = model.column("host", "duration_ns")
    children = np.bincount(above[inside], minlength=len(above))
    own = np.where(counts, duration, 0)
    own = own - sums(above[inside], duration[inside], len(own)).astype(np.int64)
    name = _without_overloads(model)[model.column("host", "name")] if len(own) else own
    merged = inside[(children[above[inside]] == 1) & (name[above[inside]] == name[inside])]
    outer = np.arange(len(above))
    outer[merged] = above[merged]
    while not np.array_equal(outer[outer], outer):  # each round halves the length of the chains
        outer = outer[outer]
    return sums(outer, own, len(own)).astype(np.int64)


def _without_overloads(model: TraceModel) -> Rows:
    """Return a code for each name that is equal for all overloads of an operator."""
    names = [_OVERLOAD.sub(r"\1", name) for name in model.values("host", "name")]
    number = {name: at for at, name in enumerate(names)}
    return np.array([number[name] for name in names], np.int64)


def _own_device_time(model: TraceModel, filter_: Filter) -> Rows:
    """Return the time of the device work whose operator, or else launch, each host row is."""
    links = model.links
    owner = np.where(links.operator >= 0, links.operator, links.launch)
    rows = counted_device_rows(model, filter_) & (owner >= 0)
    duration = model.column("device", "duration_ns")[rows]
    return sums(owner[rows], duration, model.tables["host"].num_rows).astype(np.int64)
