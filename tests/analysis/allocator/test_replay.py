"""Blocks and segments at every moment equal those of the simulated allocator and a plain replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

from nbprof.analysis.allocator.history import AllocatorHistory, allocator_histories
from nbprof.analysis.allocator.segment_history import _EVERY
from nbprof.analysis.allocator.state import AllocatorState
from nbprof.analysis.memory.curve import memory_curve
from nbprof.analysis.memory.peak import memory_peak, memory_peak_holders
from nbprof.model.filters.filter import Filter
from tests.analysis.allocator import runs
from tests.analysis.allocator.runs import MIB, model_of, replayed, run
from tests.support.recordings.allocator import SimAllocator
from tests.support.recordings.allocator_snapshot import snapshot

if TYPE_CHECKING:
    from tests.support.recordings.allocator import SimBlock, SimSegment


def in_use(segments: list[SimSegment]) -> list[SimBlock]:
    found = [block for one in segments for block in one.blocks if block.state != "inactive"]
    return sorted(found, key=lambda one: one.address)


def check(history: AllocatorHistory, allocator: SimAllocator, content: dict[str, Any]) -> None:
    entries = content["device_traces"][allocator.device]
    truth = allocator.truth[-len(entries) - 1 :]
    states = replayed(content, allocator.device)
    assert history.last == len(entries)
    for moment, (segments, _) in enumerate(truth):
        blocks = in_use(segments)
        state = AllocatorState.of(history, moment)
        lives = history.lives
        assert not len(state.outside)
        address, requested = lives.address[state.blocks], lives.requested[state.blocks]
        assert dict(zip(address.tolist(), requested.tolist(), strict=True)) == states[moment]
        assert address.tolist() == [one.address for one in blocks]
        assert requested.tolist() == [one.requested for one in blocks]
        size = np.array([one.size for one in blocks], np.int64)
        # What was allocated before the history and released in it is only known as rounded.
        kept = (lives.allocation[state.blocks] >= 0) | (lives.final[state.blocks] >= 0)
        assert lives.size[state.blocks][kept].tolist() == size[kept].tolist()
        rounded = [allocator.rounded(one.requested) for one in blocks]
        assert lives.size[state.blocks][~kept].tolist() == np.array(rounded)[~kept].tolist()
        unknown = int((size - lives.size[state.blocks]).sum())
        assert unknown >= 0
        assert unknown <= MIB * int((~kept).sum()) or allocator.max_split >= 0
        assert state.occupied.tolist() == lives.size[state.blocks].tolist()
        waiting = [one.state == "active_pending_free" for one in blocks]
        if moment == history.last or not allocator.max_entries:
            # A request that the history lost cannot be known before its completion.
            assert lives.waiting(state.blocks, moment).tolist() == waiting
        held = sorted((one.address, one.size, one.stream) for one in segments if one.size)
        assert [(one.address, one.bytes, one.stream) for one in state.segments] == held
        assert int(history.in_use[moment]) == size.sum() - unknown
        assert history.requested(moment) == sum(one.requested for one in blocks)
        assert int(history.reserved[moment]) == sum(one.size for one in segments)
        check_gaps(state)
    check_tables(history, allocator, truth, exact=len(truth) == len(allocator.truth))
    last = AllocatorState.of(history, history.last)
    assert last.occupied.tolist() == [one.size for one in in_use(allocator.segments)]


def check_tables(
    history: AllocatorHistory,
    allocator: SimAllocator,
    truth: list[tuple[list[SimSegment], int]],
    *,
    exact: bool,
) -> None:
    """Compare the tables that all recorders share with the allocator's own statistics."""
    one = Filter(devices=(allocator.device,))
    sums = [
        (sum(block.size for block in held), sum(block.requested for block in held))
        for held in (in_use(segments) for segments, _ in truth)
    ]
    curve = memory_curve(history.model, one)["allocated_bytes"].to_pylist()
    assert curve[-1] == sums[-1][0]
    (peak,) = memory_peak(history.model, one).to_pylist()
    assert peak["peak_bytes"] == int(history.in_use[history.peak])
    holders = memory_peak_holders(history.model, one)
    assert sum(holders["bytes"].to_pylist()) == peak["peak_bytes"]
    assert sum(holders["requested_bytes"].to_pylist()) == peak["requested_bytes"]
    if exact:
        assert peak["peak_bytes"] == max(size for size, _ in sums)
        assert (peak["peak_bytes"], peak["requested_bytes"]) in sums
        assert set(curve) <= {size for size, _ in sums}
        kinds = {warning.kind for warning in history.model.warnings}
        assert "allocated sizes unknown" not in kinds


def check_gaps(state: AllocatorState) -> None:
    """Compare the gaps with what a bitmap of units would show, and with the sums."""
    place, address, size = state.gaps()
    free = np.zeros(len(state.segments), np.int64)
    np.add.at(free, place, size)
    assert (free + state.allocated).tolist() == state.segment_bytes.tolist()
    lives = state.history.lives
    taken = [
        (int(lives.address[block]), int(lives.address[block] + length))
        for block, length in zip(state.blocks, state.occupied.tolist(), strict=True)
    ]
    for at, low, length in zip(place.tolist(), address.tolist(), size.tolist(), strict=True):
        segment = state.segments[at]
        assert segment.address <= low
        assert low + length <= segment.end
        assert not any(start < low + length and end > low for start, end in taken)
        edges = {segment.address, *(end for _, end in taken)}
        assert low in edges
        assert low + length in {segment.end, *(start for start, _ in taken)}


@given(runs.allocators, runs.steps)
def test_every_moment_of_a_run(allocator: SimAllocator, plan: list[tuple[str, int, int]]) -> None:
    run(allocator, plan)
    content = snapshot(allocator)
    if not content["segments"] and not content["device_traces"][allocator.device]:
        return
    if not content["segments"] and allocator.max_entries:
        return  # without segments, a history alone has the least memory that it allows
    check(allocator_histories(model_of(content))[allocator.device], allocator, content)


def test_devices_are_apart() -> None:
    one, other = SimAllocator(device=0), SimAllocator(device=2, expandable=True)
    plan = [("alloc", size, number) for number, size in enumerate(runs.SIZES * 2)]
    run(one, [*plan, ("free", 0, 3), ("request", 0, 1), ("empty", 0, 0)])
    run(other, [*plan, ("free", 0, 2), ("free", 0, 7)])
    content = snapshot(one, other)
    histories = allocator_histories(model_of(content))
    assert list(histories) == [0, 2]
    check(histories[0], one, content)
    check(histories[2], other, content)


def test_a_failed_allocation() -> None:
    allocator = run(SimAllocator(capacity=64 * MIB), [("alloc", 30 * MIB, 1)] * 3)
    content = snapshot(allocator)
    history = allocator_histories(model_of(content))[0]
    (moment,) = history.ooms().tolist()
    row = history.events.start + moment - 1
    events = history.model
    assert events.column("allocator_events", "bytes")[row] == 30 * MIB
    assert events.column("allocator_events", "free")[row] == 4 * MIB
    assert history.in_use[moment] == 60 * MIB
    assert history.reserved[moment] == 60 * MIB


def test_many_segment_events() -> None:
    """States are kept every few events; those in between are right, too."""
    allocator = SimAllocator()
    for _ in range(_EVERY):
        address = allocator.alloc(12 * MIB)
        assert address is not None
        allocator.free(address)
        allocator.empty_cache()
    allocator.alloc(3 * MIB)
    content = snapshot(allocator)
    check(allocator_histories(model_of(content))[0], allocator, content)


def entry(action: str, address: int, size: int) -> dict[str, Any]:
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": 5}


IRREGULAR = {
    # what a file says, and the life of each block: address, size, start, end
    "a release of an unknown block": (
        [entry("alloc", 1, 10), entry("free_completed", 2, 20)],
        [(2, 20, 0, 2), (1, 10, 1, 3)],
    ),
    "a second release": (
        [entry("free_completed", 1, 10), entry("free_completed", 1, 30)],
        [(1, 10, 0, 1), (1, 30, 1, 2)],
    ),
    "an allocation at an address in use": (
        [entry("alloc", 1, 10), entry("alloc", 1, 30)],
        [(1, 10, 1, 2), (1, 30, 2, 3)],
    ),
    "an address that is used again": (
        [entry("alloc", 1, 10), entry("free_completed", 1, 10), entry("alloc", 1, 30)],
        [(1, 10, 1, 2), (1, 30, 3, 4)],
    ),
    "a release of another size": (
        [entry("alloc", 1, 10), entry("free_completed", 1, 99)],
        [(1, 10, 1, 2)],
    ),
    "a negative size": ([entry("alloc", 1, -5)], [(1, 0, 1, 2)]),
}


@pytest.mark.parametrize("name", IRREGULAR)
def test_irregular_histories(name: str) -> None:
    entries, expected = IRREGULAR[name]
    history = allocator_histories(model_of({"segments": [], "device_traces": [entries]}))[0]
    lives = history.lives
    columns = (lives.address, lives.requested, lives.start, lives.end)
    assert list(zip(*(one.tolist() for one in columns), strict=True)) == expected
    assert (history.in_use >= 0).all()
    assert lives.size.tolist() == [-(-size // 512) * 512 for _, size, _, _ in expected]


def test_what_the_history_did_not_see() -> None:
    """A recording that ended before the snapshot: the block came after a release at its address."""
    content = {
        "segments": [
            {
                "device": 0,
                "address": 0,
                "total_size": 4096,
                "blocks": [
                    {
                        "address": 512,
                        "size": 512,
                        "requested_size": 400,
                        "state": "active_allocated",
                    }
                ],
            }
        ],
        "device_traces": [[entry("free_completed", 512, 300), entry("snapshot", 0, 0)]],
    }
    lives = allocator_histories(model_of(content))[0].lives
    assert list(
        zip(lives.requested.tolist(), lives.start.tolist(), lives.end.tolist(), strict=True)
    ) == [
        (300, 0, 1),
        (400, 1, 3),
    ]


def old_block(size: int, *, beside: bool) -> SimAllocator:
    """Give an allocator whose short history releases a large block from before it.

    Parameters
    ----------
    size : int
        Bytes requested of a segment of 12 MiB.
    beside : bool
        Whether what is left of the segment was given to another block.
    """
    allocator = SimAllocator(max_entries=2)
    address = allocator.alloc(size)
    assert address is not None
    if beside:
        allocator.alloc(12 * MIB - size)
    allocator.free(address)
    return allocator


@pytest.mark.parametrize(
    ("size", "beside", "unsure"),
    [(12 * MIB, False, 0), (10 * MIB, True, 0), (11 * MIB + 3, False, 1)],
)
def test_sizes_that_no_history_tells(size: int, beside: bool, unsure: int) -> None:
    allocator = old_block(size, beside=beside)
    model = model_of(snapshot(allocator))
    check(allocator_histories(model)[0], allocator, snapshot(allocator))
    counts = {one.kind: one.count for one in model.warnings}
    assert counts.get("allocated sizes unknown", 0) == unsure


def test_an_unsplit_block() -> None:
    """The allocator keeps a rest of up to 1 MiB: 11 MiB and 3 bytes take a segment of 12 MiB."""
    allocator = run(SimAllocator(), [("alloc", 11 * MIB + 3, 1), ("free", 0, 0)])
    history = allocator_histories(model_of(snapshot(allocator)))[0]
    assert (history.in_use.max(), history.requested(history.peak)) == (12 * MIB, 11 * MIB + 3)
