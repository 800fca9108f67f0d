"""``nbprof html``: writes the views of a trace as one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.cli.output import expect_writable, progress, write_errors, wrote
from nbprof.cli.trace_selection import chosen_trace, filter_of
from nbprof.loading import load
from nbprof.model.errors import UnknownNameError

if TYPE_CHECKING:
    import argparse

    from nbprof.model.filters.filter import Filter
    from nbprof.trace import Trace


def html(args: argparse.Namespace) -> int:
    """Run ``nbprof html`` and return its exit status."""
    if args.output == "-":
        text = "A page cannot be written to stdout: give a file with -o."
        raise UnknownNameError(text)
    expect_writable(args.output)
    profile = load(args.logdir, progress=progress(), step=args.step_name)
    trace = chosen_trace(profile, args).read()
    from nbprof.widgets.explorer import Explorer

    view = Explorer(
        profile,
        view=args.view,
        run=trace.run,
        worker=trace.worker,
        span=trace.span,
        filter=_finite(filter_of(args), trace),
        theme=args.theme,
    )
    try:
        with write_errors(args.output):
            view.to_html(args.output, max_bytes=args.max_bytes)
    finally:
        view.close()
    wrote(args.output)
    return 0


def _finite(filter_: Filter, trace: Trace) -> Filter:
    """Return a filter whose open ends are replaced by those of the trace, as pages show both."""
    model = trace.model
    if filter_.steps is not None:
        first, last = filter_.steps
        low, high = int(model.steps.number.min()), int(model.steps.number.max())
        filter_ = filter_.replace(steps=(max(first, min(low, last)), min(last, max(high, first))))
    if filter_.time_us is not None:
        first_us, last_us = filter_.time_us
        end_us = model.metadata.get("end_ns", 0) / 1000
        filter_ = filter_.replace(time_us=(max(first_us, 0.0), min(last_us, max(end_us, first_us))))
    return filter_
