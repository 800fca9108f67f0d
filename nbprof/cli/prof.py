"""``nbprof prof``: prints the report of PyProf, a line for each kernel."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from nbprof.analysis.pyprof.dictionaries import read_dictionaries
from nbprof.analysis.pyprof.report import report_of
from nbprof.analysis.pyprof.text import csv_lines, fitted_lines, plain_lines
from nbprof.cli.output import is_terminal, message, progress, write
from nbprof.cli.trace_selection import chosen_trace, filter_of
from nbprof.loading import load

if TYPE_CHECKING:
    import argparse

    import pyarrow as pa

#: Kinds of reasons for missing figures that are listed.
_MOST_REASONS = 3


def prof(args: argparse.Namespace) -> int:
    """Run ``nbprof prof`` and return its exit status."""
    report = _from_standard_input() if args.logdir == "-" else _from_trace(args)
    if args.csv:
        lines = csv_lines(report, args.columns)
    elif args.width or is_terminal():
        width = args.width or shutil.get_terminal_size().columns
        lines = fitted_lines(report, args.columns, width)
    else:
        lines = plain_lines(report, args.columns)
    write("".join(f"{line}\n" for line in lines).encode())
    _say_what_is_missing(report)
    return 0


def _from_standard_input() -> pa.Table:
    records, skipped = read_dictionaries(sys.stdin)
    if skipped:
        message(f"{len(skipped)} lines left out; the first: {skipped[0]}.")
    return report_of(records)


def _from_trace(args: argparse.Namespace) -> pa.Table:
    profile = load(args.logdir, progress=progress(), step=args.step_name)
    trace = chosen_trace(profile, args).filter(filter_of(args))
    return trace.kernel_launches(names="pyprof")


def _say_what_is_missing(report: pa.Table) -> None:
    """Say how much of the kernel time has no figures, and why."""
    durations = report["sil"].to_pylist()
    reasons: dict[str, int] = {}
    for status, duration in zip(report["status"].to_pylist(), durations, strict=True):
        if status != "ok":
            reasons[status] = reasons.get(status, 0) + duration
    total = sum(durations)
    if not reasons or not total:
        return
    most = sorted(reasons, key=lambda one: -reasons[one])[:_MOST_REASONS]
    share = 100 * sum(reasons.values()) / total
    said = "; ".join(f"{one} ({100 * reasons[one] / total:.1f} %)" for one in most)
    message(f"{share:.1f} % of the kernel time has no FLOPs and bytes: {said}.")
