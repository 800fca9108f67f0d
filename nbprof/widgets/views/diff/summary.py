"""The differences in static summaries: the step on both sides, and the largest changes."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.svg.drawing import STATIC_WIDTH, draw_svg
from nbprof.charts.svg.icons import swatch
from nbprof.charts.waterfall import row_name, waterfall
from nbprof.export.html.elements import (
    Column,
    Html,
    image,
    join,
    line,
    name,
    note,
    section,
    table,
)
from nbprof.export.text.table import cut_cells
from nbprof.model.names.short_names import middle_cut
from nbprof.model.units import (
    MISSING,
    choose_time_unit,
    format_difference,
    format_number,
    format_pct,
    format_time,
)
from nbprof.model.visible_text import printable
from nbprof.widgets.views.diff.requests import device_text, parts
from nbprof.widgets.views.diff.tables import main_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.charts.theme import Palette
    from nbprof.diffs.diff import Diff
    from nbprof.export.summary_tables import Summary
    from nbprof.model.units import TimeUnit

#: Operators in the HTML summary, changes and notes in the text.
_OPERATORS: Final = 10
_CHANGES: Final = 6
_LABEL: Final = 24
_NAME: Final = 48
_WIDTH: Final = 98

_WORDS: Final = {"up": "slower", "down": "faster", "added": "added", "removed": "removed"}


def differences_html(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the step on both sides, the waterfall and the operators that changed most."""
    diff = summary.diff
    if diff is None:
        return section("Differences", note(summary.no_diff)) if summary.no_diff else Html()
    rows = parts(diff.table("categories"), summary.trace.active_filter.other)
    pieces = [line(_headline(rows[0], unit)), line(diff.reason(unit))] if rows else []
    pieces += [line(words) for words in _sides(diff)]
    pieces.append(_categories(rows, colors, unit))
    pieces += [note(words) for words in diff.notes()]
    falls = diff.table("waterfall", limit=_CHANGES) if summary.compact else diff.table("waterfall")
    found = [section(f"Compared with {_label(diff)}", *pieces)]
    if falls.num_rows:
        drawn = draw_svg(waterfall(falls, width=STATIC_WIDTH, unit=unit), colors)
        changes = [row for row in falls.to_pylist() if row["kind"] == "change"]
        alt = "; ".join(f"{row_name(row)} {_signed_time(row['delta_us'], unit)}" for row in changes)
        title = f"Largest changes of the {_whole(diff).lower()}"
        found.append(section(title, image(drawn, f"{title}: {alt}.", fluid=True)))
    return join([*found, Html() if summary.compact else _operators(diff, unit)])


def differences_text(summary: Summary) -> list[str]:
    """Return the step on both sides and the largest changes as lines."""
    diff = summary.diff
    if diff is None:
        return [summary.no_diff] if summary.no_diff else []
    rows = parts(diff.table("categories"), summary.trace.active_filter.other)
    if not rows:
        return []
    whole = rows[0]
    unit = choose_time_unit([whole["baseline_us"], whole["candidate_us"]], summary.unit)
    lines = wrap(diff.reason(summary.unit), _WIDTH, subsequent_indent="  ")
    lines.append(f"Compared with {_label(diff)}, baseline and candidate in {unit.label}")
    for row in rows:
        label = _whole(diff) if row is whole else f"  {row['name']}"
        amounts = "".join(
            f"{format_number(row[f'{side}_us'] / unit.divisor, unit.decimals):>10}"
            for side in ("baseline", "candidate")
        )
        delta = _signed(row["delta_us"] / unit.divisor, unit.decimals)
        noise = "" if row["noise_pct"] is None else f"± {format_pct(row['noise_pct'])} %"
        share = _percent(row["delta_pct"])
        lines.append(
            f"{label:<{_LABEL}}{amounts}{delta:>10}{share:>12}{noise:>10}  {_verdict(row)}".rstrip()
        )
    falls = [row for row in diff.table("waterfall").to_pylist() if row["kind"] == "change"]
    if falls:
        lines.append("Largest changes")
    for row in falls[:_CHANGES]:
        text = cut_cells(printable(middle_cut(row_name(row), _NAME)), _NAME)
        delta = _signed(row["delta_us"] / unit.divisor, unit.decimals)
        lines.append(f"  {text:<{_NAME}}{delta:>10} {unit.label}  {row['category']}")
    wrapped = (
        wrap(words, _WIDTH, subsequent_indent="  ") for words in [*_sides(diff), *diff.notes()]
    )
    return [*lines, *chain.from_iterable(wrapped)]


def _headline(row: Mapping[str, Any], unit: str) -> str:
    """Return the change of the step as a sentence without a verb."""
    one = choose_time_unit([row["baseline_us"], row["candidate_us"]], unit)
    times = f"{format_time(row['baseline_us'], one)} → {format_time(row['candidate_us'], one)}"
    change = [_signed_in(row["delta_us"], one)]
    if row["delta_pct"] is not None:
        change.append(_percent(row["delta_pct"]))
    noise = row["noise_pct"]
    change.append("no estimate of the noise" if noise is None else f"± {format_pct(noise)} % noise")
    verdict = _verdict(row)
    return f"{times}, {', '.join(change)}{f': {verdict}' if verdict else ''}"


def _label(diff: Diff) -> str:
    baseline = diff.baseline
    span = f", span {baseline.span}" if baseline.span > 1 else ""
    count = len(diff.baseline_traces)
    worker = baseline.worker if count == 1 else f"{count} workers"
    return f"baseline {baseline.run} · {worker}{span}"


def _whole(diff: Diff) -> str:
    return "Step" if diff.per_step else "Recording"


def _sides(diff: Diff) -> list[str]:
    devices = device_text(diff.baseline), device_text(diff.candidate)
    if devices[0] == devices[1]:
        return [f"Both ran on {devices[0]}."]
    return [f"The baseline ran on {devices[0]}, the candidate on {devices[1]}."]


def _categories(rows: Sequence[Mapping[str, Any]], colors: Palette, unit: str) -> Html:
    if not rows:
        return Html()
    whole = rows[0]
    one = choose_time_unit([whole["baseline_us"], whole["candidate_us"]], unit)
    columns = [
        Column("", "swatch"),
        Column("Category", "text"),
        Column(f"Baseline, {one.label}"),
        Column(f"Candidate, {one.label}"),
        Column(f"Difference, {one.label}"),
        Column("%", meaning="Difference as a share of the baseline."),
        Column("Noise, %", meaning="Standard error of the difference."),
        Column("", "text"),
    ]
    lines = [
        (
            image(swatch(_token(row), colors), ""),
            row["name"],
            *(
                format_number(row[f"{side}_us"] / one.divisor, one.decimals)
                for side in ("baseline", "candidate")
            ),
            _signed(row["delta_us"] / one.divisor, one.decimals),
            _percent(row["delta_pct"]).removesuffix(" %"),
            MISSING if row["noise_pct"] is None else f"± {format_pct(row['noise_pct'])}",
            _verdict(row),
        )
        for row in rows[1:]
    ]
    return table(columns, lines)


def _operators(diff: Diff, unit: str) -> Html:
    """Return the operators that changed most by their main figure."""
    found = diff.table("operators")
    figure = main_figure(found)
    if not found.num_rows or not figure:
        return Html()
    rows = [row for row in found.slice(0, _OPERATORS).to_pylist() if row[f"delta_{figure}"]]
    if not rows:
        return Html()
    sides = ("baseline", "candidate", "delta")
    one = choose_time_unit([row[f"{side}_{figure}"] or 0.0 for row in rows for side in sides], unit)
    title = figure.removesuffix("_us").replace("_", " ")
    columns = [
        Column("Operator", "name"),
        Column(f"Baseline, {one.label}"),
        Column(f"Candidate, {one.label}"),
        Column(f"Difference, {one.label}"),
        Column("%"),
        Column("", "text"),
    ]
    lines = [
        [
            name(row["name"] or ""),
            *(_plain(row[f"{side}_{figure}"], one) for side in ("baseline", "candidate")),
            _signed(row[f"delta_{figure}"] / one.divisor, one.decimals),
            _percent(row["delta_pct"]).removesuffix(" %"),
            _verdict(row),
        ]
        for row in rows
    ]
    heading = f"Operators with the largest differences in {title} time"
    return section(heading, table(columns, lines), wide=True)


def _token(row: Mapping[str, Any]) -> str:
    return str(row["category"])


def _plain(value: float | None, unit: TimeUnit) -> str:
    return MISSING if value is None else format_number(value / unit.divisor, unit.decimals)


def _verdict(row: Mapping[str, Any]) -> str:
    if row["change"] == "same":
        # rows of operators are those with a difference
        return (
            "" if row["noise_pct"] is None or not row.get("delta_us", 1.0) else "within the noise"
        )
    return _WORDS.get(row["change"] or "", "")


def _signed(value: float, decimals: int) -> str:
    return format_difference(value, decimals)


def _signed_in(value: float, unit: TimeUnit) -> str:
    return f"{_signed(value / unit.divisor, unit.decimals)} {unit.label}"


def _signed_time(value: float, unit: str) -> str:
    return _signed_in(value, choose_time_unit([value], unit))


def _percent(value: float | None) -> str:
    return MISSING if value is None else f"{format_difference(value, 1)} %"
