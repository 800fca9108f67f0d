"""Distinct values, membership in them, and the rows of each: as the slow ways find them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.lookup import distinct, is_in, rows_of_values, values_at

NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=30)


@given(NUMBERS, NUMBERS)
def test_distinct_values_and_what_is_among_them(values: list[int], others: list[int]) -> None:
    known = distinct(np.array(values, np.int64))
    assert known.tolist() == sorted(set(values))
    found = is_in(np.array(others, np.int64), known)
    assert found.tolist() == [one in values for one in others]


@given(NUMBERS)
def test_rows_of_values(values: list[int]) -> None:
    rows = rows_of_values(np.array(values, np.int64))
    assert list(rows) == sorted(set(values))
    for value, at in rows.items():
        assert at.tolist() == [row for row, one in enumerate(values) if one == value]


def test_values_at_rows() -> None:
    values = np.array([5, 6, 7])
    assert values_at(values, np.array([2, -1, 0])).tolist() == [7, -1, 5]
    assert values_at(values[:0], np.array([-1, -1])).tolist() == [-1, -1]
