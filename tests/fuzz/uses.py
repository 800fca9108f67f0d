"""What is done with a recording: tables, views, pages, summaries and commands, as registered."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from traitlets import TraitError

import nbprof
from nbprof.cli import arguments, main, output
from nbprof.diffs import DIFF_TABLES
from nbprof.diffs.gate.limits import Limit
from nbprof.diffs.gate.verdicts import check
from nbprof.export.diffs.formats import FORMATS as REPORTS
from nbprof.export.diffs.formats import report_text
from nbprof.export.diffs.report import Report as DiffReport
from nbprof.export.table_formats import FORMATS
from nbprof.model.errors import NbprofError
from nbprof.tables import TABLES
from nbprof.tables.methods import has
from nbprof.widgets.requests.handlers import operations
from nbprof.widgets.requests.protocol import ReplyTooLargeError, RequestError
from nbprof.widgets.views import groupings
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from random import Random

    from tests.fuzz.checks import Report

#: What a view may answer with; the browser shows it.
ANSWERS: Final = (NbprofError, TraitError, RequestError)

#: Conditions of filters, and questions of the browser.
FILTERS: Final[tuple[dict[str, Any], ...]] = (
    *({"steps": (1, 2)}, {"name": "a"}, {"time_us": (0.0, 500.0)}, {"kinds": ("kernel",)}),
    *({"within": "a"}, {"devices": (0,)}, {"streams": (7,)}, {"threads": (1,)}, {"name": "/a|b/"}),
    *({"steps": (-5, 10**9)}, {"time_us": (-1e12, 1e12)}, {"name": "\x1b[31m"}),
)


#: Limits of a comparison.
LIMITS: Final = ("step_us > +5%", "memory_peak_bytes > +1KB", "operator:/a/ host_self_us < -5%",
                 "kernel:gemm total_us > +1us")  # fmt: skip


#: What is typed into the search of a table.
SEARCHES: Final = (
    *("a", ".", "[", "/a|b/", "/(a+)+$/", "name != a", "calls > 1 & name:/a/", "duration > 0.1us"),
    *("queue > 100us & direction = backward", "bytes >= 1e18", "start_us < -1", "stream = 7"),
    *("kind = x", "address > 1e300", "count != 1e999", "operator:/[/", "\x1b[31m & a", "name = "),
)


def options_of(name: str, chance: Random) -> dict[str, Any]:
    """Return options of a table, each of its choices as likely as the others."""
    found: dict[str, Any] = {}
    for option in TABLES[name].all_options:
        if option.choices and chance.random() < 0.5:
            found[option.name] = chance.choice(option.choices)
        elif not option.choices and option.type in (int, float) and chance.random() < 0.3:
            found[option.name] = option.type(chance.choice((0, 1, 100)))
    return found


def trace_table(report: Report, trace: nbprof.Trace, chance: Random) -> None:
    """Compute a table of a trace, often under a filter, and write its texts."""
    specs = [spec for spec in TABLES.specs() if has("trace", spec)]
    name = chance.choice(specs).name
    options = options_of(name, chance)
    conditions = chance.choice(FILTERS) if chance.random() < 0.4 else {}
    with report.of(f"trace.{name} {options} {conditions}"):
        made = (trace.filter(**conditions) if conditions else trace).table(name, **options)
        made.validate(full=True)


def profile_table(report: Report, profile: nbprof.Profile, chance: Random) -> None:
    """Compute a table of a profile."""
    specs = [spec for spec in TABLES.specs() if has("profile", spec)]
    name = chance.choice(specs).name
    conditions = chance.choice(FILTERS) if chance.random() < 0.3 else {}
    with report.of(f"profile.{name} {conditions}"):
        (profile.filter(**conditions) if conditions else profile).table(name).validate(full=True)


def comparison(report: Report, sides: list[nbprof.Trace], chance: Random) -> None:
    """Compare two recordings: a table, a report, and at times the view."""
    chance.shuffle(sides)
    name = chance.choice(DIFF_TABLES.names())
    conditions = chance.choice(FILTERS) if chance.random() < 0.3 else {}
    with report.of(f"diff.{name} {conditions}"):
        diff = nbprof.diff(*sides)
        diff = diff.filter(**conditions) if conditions else diff
        diff.table(name).validate(full=True)
        form = chance.choice(REPORTS)
        limits = [Limit.parse(chance.choice(LIMITS))]
        verdicts = [check(diff, limit, strict=False) for limit in limits]
        text = report_text(DiffReport.of(diff, ["operator", "tree"], verdicts, limit=20), form)
        report.text(f"diff report {form}", text if form != "json" else "")
        if chance.random() < 0.3:
            shown = nbprof.Explorer(diff)
            try:
                shown._saver.save()
                report.text("diff static", shown.static().text)
            finally:
                shown.close()


def seldom(report: Report, profile: nbprof.Profile, trace: nbprof.Trace, chance: Random) -> None:
    """Compare a trace with another, or give its tables as other tools print them, now and then."""
    if chance.random() < 0.1:
        exported(report, trace)
    if chance.random() < 0.25:
        others = [one for one in profile if one.worker == "neighbour"]
        comparison(report, [trace, *(others or [trace])][:2], chance)


def texts(report: Report, profile: nbprof.Profile, chance: Random) -> None:
    """Look at what is shown of a profile and its traces."""
    with report.of("repr"):
        report.text("repr", repr(profile))
        for trace in profile:
            report.text("repr", repr(trace))
        profile._repr_html_()


def exported(report: Report, trace: nbprof.Trace) -> None:
    """Give the table of PyTorch and the report of PyProf as text."""
    with report.of("key_averages"):
        report.text("key_averages", nbprof.key_averages(trace).text())
    with report.of("pyprof"):
        trace.kernel_launches(names="pyprof").validate(full=True)


def written_trace(report: Report, trace: nbprof.Trace, folder: Path, chance: Random) -> None:
    """Write a trace as a file, and read what was written."""
    path = folder / "written.pt.trace.json"
    with report.of("to_chrome_trace"):
        trace.to_chrome_trace(path)
        nbprof.load(path, progress=False, cache=False).trace().operators()
    with report.of("export_stacks", ValueError):
        trace.export_stacks(folder / "stacks.txt")


def view(report: Report, profile: nbprof.Profile, folder: Path, chance: Random) -> None:
    """Open a view, ask all that a page asks, and save or export it."""
    name = chance.choice(VIEWS.names())
    theme = chance.choice(("auto", "dark"))
    with report.of(f"view {name}", TraitError):
        shown = nbprof.Explorer(profile, view=name, theme=theme)
        try:
            if chance.random() < 0.5:
                shown.filter = {
                    k: list(v) if isinstance(v, tuple) else v
                    for k, v in chance.choice(FILTERS).items()
                }
            _ask(report, shown, name, chance)
            _parts(report, shown, folder, chance)
            report.text("repr", repr(shown))
            for kept in shown.errors:
                refused = isinstance(kept.error, ReplyTooLargeError)  # which leaves a view empty
                if refused or not isinstance(kept.error, ANSWERS):
                    last = [line for line in kept.details.splitlines() if "/nbprof/" in line][-1:]
                    kind = f"{type(kept.error).__name__} {' '.join(last).strip()}"
                    report.add(f"view {name}: {kept.op}", kind, kept.details or str(kept))
                report.text(f"view {kept.op}", str(kept))
        finally:
            shown.close()


def _ask(report: Report, shown: nbprof.Explorer, name: str, chance: Random) -> None:
    """Send requests of the view itself, and some of those that all views send."""
    spec = VIEWS[name]
    state = {**{key: getattr(shown, key) for key in ("run", "worker", "span", "filter", "step")}}
    own = [*spec.operations]
    common = [one for one in operations() if one not in own and one not in _LARGE]
    for op in (*own, *chance.sample(common, 4)):
        table = chance.choice([*spec.tables, spec.main_table, *TABLES])
        ways = (
            groupings.groupings_of(table) if op in ("page", "csv", "stacks") else spec.all_groupings
        )
        params = {
            "state": state,
            "view": name,
            "table": table,
            "width": 300,
            "offset": 0,
            "limit": 20,
            "group_by": chance.choice([*ways]) if ways else "",
            "search": chance.choice(SEARCHES),
            "start_ns": 0,
            "end_ns": chance.choice((1000, 10**9, 2**53)),
            "rows": [[0, 30]],
            "slice": chance.choice((0, 3, 200)),
            "text": "a",
            "row": 0,
            "script": name,
            "lanes": [],
            "tracks": [],
            "theme": "dark",
            "at_ns": 100,
            "from": None,
            "part": "all" if op != "csv" else 0,
            "direction": 1,
            "from_ns": 0,
            "unit": "auto",
        }
        if op == "flame":
            params["rows"] = [0, 30]
        content = {"v": 1, "id": 1, "op": op, "gen": 0, "params": params}
        shown._router.handle(content)


#: Requests whose replies do not depend on the recording.
_LARGE: Final = ("bokehjs", "script", "hello", "page_file", "trace_file")


def _parts(report: Report, shown: nbprof.Explorer, folder: Path, chance: Random) -> None:
    use = chance.choice(("page", "static", "static", "table", "table", "saved", "file", "slow"))
    if use == "slow":
        use = chance.choice(("figures", "svg"))
    with report.of(use, ValueError) if use == "svg" else report.of(use):
        if use == "page":
            shown.to_html(folder / "page.html", private=chance.random() < 0.3)
        elif use == "static":
            made = shown.static()
            report.text("static", made.text)
        elif use == "table":
            shown.table.validate(full=True)
        elif use == "figures":
            assert isinstance(shown.figures, dict)
        elif use == "saved":
            shown._saver.save()
        elif use == "svg":
            charts = list(shown.figures)
            if charts:
                shown.to_svg(folder / "chart.svg", chart=chance.choice(charts))
        else:
            op = chance.choice(("page_file", "trace_file"))
            state = {"run": shown.run, "worker": shown.worker, "span": shown.span, "filter": {}}
            params = {"state": state, "part": 0}
            shown._router.handle({"v": 1, "id": 2, "op": op, "gen": 0, "params": params})


def command(report: Report, source: Path, folder: Path, chance: Random) -> None:
    """Run a command as a terminal or a pipe would see it."""
    words = _words(str(source), folder, chance)
    out, err = io.BytesIO(), io.StringIO()
    stdout = io.TextIOWrapper(out, "utf-8")  # kept, since it closes what it wraps
    terminal = chance.random() < 0.7
    with report.of(f"command {words[0]}"), contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "stdout", stdout))
        stack.enter_context(mock.patch.object(sys, "stderr", err))
        stack.enter_context(mock.patch.object(output, "is_terminal", return_value=terminal))
        status = main(words)
        sys.stdout.flush()
    shown = out.getvalue().decode("utf-8", "replace")
    use = f"command {words[0]} {words[2:]}"
    data = "--format" in words
    for text in (err.getvalue(), shown if terminal or not data else ""):
        report.text(use, text)
    said = err.getvalue()
    if "bug in nbprof" in said or "Traceback" in said:
        lines = [line.strip() for line in said.splitlines()]
        places = [line for line in lines if "/nbprof/" in line][-1:]
        kind = f"{lines[-1].partition(':')[0]} {' '.join(places)}"
        report.add(use, kind, said)
    elif status not in (0, 1, 2, 3):
        report.add(use, f"status {status}", said)


def _words(source: str, folder: Path, chance: Random) -> list[str]:
    """Return a command with its arguments; every command has a turn."""
    (commands,) = (
        action.choices
        for action in arguments._parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    name = chance.choice(list(commands))
    if name == "diff":
        sides = [source, str(Path(source) / "job") if Path(source).name == "logs" else source]
        more = chance.choice(
            ([], ["--all"], ["--by", "tree"], ["--fail-if", chance.choice(LIMITS)])
        )
        return [name, *sides, *more, "--format", chance.choice(REPORTS)]
    taken = {action.dest for action in commands[name]._actions}
    words = [name] + [source] * ("logdir" in taken)
    if "table" in taken:
        words.append(chance.choice(TABLES.names()))
        words += chance.choice(([], ["--format", chance.choice(FORMATS)]))
        words += chance.choice(([], ["--all"]) if "all" in taken else ([],))
    if "heads" in taken and chance.random() < 0.3:
        words.append("--heads")
    if "action" in taken:
        words.append(chance.choice(("list", "size")))
    if "step_name" in taken and chance.random() < 0.1:
        words += ["--step-name", "aten"]
    if name in ("trace", "html"):
        words += ["-o", str(folder / f"written.{'json' if name == 'trace' else 'html'}")]
    return words
