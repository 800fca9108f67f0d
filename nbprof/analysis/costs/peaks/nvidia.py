"""Peaks of NVIDIA data centre devices, from the data sheets that each entry names.

Rates with sparsity are halved. Bandwidths of links are those of NVLink, else of PCI Express, both
directions together. The rates of most devices follow from the number of multiprocessors, their
operations per clock and the clock, as `tests/analysis/costs/test_peaks.py` checks.
"""

from __future__ import annotations

from typing import Any, Final

from nbprof.analysis.costs.peaks.peak import DevicePeak


def half(value: float) -> dict[str, float]:
    """Return the rate of both 16-bit types."""
    return {"fp16": value, "bf16": value}


def ampere(fp32: float, tf32: float, half_: float, int8: float) -> dict[str, float]:
    """Return the rates of a device with Tensor Cores of Ampere."""
    return {"fp32": fp32, "tf32": tf32, **half(half_), "int8": int8, "int4": 2 * int8}


def ada(fp32: float, tf32: float, half_: float, fp8: float, int8: float) -> dict[str, float]:
    """Return the rates of a device with Tensor Cores of Ada."""
    return {"fp32": fp32, "tf32": tf32, **half(half_), "fp8": fp8, "int8": int8}


def _hopper(scale: float, fp64: float, fp32: float) -> dict[str, float]:
    """Return the rates of a Hopper device with this part of the matrix rates of H100 SXM."""
    return {
        "fp64": fp64, "fp64_matrix": fp32, "fp32": fp32, "tf32": 494.7 * scale,
        **half(989.4 * scale), "fp8": 1978.9 * scale, "int8": 1978.9 * scale,
    }  # fmt: skip


def _blackwell(half_: float, fp64: float, fp32: float) -> dict[str, float]:
    return {
        "fp64": fp64, "fp32": fp32, "tf32": half_ / 2, **half(half_), "fp8": 2 * half_,
        "int8": 2 * half_, "fp4": 4 * half_,
    }  # fmt: skip


_ULTRA: Final = {"fp32": 75, "tf32": 1125, **half(2250), "fp8": 4500, "int8": 150, "fp4": 13_500}
_A100: Final = {"fp64": 9.7, "fp64_matrix": 19.5, **ampere(19.5, 156, 312, 624)}
_H100: Final = _hopper(1, 33.5, 66.9)

#: More specific patterns come first.
_DEVICES: Final[tuple[tuple[Any, ...], ...]] = (
    # NVIDIA Blackwell Ultra data sheet (2025), HGX B300 and GB300 NVL72, of one of 8 and 72 GPUs
    ("GB300", r"\bGB300\b", {**_ULTRA, "fp64": 1.3, "fp32": 80, "tf32": 1250, **half(2500),
     "fp8": 5000, "int8": 165, "fp4": 15_000}, 8.0, 1800, "Blackwell Ultra data sheet"),
    ("B300", r"\bB300\b", {**_ULTRA, "fp64": 1.25}, 8.0, 1800, "Blackwell Ultra data sheet"),
    # NVIDIA Blackwell data sheet (2025), https://nvdam.widen.net/s/wwnsxrhm2w: GB200 NVL72 and HGX
    # B200, of one of 72 and 8 GPUs; Blackwell architecture technical brief (2024) for the HGX B100
    ("GB200", r"\bGB200\b", _blackwell(2500, 40, 80), 8.0, 1800, "Blackwell data sheet"),
    ("B200", r"\bB200\b", _blackwell(2250, 37, 75), 7.7, 1800, "Blackwell data sheet"),
    ("B100", r"\bB100\b", _blackwell(1750, 30, 60), 8.0, 1800, "Blackwell technical brief"),
    # NVIDIA GH200 Grace Hopper Superchip data sheet: an H100 SXM with HBM3, or with HBM3e of 144 GB
    ("GH200 144GB", r"\bGH200\b.*\b144", _H100, 4.9, 900, "GH200 data sheet"),
    ("GH200", r"\bGH200\b", _H100, 4.0, 900, "GH200 data sheet"),
    # NVIDIA H200 data sheet, https://www.nvidia.com/en-us/data-center/h200
    ("H200 NVL", r"\bH200 NVL", _hopper(0.8445, 30, 60), 4.8, 900, "H200 data sheet"),
    ("H200", r"\bH200\b", _H100, 4.8, 900, "H200 data sheet"),
    # NVIDIA H100 data sheet, https://www.nvidia.com/en-us/data-center/h100, and Hopper architecture
    # paper, table 2, for decimals
    ("H100 NVL", r"\bH100 NVL", _hopper(0.8445, 30, 60), 3.9, 600, "H100 data sheet"),
    ("H100 PCIe", r"\bH100 PCIe", _hopper(0.7646, 25.6, 51.2), 2.0, 600, "H100 data sheet"),
    ("H100 SXM", r"\bH100\b", _H100, 3.35, 900, "H100 data sheet"),
    # The H800 is an H100 with NVLink of 400 GB/s and hardly any fp64
    ("H800 PCIe", r"\bH800 PCIe", {**_hopper(0.7646, 0.8, 51.2), "fp64_matrix": 0.8}, 2.0, 400,
     "H800 data sheet"),
    ("H800", r"\bH800\b", {**_H100, "fp64": 1, "fp64_matrix": 1}, 3.35, 400, "H800 data sheet"),
    # NVIDIA H20 data sheet; the H20-3e has HBM3e of 141 GB
    ("H20-3e", r"\bH20-3e\b", {"fp64": 1, "fp32": 44, "tf32": 74, **half(148), "fp8": 296,
     "int8": 296}, 4.8, 900, "H20 data sheet"),
    ("H20", r"\bH20\b", {"fp64": 1, "fp32": 44, "tf32": 74, **half(148), "fp8": 296, "int8": 296},
     4.0, 900, "H20 data sheet"),
    # NVIDIA A100 data sheet (nvidia-a100-datasheet-us-nvidia-1758950-r4); PG509 is the board of the
    # SXM module of 40 GB. A800: the same with NVLink of 400 GB/s
    ("A100 PCIe 80GB", r"\bA100[- ]PCIE?-80GB|\bA100 80GB PCIe", _A100, 1.935, 600,
     "A100 data sheet"),
    ("A100 80GB", r"\bA100\S* ?\S*80GB", _A100, 2.039, 600, "A100 data sheet"),
    ("A100 40GB", r"\bA100\b", _A100, 1.555, 600, "A100 data sheet"),
    ("A800 PCIe 80GB", r"\bA800 80GB PCIe|\bA800-PCIE-80GB", _A100, 1.935, 400,
     "A800 data sheet"),
    ("A800 40GB", r"\bA800\b.*\b40GB", _A100, 1.555, 400, "A800 data sheet"),
    ("A800 80GB", r"\bA800\b", _A100, 2.039, 400, "A800 data sheet"),
    # Data sheets of A40, A30, A10 and A2; of the A10G as Amazon's G5 instances have it
    ("A40", r"\bA40\b", ampere(37.4, 74.8, 149.7, 299.3), 0.696, 112.5, "A40 data sheet"),
    ("A30", r"\bA30\b", {"fp64": 5.2, "fp64_matrix": 10.3, **ampere(10.3, 82, 165, 330)}, 0.933,
     200, "A30 data sheet"),
    ("A10G", r"\bA10G\b", ampere(31.5, 35, 70, 140), 0.6, 64, "A10G data sheet"),
    ("A10", r"\bA10\b", ampere(31.2, 62.5, 125, 250), 0.6, 64, "A10 data sheet"),
    ("A2", r"\bA2\b", ampere(4.5, 9, 18, 36), 0.2, 32, "A2 data sheet"),
    # Data sheets of L40S, L40, L20, L4 and L2
    ("L40S", r"\bL40S\b", ada(91.6, 183, 362.05, 733, 733), 0.864, 64, "L40S data sheet"),
    ("L40", r"\bL40\b", ada(90.5, 90.5, 181.05, 362, 362), 0.864, 64, "L40 data sheet"),
    ("L20", r"\bL20\b", ada(59.8, 59.8, 119.5, 239, 239), 0.864, 64, "L20 data sheet"),
    ("L4", r"\bL4\b", ada(30.3, 60, 121, 242.5, 242.5), 0.3, 64, "L4 data sheet"),
    ("L2", r"\bL2\b", ada(24.1, 48.3, 96.5, 193, 193), 0.3, 64, "L2 data sheet"),
    # NVIDIA V100 data sheet (volta-v100-datasheet-update-us-1165301-r5)
    ("V100S PCIe", r"\bV100S", {"fp64": 8.2, "fp32": 16.4, "fp16": 130}, 1.134, 32,
     "V100 data sheet"),
    ("V100 PCIe", r"\bV100-PCIE", {"fp64": 7, "fp32": 14, "fp16": 112}, 0.9, 32, "V100 data sheet"),
    ("V100 SXM", r"\bV100\b", {"fp64": 7.8, "fp32": 15.7, "fp16": 125}, 0.9, 300,
     "V100 data sheet"),
    # NVIDIA T4 data sheet (t4-tensor-core-datasheet-951643), memory from the product brief
    ("T4", r"\bT4\b", {"fp32": 8.1, "fp16": 65, "int8": 130, "int4": 260}, 0.32, 32,
     "T4 data sheet"),
    # NVIDIA P100 data sheet; P40 and P4 data sheet
    ("P100 PCIe 12GB", r"\bP100-PCIE-12GB", {"fp64": 4.7, "fp32": 9.3, "fp16": 18.7}, 0.549, 32,
     "P100 data sheet"),
    ("P100 PCIe", r"\bP100-PCIE", {"fp64": 4.7, "fp32": 9.3, "fp16": 18.7}, 0.732, 32,
     "P100 data sheet"),
    ("P100 SXM2", r"\bP100\b", {"fp64": 5.3, "fp32": 10.6, "fp16": 21.2}, 0.732, 160,
     "P100 data sheet"),
    ("P40", r"\bP40\b", {"fp32": 12, "int8": 47}, 0.346, 32, "P40 data sheet"),
    ("P4", r"\bP4\b", {"fp32": 5.5, "int8": 22}, 0.192, 32, "P4 data sheet"),
)  # fmt: skip

PEAKS: Final = tuple(DevicePeak(*device) for device in _DEVICES)
