"""Recorded traces, written whole or in parts and read back, give the same tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.conftest import ROOT
from tests.sources.writing.round_trip import (
    assert_same_model,
    assert_same_part,
    assert_same_whole,
    written,
)

if TYPE_CHECKING:
    from pathlib import Path

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

DATA = ROOT.parent / "shared" / "data"
#: Not traces of the profiler: what its memory timeline writes, and an execution trace.
OTHERS = ("mem_cpu", "execution_trace")
TRACES = sorted(
    path
    for folder in (DATA / "kineto", DATA / "torchcpu", *(ROOT / "samples").glob("*_*_*"))
    for path in folder.rglob("*.json*" if folder.parent == DATA else "*.pt.trace.json*")
    if not path.name.startswith(OTHERS)
)
#: Parts of the recording, as shares of its length.
RANGES = ((0.0, 0.1), (0.45, 0.5), (0.62, 0.621), (0.9, 2.0))


def name_of(path: Path) -> str:
    return "/".join(path.parts[-3:])


@pytest.mark.parametrize("path", TRACES, ids=name_of)
def test_a_recorded_trace_comes_back_row_by_row(tmp_path: Path, path: Path) -> None:
    trace = nbprof.load(path, progress=False).trace()
    again = written(trace, tmp_path)
    assert_same_model(trace.model, again.model)
    assert_same_whole(trace, again)


@pytest.mark.parametrize("path", TRACES, ids=name_of)
def test_a_part_of_a_recorded_trace_gives_the_same_tables(tmp_path: Path, path: Path) -> None:
    trace = nbprof.load(path, progress=False).trace()
    end = trace.metadata["end_ns"] / 1000
    parts = [trace.filter(time_us=(low * end, high * end)) for low, high in RANGES]
    steps = trace.model.steps
    if steps.recorded:
        middle = int(steps.number[len(steps.number) // 2])
        parts.append(trace.filter(steps=(middle, middle)))
        parts.append(trace.filter(steps=(middle, int(steps.number.max())), name="/gemm|add/"))
    rows = len(trace.model.column("host", "name"))
    fewest = rows
    for part in parts:
        again = written(part, tmp_path, ".json.gz")
        assert_same_part(part, again.filter(part.active_filter))
        fewest = min(fewest, len(again.model.column("host", "name")))
    assert fewest < rows / 2 or rows < 10


def test_there_are_traces_to_write() -> None:
    assert TRACES
