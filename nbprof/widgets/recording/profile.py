"""`profile`: records what a `with` block does, and shows it."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

from nbprof.model.errors import SourceError
from nbprof.sources.live.recording import Recording, profiler_module
from nbprof.widgets.saved.summary import in_kernel

if TYPE_CHECKING:
    from collections.abc import Callable


def profile(
    *,
    schedule: Callable[[int], Any] | None = None,
    on_trace_ready: Callable[[Any], object] | None = None,
    record_shapes: bool = True,
    profile_memory: bool = True,
    with_stack: bool = True,
    with_flops: bool = True,
    with_modules: bool = True,
    name: str | None = None,
    show: bool | None = None,
    view: str = "overview",
    **options: Any,
) -> Recording:
    """Record what a `with` block does, with all that the views can use, and show it.

    The recording is made by `torch.profiler.profile` on the CPU and on every kind of device that
    it supports here: CUDA, ROCm, XPU, MTIA, HPU or a backend of your own. Everything that can be
    recorded slows the training down; docs/recording.md says how much, and what to leave out.

    Parameters
    ----------
    schedule : callable, optional
        When to record, as for `torch.profiler.profile`, such as
        ``torch.profiler.schedule(wait=1, warmup=1, active=3)``. By default everything is recorded.
        In both cases call ``step()`` after every training step.
    on_trace_ready : callable, optional
        Called whenever a part of the schedule was recorded, for example `nbprof.trace_handler`.
    record_shapes, profile_memory, with_stack, with_flops, with_modules : bool
        Options of `torch.profiler.profile`.
    name : str, optional
        Name of the run in the view.
    show : bool, optional
        Whether the recording is shown when the block ends. By default in IPython and Jupyter.
    view : str
        The view to start with.
    **options
        Other arguments of `torch.profiler.profile`, such as ``activities``.

    Returns
    -------
    Recording
        `nbprof.load` and `nbprof.show` take it: every part of the schedule is a span. It has
        ``step()``, ``start()`` and ``stop()``, and all else that a `torch.profiler.profile` has.

    Raises
    ------
    RecordingError
        PyTorch is not installed.

    Examples
    --------
    >>> with nbprof.profile() as recording:  # doctest: +SKIP
    ...     for batch in loader:
    ...         train(batch)
    ...         recording.step()
    >>> nbprof.load(recording).trace().operators()  # doctest: +SKIP
    """
    options = {
        "record_shapes": record_shapes,
        "profile_memory": profile_memory,
        "with_stack": with_stack,
        "with_flops": with_flops,
        "with_modules": with_modules,
        **options,
    }
    if "experimental_config" not in options:
        options["experimental_config"] = _waits_recorded()
    shown = _in_ipython() if show is None else show

    def when_left(recording: Recording) -> None:
        if shown:
            show_recording(recording, view)

    return Recording(
        schedule=schedule,
        on_trace_ready=on_trace_ready,
        run=name,
        when_left=when_left,
        **options,
    )


def show_recording(recording: Recording, view: str = "overview", **options: Any) -> None:
    """Show a recording in the output of the cell; warn if nothing was recorded.

    A `with` block may have been left by an exception, which this must not replace.
    """
    from nbprof.widgets.show import show

    try:
        explorer = show(recording, view=view, **options)
    except SourceError as error:
        warnings.warn(str(error), stacklevel=4)
        return
    if in_kernel():
        from IPython.display import display

        display(explorer)  # type: ignore[no-untyped-call]


def _waits_recorded() -> Any:
    """Return a configuration in which waits for devices are recorded; None where there is none."""
    profiler = profiler_module()
    kinds = {activity.name for activity in profiler.supported_activities()}
    if kinds == {"CPU"}:
        return None
    try:
        return profiler._ExperimentalConfig(enable_cuda_sync_events=True)  # noqa: SLF001 - no other
    except (AttributeError, TypeError):  # versions that cannot
        return None


def _in_ipython() -> bool:
    module = sys.modules.get("IPython")
    return module is not None and module.get_ipython() is not None
