"""Sort keys of `key_averages`: PyTorch's attributes with their aliases, as columns of ours."""

from __future__ import annotations

import re
from typing import Final

from nbprof.model.errors import UnknownNameError
from nbprof.model.reprs import did_you_mean

#: Column of each attribute of PyTorch's rows that tables can be sorted by.
SORT_COLUMNS: Final = {
    "cpu_time": "host_mean_us",
    "cpu_time_total": "host_total_us",
    "self_cpu_time_total": "host_self_us",
    "device_time": "device_mean_us",
    "device_time_total": "device_total_us",
    "self_device_time_total": "device_self_us",
    "cpu_memory_usage": "host_memory_bytes",
    "self_cpu_memory_usage": "host_self_memory_bytes",
    "device_memory_usage": "device_memory_bytes",
    "self_device_memory_usage": "device_self_memory_bytes",
    "count": "calls",
    "flops": "flops",
}

#: Words that mean the device, in every key.
_DEVICES: Final = re.compile("cuda|xpu|privateuse1")


def sort_column(sort_by: str | None) -> str | None:
    """Return the column for a sort key of PyTorch, None for the order of first calls.

    Parameters
    ----------
    sort_by : str or None
        A key such as ``"self_cuda_time_total"``; ``cuda``, ``xpu`` and ``privateuse1`` mean
        ``device``. Empty like None.

    Raises
    ------
    UnknownNameError
        There is no such key.

    Examples
    --------
    >>> sort_column("self_cuda_time_total")
    'device_self_us'
    """
    if sort_by is None or sort_by == "":
        return None
    key = _DEVICES.sub("device", sort_by) if isinstance(sort_by, str) else sort_by
    if key not in SORT_COLUMNS:
        hint = did_you_mean(key, SORT_COLUMNS)
        known = ", ".join(SORT_COLUMNS)
        message = (
            f"key_averages: there is no sort key {sort_by!r}; there are {known}. "
            f"cuda, xpu and privateuse1 mean device.{hint}"
        )
        raise UnknownNameError(message)
    return SORT_COLUMNS[key]
