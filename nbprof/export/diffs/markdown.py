"""A report as Markdown: a comment on a pull request, with one headline and folded tables."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from nbprof.diffs.gate.verdicts import Verdict, amount
from nbprof.export.diffs.report import Change, Report, shown_table, title_of
from nbprof.model.names.short_names import middle_cut
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_TICKS: Final = re.compile(r"`+")
#: Columns of tables whose cells are names.
_NAMES: Final = frozenset({"name", "operator", "module", "input_shapes"})


def markdown(report: Report) -> str:
    """Return a report as Markdown of GitHub and GitLab."""
    sign = "❌" if report.failed else "✅" if report.verdicts else ""
    lines = [f"### {sign} {report.headline}".replace("  ", " "), ""]
    if report.reason:
        lines += [plain(report.reason), ""]
    if report.verdicts:
        lines += map(_verdict, report.verdicts)
        lines.append("")
    for title, changes in (("Slower", report.slower), ("Faster", report.faster)):
        if changes:
            lines += [f"**{title}**", "", *map(_changed, changes), ""]
    if not report.slower and not report.faster:
        lines += ["Nothing in the step changed by more than the noise.", ""]
    for word, table in report.tables.items():
        heads, rows = shown_table(table)
        lines += ["<details>", f"<summary>{escape(_summary(report, word))}</summary>", ""]
        lines += [*_table(heads, rows), "", "</details>", ""]
    lines += [f"> {plain(note)}" for note in report.notes]
    one, other = (f"{side['run']}, {side['worker']}" for side in report.sides)
    unit = "Medians per step" if report.per_step else "Sums of the recordings"
    lines += ["", f"<sub>{unit}. Baseline: {code(one)}; candidate: {code(other)}.</sub>", ""]
    return "\n".join(lines)


def _verdict(one: Verdict) -> str:
    mark = "❌" if one.failed else "✅"
    return f"- {mark} {code(one.limit)}: {plain(f'{one.figures}; {one.verdict}.')}"


def _changed(change: Change) -> str:
    times = f"{amount(change.baseline_us, 'us')} → {amount(change.candidate_us, 'us')}"
    word = f", {change.change}" if change.change in ("added", "removed") else ""
    delta = amount(change.delta_us, "us", signed=True)
    return f"- {code(change.name)} **{delta}** ({plain(change.category)}, {times}{word})"


def _summary(report: Report, word: str) -> str:
    shown, every = report.tables[word].num_rows, report.rows[word]
    rows = f"{every:,} rows" if shown == every else f"the first {shown:,} of {every:,} rows"
    return f"{title_of(word)} ({rows})"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    numbers = len(heads) - 5
    words = (*range(numbers), len(heads) - 1)
    line = "|".join("---" if at in words else "--:" for at in range(len(heads)))
    lines = [f"| {' | '.join(heads)} |", f"|{line}|"]
    for row in rows:
        cells = [
            code(cell) if head in _NAMES and cell.strip() else plain(cell)
            for head, cell in zip(heads, row, strict=True)
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def code(name: str) -> str:
    """Return an untrusted name as a code span that it cannot end, also in a table.

    A bar ends a cell of a table even in a code span; only there is it escaped by a backslash.
    """
    text = middle_cut(printable(name), 90).replace("|", "\\|")
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{text}{space}{fence}"


def plain(text: str) -> str:
    """Return untrusted text without any meaning for Markdown or HTML."""
    shown = printable(text)
    return re.sub(r"([\\`*_\[\]<>#|~@&])", lambda found: f"&#{ord(found[1])};", shown)
