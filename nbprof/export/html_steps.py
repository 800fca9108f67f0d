"""Parts of the HTML summary about steps and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts.static_bars import share_bar, stacked_bar, swatch
from nbprof.charts.static_donut import ring
from nbprof.charts.static_steps import step_bars
from nbprof.charts.theme import HATCHED
from nbprof.export.html import (
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
from nbprof.model.kinds import CATEGORIES
from nbprof.model.units import (
    MISSING,
    choose_time_unit,
    device_label,
    format_bytes,
    format_count,
    format_pct,
    format_time,
    format_value,
)

if TYPE_CHECKING:
    from nbprof.charts.theme import Palette
    from nbprof.export.summary import Summary

#: Devices in a table before it only says how many more there are.
_DEVICES: Final = 16

#: How much a device was used: heads by column, and those that stand even where they are empty.
_USES: Final = {
    "utilization_pct": Column("Utilization", meaning="Share of the time with a kernel running."),
    "sm_efficiency_pct": Column("SM efficiency, est.", meaning="Estimated from blocks per SM."),
    "occupancy_pct": Column(
        "Occupancy, est.", meaning="Estimated achieved occupancy, weighted by kernel time."
    ),
    "tensor_core_pct": Column(
        "Tensor Cores", meaning="Share of kernel time that used tensor cores."
    ),
    "ai_core_pct": Column("AI Cores", meaning="Share of computation that ran on AI Cores."),
    "process_cpu_pct": Column("CPU, this process"),
    "system_cpu_pct": Column("CPU, all processes"),
}
_ALWAYS: Final = ("utilization_pct", "sm_efficiency_pct", "occupancy_pct", "tensor_core_pct")

#: What the time of a device goes to: column, colour of the category that is most like it, title.
_PARTS: Final = (
    ("computation_us", "kernel", "Computation"),
    ("exposed_communication_us", "communication", "Exposed communication"),
    ("exposed_memcpy_us", "memcpy", "Exposed copies"),
    ("idle_us", "other", "Idle"),
)


def average_step(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the average step by category: a donut, and the table that is its legend."""
    rows = summary.table("overview").to_pylist()
    if not rows or rows[0]["avg_us"] is None:
        words = "No step lies in the filter."
        return section("Average step", note(words)) if summary.trace.active_filter else Html()
    whole, keys = rows[0], {title: key for key, title in CATEGORIES.items()}
    parts = [row for row in rows[1:] if row["avg_us"]]
    time_unit = choose_time_unit([whole["avg_us"]], unit)
    fills = [colors.categories[keys[row["category"]]] for row in parts]
    marks = [keys[row["category"]] == HATCHED for row in parts]
    hole = format_time(whole["avg_us"], time_unit), "a step"
    drawn = ring([row["avg_us"] for row in parts], fills, hole, colors, hatched=marks)
    shares = [f"{row['category']} {format_pct(row['pct'])} %" for row in parts]
    alt = f"Average step, {hole[0]}: {', '.join(shares)}."
    lines: list[tuple[Any, ...]] = [
        (
            image(swatch(fill, hatched=mark), ""),
            row["category"],
            format_value(row["avg_us"], time_unit),
            f"{format_pct(row['pct'])} %",
            image(share_bar((row["pct"] or 0) / 100, fill), ""),
        )
        for row, fill, mark in zip(parts, fills, marks, strict=True)
    ]
    lines.append(("", "Average step", format_value(whole["avg_us"], time_unit), "100.0 %", ""))
    columns = [
        Column("", "swatch"),
        Column("Category", "text"),
        Column(f"Mean, {time_unit.label}"),
        Column("Share"),
        Column("", "text"),
    ]
    return section("Average step", beside(image(drawn, alt), table(columns, lines, last=True)))


def steps(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the time of every step as bars; nothing where the recording marks no steps."""
    if not summary.trace.model.steps.recorded:
        return Html()
    rows = summary.table("steps")
    total = np.nan_to_num(np.asarray(rows["total_us"], np.float64))
    if not total.any():
        return Html()
    time_unit = choose_time_unit(total, unit)
    numbers = rows["step"].to_pylist()
    between = "" if len(numbers) < 2 else f" {numbers[0]} to {numbers[-1]}"
    low, high = (format_value(value, time_unit) for value in (total.min(), total.max()))
    alt = f"Time of {format_count(len(numbers), 'step')}{between}, {low} to {high} "
    alt += f"{time_unit.label}, stacked by category."
    drawn = step_bars(rows, colors, unit=unit)
    return section("Step time", image(drawn, alt, fluid=True))


def devices(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return how much of every device was used, and what its time went to."""
    parts = [_use(summary), _device_time(summary, colors, unit)]
    return section("Devices", *parts) if any(parts) else Html()


def _use(summary: Summary) -> Html:
    rows = summary.table("device_summary").to_pylist()
    if not rows:
        return Html()
    heads = {key: column for key, column in _USES.items() if key in rows[0]}
    # Vendors add columns, of which only those say anything that have a value.
    keys = [key for key in heads if key in _ALWAYS or any(row[key] is not None for row in rows)]
    if "ai_core_pct" in heads:
        keys = [key for key in keys if key not in _ALWAYS[1:]]
    columns = [Column("Device", "text"), *(heads[key] for key in keys)]
    lines = [
        (
            join([device_label(row["device_type"], row["device"]), " ", name(row["name"] or "")]),
            *(_pct(row[key]) for key in keys),
        )
        for row in rows[:_DEVICES]
    ]
    return join([table(columns, lines), _more(rows), Html('<div style="height:10px"></div>')])


def _device_time(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return for every device a bar of its time, over the shares that are in it."""
    rows = summary.table("device_time").to_pylist()
    unit_of = choose_time_unit([row["total_us"] for row in rows], unit)
    blocks = []
    for row in rows[:_DEVICES]:
        whole = row["total_us"] or 1.0
        shares = [(key, title, (row[column] or 0.0) / whole) for column, key, title in _PARTS]
        label = device_label(row["device_type"], row["device"])
        said = ", ".join(f"{title} {format_pct(100 * part)} %" for _, title, part in shares)
        drawn = stacked_bar([(key, part) for key, _, part in shares], colors)
        items = [
            Html(
                f'<span style="white-space:nowrap;margin:0 14px 0 0">{_swatch(key, colors)} '
                f"{text(title)} {format_pct(100 * part)} %</span> "
            )
            for key, title, part in shares
        ]
        total = f"{label}, {format_value(row['total_us'], unit_of)} {unit_of.label}"
        blocks.append(line(total))
        blocks.append(line(image(drawn, f"Time of {label}: {said}.", fluid=True)))
        blocks.append(line(join(items)))
    return join([*blocks, _more(rows)])


def memory_peaks(summary: Summary) -> Html:
    """Return the most memory in use on every device."""
    rows = summary.table("memory_peak").to_pylist()
    columns = [
        Column("Memory", "text"),
        Column("Peak"),
        Column("At"),
        Column("Capacity"),
    ]
    lines = [
        (
            device_label(row["device_type"], row["device"]),
            format_bytes(row["peak_bytes"]),
            format_time(row["time_us"]),
            format_bytes(row["capacity_bytes"]),
        )
        for row in rows[:_DEVICES]
    ]
    return join([table(columns, lines), _more(rows)])


def _swatch(category: str, colors: Palette) -> Html:
    return image(swatch(colors.categories[category], hatched=category == HATCHED), "")


def _more(rows: list[dict[str, Any]]) -> Html:
    more = len(rows) - _DEVICES
    return note(f"and {format_count(more, 'device')} more") if more > 0 else Html()


def _pct(value: float | None) -> Html:
    return text(MISSING if value is None else f"{format_pct(value)} %")
