"""`key_averages` equals what PyTorch 2.11 itself printed after seven recordings on an H200.

The files hold all that its tables have but for two things. They do not say that this release leaves
Python functions out, so the tests do. And they hold frames from which call stacks can be rebuilt,
which the profiler does not do: its own stacks, without ``verbose=True``, are empty.
"""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import pytest

import nbprof
from nbprof.model.names.demangling import readable_names
from tests.oracle.torch.torch_tables import FIGURES

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.export.key_averages import KeyAverages

#: The recordings, with the number of their rows and of printed tables.
RECORDINGS: Final = {
    "compiled": (116, 44),
    "cudagraphs": (80, 44),
    "decode": (124, 44),
    "gpt_train": (184, 66),
    "resnet_after": (200, 44),
    "resnet_before": (183, 44),
    "streams": (55, 66),
}
_DEVICE: Final = {
    "device_time_total": "device_total_us",
    "self_device_time_total": "device_self_us",
}

Oracle = dict[str, Any]


@pytest.fixture(params=RECORDINGS)
def recording(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@lru_cache
def read(folder: Path) -> nbprof.Trace:
    return nbprof.load(folder, progress=False).trace()


@lru_cache
def averages(trace: nbprof.Trace, **grouping: Any) -> KeyAverages:
    return nbprof.key_averages(trace, python_functions=False, **grouping)


@pytest.fixture
def trace(recording: str, shared_data: Path) -> nbprof.Trace:
    return read(shared_data / "h200" / recording)


@pytest.fixture
def oracle(recording: str, shared_oracle: Path) -> Oracle:
    path = shared_oracle / "h200" / f"{recording}.key_averages.json.gz"
    found: Oracle = json.loads(gzip.decompress(path.read_bytes()))
    return found


def test_rows(trace: nbprof.Trace, oracle: Oracle, recording: str) -> None:
    ours, theirs = averages(trace).table.to_pylist(), oracle["rows"]
    assert len(theirs) == RECORDINGS[recording][0]
    # Readable where PyTorch has one mangled name, of a kernel of resnet_before.
    assert [row["name"] for row in ours] == readable_names([row["key"] for row in theirs])
    figures = {**FIGURES, **_DEVICE}
    if not trace.metadata.get("with_flops"):
        del figures["flops"]  # we compute them wherever shapes were recorded
    for row, other in zip(ours, theirs, strict=True):
        found = {name: row[column] or 0 for name, column in figures.items()}
        assert found == pytest.approx({name: other[name] for name in found}, abs=1e-6)
        assert row["asynchronous"] == other["is_async"]
        assert row["user_annotation"] == other["is_user_annotation"]


def test_flops_are_computed_without_the_option(shared_data: Path) -> None:
    trace = read(shared_data / "h200/resnet_before")
    assert not trace.metadata.get("with_flops")
    assert sum(value or 0 for value in trace.key_averages()["flops"].to_pylist()) > 1e12
    assert "FLOPs" not in averages(trace).text()


def test_printed_tables(trace: nbprof.Trace, oracle: Oracle, recording: str) -> None:
    assert len(oracle["tables"]) == RECORDINGS[recording][1]
    for table in oracle["tables"]:
        layout = {name: value for name, value in table.items() if name not in {"group", "text"}}
        made = averages(trace, **table["group"], rebuild_stacks=False)
        assert made.text(**layout) == table["text"], table["group"] | layout


@pytest.mark.parametrize("recording", ["gpt_train", "streams"])
def test_stacks_are_rebuilt_from_frames(shared_data: Path, recording: str) -> None:
    trace = read(shared_data / "h200" / recording)
    by_stack, by_name = averages(trace, group_by_stack_n=5).table, averages(trace).table
    assert by_stack.num_rows > by_name.num_rows
    assert any(by_stack["call_stack"].to_pylist())
    for column in ("calls", "host_self_us", "device_self_us"):
        assert sum(by_stack[column].to_pylist()) == pytest.approx(sum(by_name[column].to_pylist()))


def test_python_functions_are_rows_by_default(shared_data: Path) -> None:
    # As in PyTorch 2.13: files do not name their release.
    trace = read(shared_data / "h200/streams")
    names = set(trace.key_averages()["name"].to_pylist())
    assert "torch/cuda/graphs.py(137): replay" in names
    assert names > set(averages(trace).table["name"].to_pylist())


def test_where_pytorch_counts_work_twice(shared_data: Path) -> None:
    # `key_averages` has PyTorch's figure; `operators` counts the copy of 305 us once.
    trace = read(shared_data / "h200/streams")
    theirs = {row["name"]: row for row in averages(trace).table.to_pylist()}
    ours = {row["name"]: row for row in trace.operators().to_pylist()}
    twice = theirs["aten::copy_"]["device_total_us"] - ours["aten::copy_"]["device_total_us"]
    assert twice == pytest.approx(305.022)
    buffers = theirs["Activity Buffer Request"]
    assert buffers["device_self_us"] == pytest.approx(305.022)
    assert buffers["host_total_us"] == pytest.approx(9142.3)
