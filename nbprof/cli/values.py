"""Reads what stands behind an option of the command line; errors are worded for argparse."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from nbprof.model.trace.kinds import FILTER_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

#: An open end of a range of steps.
FAR: Final = 2**62


def _range(text: str, number: Callable[[str], float], what: str) -> tuple[float | None, ...]:
    message = f"{text!r} is no range of {what} A:B"
    parts = text.split(":")
    if len(parts) != 2 or not any(parts):
        raise argparse.ArgumentTypeError(message)
    try:
        return tuple(number(part) if part else None for part in parts)
    except ValueError:
        raise argparse.ArgumentTypeError(message) from None


def steps(text: str) -> tuple[float, float]:
    """Return a range of step numbers, as `Filter.steps` takes it; open ends are far away."""
    if ":" not in text:
        text = f"{text}:{text}"
    first, last = _range(text, int, "step numbers")
    return (-FAR if first is None else first, FAR if last is None else last)


def times(text: str) -> tuple[float, float]:
    """Return a range of microseconds, as `Filter.time_us` takes it; open ends are infinite."""
    low, high = _range(text, float, "microseconds")
    return (-float("inf") if low is None else low, float("inf") if high is None else high)


def numbers(text: str) -> tuple[int, ...]:
    """Return whole numbers that are separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        message = f"{text!r} is no list of whole numbers"
        raise argparse.ArgumentTypeError(message) from None


def names(text: str) -> tuple[str, ...]:
    """Return names that are separated by commas."""
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        message = f"{text!r} names nothing"
        raise argparse.ArgumentTypeError(message)
    return found


def kinds(text: str) -> tuple[str, ...]:
    """Return kinds of events, as `Filter.kinds` takes them."""
    found = names(text)
    for kind in found:
        if kind not in FILTER_KINDS:
            message = f"{kind!r} is no kind of event; kinds are {', '.join(FILTER_KINDS)}"
            raise argparse.ArgumentTypeError(message)
    return found


def rule(text: str) -> str:
    """Return a rule of what communicates, as `nbprof.options.communication_names` takes it."""
    from nbprof.model.errors import FilterError
    from nbprof.model.names.communication_names import checked

    try:
        return checked([text])[0]
    except FilterError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def byte_count(text: str) -> int:
    """Return a number of bytes."""
    return count(text, "bytes")


def count(text: str, noun: str = "rows") -> int:
    """Return a whole number that is not negative."""
    if not (text.isascii() and text.isdigit()):
        message = f"{text!r} is no number of {noun}"
        raise argparse.ArgumentTypeError(message)
    return int(text)
