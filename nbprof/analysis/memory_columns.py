"""What the memory tables share: their device columns, and texts behind codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbprof.analysis.memory_records import memory_devices
from nbprof.model.filter import match_names

if TYPE_CHECKING:
    import numpy.typing as npt

    from nbprof.model.trace_model import TraceModel


def device_columns(model: TraceModel, index: npt.NDArray[np.int64]) -> dict[str, pa.Array]:
    """Return the columns ``device_type`` and ``device`` of rows that belong to memory devices.

    Parameters
    ----------
    model : TraceModel
        The trace.
    index : ndarray of int64, shape (rows,)
        Which of its memory devices each row is about.
    """
    devices = memory_devices(model)
    place = pa.array(index)
    return {
        "device_type": pa.array([d.type_name for d in devices], pa.utf8()).take(place),
        "device": pa.array([d.shown_number for d in devices], pa.int64()).take(place),
    }


def code_texts(codes: npt.NDArray[np.int64], texts: list[str]) -> pa.Array:
    """Return the texts behind codes; -1 becomes null."""
    return pa.array(texts, pa.utf8()).take(pa.array(codes, pa.int64(), mask=codes < 0))


def named_so(
    codes: npt.NDArray[np.int64], texts: list[str], name: str | None
) -> npt.NDArray[np.bool_]:
    """Return which codes stand for a text that a filter's name matches; all without a name."""
    if name is None:
        return np.ones(len(codes), bool)
    matches = np.array([*match_names(texts, name), False], bool)  # -1 is the last one
    found: npt.NDArray[np.bool_] = matches[codes]
    return found


def known(values: npt.NDArray[Any]) -> pa.Array:
    """Return whole numbers, those below 0 as null."""
    return pa.array(values, pa.int64(), mask=values < 0)
