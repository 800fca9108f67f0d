"""Probes an Ascend directory for its metadata without reading large files."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import TraceFormatError
from nbprof.sources.ascend import file_names, profiler_info
from nbprof.sources.discovery.head import Head
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.files.whole_file import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources.files.opening import AnyPath

#: Bytes at the beginning of a table that are searched for devices.
_PEEK: Final = 1 << 14

_DEVICE: Final = re.compile(rb"NPU:(\d{1,9})\b")

#: Tables that name their devices, the smallest first.
_WITH_DEVICES: Final = (
    file_names.MODULE_MEMORY,
    file_names.OPERATOR_MEMORY,
    file_names.MEMORY_RECORD,
)

_Stamps = tuple[tuple["AnyPath", int, int], ...]


def probe(paths: Sequence[AnyPath]) -> Head:
    """Probe the files of a directory; those that cannot be opened count as empty."""
    found = []
    for path in paths:
        with suppress(OSError):
            status = path.listed_stat() if isinstance(path, RemotePath) else path.stat()
            found.append((path.absolute(), status.st_size, status.st_mtime_ns))
    if not any(size for path, size, _ in found if file_names.kind_of(path.name)):
        return Head(reason="its files are empty or cannot be opened")
    return (_probe if all(time for *_, time in found) else _probe.__wrapped__)(tuple(found))


@lru_cache(maxsize=8192)
def _probe(timed: _Stamps) -> Head:
    by_kind = file_names.by_kind(path for path, *_ in timed)
    return Head(
        format=file_names.FORMAT,
        metadata=tuple(read_descriptions(by_kind).items()),
        device_type="npu",
        devices=_devices(by_kind),
        size=sum(size for _, size, _ in timed),
    )


def read_descriptions(by_kind: Mapping[str, AnyPath]) -> dict[str, Any]:
    """Return the metadata from the files beside the output; unreadable files are ignored."""
    found: dict[str, Any] = {}
    for kind, tell in (
        (profiler_info.METADATA, profiler_info.of_metadata),
        (profiler_info.INFO_KIND, profiler_info.of_info),
    ):
        if kind in by_kind:
            rank = profiler_info.rank_in_info_name(by_kind[kind].name)
            found |= {} if rank is None else {"rank": rank}
            with suppress(OSError, TraceFormatError):
                found |= tell(read_bytes(by_kind[kind], lambda _: None))
    return found


def _devices(by_kind: dict[str, AnyPath]) -> tuple[int, ...]:
    """Return the devices at the beginning of the first table that names any."""
    for kind in _WITH_DEVICES:
        if kind in by_kind:
            with suppress(OSError), ByteSource(by_kind[kind]) as source:
                numbers = sorted({int(number) for number in _DEVICE.findall(source.read(_PEEK))})
                if numbers:
                    return tuple(numbers)
    return ()
