"""Arrow arrays built from buffers equal those that pyarrow makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.arrays import floats_of, joined, numpy_of
from nbprof.model.building import (
    arrow_array,
    arrow_scalar,
    empty_table,
    filled,
    table_of,
    table_of_rows,
)

TEXTS = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])))
INTEGERS = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1))
FLOATS = st.lists(st.none() | st.floats())
FLAGS = st.lists(st.none() | st.booleans())
BYTES = st.lists(st.none() | st.binary())


def same(mine: pa.Array, theirs: pa.Array) -> None:
    """Check that arrays have equal types and values, NaN included, and valid buffers."""
    mine.validate(full=True)
    assert mine.type == theirs.type
    assert mine.null_count == theirs.null_count
    assert list(map(repr, mine.to_pylist())) == list(map(repr, theirs.to_pylist()))


@given(st.one_of(TEXTS, INTEGERS, FLOATS, FLAGS, BYTES))
def test_python_values(values: list[Any]) -> None:
    """Texts, bytes, numbers and booleans, with nulls, and none at all."""
    same(arrow_array(values), pa.array(values))


@given(st.lists(st.integers(-100, 100) | st.floats(allow_nan=False) | st.none(), min_size=1))
def test_mixed_numbers(values: list[Any]) -> None:
    """Whole numbers among others are floating point numbers."""
    same(arrow_array(values, pa.float64()), pa.array(values, pa.float64()))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8", "f4", "f8", "?", "U3", "O"])
@pytest.mark.parametrize(
    "part", [slice(None), slice(0, 0), slice(1, None, 2), slice(None, None, -1)]
)
@pytest.mark.parametrize("masked", [False, True])
def test_numpy_arrays(dtype: str, part: slice, masked: bool) -> None:
    """Also with steps between elements, and with a mask."""
    values = np.arange(11).astype("U3" if dtype == "O" else dtype).astype(dtype)[part]
    mask = np.arange(len(values)) % 3 == 1 if masked else None
    same(arrow_array(values, mask=mask), pa.array(values, mask=mask))


def test_numbers_are_not_copied() -> None:
    """A large column exists once."""
    values = np.arange(10)
    assert arrow_array(values).buffers()[1].address == values.ctypes.data


def test_nan_is_null_where_wanted() -> None:
    """As ``from_pandas`` of pyarrow."""
    values = np.array([1.0, np.nan, 3.0])
    mask = np.array([True, False, False])
    same(arrow_array(values, nan_is_null=True), pa.array(values, from_pandas=True))
    assert arrow_array(values, mask=mask, nan_is_null=True).to_pylist() == [None, None, 3.0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None], pa.int8()),
        ([1, 2], pa.float32()),
        (["a", "b", "a"], pa.large_utf8()),
        (["a", None, "a"], pa.dictionary(pa.int32(), pa.utf8())),
        ([None, None], pa.utf8()),
        (range(3), pa.int64()),
        ([[1], [2, 3]], pa.list_(pa.int64())),
        (np.arange(3), pa.int16()),
        (np.array([1.0, 2.0]), pa.int64()),
    ],
)
def test_wanted_types(values: Any, kind: pa.DataType) -> None:
    """Values become what is asked for; what is not built here is left to pyarrow."""
    same(arrow_array(values, kind), pa.array(values, kind))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a"], pa.int64()),
        (["1"], pa.float64()),
        ([1], pa.utf8()),
        ([1], pa.bool_()),
        ([True, 1], None),
        ([300], pa.int8()),
        ([2**70], None),
        (["\ud800"], None),
        (np.array([1.5]), pa.int64()),
        (np.array([[1, 2]]), None),
    ],
)
def test_what_pyarrow_refuses_is_refused(values: Any, kind: pa.DataType | None) -> None:
    """No value becomes another one unseen."""
    with pytest.raises((pa.ArrowException, OverflowError, UnicodeError)) as theirs:
        pa.array(values, kind)
    with pytest.raises(theirs.type):
        arrow_array(values, kind)


def test_scalars_nulls_and_tables() -> None:
    """What else pyarrow would build with pandas."""
    assert arrow_scalar("a") == pa.scalar("a")
    assert arrow_scalar(None, pa.int8()) == pa.scalar(None, pa.int8())
    column = pa.chunked_array([[1, None], [None]])
    assert filled(column, 7).to_pylist() == [1, 7, 7]
    schema = pa.schema([("a", pa.int32()), ("b", pa.utf8())], {"k": "v"})
    rows = [{"a": 1, "b": "x"}, {"a": 2}]
    assert table_of_rows(rows, schema).equals(
        pa.Table.from_pylist(rows, schema), check_metadata=True
    )
    columns = {"b": ["x", None], "a": np.array([1, 2])}
    assert table_of(columns, schema).equals(pa.table(columns, schema), check_metadata=True)
    assert table_of(columns).equals(pa.table(columns))
    assert empty_table(schema).equals(schema.empty_table(), check_metadata=True)


@given(st.one_of(TEXTS, INTEGERS, FLOATS, FLAGS), st.integers(0, 5))
def test_arrays_back_to_numpy(values: list[Any], first: int) -> None:
    """As Arrow's own conversion does it, also of a part of an array."""
    array = pa.array(values).slice(first)
    mine, theirs = numpy_of(array), array.to_numpy(zero_copy_only=False)
    assert list(map(repr, mine.tolist())) == list(map(repr, theirs.tolist()))
    if len(array) and array.type != pa.null():
        assert mine.dtype == theirs.dtype


def test_columns_back_to_numpy() -> None:
    """Chunks are put together; null is NaN."""
    column = pa.chunked_array([[1, None], [3]])
    assert joined(column.fill_null(0)).tolist() == [1, 0, 3]
    assert np.array_equal(floats_of(column), [1, np.nan, 3], equal_nan=True)
