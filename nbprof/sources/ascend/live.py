"""Returns what a `torch_npu.profiler.profile` in memory recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from nbprof.model.errors import SourceError
from nbprof.sources.ascend.file_names import OUTPUT

if TYPE_CHECKING:
    from nbprof.sources.recorder import LiveRecording

#: Written when a recording ends.
_ENDED: Final = "profiler_info*.json"


def of_profiler(profiler: Any) -> LiveRecording:
    """Return the directory of the last recording.

    The profiler writes raw data to this directory while it records. They are analysed here, as
    `tensorboard_trace_handler` does, if they were not. Without a handler the profiler deletes the
    directory when it is itself deleted, and not before: the profile that is read keeps it alive.

    Raises
    ------
    SourceError
        It has recorded nothing, is still recording, or its data could not be analysed.
    """
    interface = profiler.prof_if
    if not interface.prof_path:
        _refuse(
            "has recorded nothing yet",
            f"it is at step {getattr(profiler, 'step_num', 0)} of its schedule. Pass it after the "
            "prof.step() that ends an active phase, or after prof.stop(). Without an NPU and its "
            "driver it never records",
        )
    folder = Path(interface.prof_path)
    if not folder.is_dir():
        _refuse("has deleted its recording", "record again, with a tensorboard_trace_handler")
    if not any(folder.glob(_ENDED)):
        _refuse("is still recording", "pass it after prof.stop()")
    if not _is_analysed(folder):
        interface.analyse()
        if not _is_analysed(folder):
            _refuse("could not analyse its data", f"see what it printed, and what is in {folder}")
    return str(folder)


def _is_analysed(folder: Path) -> bool:
    output = folder / OUTPUT
    return output.is_dir() and any(output.iterdir())


def _refuse(state: str, advice: str) -> NoReturn:
    message = f"This torch_npu.profiler.profile {state}: {advice}."
    raise SourceError(message)
