"""Columns shared by the memory tables: device, memory type, addresses, texts of codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.analysis.memory.records import memory_devices
from nbprof.model.building import arrow_array, arrow_scalar
from nbprof.model.contract.columns import Columns, count, size, text
from nbprof.model.filters.patterns import match_names

if TYPE_CHECKING:
    import numpy.typing as npt

    from nbprof.model.trace.model import TraceModel

DEVICE_COLUMNS: Final[Columns] = (
    text(
        "device_type",
        "Kind of memory: cpu, gpu, …; kinds without a name are called device and their number.",
    ),
    count("device", "Number of the device; empty for the CPU."),
)

MEMORY_OPERATORS: Final[Columns] = (
    *DEVICE_COLUMNS,
    text("name", "Name of the operator."),
    count("calls", "Number of calls, whether they allocate on this device or not."),
    size(
        "size_increase_bytes",
        "Bytes allocated minus bytes released while the operator ran, including the "
        "operators it called.",
    ),
    size(
        "self_size_increase_bytes",
        "Bytes allocated minus bytes released by the operator itself, without the "
        "operators it called.",
    ),
    count("allocation_count", "Allocations in the operator and the operators it called."),
    count("self_allocation_count", "Allocations by the operator itself."),
    size("allocation_size_bytes", "Bytes of the allocations, without subtracting releases."),
    size("self_allocation_size_bytes", "Bytes of the operator's own allocations."),
)

#: For recorders that distinguish memory in use from reserved memory: the last key of a row.
MEMORY_KIND: Final = text(
    "memory_type",
    "allocated: memory in use; reserved: memory that the allocator took from the device.",
)


#: Names in tables for memory in use and memory reserved by the allocator.
MEMORY_TYPES: Final = ("allocated", "reserved")


def device_columns(model: TraceModel, index: npt.NDArray[np.int64]) -> dict[str, pa.Array]:
    """Return the columns ``device_type`` and ``device`` for rows of memory devices.

    Parameters
    ----------
    model : TraceModel
        The trace.
    index : ndarray of int64, shape (rows,)
        Index of the memory device of each row.
    """
    devices = memory_devices(model)
    used, of = np.unique(index, return_inverse=True)
    some, place = [devices[one] for one in used.tolist()], arrow_array(of)
    return {
        "device_type": arrow_array([d.type_name for d in some], pa.utf8()).take(place),
        "device": arrow_array([d.shown_number for d in some], pa.int64()).take(place),
    }


def memory_types(is_reserved: npt.NDArray[np.bool_]) -> pa.Array:
    """Return the column ``memory_type``: allocated or reserved.

    Parameters
    ----------
    is_reserved : ndarray of bool, shape (rows,)
        Which rows are about reserved memory.
    """
    return arrow_array(MEMORY_TYPES, pa.utf8()).take(arrow_array(is_reserved.astype(np.int64)))


def hexadecimal(numbers: npt.NDArray[np.int64]) -> pa.Array:
    """Return integers as hexadecimal texts such as ``0x7f00``; negative ones as 64-bit values."""
    shifts = np.arange(60, -4, -4, dtype=np.uint64)
    places = (numbers.view(np.uint64)[:, np.newaxis] >> shifts) & np.uint64(15)
    written = np.frombuffer(b"0123456789abcdef", np.uint8)[places.astype(np.int64)]
    texts = arrow_array(written.view("S16").ravel(), pa.binary()).cast(pa.utf8())
    digits = pc.utf8_ltrim(texts, characters="0")
    digits = pc.if_else(pc.equal(digits, arrow_scalar("")), arrow_scalar("0"), digits)
    return pc.binary_join_element_wise(arrow_scalar("0x"), digits, arrow_scalar(""))


def code_texts(codes: npt.NDArray[np.int64], texts: list[str]) -> pa.Array:
    """Return the texts of codes; -1 becomes null."""
    return arrow_array(texts, pa.utf8()).take(arrow_array(codes, pa.int64(), mask=codes < 0))


def codes_matching(
    codes: npt.NDArray[np.int64], texts: list[str], name: str | None
) -> npt.NDArray[np.bool_]:
    """Return which codes have a text that the filter's name matches; all if it is None."""
    if name is None:
        return np.ones(len(codes), bool)
    matches = np.append(match_names(texts, name), False)  # last: code -1
    is_match: npt.NDArray[np.bool_] = matches[codes]
    return is_match


def known(values: npt.NDArray[Any]) -> pa.Array:
    """Return integers with values below 0 as null."""
    return arrow_array(values, pa.int64(), mask=values < 0)
