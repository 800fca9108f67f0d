"""Microseconds in any notation become exact nanoseconds."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.sources.chrome.times import (
    FLOAT_LIMIT,
    NO_TIME,
    decimal_number,
    from_text,
    nanoseconds,
    one_by_one,
    whole_number,
)

BELOW = st.integers(-int(FLOAT_LIMIT) * 1000 + 1, int(FLOAT_LIMIT) * 1000 - 1)
SINCE_1970 = st.integers(0, 4_000_000_000_000_000_000)


def text(ns: int) -> str:
    return f"{Decimal(ns) / 1000:.3f}"


@given(st.lists(BELOW, min_size=1))
def test_floats_on_a_base_are_exact(expected: list[int]) -> None:
    floats = [float(text(ns)) for ns in expected]
    found = nanoseconds(floats)
    assert found is not None
    assert found.tolist() == expected


@given(st.lists(st.integers(-(2**51), 2**51)))
def test_whole_microseconds_are_exact(values: list[int]) -> None:
    found = nanoseconds(values)
    assert found is not None
    assert found.tolist() == [value * 1000 for value in values]


@given(st.lists(SINCE_1970, min_size=1))
def test_decimal_text_is_exact(expected: list[int]) -> None:
    texts = [text(ns).encode() for ns in expected]
    assert from_text(texts).tolist() == expected
    assert from_text([b'"' + one + b'"' for one in texts]).tolist() == expected
    assert one_by_one([text(ns) for ns in expected]).tolist() == expected
    assert one_by_one([Decimal(text(ns)) for ns in expected]).tolist() == expected


def test_floats_since_1970_ask_for_their_text() -> None:
    assert nanoseconds([1712195495519695.8]) is None
    assert nanoseconds([1712195495519695, 5.5]) is None


def test_whole_numbers_since_1970_need_no_text() -> None:
    found = nanoseconds([1712195495519695, 5])
    assert found is not None
    assert found.tolist() == [1712195495519695000, 5000]


def test_text_with_more_digits_or_exponents_is_rounded() -> None:
    texts = [b"1.0004", b"1.5e3", b"2", b"-0.0006"]
    assert from_text(texts).tolist() == [1000, 1500000, 2000, -1]


def test_mixed_types_are_taken_one_by_one() -> None:
    found = nanoseconds([1, "2.5", Decimal("3.001"), None, "soon", True, 10**30])
    assert found is not None
    assert found.tolist() == [1000, 2500, 3001, NO_TIME, NO_TIME, NO_TIME, NO_TIME]


def test_no_values_are_no_times() -> None:
    for found in (nanoseconds([]), from_text([]), one_by_one([])):
        assert found is not None
        assert found.dtype == np.int64
        assert len(found) == 0


def test_what_is_no_number_is_no_time() -> None:
    assert from_text([b"", b"null", b"\xff", b"12"]).tolist() == [NO_TIME] * 3 + [12000]
    assert one_by_one([float("nan"), float("inf")]).tolist() == [NO_TIME] * 2


@given(st.lists(SINCE_1970 | st.none(), min_size=1))
def test_decoded_text_is_exact(expected: list[int | None]) -> None:
    values = [None if ns is None else text(ns) for ns in expected]
    wanted = [NO_TIME if ns is None else ns for ns in expected]
    assert one_by_one(values).tolist() == wanted
    found = nanoseconds([*values, "0"])
    assert found is not None
    assert found.tolist() == [*wanted, 0]


def test_text_that_is_no_decimal_is_no_time() -> None:
    found = nanoseconds(["1.5", "", "soon", " 2.001\t", None])
    assert found is not None
    assert found.tolist() == [1500, NO_TIME, NO_TIME, 2001, NO_TIME]


def test_text_beside_floats_since_1970_asks_for_their_text() -> None:
    assert nanoseconds(["1712195495519695.8", 1712195495519695.8]) is None
    assert from_text(
        [b'"1712195495519695.801"', b"1712195495519695.802", b"", b"null"]
    ).tolist() == [
        1712195495519695801,
        1712195495519695802,
        NO_TIME,
        NO_TIME,
    ]


def test_a_number_beyond_a_floats_magnitude_has_no_digits() -> None:
    assert decimal_number("12.0625") == Decimal("12.0625")
    assert str(decimal_number("1712195495519695.123")) == "1712195495519695.123"
    assert [decimal_number(text) for text in ("0.0", "1e-99999", "0e9999990")] == [0, 0, 0]
    assert decimal_number("1." + "0" * 2_000_000) == 1
    for text in ("3931e9999990", "-1E+1000000000000000000", "9" * 2_000_000 + ".5"):
        with pytest.raises(ValueError, match="out of range"):
            decimal_number(text)


def test_whole_numbers_have_as_many_digits_as_are_decoded() -> None:
    assert whole_number("-" + "9" * 4000) == 1 - 10**4000
    with pytest.raises(ValueError, match="out of range"):
        whole_number("7" * 2_000_000)


def test_a_time_of_a_million_digits_is_no_time() -> None:
    assert one_by_one(["9" * 2_000_000, "1e9999999", "1.5"]).tolist() == [NO_TIME, NO_TIME, 1500]
