"""Reads allocator snapshots written by `torch.cuda.memory._dump_snapshot`, or their segments alone.

A snapshot is a pickle of the allocator's segments and blocks at one moment, with the history that
led there if it was recorded. Memory counts as in use from its allocation until it is returned to
the allocator, including the time while other streams still use it. It counts with the size that the
allocator took for it, as `torch.cuda.memory_allocated` does; the requested size stands beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.errors import TraceFormatError
from nbprof.sources.defects import DefectLog
from nbprof.sources.files.trace_source import open_trace, whole_content
from nbprof.sources.memory_snapshots.formats import KEYS, SEGMENT_KEYS, SNAPSHOT
from nbprof.sources.memory_snapshots.pickle_reader import PlainPickleError
from nbprof.sources.memory_snapshots.plain_pickle import load_plain
from nbprof.sources.memory_snapshots.tables import snapshot_model
from nbprof.sources.options import READ_ALL, ReadOptions

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read a snapshot.

    Parameters
    ----------
    file : TraceFile
        One of those that `discover` found.
    options : ReadOptions
        Ignored for selection: such a file is always read whole.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.reading.read`.

    Raises
    ------
    TraceFormatError
        The file is not a snapshot, or contains more than plain containers, strings and numbers.
    """
    path = str(file.path)
    with open_trace(file.path, progress) as (source, report):
        data = whole_content(source, report)
        packed, damage = source.done, source.damage
    content = _load(path, data, packed, damage)
    defects = DefectLog(path, strict=options.strict)
    return snapshot_model(content, defects, SNAPSHOT, packed, most_rows=len(data))


def _load(path: str, data: bytes, packed: int, damage: str) -> dict[str, Any]:
    try:
        content = load_plain(data, packed)
    except PlainPickleError as error:
        reason = damage or str(error)
        message = f"{path} is not read as a memory snapshot: {reason}."
        raise TraceFormatError(message) from error
    if isinstance(content, list) and content and all(map(_is_segment, content)):
        return {"segments": content}
    if not isinstance(content, dict) or not KEYS & content.keys():
        message = f"{path} is a pickle, but not a memory snapshot: it contains {_what(content)}."
        raise TraceFormatError(message)
    return content


def _is_segment(one: Any) -> bool:
    """Whether a value is a segment: `torch.cuda.memory_snapshot` returns a list of them."""
    return isinstance(one, dict) and one.keys() >= SEGMENT_KEYS


def _what(content: Any) -> str:
    if isinstance(content, dict):
        keys = ", ".join(repr(key)[:40] for key in list(content)[:5])
        return f"a dict with the keys {keys}" if content else "an empty dict"
    return f"a {type(content).__name__}"
