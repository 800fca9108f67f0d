"""Everything that can be done with a recording, once each: tables, views, pages and commands."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import nbprof
from nbprof.cli import main, output
from nbprof.tables import TABLES
from nbprof.tables.methods import has
from nbprof.widgets.requests.protocol import ReplyTooLargeError
from nbprof.widgets.views.registry import VIEWS
from tests.fuzz.checks import Report
from tests.fuzz.uses import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fuzz.checks import Failure

#: Kinds of failures, as the program itself says them.
_BUGS: Final = ("bug in nbprof", "Traceback")


def everything(source: Path, out: Path) -> list[Failure]:
    """Do everything once with a recording, and return what went wrong.

    Parameters
    ----------
    source : Path
        A file or a folder.
    out : Path
        An existing folder for what is written.
    """
    report = Report()
    with report.of("load"):
        profile = nbprof.load(source, progress=False, cache=False)
        _tables(report, "profile", profile)
        for trace in profile:
            _tables(report, "trace", trace)
        for name in VIEWS.names():
            _view(report, profile, name, out)
    for words in _commands(str(source), out):
        _command(report, words)
    return report.failures


def _commands(source: str, out: Path) -> Iterator[list[str]]:
    yield ["info", source]
    yield from (["table", source, name] for name in TABLES.names())
    yield ["trace", source, "-o", str(out / "written.json")]
    yield ["html", source, "-o", str(out / "written.html")]
    yield ["cache", "list"]


def _tables(report: Report, kind: str, of: nbprof.Profile | nbprof.Trace) -> None:
    """Compute every table with each choice of each of its options."""
    for spec in TABLES.specs():
        if has(kind, spec):
            for options in _choices(spec) if kind == "trace" else ({},):
                with report.of(f"{kind}.{spec.name} {options}"):
                    of.table(spec.name, **options).validate(full=True)


def _choices(spec: Any) -> Iterator[dict[str, Any]]:
    yield {}
    for option in spec.all_options:
        for choice in option.choices or ():
            yield {option.name: choice}


def _view(report: Report, profile: nbprof.Profile, name: str, out: Path) -> None:
    """Show a view; write its page, its summary, its saved state and its figures."""
    with report.of(f"view {name}"):
        shown = nbprof.Explorer(profile, view=name)
        try:
            for use, done in {
                "page": lambda: shown.to_html(out / f"{name}.html"),
                "static": shown.static,
                "saved": shown._saver.save,
                "figures": lambda: shown.figures,
                "table": lambda: shown.table.validate(full=True),
            }.items():
                with report.of(f"{use} of {name}"):
                    done()
            for kept in shown.errors:
                refused = isinstance(kept.error, ReplyTooLargeError)
                if refused or not isinstance(kept.error, ANSWERS):
                    report.add(f"view {name}: {kept.op}", type(kept.error).__name__, kept.details)
        finally:
            shown.close()


def _command(report: Report, words: list[str]) -> None:
    """Run a command as a terminal would see it."""
    out, err = io.BytesIO(), io.StringIO()
    stdout = io.TextIOWrapper(out, "utf-8")
    with report.of(f"command {' '.join(words)}"), contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "stdout", stdout))
        stack.enter_context(mock.patch.object(sys, "stderr", err))
        stack.enter_context(mock.patch.object(output, "is_terminal", return_value=True))
        status = main(words)
        if status not in (0, 1, 2) or any(bug in err.getvalue() for bug in _BUGS):
            report.add(f"command {' '.join(words)}", f"status {status}", err.getvalue())
