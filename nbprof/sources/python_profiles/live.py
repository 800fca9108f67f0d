"""Returns what the objects of Python's own profilers recorded, in the form of their files."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from nbprof.model.errors import SourceError
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.live.worker import worker_name

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from nbprof.sources.recorder import LiveRecording

#: The run of a recording that was never in a folder.
_RUN: Final = "live"

#: The last recording of each object, so that an unchanged one is not read again.
_last: MutableMapping[Any, MemoryFile] = WeakKeyDictionary()


def of_profile(profile: Any) -> LiveRecording:
    """Return what a `cProfile.Profile` recorded until now; it goes on recording.

    Raises
    ------
    SourceError
        It has recorded nothing.
    """
    profile.snapshot_stats()  # `create_stats` would stop it
    return _recording(profile, profile.stats)


def of_pure_profile(profile: Any) -> LiveRecording:
    """Return what a `profile.Profile` recorded; it is complete then.

    Raises
    ------
    SourceError
        It has recorded nothing.
    """
    profile.create_stats()
    # The profiler is itself a function of the profile.
    is_empty = all(name == "profiler" for _, _, name in profile.stats)
    return _recording(profile, None if is_empty else profile.stats)


def of_stats(stats: Any) -> LiveRecording:
    """Return the content of a `pstats.Stats`, which may be the sum of several files.

    Raises
    ------
    SourceError
        It is empty.
    """
    return _recording(stats, getattr(stats, "stats", None))


def _recording(source: Any, stats: Any) -> LiveRecording:
    if not stats:
        kind = type(source)
        message = (
            f"This {kind.__module__}.{kind.__qualname__} has recorded nothing yet: call a function "
            "with profile.runcall(…), or run code in `with profile:`, then pass it."
        )
        raise SourceError(message)
    content = marshal.dumps(stats)
    known = _last.get(source)
    if known is None or known.content() != content:
        known = _last[source] = MemoryFile(f"{worker_name()}.pstats", content, run=_RUN)
    return known
