"""How long kernels would take at the limits of their device: at its peak, and at its bandwidth.

The roofline model (Williams et al., Roofline: An Insightful Visual Performance Model for Multicore
Architectures, 2009): a kernel takes at least FLOPs / peak and at least bytes / bandwidth. The
larger of the two bounds it. The peak is that of the type in which the kernel computes: of matrix
products the type that the kernel's name shows, else that of the operands; else fp32 or fp64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.costs.charges import Charges, charges_of
from nbprof.analysis.costs.peaks.known import device_peaks
from nbprof.analysis.devices.device_rows import devices_in
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.kernels.matrix_dtypes import DTYPES
from nbprof.analysis.kernels.matrix_units import dtype_of_rows, used_rows
from nbprof.model.filters.filter import NO_FILTER

if TYPE_CHECKING:
    from nbprof.analysis.costs.peaks.peak import DevicePeak
    from nbprof.model.trace.model import TraceModel

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Limits:
    """Least times of device rows; all arrays have shape (device rows,).

    Attributes
    ----------
    compute_ns, memory_ns : ndarray of float64
        Nanoseconds at the peak and at the bandwidth; NaN where the cost or the device is unknown.
    type_code : ndarray of int64
        Index in `types` of the type whose peak applies, -1 if unknown.
    types : list of str
        Short names of types.
    """

    compute_ns: Floats
    memory_ns: Floats
    type_code: Codes
    types: list[str]

    @property
    def least_ns(self) -> Floats:
        """The larger of both times, NaN if neither is known."""
        return np.fmax(self.compute_ns, self.memory_ns)


def kernel_limits(model: TraceModel) -> Limits:
    """Return the least times of all device rows under the formulas and peaks of this moment."""
    charges = charges_of(model)
    peaks = device_peaks(model, devices_in(model, NO_FILTER))
    key = tuple(sorted((device, repr(peak)) for device, peak in peaks.items()))
    holder: list[tuple[Charges, object, Limits] | None] = model.cached("limits", lambda: [None])
    kept = holder[0]
    if kept is None or kept[0] is not charges or kept[1] != key:
        kept = holder[0] = charges, key, _limits(model, charges, peaks)
    return kept[2]


def _limits(model: TraceModel, charges: Charges, peaks: dict[int, DevicePeak]) -> Limits:
    type_code, types = _types(model, charges)
    on_units = used_rows(model) | charges.device_matrix
    device = model.column("device", "device")
    rate = np.full(len(device), np.nan)
    bandwidth = np.full(len(device), np.nan)
    for number, peak in peaks.items():
        here = device == number
        bandwidth[here] = (peak.memory_tb_per_s or np.nan) * 1e12
        for code, name in enumerate(types):
            for matrix in (False, True):
                value = peak.rate(name, on_matrix_units=matrix)
                chosen = here & (type_code == code) & (on_units == matrix)
                rate[chosen] = np.nan if value is None else value
    talks = device_communication(model)
    rate[talks] = np.nan
    bandwidth[talks] = np.nan
    flops, moved = charges.device_flops, charges.device_bytes
    compute = np.where(flops == 0, np.where(np.isnan(bandwidth), np.nan, 0.0), flops / rate * 1e9)
    return Limits(compute, moved / bandwidth * 1e9, type_code, types)


def _types(model: TraceModel, charges: Charges) -> tuple[Codes, list[str]]:
    """Return the type in which each device row computes."""
    types = list(dict.fromkeys((*DTYPES, *charges.types)))
    place = {name: code for code, name in enumerate(types)}
    own = np.array([place[name] for name in charges.types], np.int64)
    given = np.where(charges.device_type >= 0, own[charges.device_type], -1)
    plain = np.where(given == place["fp64"], place["fp64"], place["fp32"])
    # A kernel's name tells what it multiplies in, such as tf32 for operands of fp32.
    shown = dtype_of_rows(model)
    known = np.array([place[name] for name in DTYPES], np.int64)
    named = np.where(shown >= 0, known[shown], given)
    return np.where(charges.device_matrix, named, plain), types
