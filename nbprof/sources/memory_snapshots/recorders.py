"""The recorders of PyTorch's allocator snapshots and memory timelines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.discovery.head import Head
from nbprof.sources.discovery.naming import FileName
from nbprof.sources.kineto.dialect import DIALECT
from nbprof.sources.memory_snapshots import formats
from nbprof.sources.recorder import Recorder

if TYPE_CHECKING:
    from nbprof.sources.discovery.head import FileStart

_PICKLE_NAME: Final = re.compile(r"^(.*?)\.(?:pickle|pkl)$", re.DOTALL)


def _pickle_name(name: str) -> FileName | None:
    match = _PICKLE_NAME.match(name)
    return FileName(match.group(1) or name, -1, expected=False) if match else None


def _look_at_pickle(start: FileStart) -> Head | None:
    if not start.text.startswith(formats.PICKLE_START):
        return None
    if formats.looks_like_snapshot(start.text):
        return Head(format=formats.SNAPSHOT, device_type="gpu", size=start.size)
    return Head(reason="not a trace: a pickle of something other than a memory snapshot")


def _is_snapshot(content: dict[Any, Any]) -> bool:
    """Return whether a dict is what `torch.cuda.memory._snapshot` returns; others name ranks."""
    return bool(formats.KEYS & content.keys())


def _look_at_timeline(start: FileStart) -> Head | None:
    if not formats.looks_like_timeline(start.text):
        return None
    return Head(format=formats.TIMELINE, size=start.size)


SNAPSHOTS: Final = Recorder(
    name=formats.SNAPSHOT,
    read="nbprof.sources.memory_snapshots.memory_snapshot:read",
    patterns=("*.pickle", "*.pkl"),
    file_name=_pickle_name,
    look=_look_at_pickle,
    live={"builtins.dict": "nbprof.sources.memory_snapshots.live_snapshot:of_dict"},
    claims=_is_snapshot,
    dialect=DIALECT,
    only_memory=True,
)

TIMELINES: Final = Recorder(
    name=formats.TIMELINE,
    read="nbprof.sources.memory_snapshots.memory_timeline:read",
    look=_look_at_timeline,
    dialect=DIALECT,
    only_memory=True,
)
