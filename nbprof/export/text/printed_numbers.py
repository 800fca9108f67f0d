"""Times, shares, sizes and FLOPs as PyTorch's profiler prints them."""

from __future__ import annotations

import math
from typing import Final

_US_IN_S: Final = 1_000_000.0
_US_IN_MS: Final = 1_000.0
_SIZES: Final = ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB"))
_FLOPS: Final = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def time_text(us: float, unit: str | None = None) -> str:
    """Return a time with three decimals in a unit, by default the largest one that it reaches.

    Examples
    --------
    >>> time_text(1234.5678), time_text(1234.5678, "us")
    ('1.235ms', '1234.568us')
    """
    if unit not in ("s", "ms", "us"):
        unit = "s" if us >= _US_IN_S else "ms" if us >= _US_IN_MS else "us"
    scale = {"s": _US_IN_S, "ms": _US_IN_MS, "us": 1.0}[unit]
    return f"{us / scale:.3f}{unit}"


def share_text(part: float, whole: float) -> str:
    """Return a share in percent; NaN where the whole is 0."""
    return f"{part * 100.0 / whole:.2f}%" if whole else "NaN"


def memory_text(size: int) -> str:
    """Return a number of bytes in the largest binary unit that it reaches.

    Examples
    --------
    >>> memory_text(-2048), memory_text(12)
    ('-2.00 KB', '12 B')
    """
    for scale, unit in _SIZES:
        if abs(size) >= scale:
            return f"{size / scale:.2f} {unit}"
    return f"{size} B"


def flops_scale(least: int) -> tuple[float, str]:
    """Return factor and unit for a column of FLOPs, by its smallest positive value."""
    power = max(0.0, min(math.log10(least) / 3, len(_FLOPS) - 1.0))
    return pow(10, math.floor(power) * -3.0), _FLOPS[int(power)]
