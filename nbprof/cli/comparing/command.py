"""``nbprof diff``: compares two runs, and fails where a limit is exceeded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbprof.cli.output import expect_writable, message, progress, write, write_text
from nbprof.cli.trace_selection import filter_of
from nbprof.diffs.diff import Diff
from nbprof.diffs.gate.limits import Limit
from nbprof.diffs.gate.unreadable import expect_readable
from nbprof.diffs.gate.verdicts import check
from nbprof.diffs.lookup import diff_table
from nbprof.export.diffs.formats import SUFFIXES, report_text
from nbprof.export.diffs.report import Report
from nbprof.loading import load
from nbprof.sources.discovery.catalog import in_jobs

if TYPE_CHECKING:
    import argparse

    from nbprof.profiles import Profile
    from nbprof.trace import Trace

#: The exit status if a limit is exceeded.
EXCEEDED = 3

#: Rows of each table if ``--limit`` is not given; files of data have all.
ROWS = 20


def diff(args: argparse.Namespace) -> int:
    """Run ``nbprof diff`` and return its exit status."""
    limits = [Limit.parse(text) for text in args.fail_if or ()]
    words = list(dict.fromkeys(args.by or ["category", "operator"]))
    for word in words:
        diff_table(word)
    filter_ = filter_of(args)
    format_ = _format(args)
    expect_writable(args.output)
    # All errors in the command have been found; now read the data.
    profiles = [load(path, progress=progress(), step=args.step_name) for path in (args.a, args.b)]
    chosen = [_traces(profile, args, to=at == 1) for at, profile in enumerate(profiles)]
    for profile, traces in zip(profiles, chosen, strict=True):
        expect_readable(profile, traces)
    compared = Diff(*chosen, sources=(profiles[0], profiles[1]))
    if filter_:
        compared = compared.filter(filter_)
    verdicts = [check(compared, limit, strict=args.strict) for limit in limits]
    rows = args.limit if args.limit is not None else None if format_ == "json" else ROWS
    report = Report.of(compared, words, verdicts, limit=rows)
    written = report_text(report, format_)
    if format_ == "text" and args.output is None:
        write_text(written)
    else:
        write(written.encode(), args.output)
    if args.output is not None:
        message(report.headline)
    for verdict in verdicts:
        if verdict.exceeded:
            message(verdict.sentence)
    return EXCEEDED if report.failed else 0


def _format(args: argparse.Namespace) -> str:
    if args.output == "-":
        args.output = None
    if args.format is not None or args.output is None:
        return args.format or "text"
    suffix = Path(args.output).suffix.lower()
    return next((name for name, suffixes in SUFFIXES.items() if suffix in suffixes), "text")


def _traces(profile: Profile, args: argparse.Namespace, *, to: bool) -> list[Trace]:
    """Return the traces of a side: one, or with ``--all`` one of every worker of the run."""

    def chosen(name: str) -> Any:
        own = getattr(args, f"to_{name}") if to else None
        return getattr(args, name) if own is None else own

    first = profile.trace(chosen("run"), chosen("worker"), chosen("span"))
    job = in_jobs([trace.file for trace in profile if trace.run == first.run])
    of_run = [trace for trace in profile if trace.file in job]
    workers = list(dict.fromkeys(trace.worker for trace in of_run))
    if args.all:
        return [
            next(t for t in of_run if t.worker == worker and _is_span(t, chosen("span")))
            for worker in workers
            if any(t.worker == worker and _is_span(t, chosen("span")) for t in of_run)
        ]
    if len(workers) > 1 and chosen("worker") is None:
        side = "candidate" if to else "baseline"
        others = len(workers) - 1
        message(
            f"{side}: worker {first.worker!r} of run {first.run!r}; {others} more can be chosen"
            " with --worker, or all with --all."
        )
    return [first]


def _is_span(trace: Trace, span: int | None) -> bool:
    return span is None or trace.span == span
