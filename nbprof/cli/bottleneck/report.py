"""The report of ``nbprof bottleneck``, as text and as a page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from nbprof.export.html.elements import Column, Html, join, note, section, table, text
from nbprof.export.text.functions import function_lines
from nbprof.export.text.table import facts_text, text_table
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.cli.bottleneck.findings import Advice
    from nbprof.cli.bottleneck.runs import Run
    from nbprof.trace import Trace

#: Functions and operators listed.
_TOP: Final = 15
_NAME: Final = 70
#: Columns of the tables of operators in the text.
_COLUMNS: Final = ("name", "calls", "host_self_us", "host_total_us")
_DEVICE_COLUMNS: Final = ("device_self_us", "device_total_us")

_STYLE: Final = """\
:root{color-scheme:light dark}
body{margin:0 auto;max-width:1100px;padding:12px 16px 32px;background:Canvas;color:CanvasText;
font:13px/1.45 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
h1{font-size:18px;margin:8px 0 0;overflow-wrap:anywhere}
h2{font-size:15px;margin:24px 0 4px}
li{margin:0 0 6px;overflow-wrap:anywhere}"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True)
class Report:
    """What is reported.

    Attributes
    ----------
    title : str
        The program with its arguments.
    name : str
        The program without folders and arguments, which pages do not repeat.
    facts : list of (str, str)
        The environment, and how the runs ended.
    advice : list of Advice
        What to look at first.
    python, torch : Run
        The run under each profiler; without PyTorch, `torch` is None.
    """

    title: str
    name: str
    facts: list[tuple[str, str]]
    advice: list[Advice]
    python: Run
    torch: Run | None


def report_text(report: Report, width: int | None) -> str:
    """Return the report as text.

    Parameters
    ----------
    report : Report
    width : int or None
        Width of the terminal, to which tables are shortened.
    """
    parts = [f"{printable(report.title)}\n{facts_text(report.facts, indent='  ')}"]
    lines = ["What to look at first"]
    for number, (message, advice) in enumerate(report.advice, start=1):
        lines += [f"  {number}. {printable(message)}", f"     {printable(advice)}"]
    if not report.advice:
        lines.append("  Nothing stands out: the time is spread over many functions.")
    parts.append("\n".join(lines) + "\n")
    if report.python.trace is not None:
        functions = report.python.trace.table("functions")
        parts.append("\n".join(function_lines(functions, _TOP, _NAME)) + "\n")
    if report.torch is not None and report.torch.trace is not None:
        parts += _operators(report.torch.trace, width)
    return "\n".join(parts)


def _operators(trace: Trace, width: int | None) -> list[str]:
    """Return the operators by host and by device self time, as tables."""
    found = trace.operators()
    columns = [*_COLUMNS]
    has_device = found["device_self_us"].null_count < found.num_rows
    sides = ["host"]
    if has_device:
        columns += _DEVICE_COLUMNS
        sides.append("device")
    parts = []
    for side in sides:
        ranked: pa.Table = found.sort_by([(f"{side}_self_us", "descending")])
        listed = text_table(ranked.select(columns).slice(0, _TOP), width=width)
        parts.append(f"Operators by {side} self time: {found.num_rows:,} names\n{listed}")
    return parts


def report_page(report: Report) -> str:
    """Return the report as a page that needs neither scripts nor a network."""
    heads = [Column("", "text"), Column("", "name")]
    facts = table(heads, [[text(name), text(value)] for name, value in report.facts])
    listed = "".join(
        f"<li><b>{text(message)}</b> {text(advice)}</li>" for message, advice in report.advice
    )
    first = Html(f"<ol>{listed}</ol>") if listed else note("Nothing stands out.")
    parts = [
        section("What to look at first", first),
        section("Environment and runs", facts),
        *(
            Html(f"<h2>{text(title)}</h2>{_summary(run.trace)}")
            for title, run in (("cProfile", report.python), ("PyTorch", report.torch))
            if run is not None and run.trace is not None
        ),
    ]
    title = escape(printable(report.name))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{title}</h1>{join(parts)}</body></html>\n"
    )


def _summary(trace: Trace) -> str:
    """Return the static summary of a trace as HTML."""
    from nbprof.widgets.explorer import Explorer

    view = Explorer(trace, static=True)
    try:
        static: Any = view.static()
        html: str = static._repr_html_()
        return html
    finally:
        view.close()
