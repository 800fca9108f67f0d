"""Says in one sentence why a step takes more or less time than before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.diffs.spec import SAME
from nbprof.model.names.short_names import middle_cut
from nbprof.model.reprs import and_list
from nbprof.model.trace import kinds
from nbprof.model.units import TimeUnit, choose_time_unit, format_time
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

Row = dict[str, Any]

#: What a step does in the time of a category. Categories come in an order: time of the host is
#: that in which the device does nothing.
_DOING: Final = {
    "kernel": "in kernels",
    "memcpy": "in copies",
    "memset": "in memory sets",
    "communication": "in communication",
    "runtime": "in runtime calls alone",
    "dataloader": "waiting for data",
    "cpu_exec": "in host operators alone",
    "other": "in other time",
}
#: Categories whose names say no more than the category.
_PLAIN: Final = frozenset({"dataloader", "other"})
#: Categories are named from this share of the step's change on; so many that explain it, and so
#: many that work against it.
_LEAST: Final = 0.05
_NAMED, _AGAINST = 3, 2
#: A name is given where it makes up so much of the change of its category.
_PART: Final = 0.25
_LONGEST: Final = 48


def reason(
    categories: pa.Table,
    changes: pa.Table,
    *,
    per_step: bool,
    unit: str = "auto",
    filtered: bool = False,
) -> str:
    """Return by what the time changed, as a sentence; empty if there is nothing to compare.

    Parameters
    ----------
    categories, changes : pyarrow.Table
        The tables ``categories`` and ``waterfall`` of a comparison.
    per_step : bool
        Whether the times are those of a step, not of whole recordings.
    unit : str
        Unit of times, or ``"auto"``.
    filtered : bool
        Whether a filter leaves out work, whose time is then that of no category.
    """
    whole, *parts = categories.to_pylist() or [{"delta_total_us": None}]
    delta = whole["delta_total_us"]
    if delta is None:
        return ""
    what = "A step" if per_step else "The recording"
    if whole["change"] == SAME:
        return f"{what} takes as long as before{', within the noise' if delta else ''}."
    chosen = choose_time_unit([abs(delta)], unit)
    changed = [
        row
        for row in sorted(parts, key=lambda row: -abs(row["delta_total_us"] or 0.0))
        if row["change"] != SAME and abs(row["delta_total_us"] or 0.0) >= _LEAST * abs(delta)
    ]
    doing = {**_DOING, "other": "outside the filter"} if filtered else _DOING
    names = [row for row in changes.to_pylist() if row["kind"] == "change"]
    with_, against = (
        [_part(row, names, chosen, doing) for row in changed if row["delta_total_us"] * sign > 0]
        for sign in (delta, -delta)
    )
    said = f"{what} takes {_amount(delta, chosen)}"
    if not with_:
        return f"{said}, and no category alone explains it."
    but = f", but {and_list(against[:_AGAINST])}" if against else ""
    return f"{said}: {and_list(with_[:_NAMED])}{but}."


def _part(row: Row, names: Sequence[Row], unit: TimeUnit, doing: Mapping[str, str]) -> str:
    """Return the change of a category in words, with the name that most of it is of."""
    delta, category = row["delta_total_us"], row["category"]
    said = f"{_amount(delta, unit)} {doing[category]}"
    if category in _PLAIN:
        return said
    title = kinds.CATEGORIES[category]
    of = [one for one in names if one["category"] == title and one["delta_us"] * delta > 0]
    first = max(of, key=lambda one: abs(one["delta_us"]), default=None)
    if first is None or not first["name"] or abs(first["delta_us"]) < _PART * abs(delta):
        return said
    name = printable(middle_cut(first["name"], _LONGEST))
    return f"{said} ({name}: {_amount(first['delta_us'], unit)})"


def _amount(delta: float, unit: TimeUnit) -> str:
    return f"{format_time(abs(delta), unit)} {'more' if delta > 0 else 'less'}"
