"""Memory of NPUs compared with the Ascend plugin: every figure of three data sets.

The plugin shows MB of 1024² bytes and ms to three decimals, and without a trace counts from 1970,
where floats of ms are 0.00024 apart. Its file of blocks says durations to a hundredth of a µs,
where ours are differences of the times. It compares peaks of components as texts, which finds the
same ones in these files; where it does not is in `tests/analysis/memory/test_components.py`.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.analysis.memory.components import memory_components
from nbprof.analysis.memory.curve import memory_curve
from nbprof.analysis.memory.memory_events import memory_events
from nbprof.analysis.memory.peak import memory_peak
from nbprof.charts.memory.curves import of_components, of_devices
from tests.oracle.ascend.profiles import WORKERS, figures_of, model_of, output_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]
MB = 1024.0**2
TIMES = ("allocation_us", "release_us")
#: Half a unit of the last digit, of ms also what floats of absolute times lose.
MB_SLACK = 0.0005001
MS_SLACK = 0.0005 + 0.00025


class Worker:
    """A worker on both sides, with times as the plugin counts them."""

    def __init__(self, shared_data: Path, shared_oracle: Path, name: str, worker: str) -> None:
        self.model: TraceModel = model_of(shared_data, name, worker)
        self.output = output_of(shared_data, name, worker)
        self.theirs = figures_of(shared_oracle, name, worker)
        has_trace = (self.output / "trace_view.json").is_file()
        self.zero_us = 0.0 if has_trace else self.model.metadata["epoch_ns"] / 1000

    def ms(self, time_us: float | None) -> float | None:
        return None if time_us is None else (time_us + self.zero_us) / 1000

    def device(self, rows: list[Row], device: str) -> list[Row]:
        return [row for row in rows if f"NPU:{row['device']}" == device]


@pytest.fixture(params=WORKERS, ids="-".join)
def worker(request: pytest.FixtureRequest, shared_data: Path, shared_oracle: Path) -> Worker:
    return Worker(shared_data, shared_oracle, *request.param)


@pytest.fixture
def recorded(worker: Worker) -> Worker:
    if worker.theirs["memory_all_curve"] is None:
        assert memory_curve(worker.model).num_rows == 0
        assert memory_events(worker.model).num_rows == 0
        pytest.skip("nothing about memory was kept of this worker")
    return worker


def told(points: Row, count: int) -> Iterator[tuple[int, list[Any]]]:
    """Yield the points that the plugin's figures begin and end with, and which of ours they are."""
    assert points["n"] == count
    last = points.get("last", [])
    first = points["first"]
    yield from enumerate(first)
    yield from enumerate(last, count - len(last))


def close(ours: float | None, theirs: float | None, slack: float) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= slack


def mb(size: int | None) -> float | None:
    return None if size is None else size / MB


def test_the_curve_of_operators_is_that_of_both_allocators(recorded: Worker) -> None:
    theirs = recorded.theirs["memory_all_curve"]["total"]
    rows = of_devices(memory_curve(recorded.model)).to_pylist()
    by_time = sorted(rows, key=lambda row: row["time_us"])
    peaks = memory_peak(recorded.model).to_pylist()
    seen = 0
    assert {f"NPU:{row['device']}" for row in rows} == set(theirs["rows"])
    for device, lines in theirs["rows"].items():
        ours = recorded.device(by_time, device)
        for name, column in (("Allocated", "allocated_bytes"), ("Reserved", "reserved_bytes")):
            for at, (time, size) in told(lines[name], len(ours)):
                assert close(recorded.ms(ours[at]["time_us"]), time, MS_SLACK)
                assert close(mb(ours[at][column]), size, MB_SLACK)
                seen += 2
        [peak] = recorded.device(peaks, device)
        title = f"Peak Memory Usage: {peak['peak_bytes'] / MB:.1f}MB"
        assert theirs["metadata"]["peaks"][device] == title
    assert seen


def test_components_have_curves_of_their_own(recorded: Worker) -> None:
    theirs = recorded.theirs["memory_all_curve"]["ptaGe"]
    rows = of_components(memory_curve(recorded.model)).to_pylist()
    peaks = memory_components(recorded.model).to_pylist()
    for device, lines in theirs["rows"].items():
        ours = recorded.device(rows, device)
        assert {row["component"] for row in ours} == set(lines)
        for component, points in lines.items():
            own = [row for row in ours if row["component"] == component]
            own.sort(key=lambda row: row["time_us"])
            for at, (time, allocated, reserved) in told(points, len(own)):
                assert close(recorded.ms(own[at]["time_us"]), time, MS_SLACK)
                assert close(mb(own[at]["allocated_bytes"]), allocated, MB_SLACK)
                assert close(mb(own[at]["reserved_bytes"]), reserved, MB_SLACK)
        most = {
            row["component"]: row["peak_reserved_bytes"]
            for row in recorded.device(peaks, device)
            if row["source"] == "profiler"
        }
        title = "".join(
            f" {name}-{most[name] / MB:.1f}MB |" for name in ("APP", "PTA", "GE") if name in most
        )
        assert theirs["metadata"]["peaks"][device] == f"Reserved Peak Memory Usage:{title}"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [
            {name: (text or "").strip() for name, text in row.items()}
            for row in csv.DictReader(file)
        ]


def ns(text: str) -> int | None:
    """Read a time without the rounding of floats, which hold a quarter of a µs of them."""
    whole, _, part = text.partition(".")
    return int(whole) * 1000 + int(f"{part:0<3}"[:3]) if text else None


def key_of(block: tuple[Any, ...]) -> tuple[Any, ...]:
    name, size, start, end = block
    return name or "", size, round(start / 10), end is None


def test_every_block_is_there(recorded: Worker) -> None:
    rows = rows_of(recorded.output / "operator_memory.csv")
    epoch = recorded.model.metadata["epoch_ns"]

    def relative(text: str) -> int | None:
        time = ns(text)
        return None if time is None else time - epoch

    expected = [
        (
            row["Name"] or None,
            round(abs(float(row["Size(KB)"])) * 1024),
            relative(row["Allocation Time(us)"]),
            relative(row["Release Time(us)"]),
        )
        for row in rows
    ]
    ours = memory_events(recorded.model).to_pylist()
    found = [
        (
            row["operator"],
            row["size_bytes"],
            *(None if row[name] is None else row[name] * 1000 for name in TIMES),
        )
        for row in ours
    ]
    pairs = zip(sorted(found, key=key_of), sorted(expected, key=key_of), strict=True)
    for (*own, start, end), (*wanted, allocated, released) in pairs:
        assert own == wanted
        # One worker's files are months apart: floats of µs hold 2 ns there.
        for time, exact in ((start, allocated), (end, released)):
            assert close(time, exact, 0.01 if exact is None or exact < 2**50 else 2)
    starts = [row["allocation_us"] for row in ours]
    assert starts == sorted(starts)


def test_blocks_are_shown_as_the_plugin_does(recorded: Worker) -> None:
    theirs = recorded.theirs["memory_events"]["operator"]["rows"]
    ours = memory_events(recorded.model).to_pylist()
    assert sum(rows["n"] for rows in theirs.values()) == len(ours)
    checked = 0
    for device, rows in theirs.items():
        own = recorded.device(ours, device)
        assert rows["n"] == len(own)
        for row in (*rows["first"], *rows["last"]):
            assert any(shown_alike(recorded, one, row) for one in own), row
            checked += 1
    assert checked


def shown_alike(worker: Worker, ours: Row, theirs: list[Any]) -> bool:
    name, size, start, end, length = theirs
    duration = ours["duration_us"]
    return (
        (ours["operator"] or "<unknown>") == name
        and ours["size_bytes"] == size * 1024
        and close(worker.ms(ours["allocation_us"]), start, MS_SLACK)
        and close(worker.ms(ours["release_us"]), end, MS_SLACK)
        # The file rounds durations to 0.01 µs, and older ones times to 0.1 µs.
        and close(None if duration is None else duration / 1000, length, 0.0005 + 0.0002)
    )


def test_peaks_of_modules_are_those_of_numbers(recorded: Worker) -> None:
    theirs = recorded.theirs["memory_events"]["component"]["rows"]
    table = memory_components(recorded.model).to_pylist()
    ours = [row for row in table if row["source"] == "driver"]
    assert {f"NPU:{row['device']}" for row in ours} == set(theirs)
    for device, rows in theirs.items():
        own = {row["component"]: row for row in recorded.device(ours, device)}
        assert set(own) == {name for name, *_ in rows}
        for name, size, time in rows:
            assert own[name]["peak_reserved_bytes"] == float(size) * MB, name
            assert close(recorded.ms(own[name]["time_us"]), time, MS_SLACK), name
