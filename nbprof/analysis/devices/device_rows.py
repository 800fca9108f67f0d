"""Masks of device and host rows that the tables select: kinds of work, devices, the filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import latest
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter
from nbprof.model.filters.within import sourceless_rows
from nbprof.model.names.roles import rows_of_kinds
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Mask = npt.NDArray[np.bool_]

_DEVICE_KINDS = frozenset({"kernel", "memcpy", "memset"})
_WORK = (kinds.KERNEL, kinds.MEMCPY, kinds.MEMSET)


def work_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels, copies or memory sets, shape (device rows,)."""
    return model.cached("work rows", lambda: rows_of_kinds(model, "device", *_WORK))


def has_device(model: TraceModel) -> bool:
    """Return whether the trace contains any device work."""
    return bool(work_rows(model).any())


def work_of_kind(model: TraceModel, kind: int) -> Mask:
    """Return which device rows are of one kind, shape (device rows,)."""
    return model.cached(
        ("work of kind", kind), lambda: np.asarray(model.column("device", "kind") == kind)
    )


def devices_in(model: TraceModel, filter_: Filter) -> list[int]:
    """Return in order the devices that did work and that the filter keeps."""
    found: list[int] = model.cached(
        "devices with work",
        lambda: np.unique(model.column("device", "device")[work_rows(model)]).tolist(),
    )
    wanted = filter_.devices
    if wanted is None:
        return [*found]
    known = model.cached("set of devices with work", lambda: frozenset(found))
    return sorted(known.intersection(wanted))


def device_type(model: TraceModel) -> str:
    """Return the kind of device that the device rows of a trace ran on."""
    named = str(model.metadata.get("device_type") or "gpu")
    return "gpu" if named == "cpu" else named


def without_range(filter_: Filter) -> Filter:
    """Return the filter without steps and time range: tables of windows cut times themselves."""
    return filter_.replace(steps=None, time_us=None)


def kept_device_rows(model: TraceModel, filter_: Filter) -> Mask:
    """Return which device rows the filter keeps; cached for other tables."""
    return latest(model, "device rows", filter_, lambda: selection.device_rows(model, filter_))


def kept_host_rows(model: TraceModel, filter_: Filter) -> Mask:
    """Return which host rows the filter keeps; cached for other tables."""
    return latest(model, "host rows", filter_, lambda: selection.host_rows(model, filter_))


def unlinked_rows(model: TraceModel, filter_: Filter) -> int:
    """Count the device work that ``within`` excludes only because its launch is unknown.

    These rows have neither a launch nor an operator, so it is unknown what they are within.
    """
    others = kept_device_rows(model, filter_.replace(within=None))
    return int(np.count_nonzero(others & work_rows(model) & sourceless_rows(model)))


def narrowed(model: TraceModel, filter_: Filter) -> Mask:
    """Return which device rows the filter keeps, ignoring its range, shape (device rows,)."""
    return kept_device_rows(model, without_range(filter_)) & work_rows(model)


def counted_device_rows(model: TraceModel, filter_: Filter) -> Mask:
    """Return which device rows are counted for the host rows that launched them.

    The filter's kinds apply only if they name device kinds: ``kinds=["operator"]`` asks for
    operators, not for operators without their kernels.
    """
    named = filter_.kinds
    if named is not None and not _DEVICE_KINDS & set(named):
        named = None
    narrow = Filter(kinds=named, devices=filter_.devices, streams=filter_.streams)
    return work_rows(model) & kept_device_rows(model, narrow)
