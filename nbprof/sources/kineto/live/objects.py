"""Returns what the objects of PyTorch's profilers recorded."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final, NoReturn

from nbprof.model.errors import SourceError
from nbprof.sources.kineto.live.event_list import trace_of_events
from nbprof.sources.kineto.live.kept_results import KeptResults
from nbprof.sources.live.export import exported
from nbprof.sources.live.handler import file_of_handler
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.live.worker import worker_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.recorder import LiveRecording

#: The run of a recording that was never in a folder.
RUN: Final = "live"

#: What Kineto says when a recording is to be saved a second time.
_SAVED: Final = "already saved"


def of_recording(recording: Any) -> LiveRecording:
    """Return what `nbprof.profile` recorded: a file for each span that has ended.

    Raises
    ------
    SourceError
        No span has ended.
    """
    if not recording.files:
        _refuse("nbprof.profile", *_state(recording.profiler))
    return list(recording.files)


def of_profiler(profiler: Any) -> LiveRecording:
    """Return the last recording of a `torch.profiler.profile`.

    Raises
    ------
    SourceError
        It has recorded nothing, or its first recording is still under way.
    """
    inner = getattr(profiler, "profiler", None)
    if inner is None or inner.kineto_results is None:
        _refuse("torch.profiler.profile", *_state(profiler))
    if isinstance(inner.kineto_results, KeptResults):
        return inner.kineto_results.file
    _check_not_replaced(profiler)
    try:
        return keep(profiler, f"{worker_name()}.pt.trace.json")
    except RuntimeError as error:
        if _SAVED not in str(error):
            raise
        handler = getattr(profiler, "on_trace_ready", None)
        return _saved_before(inner, profiler.export_chrome_trace, handler)


def of_autograd(profiler: Any) -> LiveRecording:
    """Return the recording of a `torch.autograd.profiler.profile`.

    Raises
    ------
    SourceError
        It is disabled, has not run, or is still recording.
    """
    name = "torch.autograd.profiler.profile"
    if not profiler.enabled:
        _refuse(name, "was made with enabled=False", "it records nothing")
    if profiler.kineto_results is None:
        state = "is still recording" if profiler.entered else "has recorded nothing yet"
        _refuse(name, state, "pass it after its `with` block has ended")
    if isinstance(profiler.kineto_results, KeptResults):
        return profiler.kineto_results.file
    try:
        content = exported(profiler.export_chrome_trace, "trace.json")
    except RuntimeError as error:
        if _SAVED not in str(error):
            raise
        return _saved_before(profiler, profiler.export_chrome_trace, None)
    return _kept(profiler, content)


def of_events(events: Any) -> LiveRecording:
    """Return what an `EventList` holds: the slices of a recording, without memory records.

    Raises
    ------
    SourceError
        It is empty, or holds averages, which have no times.
    """
    if not events:
        _refuse("EventList", "is empty", "profile something first")
    if any(getattr(one, "time_range", None) is None for one in events):
        advice = "averages have no times. Pass the profiler, or prof.events()"
        _refuse("EventList", "is what key_averages() returned", advice)
    return MemoryFile(f"{worker_name()}.pt.trace.json", trace_of_events(events), run=RUN)


def keep(
    profiler: Any,
    name: str,
    *,
    run: str = RUN,
    edit: Callable[[bytes], bytes] | None = None,
) -> MemoryFile:
    """Save the last recording of a `torch.profiler.profile` to memory, and keep it there.

    Parameters
    ----------
    profiler : torch.profiler.profile
        The profiler, which can export the recording as often as before.
    name, run : str
        Name of the file, and of its run.
    edit : callable, optional
        Changes the content.

    Raises
    ------
    RuntimeError
        The recording was saved before.
    """
    content = exported(profiler.export_chrome_trace, "trace.json")
    return _kept(profiler.profiler, content if edit is None else edit(content), name, run)


def _kept(inner: Any, content: bytes, name: str = "", run: str = RUN) -> MemoryFile:
    file = MemoryFile(name or f"{worker_name()}.pt.trace.json", content, run=run)
    inner.kineto_results = KeptResults(inner.kineto_results, file)
    return file


def _saved_before(
    inner: Any, export: Callable[..., object], on_trace_ready: object
) -> LiveRecording:
    """Return a recording that was saved before it was passed to nbprof."""
    written = file_of_handler(on_trace_ready, getattr(inner, "trace_id", ""))
    if written is not None:
        return str(written)
    if "use_python_export" in inspect.signature(export).parameters:
        content = exported(lambda path: export(path, use_python_export=True), "trace.json")
    else:
        content = trace_of_events(inner.function_events)
    return _kept(inner, content)


def _check_not_replaced(profiler: Any) -> None:
    """Raise an error if the profiler stopped in a warm-up, which leaves an empty recording."""
    action = getattr(getattr(profiler, "current_action", None), "name", "")
    if action == "WARMUP" and not getattr(profiler, "acc_events", False):
        _refuse(
            "torch.profiler.profile",
            f"was stopped while it warmed up (step {profiler.step_num} of its schedule)",
            "that replaced what it had recorded by an empty recording. Use a schedule with "
            "repeat=1, stop it earlier, pass the folder if a handler wrote one, or record with "
            "nbprof.profile, which keeps every span",
        )


def _state(profiler: Any) -> tuple[str, str]:
    """Return the state of a profiler without a recording, and what to do."""
    inner = getattr(profiler, "profiler", None)
    started = inner is not None or getattr(profiler, "step_num", 0) > 0
    state = "is still recording" if inner is not None else "has recorded nothing yet"
    if not getattr(profiler, "record_steps", False):
        return state, "pass it after prof.stop(), or after its `with` block" + (
            "" if started else ", which has to run first"
        )
    return state, (
        f"it is at step {profiler.step_num} of its schedule. Pass it after the prof.step() that "
        "ends an active phase, or after prof.stop()"
    )


def _refuse(kind: str, state: str, advice: str) -> NoReturn:
    """Raise the error for an object that holds no recording."""
    message = f"This {kind} {state}: {advice}."
    raise SourceError(message)
