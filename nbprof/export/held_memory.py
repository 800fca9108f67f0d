"""What summaries say about a memory snapshot: a moment of each device, and who held memory then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.allocator.history import allocator_histories
from nbprof.analysis.allocator.memory_holders import holder_table
from nbprof.analysis.allocator.options import kept_histories
from nbprof.analysis.allocator.state import AllocatorState
from nbprof.model.names.private_frames import private_text
from nbprof.model.units import device_label, format_bytes, format_count, format_time

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.export.summary_tables import Summary

#: Devices and holders that are listed.
_DEVICES: Final = 4
HOLDERS: Final = 8
#: Memory without a recorded stack or category.
_UNKNOWN: Final = {"frame": "no stack recorded", "category": "no category recorded"}


@dataclass(frozen=True)
class HeldMemory:
    """One device at the moment that matters most: the first failed allocation, else the peak.

    Attributes
    ----------
    title : str
        The device and the moment.
    lines : list of str
        Sentences about the moment.
    holders : pyarrow.Table
        Holders by frame, the largest first, as of `memory_holders`.
    categories : pyarrow.Table or None
        Holders by category, if any was recorded.
    """

    title: str
    lines: list[str]
    holders: pa.Table
    categories: pa.Table | None


def held_memory(summary: Summary) -> list[HeldMemory]:
    """Return the devices of a snapshot that the filter keeps, the first ones; empty otherwise."""
    model = summary.trace.model
    if not allocator_histories(model):
        return []
    kept = kept_histories(model, summary.trace.active_filter)
    return [_of_device(history) for history in kept[:_DEVICES]]


def holder_name(row: dict[str, Any], key: str) -> str:
    """Return what a row of holders is called, without absolute paths."""
    return private_text(row[key]) if row[key] else _UNKNOWN[key]


def _of_device(history: AllocatorHistory) -> HeldMemory:
    failed = history.ooms()
    moment = int(failed[0]) if len(failed) else history.peak
    device = device_label("gpu", history.device)
    when = format_time(float(history.time_ns[moment]) / 1000)
    reserved = int(history.reserved[moment])
    state = AllocatorState.of(history, moment)
    _, _, gap = state.gaps()
    lines = [_failure(history, failed)] if len(failed) else []
    lines.append(
        f"{_sizes(history, moment)} in {format_count(len(history.lives.at(moment)), 'block')}, "
        f"{format_bytes(reserved)} reserved in {format_count(len(state.segments), 'segment')}."
    )
    if len(gap):
        free = f"{format_bytes(int(gap.sum()))} of the segments is free, in "
        largest = f"{format_count(len(gap), 'gap')} of at most {format_bytes(int(gap.max()))}."
        lines.append(free + largest)
    if len(failed):
        at = format_time(float(history.time_ns[history.peak]) / 1000)
        lines.append(f"The peak was {_sizes(history, history.peak)}, at {at}.")
    categories = holder_table(history, moment, "category")
    known = any(categories["category"].to_pylist())
    return HeldMemory(
        f"{device}: {'out of memory' if len(failed) else 'peak'} at {when}",
        lines,
        holder_table(history, moment, "frame"),
        categories if known else None,
    )


def _sizes(history: AllocatorHistory, moment: int) -> str:
    """Return the memory in use at a moment, as the allocator counts it and as requested."""
    allocated, requested = int(history.in_use[moment]), history.requested(moment)
    return f"{format_bytes(allocated)} allocated ({format_bytes(requested)} requested)"


def _failure(history: AllocatorHistory, failed: Any) -> str:
    """Return the sentence about the first failed allocation."""
    row = history.events.start + int(failed[0]) - 1
    asked = int(history.model.column("allocator_events", "bytes")[row])
    free = int(history.model.column("allocator_events", "free")[row])
    left = f"; the device had {format_bytes(free)} free" if free >= 0 else ""
    more = len(failed) - 1
    others = f" {format_count(more, 'further allocation')} failed later." if more else ""
    return f"{format_bytes(asked)} was asked for{left}.{others}"
