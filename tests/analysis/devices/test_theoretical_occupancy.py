"""The rule of the theoretical occupancy, against values computed by hand for each capability."""

from __future__ import annotations

import numpy as np
import pytest

from nbprof.analysis.devices.theoretical_occupancy import LIMITS, theoretical_occupancy

KIB = 1024
#: Threads, registers and shared memory, and the warps that stay resident, by capability. The
#: binding limit is that of warps, blocks, registers and shared memory in turn.
CASES = {
    (6, 0): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((64, 80, 0), 24), ((256, 32, 20 * KIB), 24)],
    (6, 1): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((64, 80, 0), 24), ((256, 32, 20 * KIB), 32)],
    (6, 2): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((64, 80, 0), 24), ((256, 32, 20 * KIB), 24)],
    (7, 0): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((128, 168, 0), 12), ((256, 32, 48000), 16)],
    (7, 2): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((128, 168, 0), 12), ((256, 32, 48000), 16)],
    (7, 5): [((1024, 32, 0), 32), ((32, 16, 0), 16), ((128, 168, 0), 12), ((256, 32, 32769), 8)],
    (8, 0): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((384, 168, 0), 12), ((128, 32, 54 * KIB), 8)],
    (8, 6): [((1024, 32, 0), 32), ((32, 16, 0), 16), ((384, 168, 0), 12), ((128, 32, 50176), 8)],
    (8, 7): [((1024, 32, 0), 32), ((32, 16, 0), 16), ((384, 168, 0), 12), ((128, 32, 54 * KIB), 8)],
    (8, 9): [((768, 32, 0), 48), ((32, 16, 0), 24), ((384, 168, 0), 12), ((128, 32, 50176), 8)],
    (9, 0): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((384, 168, 0), 12), ((384, 32, 213188), 12)],
    (10, 0): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((192, 168, 0), 12), ((192, 32, 213188), 6)],
    (10, 1): [((1024, 32, 0), 32), ((32, 16, 0), 24), ((192, 168, 0), 12), ((192, 32, 213188), 6)],
    (10, 3): [((1024, 32, 0), 64), ((32, 16, 0), 32), ((192, 168, 0), 12), ((192, 32, 213188), 6)],
    (11, 0): [((1024, 32, 0), 32), ((32, 16, 0), 24), ((192, 168, 0), 12), ((192, 32, 213188), 6)],
    (12, 0): [((1024, 32, 0), 32), ((32, 16, 0), 24), ((384, 168, 0), 12), ((128, 32, 50176), 8)],
    (12, 1): [((1024, 32, 0), 32), ((32, 16, 0), 24), ((384, 168, 0), 12), ((128, 32, 51200), 4)],
}  # fmt: skip


def one(capability: tuple[int, int], threads: int, registers: int, shared: int) -> float:
    arrays = (np.array([value]) for value in (threads, registers, shared))
    return float(theoretical_occupancy(LIMITS[capability], *arrays)[0])


@pytest.mark.parametrize("capability", LIMITS)
def test_each_limit_binds(capability: tuple[int, int]) -> None:
    most = LIMITS[capability].warps
    for launch, resident in CASES[capability]:
        assert one(capability, *launch) == pytest.approx(100 * resident / most), launch


def test_registers_are_allotted_in_parts_of_the_multiprocessor() -> None:
    # 168 registers are 5,376 of a warp: twelve of 65,536, but three in each of four parts, so that
    # 65,536 / 4,608 = 14 warps of 144 registers are twelve, too; on two parts they stay 14.
    assert one((9, 0), 32, 168, 0) == one((9, 0), 32, 144, 0) == pytest.approx(100 * 12 / 64)
    assert one((6, 0), 32, 144, 0) == pytest.approx(100 * 14 / 64)
    assert one((6, 1), 32, 144, 0) == pytest.approx(100 * 12 / 64)


def test_the_driver_takes_shared_memory_of_each_block_from_ampere_on() -> None:
    assert one((8, 0), 32, 32, 163 * KIB) == pytest.approx(100 / 64)
    assert np.isnan(one((8, 0), 32, 32, 163 * KIB + 1))
    assert one((7, 0), 32, 32, 96 * KIB) == pytest.approx(100 / 64)


@pytest.mark.parametrize(
    "launch",
    [(-1, 32, 0), (0, 32, 0), (1025, 32, 0), (128, -1, 0), (128, 0, 0), (128, 256, 0),
     (128, 32, -1), (128, 32, 1 << 62), (1024, 255, 0)],
)  # fmt: skip
def test_what_is_missing_or_cannot_run_is_unknown(launch: tuple[int, int, int]) -> None:
    assert np.isnan(one((9, 0), *launch))
