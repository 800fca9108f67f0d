"""Collects the functions and calls of a profile, as columns.

A profile is a dictionary. Its keys are ``(file, line, function)``, its values ``(primitive calls,
calls, self time, total time, callers)``. ``callers`` is a dictionary of the functions that called
this one to ``(calls, primitive calls, self time, total time)`` of these calls, or, as the module
`profile` writes it, to their number. Times are seconds. (`pstats` of CPython reads them so.)
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.limits.numbers import LARGEST
from nbprof.sources.limits.texts import shortened

if TYPE_CHECKING:
    from nbprof.sources.defects import DefectLog

Key = tuple[str, int, str]

US_PER_S: Final = 1e6
_NUMBERS: Final = (int, float)
#: The pretended caller of what the module `profile` runs.
_PROFILER: Final = ("jprofile", 0, "profiler")
#: With this key sampling profilers mark their files.
_SAMPLED: Final = ("__sampled__",)


#: Characters of the file or the name of a function. A profile may refer to one text from a million
#: functions, each of which writes it out.
LONGEST: Final = 1024


def _longs() -> array[int]:
    return array("q")


def _floats() -> array[float]:
    return array("d")


@dataclass
class Counts:
    """Calls and times, as columns."""

    calls: array[int] = field(default_factory=_longs)
    primitive_calls: array[int] = field(default_factory=_longs)
    self_us: array[float] = field(default_factory=_floats)
    total_us: array[float] = field(default_factory=_floats)

    def add(self, calls: int, primitive_calls: int, self_s: float, total_s: float) -> None:
        """Add a row; -1 and NaN are unknown."""
        self.calls.append(calls)
        self.primitive_calls.append(primitive_calls)
        self.self_us.append(self_s * US_PER_S)
        self.total_us.append(total_s * US_PER_S)


class Stats:
    """The functions of a profile and the calls between them.

    Attributes
    ----------
    functions, calls : Counts
        One row for each function; one for each pair of caller and callee.
    caller, callee : array of int
        The functions of a pair. Callers have their place in `keys`.
    is_sampled : bool
        Whether a sampling profiler wrote it: then calls are numbers of samples.
    """

    def __init__(self, defects: DefectLog) -> None:
        self.functions = Counts()
        self.calls = Counts()
        self.caller = _longs()
        self.callee = _longs()
        self.is_sampled = False
        self._defects = defects
        self._shortened: dict[str, str] = {}
        #: The number of each key in the order in which the keys were read.
        self._keys: dict[Key, int] = {}
        #: The row of the function with each of these numbers, -1 for functions that only call.
        self._rows = _longs()

    @property
    def keys(self) -> list[Key]:
        """The functions, in the order of their rows."""
        found: list[Key] = [("", 0, "")] * len(self.functions.calls)
        for key, number in self._keys.items():
            if self._rows[number] >= 0:
                found[self._rows[number]] = key
        return found

    def function(self, key: object, numbers: list[Any]) -> int:
        """Add a function and return its row; -1 if it is malformed, which is counted."""
        number = self._number(key)
        if number < 0 and isinstance(key, tuple) and key[:1] == _SAMPLED:
            self.is_sampled = True
            return -1
        counts = _counts(numbers)
        if number < 0 or counts is None:
            self._defects.note("malformed function", 1, f"{_shown(key)}: {_shown(numbers)}")
            return -1
        if self._rows[number] >= 0:
            self._defects.note("repeated function", 1, f"{key!r} is there twice")
            return -1
        row = len(self.functions.calls)
        self._rows[number] = row
        primitive, calls, self_s, total_s = counts
        self.functions.add(calls, primitive, self_s, total_s)
        return row

    def call(self, callee: int, key: object, value: object) -> None:
        """Add the calls of one function by another; malformed ones are counted."""
        caller = self._number(key)
        counts = _counts(value)
        if counts is None and type(value) is int and 0 <= value <= LARGEST:
            counts = value, -1, nan, nan
        if caller < 0 or counts is None:
            self._defects.note("malformed caller", 1, f"{_shown(key)}: {_shown(value)}")
            return
        self.caller.append(caller)
        self.callee.append(callee)
        self.calls.add(*counts)

    def without_callers(self, value: object) -> None:
        """Count callers that are something else than a dictionary."""
        self._defects.note("malformed callers", 1, f"{_shown(value)} is not a dictionary")

    def caller_rows(self) -> array[int]:
        """Return the row of the caller in each pair; -1 for one without times."""
        strangers = {number for number in set(self.caller) if self._rows[number] < 0}
        keys = list(self._keys) if strangers else []
        missing = [keys[number] for number in sorted(strangers) if keys[number] != _PROFILER]
        if missing:
            example = f"{_shown(missing[0])} called others, but has no times of its own"
            self._defects.note("caller without times", len(missing), example, fatal=False)
        rows = self._rows
        return array("q", (rows[number] for number in self.caller))

    def _number(self, key: object) -> int:
        """Return the number of a function, -1 if it is none."""
        # References may build a small file into tuples that take forever to hash or to print.
        if type(key) is not tuple or len(key) != 3:
            return -1
        file, line, name = key
        if type(file) is not str or type(name) is not str or type(line) is not int:
            return -1
        if len(file) > LONGEST or len(name) > LONGEST:
            key = self._cut(file), line, self._cut(name)
        number = self._keys.setdefault(key, len(self._rows))
        if number == len(self._rows):
            self._rows.append(-1)
        return number

    def _cut(self, text: str) -> str:
        """Return a text of at most `LONGEST` characters, different for different texts."""
        if len(text) <= LONGEST:
            return text
        if text not in self._shortened:
            self._shortened[text] = shortened(text, LONGEST)
            example = f"{text[:40]!r}… has {len(text):,} characters; cut"
            self._defects.note("texts that are too long", 1, example)
        return self._shortened[text]


def _shown(value: object) -> str:
    """Return a value of a file for a message: short, and no more than one level of it."""
    if isinstance(value, (list, tuple)):
        parts = [repr(one)[:80] if isinstance(one, (str, *_NUMBERS)) else "…" for one in value[:5]]
        return f"({', '.join(parts)})"
    return repr(value)[:80]


def _counts(values: object) -> tuple[int, int, float, float] | None:
    """Return two counts and two times; None if they are something else."""
    if not isinstance(values, (list, tuple)) or len(values) != 4:
        return None
    first: Any
    second: Any
    self_s: Any
    total_s: Any
    first, second, self_s, total_s = values
    whole = type(first) is int and type(second) is int
    if not (whole and 0 <= first <= LARGEST and 0 <= second <= LARGEST):
        return None
    if type(self_s) is not float or type(total_s) is not float:
        if not (isinstance(self_s, _NUMBERS) and isinstance(total_s, _NUMBERS)):
            return None
        self_s, total_s = float(self_s), float(total_s)
    return (first, second, self_s, total_s) if isfinite(self_s + total_s) else None
