"""``nbprof trace``: a trace, or a part of it, as a Chrome JSON file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nbprof.cli.choice import chosen_trace
from nbprof.cli.output import OutputError, message, progress
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import Filter
from nbprof.model.filters.notices import named
from nbprof.model.units import format_bytes
from nbprof.profile import load

if TYPE_CHECKING:
    import argparse


def trace(args: argparse.Namespace) -> int:
    """Run ``nbprof trace`` and return its exit status."""
    if args.output == "-":
        text = "A trace is written to a file, not to stdout: name one with -o."
        raise UnknownNameError(text)
    filter_ = Filter(steps=args.steps, time_us=args.time)
    chosen = chosen_trace(load(args.logdir, progress=progress(), step=args.step_name), args).filter(
        filter_
    )
    model = chosen.read().model
    if args.steps is not None and not model.steps.recorded:
        message("No steps are marked in this trace: the whole recording is step 0.")
    if not chosen.holds_events():
        text = f"No event lies in the part ({named(filter_)}): nothing is written."
        raise OutputError(text)
    try:
        chosen.to_chrome_trace(args.output)
    except FileExistsError as error:
        raise OutputError(str(error)) from error
    except OSError as error:
        text = f"{args.output}: {error.strerror or error}"
        raise OutputError(text) from error
    message(f"wrote {args.output} ({format_bytes(Path(args.output).stat().st_size)})")
    return 0
