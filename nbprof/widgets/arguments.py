"""Splits keyword arguments of views into filter fields and traits, and combines filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict

from nbprof.model.filters.fields import FilterFields
from nbprof.model.filters.filter import Filter
from nbprof.model.reprs import did_you_mean
from nbprof.profiles import Profile
from nbprof.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nbprof.widgets.notes import Note
    from nbprof.widgets.session.profile_source import Shown
    from nbprof.widgets.traits import Selection


class ViewTraits(TypedDict, total=False):
    """Traits of the views that keyword arguments set; `nbprof.Explorer` explains them."""

    step: str | None
    baseline: Shown | dict[str, Any] | None
    group_by: str | None
    selection: Selection | None
    time_range: tuple[float, float] | None
    time_unit: Literal["auto", "ns", "us", "ms", "s"] | None
    top: int | None
    window: tuple[float, float] | None
    search: str | None
    notes: list[Note] | None
    lanes: dict[str, Any] | None
    timeline_height: int | None
    column_widths: dict[str, dict[str, int]] | None
    averages_by: Literal["", "name", "name+shape", "name+stack1", "name+stack5"] | None
    timeline_workers: list[str] | None
    timeline_align: dict[str, Any] | None
    timeline_clock: Literal["auto", "collectives", "time", "step"] | None
    memory_device: str | None
    memory_by: Literal["operator", "component"] | None
    memory_range: tuple[float, float] | None
    flame_by: Literal["auto", "host", "device", "bytes"] | None
    flame_order: Literal["left_heavy", "time"] | None
    flame_range: tuple[float, float] | None
    layout: dict[str, Any] | None


class ViewOptions(FilterFields, ViewTraits, total=False):
    """Keyword arguments of `nbprof.show` and the views, except those that choose the trace."""


class SingleViewOptions(ViewOptions, total=False):
    """Keyword arguments of the classes that show one view."""

    run: str | None
    worker: str | None
    span: int | None
    filter: Filter | dict[str, Any] | None
    theme: Literal["auto", "light", "dark"] | None
    static: bool | None
    private: bool | None
    watch: bool


#: Fields of a filter, which the views take as keyword arguments of their own.
FILTER_FIELDS: Final = tuple(FilterFields.__annotations__)


def split_options(
    keywords: Mapping[str, Any], named: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split keyword arguments into filter fields and traits.

    Parameters
    ----------
    keywords : mapping of str to object
        The keyword arguments.
    named : iterable of str
        Named arguments of the caller, for the error message.

    Returns
    -------
    fields, traits : dict
        The filter fields, and all others.

    Raises
    ------
    TypeError
        An argument is unknown; the text names the closest one.
    """
    valid = [*named, *ViewOptions.__annotations__]
    for name in keywords:
        if name not in valid:
            message = f"Unexpected keyword argument {name!r}.{did_you_mean(name, valid)}"
            raise TypeError(message)
    fields = {name: keywords[name] for name in FILTER_FIELDS if name in keywords}
    return fields, {name: value for name, value in keywords.items() if name not in fields}


def initial_filter(
    source: Shown, given: Filter | dict[str, Any] | None, fields: dict[str, Any]
) -> Any:
    """Combine given filter fields with a given filter or, without one, that of the source."""
    if given is None:
        given = source.active_filter if isinstance(source, (Profile, Trace)) else Filter()
    plain = given.to_dict() if isinstance(given, Filter) else given
    return {**plain, **fields} if fields and isinstance(plain, dict) else plain
