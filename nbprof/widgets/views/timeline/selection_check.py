"""Validates selections in the timeline: slices, names, or an area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from traitlets import TraitError

if TYPE_CHECKING:
    from nbprof.widgets.traits import Selection

_SLICE: Final = {"side", "row"}
_OWNER: Final = {"worker", "baseline"}
_ITEMS: Final = {"name": str, "step": int, "worker": str}
_RANGE: Final = {"start_us", "end_us"}
#: Upper limit of times; NaN and infinity are not below it.
_FAR_US: Final = 2.0**53
_FORMS: Final = (
    'slices are {"side": "host" or "device", "row": number}, names {"name": text}, '
    'areas {"lane": key, "start_us": time, "end_us": time}; of another worker with "worker", '
    'of the baseline with "baseline": True'
)


def check(rows: Selection) -> Selection:
    """Validate a selection: only slices, only names, or only parts of one area.

    Items of other views' charts, steps and workers, select nothing here.

    Raises
    ------
    TraitError
        It contains anything else.
    """
    kinds = {_kind(row) for row in rows}
    if len(kinds) > 1:
        message = "selection: slices, names and areas cannot be selected together."
        raise TraitError(message)
    if "area" in kinds:
        ranges = {(*_owner(row), row["start_us"], row["end_us"]) for row in rows}
        if len(ranges) > len({of[:2] for of in ranges}):
            message = "selection: an area has one range of time, the same in all lanes of a worker."
            raise TraitError(message)
    return rows


def _owner(row: dict[str, Any]) -> tuple[Any, bool]:
    """Return the worker that a row names, and whether it is of the baseline."""
    return row.get("worker"), "baseline" in row


def _kind(row: dict[str, Any]) -> str:
    named = isinstance(row.get("worker", ""), str) and row.get("baseline", True) is True
    if named and set(row) - _OWNER == _SLICE:
        if row["side"] in ("host", "device") and _is_row(row["row"]):
            return "slice"
    elif len(row) == 1 and all(isinstance(row[one], _ITEMS.get(one, ())) for one in row):
        return next(iter(row))
    elif named and set(row) - {"lane"} - _OWNER == _RANGE and isinstance(row.get("lane", ""), str):
        start, end = row["start_us"], row["end_us"]
        if _is_time(start) and _is_time(end) and start < end:
            return "area"
    message = f"selection: {row!r} cannot be selected in the timeline; {_FORMS}."
    raise TraitError(message)


def _is_row(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_time(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) < _FAR_US
