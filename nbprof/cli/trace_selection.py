"""Selects the trace and the filter from command line options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.cli.output import message
from nbprof.model.filters.filter import Filter

if TYPE_CHECKING:
    import argparse

    from nbprof.profiles import Profile
    from nbprof.trace import Trace

#: Options for filter fields, by their names in `Filter`.
FILTER_OPTIONS: Final = {
    "steps": "steps",
    "time_us": "time",
    "name": "name",
    "within": "within",
    "kinds": "kinds",
    "threads": "thread",
    "devices": "device",
    "streams": "stream",
}


def chosen_trace(profile: Profile, args: argparse.Namespace) -> Trace:
    """Return the trace that the options select, by default the first, and report which one it is.

    Raises
    ------
    UnknownNameError
        The run, worker or span does not exist.
    """
    trace = profile.trace(args.run, args.worker, args.span)
    others = len(profile) - 1
    if others > 0 and None in (args.run, args.worker, args.span):
        message(
            f"run {trace.run!r}, worker {trace.worker!r}, span {trace.span};"
            f" {others} more can be selected with --run, --worker and --span."
        )
    return trace


def filter_of(args: argparse.Namespace) -> Filter:
    """Return the filter given by the options.

    Raises
    ------
    FilterError
        The filter cannot be applied.
    """
    given = {field: getattr(args, option) for field, option in FILTER_OPTIONS.items()}
    return Filter(**{field: value for field, value in given.items() if value is not None})
