"""`Recording`: runs PyTorch's profiler and keeps every span that it records."""

from __future__ import annotations

import re
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import RecordingError
from nbprof.sources.kineto.live.objects import RUN, keep
from nbprof.sources.live.worker import worker_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from nbprof.sources.live.memory_file import MemoryFile

#: A last step that is shorter than this share of the others is the rest after the last `step()`.
_REST: Final = 0.1

_BRACE: Final = re.compile(rb"[{}]")


class Recording:
    """A recording by `nbprof.profile`, which `nbprof.load` and `nbprof.show` take.

    Everything that it does not have itself is an attribute of the `torch.profiler.profile` that it
    runs, such as ``key_averages()``, ``events()`` and ``export_chrome_trace(path)``.

    Parameters
    ----------
    schedule : callable, optional
        As of `torch.profiler.profile`; without one everything is recorded.
    on_trace_ready : callable, optional
        Called with the `torch.profiler.profile` whenever a span has ended.
    run : str, optional
        Name of the run.
    when_left : callable, optional
        Called with the recording when its ``with`` block has ended.
    **options
        Other arguments of `torch.profiler.profile`.

    Attributes
    ----------
    files : list of MemoryFile
        The spans that have ended.
    profiler : torch.profiler.profile
        The profiler.

    Raises
    ------
    RecordingError
        PyTorch is not installed.
    """

    def __init__(
        self,
        *,
        schedule: Callable[[int], Any] | None = None,
        on_trace_ready: Callable[[Any], object] | None = None,
        run: str | None = None,
        when_left: Callable[[Recording], object] | None = None,
        **options: Any,
    ) -> None:
        torch_profiler = profiler_module()
        self.files: list[MemoryFile] = []
        self._run = run or RUN
        self._handler = on_trace_ready
        self._when_left = when_left
        self._all = schedule is None
        self._step_times: list[int] = []
        always = torch_profiler.ProfilerAction.RECORD
        self.profiler: Any = torch_profiler.profile(
            schedule=schedule or (lambda _: always), on_trace_ready=self._keep, **options
        )

    def start(self) -> None:
        """Start recording, or the schedule."""
        self._step_times = [time.perf_counter_ns()]
        self.profiler.start()

    def step(self) -> None:
        """Mark the end of a training step."""
        self.profiler.step()
        self._step_times.append(time.perf_counter_ns())

    def stop(self) -> None:
        """Stop recording."""
        self._step_times.append(time.perf_counter_ns())
        self.profiler.stop()

    def __enter__(self) -> Recording:  # noqa: PYI034 - typing.Self is newer than 3.10
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._step_times.append(time.perf_counter_ns())
        self.profiler.__exit__(kind, error, trace)
        if self._when_left is not None:
            self._when_left(self)

    def _keep(self, profiler: Any) -> None:
        """Keep the span that has ended, and pass the profiler on."""
        edit = self._without_rest if self._all else None
        name = f"{worker_name()}.{time.time_ns()}.pt.trace.json"
        self.files.append(keep(profiler, name, run=self._run, edit=edit))
        if self._handler is not None:
            self._handler(profiler)

    def _without_rest(self, content: bytes) -> bytes:
        """Remove the mark of a last step that is only what follows the last call of `step`.

        Without a schedule a step begins with each call, also with the last. Without any call there
        are no steps.
        """
        *steps, rest = [
            after - before
            for before, after in zip(self._step_times, self._step_times[1:], strict=False)
        ]
        if steps and rest > _REST * sum(steps) / len(steps):
            return content
        return without_event(content, f"ProfilerStep#{self.profiler.step_num}")

    def __getattr__(self, name: str) -> Any:
        if name == "profiler":  # not set yet
            raise AttributeError(name)
        return getattr(self.profiler, name)

    def __repr__(self) -> str:
        """Return one line: the number of spans, and what can be done with them."""
        spans = f"{len(self.files)} span{'' if len(self.files) == 1 else 's'} recorded"
        return f"<nbprof.profile: {spans}; nbprof.show and nbprof.load take it>"


def without_event(content: bytes, name: str) -> bytes:
    """Remove the only event of a name from the text of a trace; an unexpected text is kept as is.

    Parameters
    ----------
    content : bytes
        A Chrome trace as Kineto writes it: the name of an event comes before its arguments.
    name : str
        Name of an event whose arguments contain no braces in texts.
    """
    found = list(re.finditer(rb'"name"\s*:\s*"' + re.escape(name.encode()) + rb'"', content))
    if len(found) != 1:
        return content
    start, depth, end = content.rfind(b"{", 0, found[0].start()), 0, -1
    for brace in _BRACE.finditer(content, max(start, 0)):
        depth += 1 if brace[0] == b"{" else -1
        if depth == 0:
            end = brace.end()
            break
    before, after = content[:start].rstrip(), content[end:].lstrip()
    if start < 0 or end < 0 or not after.startswith((b",", b"]")):
        return content
    if after.startswith(b","):
        return before + after[1:]
    return before.removesuffix(b",") + after


def profiler_module() -> Any:
    """Return `torch.profiler`.

    Raises
    ------
    RecordingError
        PyTorch is not installed, or is broken.
    """
    try:
        return import_module("torch.profiler")
    except ImportError as error:
        message = (
            f"Recording needs PyTorch, which cannot be imported here ({error}). Install it in the "
            "environment of this kernel (pip install torch), or record elsewhere: nbprof shows "
            "files without PyTorch."
        )
        raise RecordingError(message) from None
