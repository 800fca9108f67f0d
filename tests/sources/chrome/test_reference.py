"""The reader compared with the standard library on every reference trace."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nbprof.sources import TraceFile, discover, read
from tests.support.traces import in_order, model_rows, plain_events, plain_rows

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

FOLDERS = ("kineto", "torchcpu")

#: Events in the file → what became of them, to be sure that the folders are what they were.
FILES = {"kineto": 26, "torchcpu": 17}
#: Files of memory alone and of Python's profiler, which have tests of their own.
OTHERS = {"mem_cpu.json", "mem_cpu.json.gz", "mem_cpu.raw.json.gz", "cprofile.pstats"}


def traces(folder: Path) -> list[TraceFile]:
    return [file for file in discover(folder).files if file.format == "PyTorch"]


@cache
def read_once(file: TraceFile) -> TraceModel:
    """Read a file in windows of a megabyte, so that most have several."""
    return read(file, progress=False, window=1 << 20)


@pytest.mark.parametrize("folder", FOLDERS)
def test_all_files_are_found(shared_data: Path, folder: str) -> None:
    catalog = discover(shared_data / folder)
    assert len(traces(shared_data / folder)) == FILES[folder]
    others = {file.path.name for file in catalog.files if file.format != "PyTorch"}
    assert others == (OTHERS if folder == "torchcpu" else set())
    reasons = {path.name: reason for path, reason in catalog.skipped}
    assert set(reasons) == ({"execution_trace.json"} if folder == "torchcpu" else set())
    assert all(reason.startswith("not a trace") for reason in reasons.values())


@pytest.mark.parametrize("folder", ["kineto", "torchcpu"])
def test_rows_equal_those_of_a_plain_reader(shared_data: Path, folder: str) -> None:
    for file in traces(shared_data / folder):
        model = read_once(file)
        events = plain_events(file.path)
        assert in_order(model_rows(model)) == in_order(plain_rows(events)), file.path
        assert model.metadata["events"] == len(events)
        assert model.warnings == [], file.path


@pytest.mark.parametrize("folder", FOLDERS)
def test_tables_are_sorted(shared_data: Path, folder: str) -> None:
    for file in traces(shared_data / folder):
        model = read_once(file)
        start, duration = (model.column("host", name) for name in ("start_ns", "duration_ns"))
        keys = (-duration, start, model.column("host", "thread"))
        assert (np.lexsort(keys) == np.arange(len(start))).all(), file.path
        keys = tuple(model.column("device", name) for name in ("stream", "device", "start_ns"))
        assert (np.lexsort(keys) == np.arange(len(keys[0]))).all(), file.path
        for table in ("memory", "flows"):
            assert (np.diff(model.column(table, "time_ns")) >= 0).all(), file.path
        with_run_and_span = [model.column("host", "start_ns"), model.column("device", "start_ns")]
        with_run_and_span.append(model.column("memory", "time_ns"))
        assert min(times.min() for times in with_run_and_span if len(times)) == 0


def test_nanoseconds_since_1970_keep_their_last_digit(shared_data: Path) -> None:
    path = shared_data / "kineto/v100_ns_resolution"
    model = read_once(discover(path).files[0])
    # 1712195495502094.565 µs is not a float64; rounded to one it would be .5 or .75.
    assert model.metadata["epoch_ns"] == 1712195495502094565
    assert len(np.unique(model.column("host", "start_ns") % 250)) == 250


def test_ranks_hosts_and_devices_come_from_the_files(shared_data: Path) -> None:
    files = {file.run: file for file in discover(shared_data / "kineto").files}
    assert files["diff_control"].rank == 3
    assert files["diff_control"].world_size == 8
    assert files["resnet50_num_workers_0"].devices == "0, 1, 2, 3"
    assert files["v100_ns_resolution"].host.startswith("twshared")
    others = {run: file.device_type for run, file in files.items() if file.device_type != "gpu"}
    assert others == {"mtia_inference": "mtia"}
    ranks = [f.rank for f in discover(shared_data / "torchcpu/ddp_gloo").files]
    assert ranks == [0, 1]


def test_two_spans_of_a_worker_are_numbered_in_time_order(shared_data: Path) -> None:
    files = discover(shared_data / "torchcpu/transformer_gz").files
    assert [(file.run, file.worker, file.span) for file in files] == [
        ("logs", "worker0", 1),
        ("logs", "worker0", 2),
    ]
    epochs = [read_once(file).metadata["epoch_ns"] for file in files]
    assert epochs == sorted(epochs)


def test_only_known_keys_become_metadata(shared_data: Path) -> None:
    known = {
        "format", "epoch_ns", "end_ns", "events", "device_type", "dropped", "schema_version",
        "host_name", "rank", "world_size", "backend", "cuda_runtime_version",
        "cuda_driver_version", "cupti_version", "hip_runtime_version", "hip_driver_version",
        "record_shapes", "profile_memory", "with_stack", "with_modules", "with_flops",
        "recorded_ns",
    }  # fmt: skip
    for file in discover(shared_data / "kineto").files:
        assert set(read_once(file).metadata) <= known
