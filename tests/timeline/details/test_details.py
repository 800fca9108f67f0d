"""The details of one slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from nbprof.timeline.details.details import slice_details
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.self_time import host_self_times
from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.timeline.slices import Slices
from tests.analysis.generated import traces
from tests.oracle.traces import open_trace
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

HOST: list[dict[str, Any]] = [
    {"name": "ProfilerStep#7", "kind": "step", "start": 0, "end": 900_000},
    {"name": "nn.Module: Linear_0", "kind": "module", "start": 10, "end": 300_000, "module_id": 3,
     "python_id": 9, "python_parent": 8},
    {"name": "aten::mm", "start": 1000, "end": 200_000, "sequence": 4, "forward_thread": 0,
     "input_shapes": "[[2, 3]]", "input_types": '["float"]', "external_id": 12},
    {"name": "cudaLaunchKernel", "kind": "runtime", "start": 5000, "end": 9000, "correlation": 1},
    {"name": "cudaMemcpyAsync", "kind": "runtime", "start": 9000, "end": 9500, "correlation": 2},
    {"name": "MmBackward", "tid": 2, "start": 400_000, "end": 500_000, "sequence": 4,
     "forward_thread": 1, "input_shapes": "[]"},
]  # fmt: skip
DEVICE: list[dict[str, Any]] = [
    {"name": "gemm", "start": 20_000, "end": 70_000, "correlation": 1, "grid": "[8, 1, 1]",
     "block": "[128, 1, 1]", "registers": 128, "shared_memory_bytes": 2048, "blocks_per_sm": 1.5,
     "warps_per_sm": 6.0, "occupancy_pct": 25.0, "external_id": 12},
    {"name": "Memcpy HtoD", "kind": "memcpy", "start": 70_000, "end": 80_000, "correlation": 2,
     "bytes": 4096, "bandwidth_gbps": 12.345},
]  # fmt: skip


@pytest.fixture(scope="module")
def model() -> TraceModel:
    return make_model(HOST, DEVICE)


def _facts(model: TraceModel, name: str) -> dict[str, str]:
    slices = Slices.of(model)
    (one,) = [i for i in range(len(slices)) if slices.names[slices.name[i]] == name]
    found = slice_details(model, one).facts
    assert len({label for label, _ in found}) == len(found)
    return dict(found)


def test_facts_of_an_operator(model: TraceModel) -> None:
    assert _facts(model, "aten::mm") == {
        "Thread": "1, main",
        "Step": "7",
        "Device time": "60 µs in 1 kernel and 1 copy",
        "Module": "Linear_0",
        "Input shapes": "[[2, 3]]",
        "Input types": '["float"]',
        "Sequence number": "4",
        "External id": "12",
    }
    # The backward pass belongs to the module of its forward operator.
    assert _facts(model, "MmBackward") == {
        "Thread": "2, process 1",
        "Step": "7",
        "Module": "Linear_0",
        "Sequence number": "4",
        "Forward thread": "1",
    }


def test_facts_of_calls_and_modules(model: TraceModel) -> None:
    assert _facts(model, "cudaLaunchKernel") == {
        "Thread": "1, main",
        "Step": "7",
        "Device time": "50 µs in 1 kernel",
        "Module": "Linear_0",
        "Correlation": "1",
    }
    assert _facts(model, "nn.Module: Linear_0") == {
        "Thread": "1, main",
        "Step": "7",
        "Python id": "9",
        "Python parent id": "8",
        "Module id": "3",
    }


def test_facts_of_device_work(model: TraceModel) -> None:
    assert _facts(model, "gemm") == {
        "Queued for": "11 µs",
        "Stream": "GPU 0, stream 7",
        "Step": "7",
        "Module": "Linear_0",
        "Input shapes": "[[2, 3]]",
        "Grid": "[8, 1, 1]",
        "Block": "[128, 1, 1]",
        "Registers": "128 a thread",
        "Shared memory": "2.0 KiB a block",
        "Blocks per SM": "1.50",
        "Warps per SM": "6.00",
        "Occupancy": "25.0 %",
        "Tensor Cores": "unknown",
        "Correlation": "1",
        "External id": "12",
    }
    copy = _facts(model, "Memcpy HtoD")
    assert (copy["Size"], copy["Bandwidth"]) == ("4.0 KiB", "12.35 GB/s")
    assert "Grid" not in copy
    assert "Tensor Cores" not in copy


def test_the_name_filters_nothing_and_ids_are_checked(model: TraceModel) -> None:
    with pytest.raises(IndexError, match="no slice 8"):
        slice_details(model, 8)
    with pytest.raises(IndexError, match="no slice -1"):
        slice_details(model, -1)
    with pytest.raises(ValueError, match="colour"):
        slice_details(model, 0, "colour")


@given(traces())
def test_details_say_what_the_tables_say(model: TraceModel) -> None:
    lanes = lane_set(model)
    host_rows = model.tables["host"].num_rows
    for one in range(len(Slices.of(model))):
        found = slice_details(model, one)
        row = model.tables[found.side].slice(found.table_row, 1).to_pylist()[0]
        assert (found.side == "host") == (one < host_rows)
        assert (found.name, found.start_ns) == (row["name"], row["start_ns"])
        assert found.end_ns - found.start_ns == row["duration_ns"]
        assert found.category in CATEGORIES
        (lane,) = [lane for lane in lanes.lanes if lane.key == found.lane]
        assert lane.first_row <= found.row < lane.first_row + lane.depths
        own = host_self_times(model)[one] if one < host_rows else None
        assert found.self_ns == own


def test_a_kernel_of_resnet(shared_data: Path) -> None:
    model = open_trace(shared_data / "kineto" / "resnet50_num_workers_0")
    slices = Slices.of(model)
    (one,) = (i for i in range(slices.host_rows, len(slices)) if slices.start[i] == 431_113_000)
    found = slice_details(model, one)
    assert found.name == "volta_scudnn_128x64_relu_small_nn_v1"
    facts = dict(found.facts)
    assert facts["Queued for"] == "616 µs"
    assert facts["Grid"] == "[784, 1, 1]"
    assert facts["Occupancy"] == "25.0 %"
    assert facts["Call"] == "5 of 12"
    ways = {way.kind: way.label for way in found.follow}
    assert ways == {
        "operator": "aten::cudnn_convolution",
        "launch": "cudaLaunchKernel",
        "backward": "CudnnConvolutionBackward",
        "previous": "254.727 ms",
        "next": "433.465 ms",
    }
    assert "_conv_forward" in found.call_stack


def test_collectives_say_what_they_move(shared_data: Path) -> None:
    model = open_trace(shared_data / "kineto" / "a100_nccl")
    collectives = model.tables["collectives"].to_pylist()
    assert collectives
    one = next(row for row in collectives if row["side"] == "device")
    facts = dict(slice_details(model, Slices.of(model).host_rows + one["row"]).facts)
    assert facts["Collective"] == one["collective"]
    assert facts["Elements in"] == f"{one['in_elements']:,}"
    assert facts["Data type"] == one["dtype"]
