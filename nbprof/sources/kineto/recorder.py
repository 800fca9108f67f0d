"""The recorder of PyTorch: its file names, and how both ends of a file are probed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.discovery import header as headers
from nbprof.sources.discovery.head import Head
from nbprof.sources.discovery.naming import FileName
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.kineto import categories
from nbprof.sources.kineto.dialect import DIALECT, FORMAT, OF_DEVICES
from nbprof.sources.kineto.merged_ranks import Processes, find_ranks, numbers_of
from nbprof.sources.recorder import Recorder

if TYPE_CHECKING:
    from nbprof.sources.discovery.head import FileStart

#: Names that the profiler's handlers write: worker, stamp of the span, ending. Compressed files are
#: asked about without the ending of their compression.
_TRACE_NAME: Final = re.compile(r"^(.*?)(\.\d+)?\.pt\.trace\.json$", re.DOTALL)
_PLAIN_NAME: Final = re.compile(r"^(.*?)\.(?:json|chrome_trace)$", re.DOTALL)

_TIME: Final = re.compile(rb'"ts"\s*:\s*"?(\d{1,18}(?:\.\d{1,9})?)')
_CATEGORY: Final = re.compile(rb'"cat"\s*:\s*"(\w+)"')


def file_name(name: str) -> FileName | None:
    """Parse a file name; return None if Chrome traces have no such names."""
    match = _TRACE_NAME.match(name)
    if match:
        stamp = int(match.group(2)[1:]) if match.group(2) else -1
        return FileName(match.group(1) or name, stamp, expected=True)
    match = _PLAIN_NAME.match(name)
    return FileName(match.group(1) or name, -1, expected=False) if match else None


def look(start: FileStart) -> Head | None:
    """Return the metadata found at both ends of a JSON file."""
    if start.first == b"[":
        if start.is_event_array:
            kind = _device_type({}, start.text)
            first = _start_ns({}, start.text)
            return Head(format=FORMAT, device_type=kind, size=start.size, start_ns=first)
        return Head(reason="not a trace: an array of something other than trace events")
    return _look_at_object(start) if start.first == b"{" else None


def _look_at_object(start: FileStart) -> Head:
    if start.header is None:
        damage = start.source.damage
        if damage:
            return Head(reason=f"no events up to where {damage}")
        return Head(reason="not a trace (no `traceEvents`)")
    text, events = start.header
    head = headers.find_keys(text[:events].decode("utf-8", "replace"))
    head = {**headers.find_keys(start.tail.decode("utf-8", "replace")), **head}
    return Head(
        processes=_ranks(start, text + start.tail),
        format=FORMAT,
        metadata=tuple(headers.metadata(head).items()),
        device_type=_device_type(head, text + start.tail),
        devices=tuple(row["device"] for row in headers.devices(head)),
        size=start.size,
        start_ns=_start_ns(head, text[events:]),
    )


def _ranks(start: FileStart, ends: bytes) -> tuple[tuple[tuple[str, Any], ...], ...]:
    """Return the ranks in a file that several traces were merged into; each is a worker."""
    found = Processes()
    found.add(ends)
    if not found.seem_merged or start.path is None:
        return ()
    with ByteSource(start.path) as source:
        ranks = find_ranks(source)
    merged = tuple(rank.pids for rank in ranks)
    return tuple(
        (("process", place), ("rank", number), ("label", rank.label), ("merged", merged))
        for place, (number, rank) in enumerate(zip(numbers_of(ranks), ranks, strict=True))
    )


def _start_ns(head: headers.Header, events: bytes) -> int:
    """Return the least time of the first events; records of names have time 0."""
    times = [float(time) for time in _TIME.findall(events)]
    first = min((time for time in times if time > 0), default=0.0)
    return headers.base_ns(head) + int(first * 1000) if first else 0


def _device_type(head: headers.Header, text: bytes) -> str:
    found = {one.decode() for one in _CATEGORY.findall(text)}
    accelerators = {
        categories.accelerator(one) for one in found if categories.reports_device("X", one)
    }
    if kind := categories.device_type(accelerators):
        return kind
    devices = headers.devices(head)
    if devices:
        # Devices without a compute capability are not driven by CUDA or HIP.
        other = any(row["name"] and row["compute_major"] < 0 for row in devices)
        return "" if other else "gpu"
    return "cpu" if head.get("deviceProperties") == [] else ""


RECORDER: Final = Recorder(
    name=FORMAT,
    read="nbprof.sources.kineto.reading:read",
    patterns=("*.pt.trace.json", "*.pt.trace.json.gz", "*.json", "*.json.gz", "*.chrome_trace"),
    written_by=(
        ("tensorboard_trace_handler(directory)", "torch.profiler"),
        ("prof.export_chrome_trace(path)", ""),
    ),
    file_name=file_name,
    look=look,
    live={
        "nbprof.sources.live.recording.Recording": (
            "nbprof.sources.kineto.live.objects:of_recording"
        ),
        "torch.profiler.profiler._KinetoProfile": "nbprof.sources.kineto.live.objects:of_profiler",
        "torch.autograd.profiler.profile": "nbprof.sources.kineto.live.objects:of_autograd",
        "torch.autograd.profiler_util.EventList": "nbprof.sources.kineto.live.objects:of_events",
    },
    dialect=DIALECT,
    device_dialects=OF_DEVICES,
    is_whole="nbprof.sources.chrome.ending:is_whole",
    general=True,
)
