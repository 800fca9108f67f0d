"""Peaks of Huawei Ascend 910 devices.

Huawei publishes the rates of the first 910 and, in a paper on its servers, those of the 910C. It
has no data sheet of the 910B: its variants differ in the number of cores and in the clock, and the
rates are those of the servers and cards that contain them. Profiles of Ascend PyTorch Profiler do
not name the chip, so `nbprof.options.device_peaks` has to.
"""

from __future__ import annotations

from typing import Any, Final

from nbprof.analysis.costs.peaks.peak import DevicePeak


def _cube(half: float, *, has_bf16: bool = True) -> dict[str, float]:
    """Return the rates of the cube units: fp16, bf16 since the 910B, and twice as much in int8."""
    return {"fp16": half, **({"bf16": half} if has_bf16 else {}), "int8": 2 * half}


_DEVICES: Final[tuple[tuple[Any, ...], ...]] = (
    # Zuo et al., Serving Large Language Models on Huawei CloudMatrix384, 2025, section 3.3: 752
    # TFLOP/s, 3.2 TB/s and 784 GB/s for two dies; recorders name one of them
    ("Ascend 910C (die)", r"ascend ?910(?:C|_93)", _cube(376), 1.6, 392, "CloudMatrix384 paper"),
    # Specifications of Atlas 900 A2 PoD, Atlas 800T A2 and Atlas 300T A2, per processor; HCCS has
    # seven links of 56 GB/s
    ("Ascend 910B1", r"ascend ?910B1", _cube(414), 1.6, 392, "Atlas 900 A2 PoD"),
    ("Ascend 910B2", r"ascend ?910B2", _cube(376), 1.6, 392, "Atlas 800T A2"),
    ("Ascend 910B3", r"ascend ?910B3", _cube(313), 1.6, 392, "Atlas 800T A2"),
    ("Ascend 910B4", r"ascend ?910B4", _cube(280), 0.8, 56, "Atlas 300T A2"),
    # Liao et al., Ascend: a Scalable and Unified Architecture for Ubiquitous Deep Neural Network
    # Computing, HPCA 2021, table 1
    ("Ascend 910A", r"ascend ?910(?:A|Pro|\b)", _cube(256, has_bf16=False), 1.2, 90, "HPCA 2021"),
)

PEAKS: Final = tuple(DevicePeak(*device) for device in _DEVICES)
