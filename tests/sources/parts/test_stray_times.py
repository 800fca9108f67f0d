"""Parts of traces with single times and numbers that do not belong to the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.sources.parts.test_cases import loop
from tests.sources.parts.test_prefilters import assert_part, part
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

#: When recordings begin, in microseconds: counted from the start of the machine, and from 1970.
BASES: Final = (5_252_688_087_000, 1_700_000_000_000_000)

STRAY: Final = {
    "1000 times too large": lambda base: base * 1000,
    "10⁶ times too large": lambda base: base * 10**6,
    "1000 times too small": lambda base: base // 1000,
    "0": lambda _: 0,
    "negative": lambda base: -base,
    "too large for any integer": lambda _: 10**30,
}

PARTS: Final[tuple[dict[str, Any], ...]] = (
    {"steps": 3},
    {"steps": (6, 7)},
    {"time_us": (2100, 2900)},
    {"steps": 3, "time_us": (0, 3200)},
)


def recording(base: int) -> list[dict[str, Any]]:
    return [{**event, "ts": event["ts"] + base} for event in loop()]


def events(kind: str, at: int) -> dict[str, Any]:
    if kind == "kernel":
        return kernel("stray", at, 5, correlation=4)
    if kind == "memory":
        args = {"Bytes": 5, "Addr": 1, "Device Type": 1, "Device Id": 0}
        return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": at, "args": args}
    return op("ProfilerStep#3" if kind == "step" else "stray", at, 5)


@pytest.mark.parametrize("stray", STRAY.values(), ids=STRAY)
@pytest.mark.parametrize("base", BASES)
def test_one_event_has_a_time_of_its_own(tmp_path: Path, base: int, stray: Any) -> None:
    for kind, place in (("operator", 0), ("step", 20), ("kernel", 5), ("memory", 40)):
        content = recording(base)
        content.insert(place, events(kind, stray(base)))
        whole = part(write(tmp_path / f"{kind}.json", content))
        for conditions in PARTS:
            assert_part(whole, **conditions)


@pytest.mark.parametrize("stray", STRAY.values(), ids=STRAY)
def test_one_of_the_times_is_wrong(tmp_path: Path, stray: Any) -> None:
    for place in (0, 9, 21):
        content = recording(BASES[0])
        content[place]["ts"] = stray(BASES[0])
        whole = part(write(tmp_path / f"{place}.json", content))
        for conditions in PARTS:
            assert_part(whole, **conditions)


@pytest.mark.parametrize("duration", [2**53, 10**18, 10**30, -5])
def test_one_of_the_durations_is_wrong(tmp_path: Path, duration: int) -> None:
    for place in (0, 9, 21):
        content = recording(BASES[0])
        content[place]["dur"] = duration
        whole = part(write(tmp_path / f"{place}.json", content))
        for conditions in PARTS:
            assert_part(whole, **conditions)
