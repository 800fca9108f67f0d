"""Leaves out numbers of a snapshot that are none, or that int64 does not hold, and counts them."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.sources.chrome.columns import as_float
from nbprof.sources.defects import TOO_LARGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.sources.defects import DefectLog

#: Keys of numbers in each kind of dictionary.
_SEGMENT: Final = ("device", "address", "total_size", "stream")
_BLOCK: Final = ("address", "size", "requested_size")
_ALLOCATED: Final = ("real_size",)
_ENTRY: Final = ("addr", "size", "stream", "time_us", "device_free")
_ANNOTATION: Final = ("device", "time_us")
_SETTINGS: Final = ("trace_alloc_max_entries", "max_split_size")
#: Addresses use all 64 bits.
_ADDRESSES: Final = frozenset({"address", "addr"})

_LISTS: Final = (list, tuple)


def leave_out_bad_numbers(content: dict[str, Any], defects: DefectLog) -> None:
    """Remove what is no number from a snapshot that was unpickled, as if it were not recorded.

    Parameters
    ----------
    content : dict
        Changed in place.
    defects : DefectLog
        Counts them.
    """
    segments = _dicts(content.get("segments"))
    blocks = list(chain.from_iterable(_dicts(one.get("blocks")) for one in segments))
    traces = content.get("device_traces")
    settings = _dicts([content.get("allocator_settings")])
    divisions = _dicts([one.get("roundup_power2_divisions") for one in settings])
    for dicts, keys in (
        (segments, _SEGMENT),
        (blocks, _BLOCK),
        # Early versions store what was requested in the history of a block.
        ([one for block in blocks for one in _dicts(block.get("history"))[:1]], _ALLOCATED),
        *((_dicts(trace), _ENTRY) for trace in (traces if isinstance(traces, _LISTS) else ())),
        (_dicts(content.get("external_annotations")), _ANNOTATION),
        (settings, _SETTINGS),
        *(([one], tuple(one)) for one in divisions),
    ):
        for key in keys:
            _leave_out(dicts, key, defects)


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [one for one in values if isinstance(one, dict)] if isinstance(values, _LISTS) else []


def _leave_out(dicts: Sequence[dict[str, Any]], key: Any, defects: DefectLog) -> None:
    """Remove a key from dictionaries where its value is no number."""
    values: Iterable[Any] = (one.get(key, 0) for one in dicts)
    try:
        np.fromiter(values, np.int64, len(dicts))
    except (TypeError, ValueError, OverflowError):
        most = 1 << (64 if key in _ADDRESSES else 63)
        for one in dicts:
            value = one.get(key)
            number = value if isinstance(value, (int, float)) else as_float(value)
            if value is None or -(1 << 63) <= number < most:
                continue
            del one[key]  # once for each dictionary, however often a pickle refers to it
            large = isinstance(number, int) or math.isinf(number)
            what = "is too large" if large else "is no number"
            defects.note(TOO_LARGE if large else "not a number", 1, f"{key} {what}; left out")
