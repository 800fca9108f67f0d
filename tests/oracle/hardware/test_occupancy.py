"""Occupancy of the kernels of recordings, against the hardware and what Kineto could compute.

Nsight Compute's `sm__maximum_warps_per_active_cycle_pct` of 316 kernels on an H200 equals the rule
that is written out here with the numbers of compute capability 9.0.
"""

from __future__ import annotations

import json
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np
import pytest

import nbprof
from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy
from nbprof.analysis.devices.theoretical_occupancy import LIMITS, theoretical_occupancy
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from nbprof.model.trace.model import TraceModel

#: Percent over all kernels by time: recorded, and computed for each kernel. Ours differ a little
#: from the latter, as they keep what Kineto rounded to whole percents.
WEIGHTED = {
    "gpt_train": (45.5, 52.2),
    "compiled": (27.5, 38.2),
    "cudagraphs": (27.8, 38.3),
    "resnet_before": (38.4, 45.6),
    "resnet_after": (39.0, 44.5),
    "decode": (11.7, 16.2),
    "zoo": (45.9, 48.5),
}
#: Recordings with non-zero values, their compute capability, and where that is.
RECORDED = {
    **{f"h200/{name}": (9, 0) for name in (*WEIGHTED, "streams", "fsdp_one_rank")},
    "kineto/v100_ns_resolution": (7, 0),
    "kineto/a100_nccl": (8, 0),
    "kineto/diff_control": (8, 0),
    "kineto/h100_qwen": (9, 0),
    "kineto/h800_deepseek": (9, 0),
    "kineto/b200_eager": (10, 0),
}


def kernels_of(model: TraceModel) -> npt.NDArray[np.int64]:
    return np.flatnonzero(model.column("device", "kind") == kinds.KERNEL)


def threads_of(model: TraceModel) -> npt.NDArray[np.int64]:
    texts = model.tables["device"]["block"].to_pylist()
    return np.array([prod(json.loads(text)) if text else -1 for text in texts])


def every(model: TraceModel, capability: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Return what Kineto would record of all device rows, had it asked for the opt-in limit."""
    registers = model.column("device", "registers")
    shared = model.column("device", "shared_memory_bytes")
    limits = LIMITS[capability]
    allowed = theoretical_occupancy(limits, threads_of(model), registers, shared)
    return np.minimum(allowed, 100 * model.column("device", "warps_per_sm") / limits.warps)


def hardware(threads: int, registers: int, shared: int) -> float:
    """Return the maximum number of warps on an H200 that the hardware states, in percent."""
    warps = ceil(threads / 32)
    by_registers = 65536 // (ceil(registers * 32 / 256) * 256) // 4 * 4 // warps
    by_shared = 233472 // (ceil((shared + 1024) / 128) * 128)
    return 100 * min(32, 64 // warps, by_registers, by_shared) * warps / 64


def open_model(path: Path) -> TraceModel:
    return nbprof.load(path, progress=False).trace().model


def test_the_rule_is_that_of_the_hardware(shared_data: Path) -> None:
    model = open_model(shared_data / "h200/zoo")
    rows = kernels_of(model)
    assert len(rows) == 316
    threads = threads_of(model)[rows]
    registers, shared = (
        model.column("device", name)[rows] for name in ("registers", "shared_memory_bytes")
    )
    ours = theoretical_occupancy(LIMITS[9, 0], threads, registers, shared)
    launches = zip(threads.tolist(), registers.tolist(), shared.tolist(), strict=True)
    assert ours.tolist() == [hardware(*launch) for launch in launches]


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_values_are_those_of_the_rule(shared_data: Path, name: str) -> None:
    model = open_model(shared_data / name)
    rows = kernels_of(model)
    recorded = model.column("device", "occupancy_pct")[rows]
    ours = every(model, RECORDED[name])[rows]
    rated = recorded > 0
    assert rated.sum() > 30
    assert np.abs(recorded - ours)[rated].max() <= 1


@pytest.mark.parametrize("name", RECORDED)
def test_zeros_are_impossible_above_48_kib_alone(shared_data: Path, name: str) -> None:
    model = open_model(shared_data / name)
    found = KernelOccupancy.of(model)
    shared = model.column("device", "shared_memory_bytes")
    assert not len(found.unknown)
    assert (shared[found.computed] > 49152).all()
    rows = kernels_of(model)
    kept = rows[found.percent[rows] == 0]
    assert (every(model, RECORDED[name])[kept] < 0.5).all()


@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_by_time(shared_data: Path, name: str) -> None:
    model = open_model(shared_data / "h200" / name)
    rows = kernels_of(model)
    time = model.column("device", "duration_ns")[rows]

    def mean(percent: npt.NDArray[np.float64]) -> float:
        return float(np.average(percent[rows], weights=time))

    before, after = WEIGHTED[name]
    assert mean(model.column("device", "occupancy_pct")) == pytest.approx(before, abs=0.05)
    assert mean(every(model, (9, 0))) == pytest.approx(after, abs=0.05)
    assert mean(KernelOccupancy.of(model).percent) == pytest.approx(after, abs=0.1)


def test_a_recorded_zero_of_a_product(shared_data: Path) -> None:
    path = shared_data / "reports/h200_small/occupancy_zero.json"
    (row,) = nbprof.load(path, progress=False).trace().device_summary().to_pylist()
    assert row["occupancy_pct"] == 18.75
    assert row["occupancy_unknown_pct"] == 0


def test_devices_that_are_not_listed_leave_it_unknown(shared_data: Path) -> None:
    (trace, _) = nbprof.load(shared_data / "kineto/a100_two_ranks", progress=False)
    (row,) = trace.device_summary().to_pylist()
    assert row["occupancy_unknown_pct"] == pytest.approx(8.58, abs=0.01)
    assert row["occupancy_pct"] == pytest.approx(23.01, abs=0.01)
