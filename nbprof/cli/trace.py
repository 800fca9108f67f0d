"""``nbprof trace``: writes a trace, or a part of it, as a Chrome JSON file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.cli.output import OutputError, expect_writable, message, progress, write_errors, wrote
from nbprof.cli.trace_selection import chosen_trace
from nbprof.loading import load
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.empty_results import filter_text
from nbprof.model.filters.filter import Filter
from nbprof.model.filters.selection import holds_events

if TYPE_CHECKING:
    import argparse


def trace(args: argparse.Namespace) -> int:
    """Run ``nbprof trace`` and return its exit status."""
    if args.output == "-":
        text = "A trace cannot be written to stdout: give a file with -o."
        raise UnknownNameError(text)
    expect_writable(args.output)
    filter_ = Filter(steps=args.steps, time_us=args.time)
    chosen = chosen_trace(load(args.logdir, progress=progress(), step=args.step_name), args).filter(
        filter_
    )
    model = chosen.read().model
    if args.steps is not None and not model.steps.recorded:
        message("No steps are marked in this trace: the whole recording is step 0.")
    if not holds_events(model, filter_):
        text = f"No event matches ({filter_text(filter_)}): nothing was written."
        raise OutputError(text)
    with write_errors(args.output):
        chosen.to_chrome_trace(args.output)
    wrote(args.output)
    return 0
