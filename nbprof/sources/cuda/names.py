"""Names of API calls, copies and synchronisation, as nbprof shows them."""

from __future__ import annotations

import re
from typing import Final

#: CUDA's version of a function at the end of its name, as in ``cudaMemcpyAsync_v3020``.
_VERSION: Final = re.compile(r"_v\d{4,5}$")

#: Short names of copy kinds, by their numbers, which CUPTI and Nsight Systems share.
COPIES: Final = {
    0: "unknown",
    1: "HtoD",
    2: "DtoH",
    3: "HtoA",
    4: "AtoH",
    5: "AtoA",
    6: "AtoD",
    7: "DtoA",
    8: "DtoD",
    9: "HtoH",
    10: "PtoP",
    11: "unified HtoD",
    12: "unified DtoH",
    13: "unified DtoD",
}
#: Words of Nsight Systems for the same kinds.
COPY_LABELS: Final = {
    0: "Unknown",
    1: "Host-to-Device",
    2: "Device-to-Host",
    3: "Host-to-Array",
    4: "Array-to-Host",
    5: "Array-to-Array",
    6: "Array-to-Device",
    7: "Device-to-Array",
    8: "Device-to-Device",
    9: "Host-to-Host",
    10: "Peer-to-Peer",
    11: "Unified Host-to-Device",
    12: "Unified Device-to-Host",
    13: "Unified Device-to-Device",
}
#: Types of synchronisation, by their numbers.
SYNCHRONIZATIONS: Final = {
    0: "Unknown sync",
    1: "Event sync",
    2: "Stream wait sync",
    3: "Stream sync",
    4: "Context sync",
}
#: Types of launches, by their numbers.
LAUNCHES: Final = {1: "Regular", 2: "Coop Single Device", 3: "Coop Multi Device"}

#: Name of work that set memory.
MEMSET: Final = "Memset"


def api_name(name: str) -> str:
    """Return the name of a call without CUDA's version.

    Examples
    --------
    >>> api_name("cudaLaunchKernel_v7000"), api_name("cuMemcpyHtoD_v2")
    ('cudaLaunchKernel', 'cuMemcpyHtoD_v2')
    """
    return _VERSION.sub("", name)


def copy_name(kind: int, source: str, target: str) -> str:
    """Return the name of a copy.

    Examples
    --------
    >>> copy_name(1, "Pinned", "Device")
    'Memcpy HtoD (Pinned -> Device)'
    """
    return f"Memcpy {COPIES.get(kind, f'kind {kind}')} ({source} -> {target})"
