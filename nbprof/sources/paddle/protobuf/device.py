"""Reads kernels, copies and memsets from protobuf files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.sources.paddle.protobuf.messages import Messages

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.chrome.dictionaries import JsonTexts
    from nbprof.sources.paddle.protobuf.wire import Integers

#: Fields of device events with the details of each kind.
_KERNEL, _COPY, _SET = 9, 10, 11


def device_columns(events: Messages, start: Integers, end: Integers, extents: JsonTexts) -> Pieces:
    """Return the columns of device rows except names and times; arrays of shape (events,)."""
    kernel, copy, memset = (
        Messages.read(events.text, events.spans(number)) for number in (_KERNEL, _COPY, _SET)
    )
    device = events.numbers(5)
    small = np.where((device >= 0) & (device < 1 << 31), device, -1)
    moved = copy.numbers(1)
    duration = np.maximum(end - start, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Bytes per nanosecond are GB per second, which JSON has with three digits.
        bandwidth = np.where(duration > 0, moved / duration, 0.0)
    shared = kernel.numbers(7, missing=0) + kernel.numbers(8, missing=0)
    is_kernel = events.has(_KERNEL)
    return {
        "device": small.astype(np.int32),
        "stream": events.numbers(7),
        "correlation": events.numbers(8),
        "block": _extents(kernel, (1, 2, 3), is_kernel, extents),
        "grid": _extents(kernel, (4, 5, 6), is_kernel, extents),
        "registers": kernel.numbers(9),
        "shared_memory_bytes": np.where(is_kernel, shared, -1),
        "blocks_per_sm": np.round(kernel.floats(15), 6),
        "warps_per_sm": np.round(kernel.floats(16), 6),
        "occupancy_pct": np.round(kernel.floats(17) * 100, 3),
        "bytes": np.where(events.has(_SET), memset.numbers(1), moved),
        "bandwidth_gbps": np.where(events.has(_COPY), np.round(bandwidth, 3), np.nan),
    }


def _extents(
    kernels: Messages, numbers: tuple[int, ...], is_kernel: np.ndarray, extents: JsonTexts
) -> np.ndarray:
    """Return the codes of grid or block sizes, -1 for other events than kernels."""
    sizes = np.stack([kernels.numbers(number, missing=0) for number in numbers], axis=1)
    distinct, codes = np.unique(sizes, axis=0, return_inverse=True)
    texts = [extents["[{}, {}, {}]".format(*one).encode()] for one in distinct.tolist()]
    found = np.array(texts, np.int32)[codes.reshape(len(sizes))]
    return np.where(is_kernel, found, -1)
