"""Reading a part gives the tables of the whole trace under the filter."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import nbprof
from nbprof.sources.kineto import reading as kineto
from nbprof.sources.parts import range_estimate
from tests.conftest import ROOT
from tests.sources.writing.round_trip import assert_same_part, differences, tables
from tests.support.recordings.large import large_trace
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nbprof.sources.parts.event_selection import EventSelection
    from nbprof.trace import Trace

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

DATA = ROOT.parent / "shared" / "data"
OTHERS = ("mem_cpu", "execution_trace")
#: Larger ones are left out.
LARGEST = 3_000_000
TRACES = sorted(
    path
    for folder in (DATA / "kineto", DATA / "torchcpu", *(ROOT / "samples").glob("*_*_*"))
    for path in folder.rglob("*.json*" if folder.parent == DATA else "*.pt.trace.json*")
    if not path.name.startswith(OTHERS) and path.stat().st_size < LARGEST
)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EventSelection]]:
    """What the passes over files took."""
    made: list[EventSelection] = []
    once = kineto._read_once

    def read_once(file: Any, options: Any, selection: EventSelection, **details: Any) -> Any:
        made.append(selection)
        return once(file, options, selection, **details)

    monkeypatch.setattr(kineto, "_read_once", read_once)
    return made


def part(path: Path, **conditions: Any) -> Trace:
    return nbprof.load(path, progress=False, cache=False, **conditions).trace().read()


def assert_part(whole: Trace, **conditions: Any) -> Trace:
    """Read a part and compare it with the whole under the same filter."""
    found = part(whole.file.path, **conditions)
    assert_same_part(whole.filter(**conditions), found)
    assert found.metadata["end_ns"] == whole.metadata["end_ns"]
    assert found.metadata["epoch_ns"] == whole.metadata["epoch_ns"]
    assert found.model.tables["threads"].equals(whole.model.tables["threads"])
    return found


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id="/".join(path.parts[-3:])) for path in TRACES],
)
def test_parts_of_recorded_traces(path: Path, passes: list[EventSelection]) -> None:
    whole = part(path)
    end = whole.metadata["end_ns"] / 1000
    assert_part(whole, time_us=(0.45 * end, 0.5 * end))
    assert_part(whole, time_us=(0.9 * end, float("inf")))
    steps = whole.model.steps
    if steps.recorded:
        middle = int(steps.number[len(steps.number) // 2])
        found = assert_part(whole, steps=middle)
        later = {"steps": (middle, int(steps.number[-1])), "time_us": (0.3 * end, 0.8 * end)}
        assert_part(whole, **later)
        rows = whole.model.tables["host"].num_rows
        is_part = len(steps.number) > 1  # a step alone may have all host rows in it
        assert found.model.tables["host"].num_rows < rows or rows < 10 or not is_part
    assert len(passes) <= 4 * 4 + 1


def test_further_filters_narrow_a_part(tmp_path: Path) -> None:
    whole = part(large_trace(tmp_path / "a.json", 40_000))
    found = part(whole.file.path, steps=(3, 5))
    for more in ({"steps": 4}, {"name": "conv"}, {"steps": (5, 9)}, {"kinds": ("kernel",)}):
        ours, theirs = found.filter(**more), whole.filter(steps=(3, 5)).filter(**more)
        if more.get("steps") == (5, 9):
            theirs = whole.filter(steps=5)
        assert differences(ours.operators(), theirs.operators()) == []
        # A part knows the operators of its own launches only.
        assert differences(ours.kernels(), theirs.kernels(), ("operators",)) == []
    for outside in ({"steps": 7}, {"steps": 1}):
        assert found.filter(**outside).operators().num_rows == 0
        assert found.filter(**outside).steps().num_rows == 0
    assert found.filter(steps=7).overview().equals(whole.filter(time_us=(0, 0)).overview())


@pytest.mark.parametrize("processes", [1, 3])
def test_several_processes_leave_out_the_same(tmp_path: Path, processes: int) -> None:
    path = large_trace(tmp_path / "a.json", 30_000)
    file = nbprof.load(path).files[0]
    for options in ({"steps": 4}, {"time_us": (200_000, 300_000)}, {"without": "python"}):
        taken = nbprof.sources.ReadOptions.of(**options)
        plain = nbprof.sources.read(file, taken, progress=False, window=1 << 20, processes=1)
        found = nbprof.sources.read(
            file, taken, progress=False, window=1 << 20, processes=processes
        )
        for name, table in plain.tables.items():
            assert differences(found.tables[name], table) == [], name
        assert found.metadata == plain.metadata


def test_a_packed_file_gives_the_same(tmp_path: Path) -> None:
    path = large_trace(tmp_path / "a.pt.trace.json", 20_000)
    packed = tmp_path / "b.pt.trace.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    ours, theirs = part(packed, steps=3), part(path, steps=3)
    for name, table in theirs.model.tables.items():
        assert differences(ours.model.tables[name], table) == [], name


def test_kinds_are_those_of_the_filter(tmp_path: Path) -> None:
    """But for what the Python frames that are left out say about other rows."""
    theirs = {"warnings", "flame", "slices", "slice_summary", "modules", "memory_peak_holders"}
    theirs |= {"key_averages"}  # frames are events of their own there, and take self time
    theirs |= {"recommendations"}  # they tell the lines of code
    for path in TRACES:
        if ROOT not in path.parents:  # the samples tell enough, and are always there
            continue
        whole = part(path)
        for kinds in (("kernel",), ("operator", "memory"), ("annotation", "runtime")):
            found = tables(part(path, kinds=kinds))
            for name, table in tables(whole.filter(kinds=kinds)).items():
                if "stack" not in name and name.split()[0] not in theirs:
                    found_differences = differences(found[name], table, ("call_stack",))
                    assert found_differences == [], (path, name)
        with_frames = part(path, kinds=("python", "operator"))
        assert with_frames.model.tables["host"].equals(whole.model.tables["host"])


def test_without_python_all_else_stays(tmp_path: Path) -> None:
    """Threads and times too: what is left out counts for when the recording began."""
    frame = {"Python id": 1, "Python parent id": 0}
    module = {**frame, "Python module id": 0}
    events = [
        op("main.py(1): <module>", 5, 100, cat="python_function", tid=9, args=frame),
        op("nn.Module: Net_0", 8, 60, cat="python_function", args=module),
        op("net.py(3): forward", 9, 50, cat="python_function", args=frame),
        op("aten::mm", 10, 20, args={"External id": 1}),
        kernel("gemm", 12),
    ]
    path = write(tmp_path / "a.json", events)
    whole, found = part(path), part(path, without=("python",))
    assert found.metadata == whole.metadata
    assert (
        found.metadata["epoch_ns"] == part(path, kinds=("operator",)).metadata["epoch_ns"] == 5000
    )
    for name, table in whole.model.tables.items():
        if name == "host":
            is_frame = np.array(table.column("kind").to_pylist()) == "python"
            table = table.filter(pa.array(~is_frame))  # noqa: PLW2901
        assert differences(found.model.tables[name], table) == [], name


def test_ranges_that_hold_nothing(tmp_path: Path) -> None:
    whole = part(large_trace(tmp_path / "a.json", 12_000))
    for conditions in ({"steps": 999}, {"time_us": (1e12, 2e12)}, {"time_us": (-9, -1)}):
        found = part(whole.file.path, **conditions)
        for name in ("operators", "kernels", "steps", "overview"):
            theirs = whole.filter(**conditions).table(name)
            assert differences(found.table(name), theirs) == [], name


def test_kernels_that_only_arrows_tie_to_their_launch(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    for step in range(6):
        at = 1000 * step
        events.append(op(f"ProfilerStep#{step}", at, 900, cat="user_annotation"))
        events.append(op("aten::mm", at + 100, 300))
        events.append(op("cudaLaunchKernel", at + 150, 10, cat="cuda_runtime"))
        arrow = {"cat": "ac2g", "id": step + 1, "name": "ac2g"}
        events.append({**arrow, "ph": "s", "pid": 1, "tid": 1, "ts": at + 150})
        events.append({**arrow, "ph": "f", "pid": 0, "tid": 7, "ts": at + 1200, "bp": "e"})
        events.append(kernel("gemm", at + 1200, 300, correlation=-1))
    whole = part(write(tmp_path / "a.json", events))
    assert (whole.model.links.launch >= 0).all()
    for step in range(6):
        found = assert_part(whole, steps=step)
        assert found.kernels().column("calls").to_pylist() == [1]


def test_strict_and_wrong_conditions(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [op(ts=1), {**op(ts=5), "dur": -1}])
    with pytest.raises(nbprof.TraceFormatError):
        part(path, strict=True, time_us=(0, 100))
    for wrong in ({"steps": "x"}, {"time_us": (5, 1)}, {"kinds": ["x"]}, {"without": ["cuda"]}):
        with pytest.raises(nbprof.FilterError):
            nbprof.load(path, **wrong)


@pytest.mark.parametrize("piece", [1500, 4096, 50_000])
def test_steps_are_found_across_the_pieces_of_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    path = large_trace(tmp_path / "a.json", 12_000)
    steps = sorted(range_estimate._scan_steps(path)[1])
    assert {mark.number for mark in steps} == set(part(path).model.steps.number.tolist())
    monkeypatch.setattr(range_estimate, "_PIECE", piece)
    assert sorted(range_estimate._scan_steps(path)[1]) == steps
