"""Parsers for values of command line options; their errors are worded for argparse."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from nbprof.model.trace.kinds import FILTER_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

#: Stands for an open end of a range of steps.
FAR: Final = 2**62


def _range(text: str, number: Callable[[str], float], what: str) -> tuple[float | None, ...]:
    message = f"{text!r} is not a range of {what} A:B"
    parts = text.split(":")
    if len(parts) != 2 or not any(parts):
        raise argparse.ArgumentTypeError(message)
    try:
        return tuple(number(part) if part else None for part in parts)
    except ValueError:
        raise argparse.ArgumentTypeError(message) from None


def steps(text: str) -> tuple[float, float]:
    """Parse a range of step numbers for `Filter.steps`; open ends become very large numbers."""
    if ":" not in text:
        text = f"{text}:{text}"
    first, last = _range(text, int, "step numbers")
    return (-FAR if first is None else first, FAR if last is None else last)


def times(text: str) -> tuple[float, float]:
    """Parse a range of microseconds for `Filter.time_us`; open ends become infinite."""
    low, high = _range(text, float, "microseconds")
    return (-float("inf") if low is None else low, float("inf") if high is None else high)


def numbers(text: str) -> tuple[int, ...]:
    """Parse a comma-separated list of integers."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        message = f"{text!r} is not a list of integers"
        raise argparse.ArgumentTypeError(message) from None


def names(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of names."""
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        message = f"{text!r} contains no name"
        raise argparse.ArgumentTypeError(message)
    return parts


def kinds(text: str) -> tuple[str, ...]:
    """Parse kinds of events for `Filter.kinds`."""
    chosen = names(text)
    for kind in chosen:
        if kind not in FILTER_KINDS:
            message = f"{kind!r} is not a kind of event; kinds are {', '.join(FILTER_KINDS)}"
            raise argparse.ArgumentTypeError(message)
    return chosen


def rule(text: str) -> str:
    """Parse a communication rule for `nbprof.options.communication_names`."""
    from nbprof.model.errors import FilterError
    from nbprof.model.names.communication_names import checked

    try:
        return checked([text])[0]
    except FilterError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def byte_count(text: str) -> int:
    """Parse a number of bytes."""
    return count(text, "bytes")


def count(text: str, noun: str = "rows") -> int:
    """Parse an integer that is not negative."""
    if not (text.isascii() and text.isdigit()):
        message = f"{text!r} is not a number of {noun}"
        raise argparse.ArgumentTypeError(message)
    return int(text)
