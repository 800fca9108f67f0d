"""Formats numbers as text, with one unit and a fixed number of decimals per column or axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from nbprof.model.arrays import floats_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

#: Text for a missing value.
MISSING: Final = "\u2013"

#: Default decimals of each unit; more are used only if the user chose a larger unit.
_DECIMALS: Final = {"ns": 0, "us": 0, "ms": 1, "s": 1}
_LABELS: Final = {"ns": "ns", "us": "µs", "ms": "ms", "s": "s"}
_DIVISORS: Final = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}

#: Values of ``wish`` in `choose_time_unit`.
TIME_UNITS: Final = ("auto", "ns", "us", "ms", "s")


class TimeUnit(NamedTuple):
    """Unit and precision of one column or axis of times.

    Parameters
    ----------
    label : str
        ``"ns"``, ``"µs"``, ``"ms"`` or ``"s"``.
    divisor : float
        Microseconds per unit.
    decimals : int
        Digits after the point, the same for all values of the column.
    """

    label: str
    divisor: float
    decimals: int


def choose_time_unit(values_us: Iterable[float | None] | Any, wish: str = "auto") -> TimeUnit:
    """Choose the unit in which the median magnitude has one to three integer digits.

    Microseconds below 1 ms, milliseconds below 10 s, then seconds; nanoseconds only by choice.
    Zeros and nulls do not count.

    Parameters
    ----------
    values_us : array-like or Arrow array of float
        The visible values, in microseconds.
    wish : {"auto", "ns", "us", "ms", "s"}
        The user's choice, which takes precedence. If the unit is larger than the values suggest,
        decimals are added until the median shows three digits, at most six.

    Raises
    ------
    ValueError
        `wish` is not one of these.
    """
    if wish not in TIME_UNITS:
        message = f"Unknown time unit {wish!r}; known are {', '.join(TIME_UNITS)}."
        raise ValueError(message)
    magnitudes = np.abs(_floats(values_us))
    magnitudes = magnitudes[np.isfinite(magnitudes) & (magnitudes > 0)]
    median = float(np.median(magnitudes)) if len(magnitudes) else 0.0
    natural = "us" if 0 < median < 1e3 else "ms" if median < 1e7 else "s"
    unit = natural if wish == "auto" else wish
    decimals = _DECIMALS[unit]
    if median > 0 and _DIVISORS[unit] > _DIVISORS[natural]:
        digits = math.floor(math.log10(median / _DIVISORS[unit])) + 1
        decimals = min(max(decimals, 3 - digits), 6)
    return TimeUnit(_LABELS[unit], _DIVISORS[unit], decimals)


def format_number(value: float | None, decimals: int = 0) -> str:
    """Format a number with thousands separators and fixed decimals; null is a dash.

    Parameters
    ----------
    value : float or None
        The number; NaN counts as null.
    decimals : int, optional
        Digits after the point.
    """
    if value is None or math.isnan(value):
        return MISSING
    if value * 10**decimals % 1 == 0.5:
        whole, part = float(value).as_integer_ratio()
        if 2 * whole * 10**decimals % part == 0:  # exactly a half: away from 0, as in the browser
            value = math.nextafter(value, math.copysign(math.inf, value))
    text = f"{value:,.{decimals}f}"
    # A number that rounds to zero is shown without a sign.
    return text.lstrip("-") if not text.strip("-0.,") else text


def format_difference(value: float | None, decimals: int = 0) -> str:
    """Format a difference with its sign; ``≈ 0`` if it rounds to zero without being zero.

    Parameters are those of `format_number`.
    """
    text = format_number(value, decimals)
    if value is None or math.isnan(value) or value == 0:
        return text
    if not text.strip("0.,"):
        return NEARLY_ZERO
    return f"+{text}" if value > 0 else text


def format_time(value_us: float | None, unit: TimeUnit | None = None) -> str:
    """Format a time with its unit, such as ``"177.6 ms"``; by default in the most suitable unit.

    Parameters
    ----------
    value_us : float or None
        Microseconds.
    unit : TimeUnit, optional
        The unit of the column that contains the value.
    """
    if value_us is None or math.isnan(value_us):
        return MISSING
    chosen = unit or choose_time_unit([value_us])
    decimals = chosen.decimals
    if unit is None and chosen.label == "µs" and abs(value_us) < 10:
        decimals = 3 if abs(value_us) < 1 else 1  # a short time outside a column needs more digits
    return f"{format_number(value_us / chosen.divisor, decimals)} {chosen.label}"


#: A difference that is too small to show.
NEARLY_ZERO: Final = "\u2248 0"

#: Percentages below this would be formatted as 0.0.
_TRACE: Final = 0.05


def format_pct(value: float | None) -> str:
    """Format a percentage without the sign: one decimal; ``<0.1`` if small, ``0.0`` if zero.

    Parameters
    ----------
    value : float or None
        0 to 100.
    """
    if value is not None and 0 < value < _TRACE:
        return "<0.1"
    return format_number(value, 1)


def counts_as_share(value: float | None) -> bool:
    """Return whether a percentage is at least one that `format_pct` shows as a number."""
    return value is not None and value >= _TRACE


def format_value(value_us: float | None, unit: TimeUnit) -> str:
    """Format a time for a column with its unit in the header; ``<0.1`` if it would round to zero.

    Parameters
    ----------
    value_us : float or None
        Microseconds.
    unit : TimeUnit
        The unit of the column.
    """
    if value_us is None:
        return MISSING
    value, least = value_us / unit.divisor, 10**-unit.decimals
    if 0 < value < least / 2:
        return f"<{format_number(least, unit.decimals)}"
    return format_number(value, unit.decimals)


def format_count(number: int, word: str) -> str:
    """Format a number with its noun, such as ``"1 run"`` and ``"1,200 runs"``.

    Parameters
    ----------
    number : int
        The number.
    word : str
        The noun in the singular; the plural adds an s.
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def format_bytes(value: float | None) -> str:
    """Format a size in B, KiB, MiB, GiB or TiB, powers of 1024.

    Parameters
    ----------
    value : float or None
        Bytes.
    """
    if value is None or math.isnan(value):
        return MISSING
    if abs(value) < 1024:
        return f"{format_number(value)} B"
    scaled = float(value)
    for unit, decimals in (("KiB", 1), ("MiB", 1), ("GiB", 2), ("TiB", 2)):
        scaled /= 1024
        if abs(scaled) < 1023.95 or unit == "TiB":
            return f"{format_number(scaled, decimals)} {unit}"
    raise AssertionError(value)  # the last unit has no upper bound


class ByteUnit(NamedTuple):
    """Unit and precision of one axis of sizes.

    Parameters
    ----------
    label : str
        ``"B"``, ``"KiB"``, ``"MiB"``, ``"GiB"`` or ``"TiB"``.
    divisor : float
        Bytes per unit.
    decimals : int
        Digits after the point.
    """

    label: str
    divisor: float
    decimals: int


def byte_unit(largest: float) -> ByteUnit:
    """Choose the unit in which a size has one to four integer digits, powers of 1024."""
    units = (("B", 0), ("KiB", 1), ("MiB", 1), ("GiB", 2), ("TiB", 2))
    power = 0
    while power < len(units) - 1 and largest >= 1024 ** (power + 1):
        power += 1
    label, decimals = units[power]
    return ByteUnit(label, 1024.0**power, decimals)


def device_label(kind: str | None, number: int | None) -> str:
    """Return the display name of a device: ``"GPU 0"``, ``"MTIA 17"``, ``"CPU"``.

    Parameters
    ----------
    kind : str or None
        As in tables: ``"gpu"``, ``"cpu"``, …
    number : int or None
        None if there is only one.
    """
    word = device_word(kind)
    return word if number is None else f"{word} {number}"


def device_word(kind: str | None) -> str:
    """Return the display name of a kind of device: ``"GPU"``, ``"MTIA"``, ``"PrivateUse1"``.

    Parameters
    ----------
    kind : str or None
        As in tables; None if unknown.
    """
    if kind is None or kind == "device":
        return "Device"
    if kind == "privateuse1":
        return "PrivateUse1"
    # Words such as "gpu_pinned" and "device20" are not abbreviations.
    return kind.upper() if kind.isalpha() else kind


def _floats(values: Any) -> NDArray[np.float64]:
    """Return values as float64, nulls as NaN."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return floats_of(values)
    if isinstance(values, np.ndarray):
        return values.astype(np.float64)
    return np.array([math.nan if v is None else v for v in values], np.float64)
