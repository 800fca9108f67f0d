"""`DevicePeak`: dense FLOP/s by type, and bandwidths, of one kind of device."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_NAME: Final = 1000


@dataclass(frozen=True)
class DevicePeak:
    """The peak rates of a device.

    Parameters
    ----------
    name : str
        Name of the device.
    pattern : str
        Regular expression for the names that recorders write, ignoring case.
    tflops : mapping of str to float
        10**12 operations per second without sparsity, by type: ``fp32``, ``tf32``, ``bf16``, ….
        Products accumulate in fp32. ``fp64_matrix`` and ``fp32_matrix`` are those of matrix units,
        where they differ.
    memory_tb_per_s : float
        10**12 bytes per second of the device's memory.
    link_gb_per_s : float or None
        10**9 bytes per second of all links to other devices, both directions together.
    source : str
        Where the figures come from.
    """

    name: str
    pattern: str
    tflops: Mapping[str, float]
    memory_tb_per_s: float | None
    link_gb_per_s: float | None
    source: str

    def is_of(self, device: str) -> bool:
        """Return whether a recorded name, of which the beginning is enough, is of this device."""
        return re.search(self.pattern, device[:_LONGEST_NAME], re.IGNORECASE) is not None

    def rate(self, data_type: str, *, on_matrix_units: bool = False) -> float | None:
        """Return the operations per second of a type, None if unknown."""
        found = self.tflops.get(f"{data_type}_matrix") if on_matrix_units else None
        found = self.tflops.get(data_type) if found is None else found
        return None if found is None else found * 1e12
