"""Writes the state and history of simulated allocators as the content of a memory snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.recordings.allocator import SimAllocator, SimSegment


def snapshot(*allocators: SimAllocator) -> dict[str, Any]:
    """Give the content of a snapshot of these devices."""
    traces: list[list[dict[str, Any]]] = [[] for _ in range(1 + max(a.device for a in allocators))]
    limit = max((a.max_entries or 0 for a in allocators), default=0)
    for one in allocators:
        traces[one.device] = one.trace[-one.max_entries :] if one.max_entries else one.trace
    overflowed = any(a.max_entries and len(a.trace) > a.max_entries for a in allocators)
    return {
        "segments": [
            {
                "device": one.device,
                "address": segment.address,
                "total_size": segment.size,
                "allocated_size": _sum(segment, "active_allocated"),
                "active_size": _sum(segment, "active"),
                "requested_size": sum(block.requested for block in segment.blocks),
                "stream": segment.stream,
                "segment_type": segment.size_class,
                "segment_pool_id": segment.pool,
                "is_expandable": one.expandable,
                "frames": segment.frames,
                "blocks": [
                    {
                        "address": block.address,
                        "size": block.size,
                        "requested_size": block.requested,
                        "state": block.state,
                        "frames": block.frames,
                        **({"category": block.category} if block.category else {}),
                    }
                    for block in segment.blocks
                ],
            }
            for one in allocators
            for segment in one.segments
        ],
        "device_traces": traces,
        "allocator_settings": {
            "PYTORCH_CUDA_ALLOC_CONF": "",
            "max_split_size": min((one.max_split for one in allocators), default=-1),
            "roundup_power2_divisions": {
                str(1 << power): max((one.divisions for one in allocators), default=1)
                for power in range(16)
            },
            "expandable_segments": any(one.expandable for one in allocators),
            **({"trace_alloc_max_entries": limit} if limit else {}),
            **({"trace_alloc_overflowed": overflowed} if limit else {}),
        },
    }


def _sum(segment: SimSegment, state: str) -> int:
    return sum(block.size for block in segment.blocks if block.state.startswith(state))
