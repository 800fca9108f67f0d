"""Views Arrow columns as NumPy arrays, without a copy where possible.

Arrow's own conversions import pandas, which takes longer than opening a trace.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_DTYPES: Final = {
    pa.from_numpy_dtype(name): np.dtype(name)
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint32", "float32", "float64")
}


def numpy_of(array: pa.Array) -> npt.NDArray[Any]:
    """Return an array, shape (values,); read-only. Of numbers that may be null see Arrow's own."""
    kind = array.type
    dtype = _DTYPES.get(kind)
    if array.null_count or (dtype is None and not pa.types.is_boolean(kind)):
        plain: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
        return plain
    values = array.buffers()[1]
    if values is None or len(array) == 0:
        return np.empty(0, bool if dtype is None else dtype)
    if dtype is None:
        bits = np.unpackbits(np.frombuffer(values, np.uint8), bitorder="little")
        return bits[array.offset : array.offset + len(array)].astype(bool)
    return np.frombuffer(values, dtype, len(array), array.offset * dtype.itemsize)


def joined(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return a column as one array, shape (rows,)."""
    parts = [numpy_of(chunk) for chunk in column.chunks]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, column.type.to_pandas_dtype())


def encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column as one array of codes and its distinct values."""
    found = column.combine_chunks().dictionary_encode()
    if isinstance(found, pa.ChunkedArray):
        found = found.unify_dictionaries().combine_chunks()
    return found


def codes_of(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return the codes of a dictionary column, shape (rows,); -1 stands for null."""
    unified = column.unify_dictionaries() if column.num_chunks > 1 else column
    parts = []
    for chunk in unified.chunks:
        indices = chunk.indices
        parts.append(numpy_of(indices.fill_null(-1) if indices.null_count else indices))
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, np.int32)
