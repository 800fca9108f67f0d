"""The rows that the reports are about: work, calls, and the threads that they ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import kept_device_rows, kept_host_rows
from nbprof.model.building import arrow_array
from nbprof.model.names.short_names import short_name
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Words of nsys for kinds of copies, by the short ones in the names of copies.
_DIRECTIONS: Final = {
    "HtoD": "Host-to-Device",
    "DtoH": "Device-to-Host",
    "HtoA": "Host-to-Array",
    "AtoH": "Array-to-Host",
    "AtoA": "Array-to-Array",
    "AtoD": "Array-to-Device",
    "DtoA": "Device-to-Array",
    "DtoD": "Device-to-Device",
    "HtoH": "Host-to-Host",
    "PtoP": "Peer-to-Peer",
}

#: The type of a launch that stands for a whole graph, without its kernels.
_GRAPH: Final = "Graph"

#: Digits that every int64 has room for.
_DIGITS: Final = 18


def kernel_rows(model: TraceModel, filter_: Filter) -> Rows:
    """Return the kernels that a filter keeps; graphs traced as a whole are none."""
    is_kernel = model.column("device", "kind") == kinds.KERNEL
    return np.flatnonzero(is_kernel & ~_is_graph(model) & kept_device_rows(model, filter_))


def memory_rows(model: TraceModel, filter_: Filter) -> Rows:
    """Return the copies and memory sets that a filter keeps."""
    kind = model.column("device", "kind")
    is_memory = (kind == kinds.MEMCPY) | (kind == kinds.MEMSET)
    return np.flatnonzero(is_memory & kept_device_rows(model, filter_))


def call_rows(model: TraceModel, filter_: Filter, kind: int) -> Rows:
    """Return the calls of a kind that a filter keeps."""
    return np.flatnonzero((model.column("host", "kind") == kind) & kept_host_rows(model, filter_))


def _is_graph(model: TraceModel) -> Mask:
    if not model.tables["cuda_work"].num_rows:
        return np.zeros(model.tables["device"].num_rows, bool)
    types = model.values("cuda_work", "launch_type")
    wanted = np.array([*(one == _GRAPH for one in types), False], bool)
    is_graph: Mask = wanted[model.column("cuda_work", "launch_type")]
    return is_graph


def operation_names(model: TraceModel) -> list[str]:
    """Return nsys's name for each name of device work, which matters for copies and memory sets."""
    return model.cached(
        "nsys operations", lambda: [_operation(n) for n in model.values("device", "name")]
    )


def _operation(name: str) -> str:
    words = name.split(" (", 1)[0].split()
    if not words or not words[0].lower().startswith("mem"):
        return name
    if words[0].lower().startswith("memset"):
        return "[CUDA memset]"
    direction = _DIRECTIONS.get(words[-1], words[-1])
    unified = "Unified " if "unified" in words else ""
    return f"[CUDA memcpy {unified}{direction}]"


def kernel_short_names(model: TraceModel) -> list[str]:
    """Return the name without template arguments and parameters of each name of device work."""
    return model.cached("nsys short names", lambda: _short_names(model))


def _short_names(model: TraceModel) -> list[str]:
    names = model.values("device", "name")
    if model.tables["cuda_work"].num_rows:
        known = model.values("cuda_work", "short_name")
        code, short = model.column("device", "name"), model.column("cuda_work", "short_name")
        has = np.flatnonzero((code >= 0) & (short >= 0))
        of_name = dict(zip(code[has].tolist(), short[has].tolist(), strict=True))
        if of_name:
            return [known[of_name[at]] if at in of_name else one for at, one in enumerate(names)]
    return [short_name(one) for one in names]


def place_columns(model: TraceModel, thread: npt.NDArray[Any]) -> dict[str, Any]:
    """Return process, number and name of the threads of rows; null for row -1."""
    table = model.tables["threads"]
    index = arrow_array(thread.astype(np.int64), mask=thread < 0)
    pids = [_number(text) for text in table["pid"].to_pylist()]
    return {
        "pid": arrow_array(pids, pa.int64()).take(index),
        "tid": table["tid"].combine_chunks().take(index),
        "thread": table["name"].combine_chunks().take(index),
    }


def _number(text: str) -> int | None:
    """Return the number of a process; None for one in words, or beyond what a column holds."""
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else None
