"""Trait types of the explorer: plain values that are validated on assignment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from traitlets import TraitError, TraitType, Undefined

from nbprof.model.errors import FilterError
from nbprof.model.filters.filter import Filter
from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    _Trait = TraitType[Any, Any]
else:
    _Trait = TraitType  # not generic in the oldest traitlets that ipywidgets accepts

PlainFilter = dict[str, Any]
Selection = list[dict[str, Any]]

#: Key columns of items that can be selected in charts, in any view.
ITEMS: Final = ("step", "name", "worker")

#: Types of values in key columns.
_SCALARS = (str, int, float, bool, type(None))


class FilterTrait(_Trait):
    """A filter as a dict of the fields that are set; a `Filter` may be assigned as well."""

    info_text = "a nbprof.Filter or a dict of its fields"
    default_value: Any = Undefined

    def make_dynamic_default(self) -> PlainFilter:
        """Create a separate dict for every widget."""
        return {}

    def validate(self, obj: Any, value: Any) -> PlainFilter:
        """Convert a filter to its plain form."""
        if value is None:
            return {}
        if isinstance(value, Filter):
            value = value.to_dict()
        if not isinstance(value, Mapping):
            self.error(obj, value)
        return _plain_filter(self.name or "filter", value)


class TimeRangeTrait(_Trait):
    """A half-open range ``[first, last]`` in microseconds, or None."""

    info_text = "two times in microseconds, the first not after the last, or None"
    default_value = None

    def validate(self, obj: Any, value: Any) -> list[float] | None:  # noqa: ARG002 - theirs
        """Convert a range to its plain form."""
        if value is None:
            return None
        plain: list[float] = _plain_filter(self.name or "time_range", {"time_us": value})["time_us"]
        return plain


class WindowTrait(TimeRangeTrait):
    """A part of the timeline ``[first, last]`` in microseconds, or None for all of it."""

    info_text = "two finite times in microseconds, the first before the last, or None"

    def validate(self, obj: Any, value: Any) -> list[float] | None:
        """Convert a range to its plain form; a range of length 0 is rejected."""
        plain = super().validate(obj, value)
        if plain is not None and plain[0] == plain[1]:
            message = (
                f"{self.name or 'window'}: the time range from {value[0]} to {value[1]} is empty."
            )
            raise TraitError(message)
        return plain


class SelectionTrait(_Trait):
    """A list of rows, each a dict from key columns to values."""

    info_text = 'a list of dicts from key columns to values, such as [{"name": "aten::conv2d"}]'
    default_value: Any = Undefined

    def make_dynamic_default(self) -> Selection:
        """Create a separate list for every widget."""
        return []

    def validate(self, obj: Any, value: Any) -> Selection:
        """Check that rows are dicts of plain values."""
        rows = [value] if isinstance(value, Mapping) else value
        if rows is None:
            return []
        if not isinstance(rows, (list, tuple)):
            self.error(obj, value)
        for row in rows:
            if not isinstance(row, Mapping) or not row:
                self.error(obj, value)
            if not all(isinstance(k, str) and isinstance(v, _SCALARS) for k, v in row.items()):
                self.error(obj, value)
        return [dict(row) for row in rows]


def _plain_filter(trait: str, fields: Mapping[str, Any]) -> PlainFilter:
    try:
        plain = Filter.from_dict(fields).to_dict()
    except FilterError as error:
        message = f"{trait}: {error}"
        raise TraitError(message) from error
    if not all(map(math.isfinite, plain.get("time_us", ()))):
        message = f"{trait}: time_us needs two finite times, not {plain['time_us']}."
        raise TraitError(message)
    return plain


def one_of(what: str, value: Any, known: Any) -> str:
    """Return a known value; raise TraitError with the closest name for any other."""
    if value not in known:
        listed = ", ".join(known) or "none"
        message = f"There is no {what} {value!r}; there is {listed}.{did_you_mean(value, known)}"
        raise TraitError(message)
    return str(value)


def carried(selection: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the keys of a selection that all views have: names, steps and workers, each once."""
    found: list[dict[str, Any]] = []
    for row in selection:
        item = next((one for one in ITEMS if row.get(one) is not None), None)
        if item is not None and {item: row[item]} not in found:
            found.append({item: row[item]})
    return found
