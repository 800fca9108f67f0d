"""Writes a report in one of its formats: text, Markdown, JSON or a page."""

from __future__ import annotations

import dataclasses
import json
import math
from html import escape
from typing import TYPE_CHECKING, Any, Final

from nbprof.diffs.gate.verdicts import amount
from nbprof.export.diffs.markdown import markdown
from nbprof.export.diffs.report import Change, Report, shown_table, title_of
from nbprof.export.text.table import cells as columns_of
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Formats by name, with the suffixes of files that have them.
SUFFIXES: Final = {"text": (".txt",), "md": (".md",), "json": (".json",), "html": (".html", ".htm")}
FORMATS: Final = tuple(SUFFIXES)

_STYLE: Final = """\
:root{color-scheme:light dark}
body{margin:0 auto;max-width:1100px;padding:16px;background:Canvas;color:CanvasText;
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
h1{font-size:20px}h2{font-size:16px;margin:20px 0 6px}
p,li{margin:3px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:13px}
th,td{padding:3px 10px;text-align:left;border-bottom:1px solid rgba(128,128,128,.35)}
th{font-weight:600;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.name{overflow-wrap:anywhere;white-space:pre-wrap}
.same{opacity:.55}
.failed{color:#b42318}.kept{color:#137333}
@media (prefers-color-scheme:dark){.failed{color:#ff8a80}.kept{color:#81c995}}
"""


def report_text(report: Report, format_: str) -> str:
    """Return a report as text in one of `FORMATS`."""
    return _WRITERS[format_](report)


def text(report: Report) -> str:
    """Return a report for a terminal."""
    lines = [report.headline, *([report.reason] if report.reason else [])]
    lines += [f"{'FAILED' if one.failed else 'ok':>6}  {one.sentence}" for one in report.verdicts]
    for title, changes in (("Slower", report.slower), ("Faster", report.faster)):
        if changes:
            lines += ["", title, *_aligned([_cells(change) for change in changes], (0,))]
    for word, table in report.tables.items():
        heads, rows = shown_table(table)
        left = (*range(len(heads) - 5), len(heads) - 1)
        lines += ["", f"{title_of(word)}:", *_aligned([heads, *rows], left)]
        more = report.rows[word] - len(rows)
        lines += [f"  and {more:,} more rows"] if more else []
    lines += ["", *report.notes] if report.notes else []
    return "\n".join(lines) + "\n"


def _cells(change: Change) -> list[str]:
    times = f"{amount(change.baseline_us, 'us')} → {amount(change.candidate_us, 'us')}"
    name = f"{printable(change.name)} ({change.category})"
    return [name, amount(change.delta_us, "us", signed=True), times]


def _aligned(rows: Sequence[Sequence[str]], left: Sequence[int]) -> list[str]:
    """Return rows of cells as lines of aligned columns."""
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - columns_of(cell))
            padded.append(cell + space if at in left else space + cell)
        lines.append("  " + "  ".join(padded).rstrip())
    return lines


def _as_json(report: Report) -> str:
    """Return a report as JSON, with all columns of its tables in their units."""
    content: dict[str, Any] = {
        "headline": report.headline,
        "reason": report.reason,
        "baseline": report.sides[0],
        "candidate": report.sides[1],
        "per_step": report.per_step,
        "complete_steps": list(report.complete_steps),
        "failed": report.failed,
        "limits": [{**dataclasses.asdict(one), "verdict": one.verdict} for one in report.verdicts],
        "slower": [dataclasses.asdict(one) for one in report.slower],
        "faster": [dataclasses.asdict(one) for one in report.faster],
        "notes": report.notes,
        "tables": {word: table.to_pylist() for word, table in report.tables.items()},
    }
    return json.dumps(_finite(content), ensure_ascii=False, indent=1) + "\n"


def _finite(value: Any) -> Any:
    """Return a value whose numbers JSON can hold: NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def page(report: Report) -> str:
    """Return a report as a page without scripts."""
    parts = [f"<h1>{escape(report.headline)}</h1>"]
    parts += [f"<p>{escape(report.reason)}</p>"] if report.reason else []
    parts += [
        f'<p class="{"failed" if one.failed else "kept"}">{"✗" if one.failed else "✓"} '
        f"{escape(printable(one.sentence))}</p>"
        for one in report.verdicts
    ]
    for title, changes in (("Slower", report.slower), ("Faster", report.faster)):
        if changes:
            rows = [_cells(change) for change in changes]
            parts += [f"<h2>{title}</h2>", _html_table(["name", "difference", "time"], rows, 1)]
    for word, table in report.tables.items():
        heads, rows = shown_table(table)
        parts += [f"<h2>{escape(title_of(word))}</h2>", _html_table(heads, rows, len(heads) - 5)]
        more = report.rows[word] - len(rows)
        parts += [f"<p>and {more:,} more rows</p>"] if more else []
    parts += [f"<p>{escape(printable(note))}</p>" for note in report.notes]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(report.headline)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> str:
    """Return a table; the first columns are names, the others numbers, the last may be a word."""
    kinds = ["name" if at < names else "n" for at in range(len(heads))]
    head = "".join(
        f'<th class="{kind}">{escape(one)}</th>' for kind, one in zip(kinds, heads, strict=True)
    )
    body = []
    for row in rows:
        muted = ' class="same"' if row[-1] == "same" else ""
        cells = "".join(
            f'<td class="{kind}">{escape(cell)}</td>' for kind, cell in zip(kinds, row, strict=True)
        )
        body.append(f"<tr{muted}>{cells}</tr>")
    return f'<div class="scroll"><table><tr>{head}</tr>{"".join(body)}</table></div>'


_WRITERS: Final[dict[str, Callable[[Report], str]]] = {
    "text": text,
    "md": markdown,
    "json": _as_json,
    "html": page,
}
