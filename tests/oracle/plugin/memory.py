"""The memory view of the TensorBoard plugin beside nbprof's tables.

That tool shows sizes in KB or MB and times in ms, rounded to two digits or, of values below 0.01,
to one.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nbprof.analysis.memory.curve import memory_curve
from nbprof.analysis.memory.memory_events import memory_events
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak
from tests.oracle.figures import Figure, get

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.figures import Row
    from tests.oracle.traces import Oracle

#: What the list of differences calls the tool: its memory view has a list of its own.
TOOL = "kineto_plugin memory"
KB = 1024.0
OPERATOR_COLUMNS = (
    ("calls", 1.0),
    ("size_increase_bytes", KB),
    ("self_size_increase_bytes", KB),
    ("allocation_count", 1.0),
    ("self_allocation_count", 1.0),
    ("allocation_size_bytes", KB),
    ("self_allocation_size_bytes", KB),
)
EVENT_TIMES = ("allocation_us", "release_us", "duration_us")


def memory_figures(oracle: Oracle) -> Iterator[Figure]:
    """Yield every figure of the memory tables that exist on both sides."""
    yield from operators(oracle)
    yield from curve(oracle)
    yield from events(oracle)
    yield from peak(oracle)


def operators(oracle: Oracle) -> Iterator[Figure]:
    """What every operator allocates, by device; a row that either side lacks is absent."""
    theirs = oracle.figures["memory"]["stats"]["rows"]
    ours = _by_device(memory_operators(oracle.model).to_pylist())
    for device in sorted({*theirs, *ours}):
        rows = {row[0]: row[1:] for row in theirs.get(device, ())}
        own = {row["name"]: row for row in ours.get(device, ())}
        for name in sorted({*rows, *own}):
            key = f"{device} {name}"
            row, values = own.get(name), rows.get(name)
            if row is None or values is None:
                yield Figure("memory_operators", key, "row", row is not None, values is not None)
                continue
            for (column, unit), value in zip(OPERATOR_COLUMNS, values, strict=True):
                yield _shown("memory_operators", key, column, row[column] / unit, value)


def curve(oracle: Oracle) -> Iterator[Figure]:
    """The first and last corners of every curve; each record has two."""
    theirs = oracle.figures["memory"]["curve"]
    facts = theirs["metadata"]
    ours = _by_device(memory_curve(oracle.model).to_pylist())
    shift = _shift(oracle)
    for device, count in theirs["n_points"].items():
        rows = ours[device][1:]  # without the start of the recording
        yield Figure("memory_curve", device, "corners", 2 * len(rows) - 1, count)
        corners = [rows[0]]
        for before, row in pairwise(rows):
            corners += [{**before, "time_us": row["time_us"]}, row]
        head, tail = theirs["head"][device], theirs["tail"][device]
        places = [*range(len(head)), *range(len(corners) - len(tail), len(corners))]
        for place, values in zip(places, [*head, *tail], strict=True):
            key = f"{device} {place}"
            time, allocated, reserved = values
            own = (corners[place]["time_us"] - shift) * facts["time_factor"]
            slack = 2 * oracle.step_us * facts["time_factor"]
            yield Figure("memory_curve", key, "time_us", own, time, slack=slack)
            for column, value in (("allocated_bytes", allocated), ("reserved_bytes", reserved)):
                own = (corners[place][column] or 0) * facts["memory_factor"]
                yield Figure("memory_curve", key, column, own, value)


def events(oracle: Oracle) -> Iterator[Figure]:
    """The blocks that the tool's table begins with, and the largest."""
    theirs = oracle.figures["memory"]["events"]
    ours = _by_device(memory_events(oracle.model).to_pylist())
    shift = _shift(oracle)
    for device, count in theirs["n"].items():
        yield Figure("memory_events", device, "rows", len(ours[device]), count)
        for part in ("head", "largest"):
            for place, row in enumerate(theirs[part][device]):
                yield from _event(f"{device} {part} {place}", row, ours[device], shift)


def peak(oracle: Oracle) -> Iterator[Figure]:
    """The peaks, in bytes."""
    ours = {
        "CPU:-1" if row["device"] is None else f"CUDA:{row['device']}": row
        for row in memory_peak(oracle.model).to_pylist()
    }
    for device, value in oracle.figures["memory"]["peak_bytes"].items():
        yield Figure(
            "memory_peak", device, "peak_bytes", get(ours.get(device), "peak_bytes"), value
        )
    facts = oracle.figures["memory"]["curve"]["metadata"]
    for device, text in (facts["peaks"] or {}).items():
        found = re.search(r"([\d.]+)MB", text)
        assert found is not None
        row = ours["CPU:-1" if device == "CPU" else f"CUDA:{device[3:]}"]
        own = row["peak_bytes"] / KB**2
        yield Figure("memory_peak", device, "shown", own, float(found[1]), digits=1)


def _event(key: str, theirs: list[Any], ours: list[Row], shift: float) -> Iterator[Figure]:
    """Compare a row with the one of ours that is most like it."""
    found = [list(_event_figures(key, theirs, row, shift)) for row in ours]
    yield from min(found, key=lambda figures: sum(not figure.equal for figure in figures))


def _event_figures(key: str, theirs: list[Any], row: Row, shift: float) -> Iterator[Figure]:
    yield _shown("memory_events", key, "size_bytes", row["size_bytes"] / KB, theirs[1])
    for column, own, time in zip(EVENT_TIMES, _own_times(row, shift), theirs[2:], strict=True):
        if own is None or time is None:
            yield Figure("memory_events", key, column, own is None, time is None)
        else:
            yield _shown("memory_events", key, column, own / 1000.0, time)
    yield Figure("memory_events", key, "operator", row["operator"] or "<unknown>", theirs[0])


def _own_times(row: Row, shift: float) -> list[float | None]:
    start, end = (row[c] if row[c] is None else row[c] - shift for c in EVENT_TIMES[:2])
    return [start, end, row["duration_us"]]


def _shift(oracle: Oracle) -> float:
    """Return how much earlier our clock starts, in microseconds."""
    head = oracle.figures["memory"]["curve"]["head"]
    factor = oracle.figures["memory"]["curve"]["metadata"]["time_factor"]
    ours = _by_device(memory_curve(oracle.model).to_pylist())
    shifts = [ours[device][1]["time_us"] - points[0][0] / factor for device, points in head.items()]
    return shifts[0] if shifts else 0.0


def _by_device(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        device = "CPU" if row["device_type"] == "cpu" else f"GPU{row['device']}"
        found.setdefault(device, []).append(row)
    return found


def _shown(table: str, key: str, column: str, ours: float, theirs: float) -> Figure:
    """Compare with a figure of that tool's rounding; half a last digit either way is equal."""
    small = 0 < abs(theirs) < 0.01
    digits = -math.floor(math.log10(abs(theirs))) if small else 2
    return Figure(table, key, column, ours, theirs, slack=0.5001 * 10.0**-digits)
