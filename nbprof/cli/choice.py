"""Which trace of a profile a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.cli.output import message

if TYPE_CHECKING:
    import argparse

    from nbprof.profile import Profile
    from nbprof.trace import Trace


def chosen_trace(profile: Profile, args: argparse.Namespace) -> Trace:
    """Return the trace that the options name, by default the first, and say which one it is.

    Raises
    ------
    UnknownNameError
        There is no such run, worker or span.
    """
    trace = profile.trace(args.run, args.worker, args.span)
    others = len(profile) - 1
    if others > 0 and None in (args.run, args.worker, args.span):
        message(
            f"run {trace.run!r}, worker {trace.worker!r}, span {trace.span};"
            f" {others} more to choose from with --run, --worker, --span."
        )
    return trace
