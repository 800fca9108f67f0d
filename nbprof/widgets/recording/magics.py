"""The magics ``%nbprof``, which shows files, and ``%%nbprof``, which records a cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from IPython.core import magic
from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from nbprof.model.reprs import did_you_mean
from nbprof.sources.live.handler import trace_handler
from nbprof.sources.live.recording import profiler_module
from nbprof.widgets.recording.cell_code import CellCode
from nbprof.widgets.recording.profile import profile, show_recording
from nbprof.widgets.show import show
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from nbprof.sources.live.recording import Recording
    from nbprof.widgets.explorer import Explorer

_line_magic: Any = magic.line_magic
_cell_magic: Any = magic.cell_magic

#: Lets a semicolon at the end of a cell suppress its value, where IPython is new enough.
_silenced: Any = getattr(magic, "output_can_be_silenced", lambda function: function)

#: Arguments that choose what is recorded besides operators and kernels.
_PARTS: Final = {
    "profile_memory": "--memory",
    "with_stack": "--stacks",
    "record_shapes": "--shapes",
}


@magic.magics_class
class ProfileMagics(magic.Magics):
    """The magics of nbprof."""

    shell: Any

    @magic_arguments(name="nbprof")
    @argument("source", nargs="+", help="Log directories, files, globs, or names of variables.")
    @argument("--view", "-v", default="overview", help="The view to start with.")
    @argument("--run", help="The run to start with.")
    @argument("--worker", help="The worker to start with.")
    @argument("--span", type=int, help="The span to start with.")
    @argument("--step", help="The annotations to use as steps.")
    @argument("--watch", action="store_true", help="Refresh the view when files arrive.")
    @_line_magic("nbprof")
    def show_files(self, line: str) -> Explorer:
        """Show profiles, as nbprof.show does.

        Examples::

          %nbprof logs/
          %nbprof logs/ --view kernels --worker worker0
          %nbprof prof

        The last one shows what a variable holds: a profiler that has stopped, or a profile.
        ``%%nbprof?`` explains how to record a cell.
        """
        args = parse_argstring(self.show_files, line)
        _check_view(args.view)
        names = self.shell.user_ns
        sources = [one if Path(one).exists() else names.get(one, one) for one in args.source]
        step = {} if args.step is None else {"step": args.step}
        return show(
            sources[0] if len(sources) == 1 else sources,
            view=args.view,
            run=args.run,
            worker=args.worker,
            span=args.span,
            watch=args.watch,
            **step,
        )

    @magic_arguments(name="%nbprof")
    @argument(
        "--steps", "-n", type=int, help="Run the cell this many times, and count each as a step."
    )
    @argument(
        "--warmup", "-w", type=int, default=0, help="Run it this many times before, unrecorded."
    )
    @argument("--memory", dest="profile_memory", action="store_true", help="Record allocations.")
    @argument(
        "--stacks", dest="with_stack", action="store_true", help="Record Python frames and modules."
    )
    @argument(
        "--shapes", dest="record_shapes", action="store_true", help="Record the shapes of inputs."
    )
    @argument("--bare", action="store_true", help="Record none of the three.")
    @argument("--view", "-v", default="overview", help="The view to start with.")
    @argument("--name", help="Name of the run in the view.")
    @argument("--output", "-o", help="A variable for the recording; nbprof.load takes it.")
    @argument("--folder", "-f", help="A folder for the trace, which is else only in memory.")
    @_silenced
    @_cell_magic("nbprof")
    def record_cell(self, line: str, cell: str) -> Any:
        """Record the cell with PyTorch's profiler, and show the profile.

        The cell runs as always: its variables stay, and the value of its last expression is its
        output. If it raises, what ran until then is shown.

        Memory, stacks and shapes are all recorded unless some are named: then only these are.
        They slow the cell down; ``--bare`` leaves out all three.

        Examples::

          %%nbprof
          loss = train(batch)

          %%nbprof -n 5 --warmup 2 --shapes --view operators
          train(next(batches))

        ``%nbprof?`` explains how to show files.
        """
        __tracebackhide__ = True
        args = parse_argstring(self.record_cell, line)
        _check_view(args.view)
        _check_counts(args)
        profiler_module()
        code = CellCode(self.shell, cell)
        handler = None if args.folder is None else trace_handler(args.folder)
        recording = profile(
            schedule=_schedule(args),
            on_trace_ready=handler,
            name=args.name,
            show=False,
            **_parts(args),
        )
        try:
            return _run(recording, code, args)
        finally:
            if args.output is not None:
                self.shell.user_ns[args.output] = recording
            show_recording(recording, args.view)


def _run(recording: Recording, code: CellCode, args: Namespace) -> Any:
    """Run the code as often as asked, and return its last value."""
    __tracebackhide__ = True
    value = None
    with recording:
        for _ in range(args.warmup + (args.steps or 1)):
            value = None  # releases the one before
            value = code.run()
            if args.steps or args.warmup:
                recording.step()
    return value


def _schedule(args: Namespace) -> Callable[[int], Any] | None:
    """Return which of the runs are recorded; None for all."""
    if not args.warmup:
        return None
    actions = profiler_module().ProfilerAction
    last = args.warmup + (args.steps or 1) - 1

    def action(step: int) -> Any:
        if step < args.warmup:
            return actions.WARMUP
        if step > last:
            return actions.NONE
        return actions.RECORD_AND_SAVE if step == last else actions.RECORD

    return action


def _parts(args: Namespace) -> dict[str, Any]:
    named = {option for option in _PARTS if getattr(args, option)}
    if args.bare or named:
        everything = {option: option in named for option in _PARTS}
        shapes = "record_shapes" in named
        return {**everything, "with_flops": shapes, "with_modules": "with_stack" in named}
    return {}


def _check_counts(args: Namespace) -> None:
    if args.warmup < 0 or (args.steps is not None and args.steps < 1):
        message = "--steps counts from 1, and --warmup from 0."
        raise UsageError(message)
    if args.bare and any(getattr(args, option) for option in _PARTS):
        message = f"--bare records none of {', '.join(_PARTS.values())}."
        raise UsageError(message)
    if args.output is not None and not args.output.isidentifier():
        message = f"--output needs the name of a variable, not {args.output!r}."
        raise UsageError(message)


def _check_view(name: str) -> None:
    if name not in VIEWS:
        names = VIEWS.names()
        message = (
            f"There is no view {name!r}.{did_you_mean(name, names)} Views: {', '.join(names)}."
        )
        raise UsageError(message)
