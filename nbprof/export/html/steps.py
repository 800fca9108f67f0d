"""Sections of the HTML summary about steps and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts.donut.ring import ring
from nbprof.charts.steps.breakdown import step_breakdown
from nbprof.charts.svg.drawing import STATIC_BAR, STATIC_HEIGHT, STATIC_WIDTH, draw_svg
from nbprof.charts.svg.icons import share_bar, stacked_bar, swatch
from nbprof.export.html.elements import (
    Column,
    Html,
    beside,
    image,
    join,
    line,
    name,
    note,
    section,
    table,
    text,
)
from nbprof.model.arrays import floats_of
from nbprof.model.contract.table import term_of
from nbprof.model.reprs import and_list
from nbprof.model.trace.kinds import CATEGORIES
from nbprof.model.units import (
    MISSING,
    choose_time_unit,
    counts_as_share,
    device_label,
    format_bytes,
    format_count,
    format_pct,
    format_time,
    format_value,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary

#: Maximum number of devices in a table; further ones are only counted.
_DEVICES: Final = 16

#: Utilization columns of devices, with headers.
_USES: Final = {
    "utilization_pct": Column("Utilization", meaning="Share of the time with a kernel running."),
    "sm_efficiency_pct": Column("SM efficiency, est.", meaning="Estimated from blocks per SM."),
    "occupancy_pct": Column(
        "Occupancy, est.", meaning="Estimated achieved occupancy, weighted by kernel time."
    ),
    "ai_core_pct": Column("AI Cores", meaning="Share of computation that ran on AI Cores."),
    "process_cpu_pct": Column("CPU, this process"),
    "system_cpu_pct": Column("CPU, all processes"),
}
#: Columns that are shares of time, and those that are shares of kernel time.
_OF_TIME: Final = {"utilization_pct": "Utilization", "sm_efficiency_pct": "SM efficiency"}
_OF_KERNELS: Final = {"occupancy_pct": "Occupancy"}

#: Parts of device time: column, colour of the most similar category, title.
_PARTS: Final = (
    ("computation_us", "kernel", "Computation"),
    ("exposed_communication_us", "communication", "Exposed communication"),
    ("exposed_memcpy_us", "memcpy", "Exposed copies"),
    ("idle_us", "other", "Idle"),
)


def average_step(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the average step by category: a donut, and a table that is its legend.

    The only step is one bar.
    """
    rows = summary.table("overview").to_pylist()
    if not rows or rows[0]["avg_us"] is None:
        words = "No step matches the filter."
        return section(summary.step_title, note(words)) if summary.trace.active_filter else Html()
    if not rows[0]["avg_us"] and not summary.trace.model.steps.recorded:
        return Html()  # a recording without times
    if not summary.has_slices:
        return Html()  # a recording of memory alone
    whole, keys = rows[0], {title: key for key, title in CATEGORIES.items()}
    parts = [row for row in rows[1:] if row["avg_us"]]
    time_unit = choose_time_unit([whole["avg_us"]], unit)
    tokens = [keys[row["category"]] for row in parts]
    recorded, title = summary.trace.model.steps.recorded, summary.step_title
    hole = format_time(whole["avg_us"], time_unit), "a step" if recorded else "in total"
    titles = {**CATEGORIES, "other": summary.trace.active_filter.other}
    shares = [
        f"{titles[token]} {format_pct(row['pct'])} %"
        for row, token in zip(parts, tokens, strict=True)
    ]
    alt = f"{title}, {hole[0]}: {', '.join(shares)}."
    lines: list[tuple[Any, ...]] = [
        (
            image(swatch(token, colors), ""),
            titles[token],
            format_value(row["avg_us"], time_unit),
            f"{format_pct(row['pct'])} %",
            image(share_bar((row["pct"] or 0) / 100, token, colors), ""),
        )
        for row, token in zip(parts, tokens, strict=True)
    ]
    lines.append(("", title, format_value(whole["avg_us"], time_unit), "100.0 %", ""))
    columns = [
        Column("", "swatch"),
        Column("Category", "text"),
        Column(f"{'Mean' if recorded else 'Time'}, {time_unit.label}"),
        Column("Share of step" if recorded else "Share"),
        Column("", "text"),
    ]
    written = table(columns, lines, last=True)
    if _is_single(summary):
        steps = summary.table("steps")
        bar = step_breakdown(steps, width=STATIC_WIDTH, unit=unit, mean=recorded)
        drawn = draw_svg(bar, colors)
        return section(title, image(drawn, alt, fluid=True), written)
    drawn = draw_svg(ring([row["avg_us"] for row in parts], tokens, hole), colors)
    return section(title, beside(image(drawn, alt), written))


def _is_single(summary: Summary) -> bool:
    """Return whether there is only one step, both with and without the filter of steps."""
    rows, whole = summary.table("steps"), summary.around("steps", "steps")
    return bool(rows.num_rows == 1 and (whole is None or whole.num_rows == 1))


def steps(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the time of every step as bars; nothing if none were recorded, or only one."""
    if not summary.trace.model.steps.recorded or _is_single(summary):
        return Html()
    rows, whole = summary.table("steps"), summary.around("steps", "steps")
    total = np.nan_to_num(floats_of(rows["total_us"]))
    if not total.any():
        return Html()
    time_unit = choose_time_unit(total, unit)
    numbers = rows["step"].to_pylist()
    between = "" if len(numbers) < 2 else f" {numbers[0]} to {numbers[-1]}"
    low, high = (format_value(value, time_unit) for value in (total.min(), total.max()))
    alt = f"Time of {format_count(len(numbers), 'step')}{between}, {low} to {high} "
    alt += f"{time_unit.label}, stacked by category."
    if whole is not None and whole.num_rows > len(numbers):
        alt += f" Steps outside of the filter are pale: {whole.num_rows - len(numbers)}."
    bars = step_breakdown(
        rows, width=STATIC_WIDTH, height=STATIC_HEIGHT, least=STATIC_BAR, unit=unit, whole=whole
    )
    drawn = draw_svg(bars, colors)
    return section("Step time", image(drawn, alt, fluid=True))


def devices(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the utilization of each device and its time by category."""
    parts = [_utilization(summary), _device_time(summary, colors, unit)]
    words = summary.trace.active_filter.beside_devices
    said = note(f"{words[0].upper()}{words[1:]}.") if words else Html()
    return section("Devices", said, *parts) if any(parts) else Html()


def _utilization(summary: Summary) -> Html:
    found = summary.table("device_summary")
    rows = found.to_pylist()
    if not rows:
        return Html()
    heads = {key: column for key, column in _USES.items() if key in rows[0]}
    if called := term_of(found, "utilization_pct"):
        heads["utilization_pct"] = heads["utilization_pct"]._replace(title=called.capitalize())
    # Columns that are null in all rows are dropped: not every vendor has all of them.
    keys = [key for key in heads if any(_tells(row, key) for row in rows)]
    columns = [Column("Device", "text"), *(heads[key] for key in keys)]
    units = term_of(found, "matrix_unit_pct")
    if units:
        meaning = "Share of kernel time in kernels that are known to use them."
        columns.append(Column(units, meaning=meaning))
    lines = [
        (
            join([device_label(row["device_type"], row["device"]), " ", name(row["name"] or "")]),
            *(_pct_and_unknown(row, key) for key in keys),
            *([_pct_and_unknown(row, "matrix_unit_pct")] if units else []),
        )
        for row in rows[:_DEVICES]
    ]
    space = Html('<div style="height:10px"></div>')
    return join(
        [table(columns, lines), _percentage_bases(summary, keys, units), _more(rows), space]
    )


def _percentage_bases(summary: Summary, keys: Sequence[str], units: str | None) -> Html:
    """Return a sentence that says which times the percentages in the columns refer to."""
    sentences = []
    for whole, titles in ((summary.step_time, _OF_TIME), ("kernel time", _OF_KERNELS)):
        bases = [title for key, title in titles.items() if key in keys]
        bases += [units] if units and titles is _OF_KERNELS else []
        if bases:
            sentences.append(f"{and_list(bases)}: % of {whole}")
    return note(f"{'; '.join(sentences)}.") if sentences else Html()


def _tells(row: dict[str, Any], key: str) -> bool:
    return row[key] is not None or counts_as_share(_unknown(row, key))


def _unknown(row: dict[str, Any], key: str) -> float | None:
    """Return the share of kernel time for which a figure is unknown, None if there is no such."""
    share: float | None = row.get(f"{key.removesuffix('_pct')}_unknown_pct")
    return share


def _pct_and_unknown(row: dict[str, Any], key: str) -> Html:
    """Return a percentage, and the share of kernel time for which it is unknown."""
    unknown = _unknown(row, key)
    shares = [_pct(row[key])]
    if counts_as_share(unknown):
        shares.append(text(f" (unknown {format_pct(unknown)} %)"))
    return join(shares)


def _device_time(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return for each device a bar of its time, with the shares below."""
    rows = summary.table("device_time").to_pylist()
    unit_of = choose_time_unit([row["total_us"] for row in rows], unit)
    blocks = []
    for row in rows[:_DEVICES]:
        whole = row["total_us"] or 1.0
        # unrecognized values are skipped
        shares = [(key, title, row[of] / whole) for of, key, title in _PARTS if row[of]]
        label = device_label(row["device_type"], row["device"])
        texts = ", ".join(f"{title} {format_pct(100 * part)} %" for _, title, part in shares)
        drawn = stacked_bar([(key, part) for key, _, part in shares], colors)
        items = [
            Html(
                f'<span style="white-space:nowrap;margin:0 14px 0 0">{_swatch(key, colors)} '
                f"{text(title)} {format_pct(100 * part)} %</span> "
            )
            for key, title, part in shares
        ]
        whole = f"{format_value(row['total_us'], unit_of)} {unit_of.label}"
        total = f"{label}, of the {whole} from its first to its last work:"
        blocks.append(line(total))
        blocks.append(line(image(drawn, f"Time of {label}: {texts}.", fluid=True)))
        blocks.append(line(join(items)))
    return join([*blocks, _more(rows)])


def memory_peaks(summary: Summary) -> Html:
    """Return the peak memory of each device."""
    rows = summary.table("memory_peak").to_pylist()
    requested = any(row["requested_bytes"] is not None for row in rows)
    columns = [
        Column("Memory", "text"),
        *([Column("Peak, allocated"), Column("Requested")] if requested else [Column("Peak")]),
        Column("At"),
        Column("Capacity"),
    ]
    lines = [
        (
            device_label(row["device_type"], row["device"]),
            format_bytes(row["peak_bytes"]),
            *([format_bytes(row["requested_bytes"])] if requested else []),
            format_time(row["time_us"]),
            format_bytes(row["capacity_bytes"]),
        )
        for row in rows[:_DEVICES]
    ]
    return join([table(columns, lines), _more(rows)])


def _swatch(category: str, colors: Palette) -> Html:
    return image(swatch(category, colors), "")


def _more(rows: list[dict[str, Any]]) -> Html:
    more = len(rows) - _DEVICES
    return note(f"and {format_count(more, 'device')} more") if more > 0 else Html()


def _pct(value: float | None) -> Html:
    return text(MISSING if value is None else f"{format_pct(value)} %")
