"""The functions that a filter keeps, and how functions are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.filters.patterns import match_names
from nbprof.model.trace.kinds import HOST_KINDS, PYTHON

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

#: The kind of functions in filters and charts.
KIND: Final = HOST_KINDS[PYTHON]

Mask = npt.NDArray[np.bool_]


def names(model: TraceModel) -> npt.NDArray[np.object_]:
    """Return the name of each function as a frame of a call stack, shape (functions,)."""
    return _texts(model, "name")


def plain_names(model: TraceModel) -> npt.NDArray[np.object_]:
    """Return the name of each function without its file, shape (functions,)."""
    return _texts(model, "function")


def files(model: TraceModel) -> npt.NDArray[np.object_]:
    """Return the file of each function, shape (functions,)."""
    return _texts(model, "file")


def _texts(model: TraceModel, column: str) -> npt.NDArray[np.object_]:
    distinct = np.array([*model.recorded("functions", column), ""], object)
    texts: npt.NDArray[np.object_] = distinct[model.column("functions", column)]
    return texts


def kept_functions(model: TraceModel, filter_: Filter) -> Mask:
    """Return which functions a filter keeps, shape (functions,).

    They have no times, threads or devices. So a filter of one of these keeps all functions if it
    keeps the whole recording, which is step 0, and otherwise none.
    """
    count = model.tables["functions"].num_rows
    if not _keeps_recording(model, filter_):
        return np.zeros(count, bool)
    if filter_.name is None:
        return np.ones(count, bool)
    texts = model.recorded("functions", "name")
    found: Mask = match_names(texts, filter_.name)[model.column("functions", "name")]
    return found


def _keeps_recording(model: TraceModel, filter_: Filter) -> bool:
    placed = (filter_.within, filter_.threads, filter_.devices, filter_.streams)
    if any(field is not None for field in placed):
        return False
    if filter_.kinds is not None and KIND not in filter_.kinds:
        return False
    if filter_.steps is not None and not filter_.steps[0] <= 0 <= filter_.steps[1]:
        return False
    if filter_.time_us is None:
        return True
    first, last = filter_.time_us
    return first <= 0 and last * 1000 >= model.metadata.get("end_ns", 0)
