"""`Blocks`: memory blocks, found by pairing each allocation with its release.

A block is identified by its device and address. At each address, an allocation and the release
right after it form a block. A release without an allocation belongs to a block from before the
recording. An allocation at an address in use means that a release was not recorded: the previous
block ends there, at an unknown earlier time. Memory that the allocator reserves from the device and
returns, if recorded, is paired separately from what it hands out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.memory.records import device_of_record, memory_devices, reserved_records
from nbprof.model.lookup import rows_of_values

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Address of records without one.
NO_ADDRESS = -1

#: End of blocks that are never released; larger than any row.
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Blocks:
    """Memory blocks sorted by their first record; arrays of shape (blocks,).

    Attributes
    ----------
    device : ndarray of int64
        Index among the memory devices.
    size : ndarray of int64
        Bytes; of a caching allocator, those that it took.
    requested : ndarray of int64
        Bytes that the program asked for; 0 for recorders without them.
    allocation : ndarray of int64
        Row in the memory table, -1 if allocated before the recording.
    release : ndarray of int64
        Row in the memory table, -1 if no release was recorded.
    end : ndarray of int64
        First row of the memory table at which the block no longer exists, `NEVER` if it stays.
    held : ndarray of int64
        Row in the table of blocks held throughout, -1 for all blocks with a record.
    reserved : ndarray of bool
        Whether the block is memory that the allocator reserved from the device.
    """

    device: Rows
    size: Rows
    requested: Rows
    allocation: Rows
    release: Rows
    end: Rows
    held: Rows
    reserved: Mask

    @property
    def released_only(self) -> Mask:
        """Which blocks were allocated before the recording and released during it."""
        return (self.allocation < 0) & (self.held < 0)

    @property
    def implicitly_released(self) -> Mask:
        """Which blocks end only because their address is allocated again."""
        return (self.allocation >= 0) & (self.release < 0) & (self.end < NEVER)

    def in_use(self, blocks: Rows, record: Rows | int) -> Rows:
        """Return which of some blocks are in use after a record of their device, as known.

        Excludes blocks without a recorded allocation, unless they are known to be held throughout,
        and memory reserved by the allocator.

        Parameters
        ----------
        blocks : ndarray of int64, shape (n,)
            The blocks.
        record : int or ndarray of int64, shape (n,)
            Row in the memory table, for all or for each; -1 for before the first.
        """
        allocation = self.allocation[blocks]
        there = (allocation <= record) & (self.end[blocks] > record) & ~self.reserved[blocks]
        return blocks[there & ((allocation >= 0) | (self.held[blocks] >= 0))]


def memory_blocks(model: TraceModel) -> Blocks:
    """Return the blocks of a trace; computed once; empty if records have no addresses."""
    return model.cached("memory blocks", lambda: _pair(model))


def blocks_of_device(model: TraceModel, device: int) -> Rows:
    """Return the blocks of a device by its index among the memory devices, in order."""
    blocks = model.cached("blocks of devices", lambda: rows_of_values(memory_blocks(model).device))
    return blocks.get(device, np.empty(0, np.int64))


def addresses_on_several_devices(model: TraceModel) -> int:
    """Return the number of addresses that are allocated or released on several devices."""
    rows = _with_address(model)
    device, address = device_of_record(model)[rows], model.column("memory", "address")[rows]
    order = np.lexsort((device, address))
    device, address = device[order], address[order]
    other = (address[1:] == address[:-1]) & (device[1:] != device[:-1])
    return len(np.unique(address[1:][other]))


def _with_address(model: TraceModel) -> Rows:
    address, change = model.column("memory", "address"), model.column("memory", "bytes")
    return np.flatnonzero((address != NO_ADDRESS) & (change != 0))


def _pair(model: TraceModel) -> Blocks:
    rows = _with_address(model)
    # Reserved memory is treated as a separate device here.
    place = 2 * device_of_record(model)[rows] + reserved_records(model)[rows]
    address = model.column("memory", "address")[rows]
    order = np.lexsort((address, place))  # stable: time order at each address
    rows, place, address = rows[order], place[order], address[order]
    change = model.column("memory", "bytes")[rows]
    requested = model.column("memory_requested", "bytes")
    requested = requested[rows] if len(requested) else np.zeros(len(rows), np.int64)
    grows = change > 0
    # Whether the next record is at the same address, and its kind.
    same = np.zeros(len(rows), bool)
    same[:-1] = (place[1:] == place[:-1]) & (address[1:] == address[:-1])
    next_row = np.append(rows[1:], NEVER)
    next_grows = np.append(grows[1:], False)
    after_allocation = np.append(False, grows[:-1] & same[:-1])[: len(rows)]
    first = grows | ~after_allocation  # all records except releases of recorded allocations
    paired = grows & same & ~next_grows
    allocation = np.where(grows, rows, -1)[first]
    release = np.where(paired, next_row, np.where(grows, -1, rows))[first]
    end = np.where(grows & same, next_row, np.where(grows, NEVER, rows))[first]
    in_time = np.argsort(rows[first], kind="stable")
    found = Blocks(
        device=place[first][in_time] // 2,
        size=np.abs(change[first][in_time]),
        requested=np.abs(requested[first][in_time]),
        allocation=allocation[in_time],
        release=release[in_time],
        end=end[in_time],
        held=np.full(int(first.sum()), -1, np.int64),
        reserved=place[first][in_time] % 2 == 1,
    )
    return _with_held(model, found)


def _with_held(model: TraceModel, blocks: Blocks) -> Blocks:
    """Prepend the blocks that are in use from before the first record to the end."""
    count = model.tables["memory_held"].num_rows
    if count == 0:
        return blocks
    places = {(d.type_code, d.number): i for i, d in enumerate(memory_devices(model))}
    pairs = zip(
        model.column("memory_held", "device_type").tolist(),
        model.column("memory_held", "device").tolist(),
        strict=True,
    )
    device = np.array([places[pair] for pair in pairs], np.int64)
    none = np.full(count, -1, np.int64)
    return Blocks(
        device=np.append(device, blocks.device),
        size=np.append(model.column("memory_held", "bytes"), blocks.size),
        requested=np.append(model.column("memory_held", "requested"), blocks.requested),
        allocation=np.append(none, blocks.allocation),
        release=np.append(none, blocks.release),
        end=np.append(np.full(count, NEVER), blocks.end),
        held=np.append(np.arange(count), blocks.held),
        reserved=np.append(np.zeros(count, bool), blocks.reserved),
    )
