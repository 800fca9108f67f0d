"""Peaks of AMD devices, from the data sheets that each entry names, without sparsity.

Recorders name one graphics compute die of an MI250 or MI250X as a device, so its peaks are half of
those of the data sheet. The rates of Instinct devices follow from compute units, operations per
clock and clock, as `tests/analysis/costs/test_peaks.py` checks.
"""

from __future__ import annotations

from typing import Any, Final

from nbprof.analysis.costs.peaks.peak import DevicePeak


def _cdna3(fp64: float, fp32: float, half: float) -> dict[str, float]:
    return {
        "fp64": fp64, "fp64_matrix": fp32, "fp32": fp32, "tf32": half / 2, "fp16": half,
        "bf16": half, "fp8": 2 * half, "int8": 2 * half,
    }  # fmt: skip


def _cdna2(fp32: float, half: float) -> dict[str, float]:
    matrix = {"fp64_matrix": 2 * fp32, "fp32_matrix": 2 * fp32}
    return {"fp64": fp32, "fp32": fp32, **matrix, "fp16": half, "bf16": half, "int8": half}


_MI300X: Final = _cdna3(81.7, 163.4, 1307.4)

_DEVICES: Final[tuple[tuple[Any, ...], ...]] = (
    # AMD Instinct MI355X and MI350X data sheets (2025): 256 compute units at 2.4 and 2.2 GHz; seven
    # links of 153.6 GB/s. They have no tf32
    ("MI355X", r"\bMI355X", {"fp64": 78.6, "fp32": 157.3, "fp16": 2516.6, "bf16": 2516.6,
     "fp8": 5033.2, "int8": 5033.2, "fp4": 10066.3}, 8.0, 1075, "MI355X data sheet"),
    ("MI350X", r"\bMI350X", {"fp64": 72.1, "fp32": 144.2, "fp16": 2306.9, "bf16": 2306.9,
     "fp8": 4613.7, "int8": 4613.7, "fp4": 9227.5}, 8.0, 1075, "MI350X data sheet"),
    # AMD Instinct MI325X, MI300X and MI300A data sheets (2023, 2024),
    # https://www.amd.com/en/products/accelerators/instinct/mi300.html
    ("MI325X", r"\bMI325X", _MI300X, 6.0, 896, "MI325X data sheet"),
    ("MI300X", r"\bMI300X", _MI300X, 5.3, 896, "MI300X data sheet"),
    ("MI300A", r"\bMI300A", _cdna3(61.3, 122.6, 980.6), 5.3, 1024, "MI300A data sheet"),
    # AMD Instinct MI200 series data sheet (2021); of one of both dies for MI250X and MI250
    ("MI250X (die)", r"\bMI250X", _cdna2(23.95, 191.5), 1.6, 400, "MI250X data sheet"),
    ("MI250 (die)", r"\bMI250\b", _cdna2(22.65, 181.05), 1.6, 400, "MI250 data sheet"),
    ("MI210", r"\bMI210", _cdna2(22.6, 181), 1.6, 300, "MI210 data sheet"),
    # AMD Instinct MI100 data sheet (2020)
    ("MI100", r"\bMI100", {"fp64": 11.5, "fp32": 23.1, "fp32_matrix": 46.1, "fp16": 184.6,
     "bf16": 92.3, "int8": 184.6}, 1.23, 276, "MI100 data sheet"),
    # AMD Radeon RX 7900 XTX and XT specifications
    ("RX 7900 XTX", r"RX 7900 XTX", {"fp32": 61.4, "fp16": 122.8, "bf16": 122.8, "int8": 122.8},
     0.96, 64, "RX 7900 XTX specifications"),
    ("RX 7900 XT", r"RX 7900 XT\b", {"fp32": 51.5, "fp16": 103, "bf16": 103, "int8": 103}, 0.8, 64,
     "RX 7900 XT specifications"),
)  # fmt: skip

PEAKS: Final = tuple(DevicePeak(*device) for device in _DEVICES)
