"""What the memory tables share: their device columns, and texts behind codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.analysis.memory.records import memory_devices
from nbprof.model.filters.filter import match_names

if TYPE_CHECKING:
    import numpy.typing as npt

    from nbprof.model.trace.model import TraceModel

#: What tables call memory in use, and what the allocator holds.
MEMORY_TYPES: Final = ("allocated", "reserved")


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


def memory_types(is_reserved: npt.NDArray[np.bool_]) -> pa.Array:
    """Return the column ``memory_type`` of rows about what the allocator holds, or what is in use.

    Parameters
    ----------
    is_reserved : ndarray of bool, shape (rows,)
        Which rows are about what the allocator holds.
    """
    return pa.array(MEMORY_TYPES, pa.utf8()).take(pa.array(is_reserved.astype(np.int64)))


def hexadecimal(numbers: npt.NDArray[np.int64]) -> pa.Array:
    """Return whole numbers as texts such as ``0x7f00``; those below 0 as the 64 bits they are."""
    shifts = np.arange(60, -4, -4, dtype=np.uint64)
    places = (numbers.view(np.uint64)[:, np.newaxis] >> shifts) & np.uint64(15)
    written = np.frombuffer(b"0123456789abcdef", np.uint8)[places.astype(np.int64)]
    texts = pa.array(written.view("S16").ravel(), pa.binary()).cast(pa.utf8())
    digits = pc.utf8_ltrim(texts, characters="0")
    digits = pc.if_else(pc.equal(digits, ""), "0", digits)
    return pc.binary_join_element_wise("0x", digits, "")


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
