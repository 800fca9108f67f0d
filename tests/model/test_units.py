"""Units and the formatting of numbers."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from nbprof.model.units import (
    MISSING,
    TimeUnit,
    choose_time_unit,
    format_bytes,
    format_count,
    format_number,
    format_pct,
    format_time,
    format_value,
)

NS = TimeUnit("ns", 1e-3, 0)
US, MS, S = TimeUnit("µs", 1.0, 0), TimeUnit("ms", 1e3, 1), TimeUnit("s", 1e6, 1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0], US),
        ([999.9], US),
        ([1000.0], MS),
        ([9_999_999.0], MS),
        ([10_000_000.0], S),
        ([1.0, 2.0, 5e9], US),  # the median, not the largest
        ([0.0, 0.0, 0.0, 5000.0], MS),  # zeros have no magnitude
        ([-5000.0], MS),
        ([None, math.nan, 20.0], US),
        ([], MS),
        ([0.0], MS),
        ([math.inf, 20.0], US),
    ],
)
def test_unit_by_median(values: list[float | None], expected: TimeUnit) -> None:
    assert choose_time_unit(values) == expected


@pytest.mark.parametrize(
    "values",
    [
        np.array([1500.0, np.nan]),
        pa.array([1500.0, None]),
        pa.chunked_array([[1500.0], [None]]),
        pa.array([1500, None], pa.int64()),
        iter([1500.0, None]),
    ],
)
def test_unit_of_any_column(values: object) -> None:
    assert choose_time_unit(values) == MS


def test_wish_wins_and_adds_decimals_only_for_a_larger_unit() -> None:
    assert choose_time_unit([5_000_000.0], "us") == US
    assert choose_time_unit([5_000_000.0], "ms") == MS
    assert choose_time_unit([50_000.0], "s") == TimeUnit("s", 1e6, 4)  # 0.0500 s
    assert choose_time_unit([12.0], "ms") == TimeUnit("ms", 1e3, 4)
    assert choose_time_unit([1e-3], "s").decimals == 6
    assert choose_time_unit([], "s") == S
    assert choose_time_unit([5_000_000.0], "ns") == NS


def test_nanoseconds_have_no_decimals_and_all_their_digits() -> None:
    assert format_time(1.234, NS) == "1,234 ns"
    assert format_time(8_573.413, NS) == "8,573,413 ns"
    assert format_value(0.0004, NS) == "<1"
    assert choose_time_unit([0.004]).label == "µs"  # only by choice


def test_unknown_wish() -> None:
    with pytest.raises(ValueError, match=r"hours.*auto, ns, us, ms, s"):
        choose_time_unit([1.0], "hours")


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1234567.891, 1, "1,234,567.9"),
        (0.0, 1, "0.0"),
        (-0.04, 1, "0.0"),
        (-1.25, 2, "-1.25"),
        (None, 1, MISSING),
        (math.nan, 0, MISSING),
        (7, 0, "7"),
    ],
)
def test_format_number(value: float | None, decimals: int, text: str) -> None:
    assert format_number(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (0.049, "<0.1"),
        (0.05, "0.1"),
        (23.64, "23.6"),
        (100, "100.0"),
        (None, MISSING),
    ],
)
def test_format_pct(value: float | None, text: str) -> None:
    assert format_pct(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (177_592.2, "177.6 ms"),
        (823.0, "823 µs"),
        (3.24, "3.2 µs"),
        (0.064, "0.064 µs"),
        (12_345_678.0, "12.3 s"),
        (None, MISSING),
        (math.nan, MISSING),
    ],
)
def test_format_time_alone(value: float | None, text: str) -> None:
    assert format_time(value) == text


def test_format_time_in_a_column_keeps_its_unit() -> None:
    assert format_time(823.0, MS) == "0.8 ms"
    assert format_time(None, MS) == MISSING


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1.0 KiB"),
        (293 * 1024**2, "293.0 MiB"),
        (31.74 * 1024**3, "31.74 GiB"),
        (1024**2 - 1, "1.0 MiB"),
        (5000 * 1024**4, "5,000.00 TiB"),
        (-2048, "-2.0 KiB"),
        (None, MISSING),
    ],
)
def test_format_bytes(value: float | None, text: str) -> None:
    assert format_bytes(value) == text


def test_format_count() -> None:
    assert [format_count(n, "run") for n in (0, 1, 1200)] == ["0 runs", "1 run", "1,200 runs"]


@pytest.mark.parametrize(
    ("value_us", "unit", "text"),
    [
        (None, MS, MISSING),
        (math.nan, MS, MISSING),
        (0.0, MS, "0.0"),
        (49.9, MS, "<0.1"),
        (50.1, MS, "0.1"),
        (0.2, US, "<1"),
        (1_234_567.0, MS, "1,234.6"),
    ],
)
def test_a_time_in_a_column_hides_no_trace(
    value_us: float | None, unit: TimeUnit, text: str
) -> None:
    assert format_value(value_us, unit) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(28.5, 0, "29"), (-2.5, 0, "-3"), (0.125, 2, "0.13"), (4.35, 1, "4.3"), (-0.5, 0, "-1")],
)
def test_halves_are_rounded_as_in_the_browser(value: float, decimals: int, text: str) -> None:
    """Away from 0, but 4.35 is a little less than what it is written as."""
    assert format_number(value, decimals) == text
