"""Names of CUDA's API calls by the numbers that CUPTI gives them, which nvprof records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.sources.nvprof.driver_calls import DRIVER_RUNS
from nbprof.sources.nvprof.runtime_calls import RUNTIME_RUNS

if TYPE_CHECKING:
    from collections.abc import Mapping


def _by_number(runs: Mapping[int, str]) -> dict[int, str]:
    return {
        first + place: name
        for first, names in runs.items()
        for place, name in enumerate(names.split())
    }


RUNTIME: Final = _by_number(RUNTIME_RUNS)
DRIVER: Final = _by_number(DRIVER_RUNS)


def runtime_name(number: int) -> str:
    """Return the name of a call of the CUDA runtime.

    Examples
    --------
    >>> runtime_name(211), runtime_name(41), runtime_name(9999)
    ('cudaLaunchKernel', 'cudaMemcpyAsync', 'CUDA runtime call 9999')
    """
    return RUNTIME.get(number, f"CUDA runtime call {number}")


def driver_name(number: int) -> str:
    """Return the name of a call of the CUDA driver, with its version as nsys writes it.

    Examples
    --------
    >>> driver_name(307), driver_name(276), driver_name(9999)
    ('cuLaunchKernel', 'cuMemcpyHtoD_v2', 'CUDA driver call 9999')
    """
    return DRIVER.get(number, f"CUDA driver call {number}")
