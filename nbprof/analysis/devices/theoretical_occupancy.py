"""The share of an NVIDIA multiprocessor's warps that a launch configuration can keep resident."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]

#: Threads of a warp, on every NVIDIA device.
WARP: Final = 32
#: The most warps of a multiprocessor that any compute capability allows.
MOST_WARPS: Final = 64

_KIB: Final = 1024
_REGISTERS: Final = 65536
_REGISTER_UNIT: Final = 256
_MOST_THREADS: Final = 1024
_MOST_REGISTERS: Final = 255


class Limits(NamedTuple):
    """What a multiprocessor of one compute capability holds, and in which units it allots it.

    Attributes
    ----------
    warps, blocks : int
        The most warps and thread blocks that are resident at once.
    shared_bytes : int
        Shared memory, with the largest share of the cache that can be set aside for it.
    shared_unit : int
        Shared memory of a block is rounded up to a multiple of this, in bytes.
    reserved_bytes : int
        Shared memory of each block that the driver takes for itself.
    partitions : int
        Parts of the multiprocessor, each with its own registers.
    """

    warps: int
    blocks: int
    shared_bytes: int
    shared_unit: int = 128
    reserved_bytes: int = 1024
    partitions: int = 4


def _pascal_to_turing(warps: int, blocks: int, shared_kib: int, partitions: int = 4) -> Limits:
    return Limits(warps, blocks, shared_kib * _KIB, 256, 0, partitions)


#: Limits by compute capability. Warps, blocks and shared memory are those of the CUDA C++
#: Programming Guide, table "Technical Specifications per Compute Capability". Units, partitions and
#: blocks are those of NVIDIA's occupancy calculator, `cuda_occupancy.h` of CUDA 13, which has no
#: compute capability above 12.1. All have 65,536 registers, allotted to warps in units of 256.
LIMITS: Final = {
    (6, 0): _pascal_to_turing(64, 32, 64, partitions=2),
    (6, 1): _pascal_to_turing(64, 32, 96),
    (6, 2): _pascal_to_turing(64, 32, 64),
    (7, 0): _pascal_to_turing(64, 32, 96),
    (7, 2): _pascal_to_turing(64, 32, 96),
    (7, 5): _pascal_to_turing(32, 16, 64),
    (8, 0): Limits(64, 32, 164 * _KIB),
    (8, 6): Limits(48, 16, 100 * _KIB),
    (8, 7): Limits(48, 16, 164 * _KIB),
    (8, 9): Limits(48, 24, 100 * _KIB),
    (9, 0): Limits(64, 32, 228 * _KIB),
    (10, 0): Limits(64, 32, 228 * _KIB),
    (10, 1): Limits(48, 24, 228 * _KIB),  # since CUDA 13 called 11.0
    (10, 3): Limits(64, 32, 228 * _KIB),
    (11, 0): Limits(48, 24, 228 * _KIB),
    (12, 0): Limits(48, 24, 100 * _KIB),
    (12, 1): Limits(48, 24, 100 * _KIB),
}


def theoretical_occupancy(
    limits: Limits, threads: Integers, registers: Integers, shared_bytes: Integers
) -> Floats:
    """Return the occupancy that launch configurations allow, without regard to their grids.

    On compute capability 9.0 this equals what the hardware counts as its maximum number of warps
    (`sm__maximum_warps_per_active_cycle_pct`).

    Parameters
    ----------
    limits : Limits
        Those of the device.
    threads : ndarray of integers, shape (launches,)
        Threads of a block.
    registers : ndarray of integers, shape (launches,)
        Registers of a thread.
    shared_bytes : ndarray of integers, shape (launches,)
        Static and dynamic shared memory of a block.

    Returns
    -------
    ndarray of float64, shape (launches,)
        Percent of the warps of a multiprocessor. NaN where a number is missing, that is below 0, or
        no device of this kind could have run the launch.
    """
    known = (threads > 0) & (threads <= _MOST_THREADS)
    known &= (registers > 0) & (registers <= _MOST_REGISTERS)
    known &= (shared_bytes >= 0) & (shared_bytes <= limits.shared_bytes)
    warps = -(-np.where(known, threads, 1) // WARP)
    resident = _REGISTERS // _rounded(np.where(known, registers, 1) * WARP, _REGISTER_UNIT)
    resident -= resident % limits.partitions
    shared = np.where(known, shared_bytes, 0) + limits.reserved_bytes
    blocks = np.minimum(np.minimum(limits.warps, resident) // warps, limits.blocks)
    # a block without shared memory is not limited by it
    shared = np.maximum(_rounded(shared, limits.shared_unit), 1)
    blocks = np.minimum(blocks, limits.shared_bytes // shared)
    return np.where(known & (blocks > 0), 100.0 * (blocks * warps) / limits.warps, np.nan)


def _rounded(values: Integers, unit: int) -> Integers:
    """Round up to multiples of a unit."""
    return -(-values // unit) * unit
