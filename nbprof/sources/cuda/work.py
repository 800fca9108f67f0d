"""Adds device work to the device rows: kernels, copies, memory sets and synchronisation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.events import codes_by_key
from nbprof.sources.cuda.names import COPIES, copy_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources.chrome.dictionaries import TextDictionary
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block

Integers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

#: Bits of the sizes of a grid in one key, least significant first.
_EXTENT_BITS: Final = (31, 16, 16)
_THREADS_PER_WARP: Final = 32
#: Streams with this number are no streams.
_NO_STREAM: Final = (-1, 0xFFFFFFFF)


def add_kernels(events: Events, block: Block, names: Codes, pids: Integers, **more: Any) -> None:
    """Add kernels.

    Parameters
    ----------
    events : Events
        What was read so far.
    block : Block
        Columns with the names that CUPTI gives them.
    names : ndarray of int32, shape (rows,)
        Codes of their names.
    pids : ndarray of int64, shape (rows,)
        Their processes.
    **more
        Further columns.
    """
    grid = [block[f"grid{axis}"] for axis in "XYZ"]
    threads = [block[f"block{axis}"] for axis in "XYZ"]
    static, dynamic = block["staticSharedMemory"], block["dynamicSharedMemory"]
    columns: dict[str, Any] = {
        "grid": extents(grid, events.texts["grid"]),
        "block": extents(threads, events.texts["block"]),
        "registers": block["registersPerThread"],
        "shared_memory_bytes": np.where(
            (static < 0) & (dynamic < 0), -1, np.maximum(static, 0) + np.maximum(dynamic, 0)
        ),
        "graph_node": block["graphNodeId"],
        "static_shared_bytes": small(static),
        "dynamic_shared_bytes": small(dynamic),
        "local_bytes": small(block["localMemoryPerThread"]),
        **_per_multiprocessor(events, block["deviceId"], grid, threads),
        **more,
    }
    add_work(events, kinds.KERNEL, block, names, pids, **columns)


def add_copies(
    events: Events, block: Block, memories: Mapping[int, str], pids: Integers, **more: Any
) -> None:
    """Add copies, whose names say what they copied from where to where.

    Parameters
    ----------
    events : Events
        What was read so far.
    block : Block
        Columns with the names that CUPTI gives them.
    memories : mapping of int to str
        Kinds of memory, by their numbers in this file.
    pids : ndarray of int64, shape (rows,)
        Their processes.
    **more
        Further columns.
    """
    source, target = block["srcKind"], block["dstKind"]
    key, distinct = distinct_codes(_packed([block["copyKind"], source, target], (8, 8, 8)))
    parts = [_unpacked(one, (8, 8, 8)) for one in distinct.tolist()]
    called = [copy_name(kind, _word(memories, a), _word(memories, b)) for kind, a, b in parts]
    names = codes_by_key(key, called, events.names)
    unified = [COPIES.get(kind, "").startswith("unified") for kind, _, _ in parts]
    add_work(
        events,
        kinds.MEMCPY,
        block,
        names,
        pids,
        **_amount(block),
        graph_node=block["graphNodeId"],
        source_memory=words(source, memories, events.texts["source_memory"]),
        target_memory=words(target, memories, events.texts["target_memory"]),
        launch_type=codes_by_key(
            key, ["Unified" if one else None for one in unified], events.texts["launch_type"]
        ),
        **more,
    )


def add_work(
    events: Events, kind: int, work: Block, names: Codes | int, pids: Integers, /, **columns: Any
) -> None:
    """Add device work of one kind, with the columns that all kinds have."""
    start = work["start"]
    stream = work["streamId"]
    is_none = np.isin(stream, _NO_STREAM)
    events.device.add(
        work.rows,
        name=names,
        kind=kind,
        device=small(work["deviceId"]),
        stream=np.where(is_none, -1, stream) if is_none.any() else stream,
        start_ns=start,
        duration_ns=events.durations(start, work["end"], kinds.DEVICE_KINDS[kind]),
        correlation=events.correlations(pids, work["correlationId"]),
        context=small(work["contextId"]),
        green_context=small(work["greenContextId"]),
        **columns,
    )


def sizes(block: Block) -> dict[str, Any]:
    """Return the columns for the amount of memory that was copied or set."""
    return _amount(block)


def _amount(block: Block) -> dict[str, Any]:
    amount = block["bytes"]
    duration = block["end"] - block["start"]
    known = (amount >= 0) & (duration > 0)
    rate = np.divide(amount, duration, out=np.full(len(amount), np.nan), where=known)
    return {"bytes": amount, "bandwidth_gbps": rate}


def _per_multiprocessor(
    events: Events, device: Integers, grid: Sequence[Integers], threads: Sequence[Integers]
) -> dict[str, Any]:
    """Return blocks and warps per multiprocessor, as PyTorch's profiler computes them."""
    known = {one: count for one, count in events.multiprocessors.items() if count > 0}
    if not known or len(device) == 0:
        return {}
    code, distinct = distinct_codes(device)
    count = np.array([known.get(one, np.nan) for one in distinct.tolist()], float)[code]
    blocks = _product(grid) / count
    warps = blocks * _product(threads) / _THREADS_PER_WARP
    return {"blocks_per_sm": blocks, "warps_per_sm": warps}


def _product(sides: Sequence[Integers]) -> npt.NDArray[np.float64]:
    """Return the number of elements, shape (rows,); NaN if a side is unknown."""
    total = np.ones(len(sides[0]))
    for side in sides:
        total *= np.where(side > 0, side, np.nan)
    return total


def extents(sides: Sequence[Integers], texts: TextDictionary) -> Codes:
    """Return the codes of grids as JSON, shape (rows,); -1 for unknown ones.

    Parameters
    ----------
    sides : sequence of ndarray, shape (rows,)
        The sizes along x, y and z.
    texts : TextDictionary
        Gives the codes.
    """
    bad = np.zeros(len(sides[0]), bool)
    for side, bits in zip(sides, _EXTENT_BITS, strict=True):
        bad |= (side < 0) | (side >= 1 << bits)
    key, distinct = distinct_codes(np.where(bad, -1, _packed(sides, _EXTENT_BITS)))
    texts_of = [
        json.dumps(_unpacked(one, _EXTENT_BITS)) if one >= 0 else None for one in distinct.tolist()
    ]
    return codes_by_key(key, texts_of, texts)


def words(values: Integers, known: Mapping[int, str], texts: TextDictionary) -> Codes:
    """Return the codes of the words for numbers, shape (rows,); -1 for unknown numbers."""
    key, distinct = distinct_codes(values)
    return codes_by_key(key, [known.get(one) for one in distinct.tolist()], texts)


def small(values: Integers) -> npt.NDArray[np.int32]:
    """Return numbers as int32; -1 for those that do not fit."""
    if values.strides == (0,) and len(values):
        return np.broadcast_to(np.int32(values[0]), len(values))
    fits = (values >= 0) & (values < 1 << 31)
    return np.where(fits, values, -1).astype(np.int32)


def _word(known: Mapping[int, str], number: int) -> str:
    return known.get(number, "Unknown")


def _packed(values: Sequence[Integers], bits: Sequence[int]) -> Integers:
    """Return one key for each row from several small numbers."""
    key = np.zeros(len(values[0]), np.int64)
    shift = 0
    for value, width in zip(values, bits, strict=True):
        key |= (value & ((1 << width) - 1)) << shift
        shift += width
    return key


def _unpacked(key: int, bits: Sequence[int]) -> list[int]:
    found = []
    for width in bits:
        found.append(key & ((1 << width) - 1))
        key >>= width
    return found
