"""Converts Arrow columns to NumPy arrays, as views where possible, without importing pandas.

Arrow's own conversions import pandas, which takes longer than opening a trace.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import filled

_DTYPES: Final = {
    pa.from_numpy_dtype(name): np.dtype(name)
    for name in (
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
    )
}


def dtype_of(kind: pa.DataType) -> np.dtype[Any]:
    """Return the NumPy type of an Arrow type; early versions of Arrow import pandas for it."""
    if pa.types.is_boolean(kind):
        return np.dtype(bool)
    return _DTYPES.get(kind, np.dtype(object))


def numpy_of(array: pa.Array) -> npt.NDArray[Any]:
    """Return an Arrow array as NumPy, shape (values,); read-only if it is a view.

    Nulls of numbers become NaN. Booleans with nulls, and all other types, become objects with None
    for null.
    """
    dtype = _DTYPES.get(array.type)
    if len(array) == 0:
        return np.empty(0, dtype_of(array.type))
    if dtype is None and (array.null_count or not pa.types.is_boolean(array.type)):
        objects = np.empty(len(array), object)
        objects[:] = array.to_pylist()
        return objects
    values = array.buffers()[1]
    if dtype is None:
        return _unpacked_bits(values, array)
    numbers = np.frombuffer(values, dtype, len(array), array.offset * dtype.itemsize)
    if not array.null_count:
        return numbers
    known = _unpacked_bits(array.buffers()[0], array)
    return np.where(known, numbers, np.array(np.nan, dtype if dtype.kind == "f" else np.float64))


def _unpacked_bits(buffer: pa.Buffer, array: pa.Array) -> npt.NDArray[np.bool_]:
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].astype(bool)


def joined(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return a column as one array, shape (rows,), with nulls as in `numpy_of`."""
    if not isinstance(column, pa.ChunkedArray):
        return numpy_of(column)
    parts = [numpy_of(chunk) for chunk in column.chunks]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype_of(column.type))


def floats_of(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """Return a column of numbers as floating point numbers, shape (rows,); null is NaN."""
    # Whole numbers beyond 2⁵³ are rounded; a safe cast refuses them.
    return joined(column.cast(pa.float64(), safe=False))


def encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column as one array of codes and its distinct values."""
    dictionary = column.combine_chunks().dictionary_encode()
    if isinstance(dictionary, pa.ChunkedArray):
        dictionary = dictionary.unify_dictionaries().combine_chunks()
    return dictionary


def codes_of(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return the codes of a dictionary column, shape (rows,); -1 stands for null."""
    unified = column.unify_dictionaries() if column.num_chunks > 1 else column
    parts = []
    for chunk in unified.chunks:
        indices = chunk.indices
        parts.append(numpy_of(filled(indices, -1)))
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, np.int32)
