"""Workers of a run side by side, as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.model.units import MISSING, choose_time_unit, format_count, format_value

if TYPE_CHECKING:
    from nbprof.export.summary_tables import Summary

#: Number of workers listed.
_WORKERS: Final = 8
_LABEL: Final = 24
_PARTS: Final = (
    ("computation_us", "computation"),
    ("overlapping_us", "overlapping"),
    ("communication_us", "communication"),
    ("synchronizing_us", "waiting"),
)


def workers(summary: Summary) -> list[str]:
    """Return each worker's mean step, and its waiting time for other workers."""
    found = summary.workers
    if found is None or not found.calls or len(found.workers) < 2:
        return []
    means = {row["worker"]: row for row in found.overview.to_pylist() if row["step"] is None}
    for row in found.wait.to_pylist():
        if row["step"] is None:
            means.get(row["worker"], {}).update(row)
    shown = list(means.items())[:_WORKERS]
    times = [row.get(column) for _, row in shown for column, _ in _PARTS]
    unit = choose_time_unit(times, summary.unit)
    head = f"{f'Mean step of workers, {unit.label}':<{_LABEL + 4}}"
    lines = [head + "".join(f"{words:>15}" for _, words in _PARTS)]
    for worker, row in shown:
        values = [row.get(column) for column, _ in _PARTS]
        texts = [MISSING if value is None else format_value(value, unit) for value in values]
        lines.append(
            f"  {worker[:_LABEL]:<{_LABEL + 2}}" + "".join(f"{text:>15}" for text in texts)
        )
    more = len(means) - len(shown)
    return lines + ([f"  and {format_count(more, 'worker')} more"] if more > 0 else [])
