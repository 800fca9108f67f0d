"""Returns what a `paddle.profiler.Profiler` in memory recorded."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import SourceError
from nbprof.sources.live.export import exported
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.live.remembered import remembered
from nbprof.sources.live.worker import rank_of_launcher

if TYPE_CHECKING:
    from nbprof.sources.recorder import LiveRecording

#: The run of a recording that was never in a folder.
RUN: Final = "live"

#: Environment variable of `paddle.distributed.launch`.
_RANK: Final = "PADDLE_TRAINER_ID"


def of_profiler(profiler: Any) -> LiveRecording:
    """Return the last recording of a profiler, as protobuf, in which times are exact.

    Raises
    ------
    SourceError
        It has recorded nothing, or its first recording is still under way.
    """
    result = profiler.profiler_result
    if result is None:
        if profiler.timer_only:
            advice = "it was made with timer_only=True, and records nothing."
        else:
            advice = (
                f"it is at step {profiler.step_num} of its schedule. Pass it after the prof.step() "
                "that ends a record phase, or after prof.stop()."
            )
        message = f"This paddle.profiler.Profiler holds no recording yet: {advice}"
        raise SourceError(message)
    return remembered(profiler, result, lambda: _file(result))


def _file(result: Any) -> MemoryFile:
    content = exported(lambda path: result.save(path, "pb"), "trace.pb")
    return MemoryFile(f"{_worker()}.paddle_trace.pb", content, run=RUN)


def _worker() -> str:
    """Return ``rank3``; without a rank the machine and process, as Paddle names workers."""
    rank = rank_of_launcher(_RANK)
    return f"host_{socket.gethostname()}pid_{os.getpid()}" if rank is None else f"rank{rank}"
