"""Builds Arrow arrays and tables from NumPy arrays and Python values, without importing pandas.

`pyarrow.array`, `pyarrow.scalar` and everything that calls them import pandas if it is installed,
which takes longer than opening a trace. The functions here fill buffers and give equal results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

_ARROW_TYPES: Final = {
    np.dtype(name): pa.from_numpy_dtype(name)
    for kind in ("int", "uint", "float")
    for bits in (8, 16, 32, 64)
    if (name := f"{kind}{bits}") not in ("float8", "float16")
}
_NUMBERS: Final = ((bool, np.dtype(bool)), (int, np.dtype(np.int64)), (float, np.dtype(float)))
_MOST_BYTES: Final = 2**31 - 1


def arrow_array(
    values: Any,
    type_: pa.DataType | None = None,
    *,
    mask: npt.NDArray[np.bool_] | None = None,
    nan_is_null: bool = False,
) -> pa.Array:
    """Return values as an Arrow array, without a copy where possible.

    Parameters
    ----------
    values : array-like
        A NumPy array, or a sequence of Python numbers or texts in which None is null.
    type_ : pyarrow.DataType, optional
        Type of the array; by default inferred from the values.
    mask : numpy.ndarray, optional
        Which values are null, shape (values,).
    nan_is_null : bool, optional
        Whether NaN is null as well.

    Raises
    ------
    pyarrow.ArrowInvalid
        A value cannot be converted to the type.
    """
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values if type_ is None else values.cast(type_)
    built = None
    if isinstance(values, np.ndarray) and values.ndim == 1:
        if values.dtype in _ARROW_TYPES or values.dtype == bool:
            if nan_is_null and values.dtype.kind == "f":
                missing = np.isnan(values)
                mask = missing if mask is None else mask | missing
            built = _from_numbers(values, mask)
        elif values.dtype.kind in "OUS" and (len(values) or type_ is not None):
            built = _from_objects(values.tolist(), type_, mask)
    elif not isinstance(values, np.ndarray):
        values = values if isinstance(values, (list, tuple)) else list(values)
        built = _from_objects(values, type_, mask)
    if built is None:  # dates, nested lists, invalid values
        return pa.array(values, type_, mask=mask, from_pandas=nan_is_null)  # with pandas
    return built if type_ is None or built.type == type_ else _cast(built, type_)


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast an array; early versions of Arrow cannot cast text to a dictionary."""
    if not pa.types.is_dictionary(kind) or pa.types.is_dictionary(array.type):
        return array.cast(kind)
    coded = array.cast(kind.value_type).dictionary_encode()
    codes = coded.indices.cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(codes, coded.dictionary, ordered=kind.ordered)


def arrow_scalar(value: Any, type_: pa.DataType | None = None) -> pa.Scalar:
    """Return a Python value as an Arrow scalar."""
    return arrow_array([value], type_)[0]


def filled(column: Any, value: Any) -> Any:
    """Replace the nulls of an Arrow array or column by a value."""
    return column.fill_null(arrow_scalar(value, column.type)) if column.null_count else column


def table_of(columns: Mapping[str, Any], schema: pa.Schema | None = None) -> pa.Table:
    """Return a table of named columns.

    Parameters
    ----------
    columns : mapping of str to array-like
        Values of each column.
    schema : pyarrow.Schema, optional
        Columns of the table in order; by default all that are passed.
    """
    if schema is None:
        return pa.table([arrow_array(v) for v in columns.values()], names=list(columns))
    arrays = [arrow_array(columns[field.name], field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def table_of_rows(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Build a table from rows given as mappings; a missing value is null."""
    return table_of({name: [row.get(name) for row in rows] for name in schema.names}, schema)


def empty_table(schema: pa.Schema) -> pa.Table:
    """Return a table without rows."""
    return pa.table([pa.nulls(0, field.type) for field in schema], schema=schema)


def _from_numbers(values: npt.NDArray[Any], mask: npt.NDArray[np.bool_] | None) -> pa.Array:
    """Convert numbers, without a copy, or booleans to Arrow; shape (values,)."""
    kind = pa.bool_() if values.dtype == bool else _ARROW_TYPES[values.dtype]
    plain = np.packbits(values, bitorder="little") if values.dtype == bool else values
    content = pa.py_buffer(np.ascontiguousarray(plain))
    return pa.Array.from_buffers(kind, len(values), [_validity(mask), content])


def _validity(mask: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    if mask is None or not mask.any():
        return None
    return pa.py_buffer(np.packbits(~np.asarray(mask, bool), bitorder="little"))


def _from_objects(
    values: Sequence[Any], type_: pa.DataType | None, mask: npt.NDArray[np.bool_] | None
) -> pa.Array | None:
    """Convert Python values to Arrow; None for values that only pyarrow converts."""
    kinds = set(map(type, values))
    if type(None) in kinds:
        kinds.discard(type(None))
        missing = np.fromiter((value is None for value in values), bool, len(values))
        mask = missing if mask is None else mask | missing
    if not kinds:
        return pa.nulls(len(values), type_ or pa.null())
    array = _from_types(values, kinds, mask)
    return array if array is None or type_ is None or _converts(array.type, type_) else None


def _from_types(
    values: Sequence[Any], kinds: set[type], mask: npt.NDArray[np.bool_] | None
) -> pa.Array | None:
    """Convert Python values of the given types; None for values that only pyarrow converts."""
    if all(issubclass(kind, str) for kind in kinds):
        return _from_texts(values, mask, pa.utf8())
    if all(issubclass(kind, bytes) for kind in kinds):
        return _from_texts(values, mask, pa.binary())
    for python, dtype in _NUMBERS:
        if kinds == {python} or (python is float and kinds == {int, float}):
            known = values if mask is None else [0 if value is None else value for value in values]
            return _from_numbers(np.fromiter(known, dtype, len(values)), mask)
    return None


def _from_texts(
    values: Sequence[Any], mask: npt.NDArray[np.bool_] | None, kind: pa.DataType
) -> pa.Array | None:
    """Convert texts or bytes to Arrow."""
    nothing: Any = "" if kind == pa.utf8() else b""
    known: Sequence[Any] = values if mask is None else [value or nothing for value in values]
    if kind == pa.utf8():
        content = "".join(known).encode()
        if len(content) != sum(map(len, known)):  # not all ASCII
            known = [text.encode() for text in known]
    else:
        content = b"".join(known)
    if len(content) > _MOST_BYTES:
        return None
    ends = np.zeros(len(known) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, known), np.int32, len(known)), out=ends[1:])
    buffers = [_validity(mask), pa.py_buffer(ends), pa.py_buffer(content)]
    return pa.Array.from_buffers(kind, len(known), buffers)


def _converts(kind: pa.DataType, wanted: pa.DataType) -> bool:
    """Return whether pyarrow accepts Python values of one type for another, as a cast does."""
    kinds = pa.types
    if kinds.is_dictionary(wanted):
        wanted = wanted.value_type
    if kinds.is_integer(kind):
        return bool(kinds.is_integer(wanted) or kinds.is_floating(wanted))
    if kinds.is_floating(kind):
        return bool(kinds.is_floating(wanted))
    if kinds.is_string(kind):
        return bool(kinds.is_string(wanted) or kinds.is_large_string(wanted))
    if kinds.is_null(kind):
        return True
    return bool(kind == wanted or (kinds.is_binary(kind) and kinds.is_large_binary(wanted)))
