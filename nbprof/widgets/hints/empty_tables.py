"""Explains an empty table: the reason, row counts without the filter, and buttons that clear it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.contract.table import unlinked
from nbprof.model.filters.patterns import is_pattern, match_names
from nbprof.tables import TABLES
from nbprof.widgets.hints.hints import hint, holdings
from nbprof.widgets.views.table_specs import spec_of

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

#: Names of filter fields in buttons and messages.
_FIELDS: Final = {
    "steps": "step",
    "time_us": "time",
    "name": "name",
    "within": "within",
    "kinds": "kind",
    "threads": "thread",
    "devices": "device",
    "streams": "stream",
}

Words = dict[str, Any]
CountRows = Callable[["Filter"], "pa.Table"]


def nouns(name: str) -> tuple[str, str]:
    """Return the singular and plural noun for the rows of a table."""
    spec = spec_of(name)
    return ("row", "rows") if spec is None else spec.nouns


def no_search_match(name: str, search: str, rows: int, filter_: Filter) -> Words:
    """Explain that a search matched none of the rows of a table."""
    one, many = nouns(name)
    verb = "matches" if is_pattern(search) else "contains"
    return {
        "title": f"No {one} {verb} “{search}”",
        "text": f"Searched {_count(rows, one, many)} by name.",
        "actions": [{"label": "Clear search", "filter": filter_.to_dict(), "search": ""}],
    }


def nothing_in_range(name: str, rows: int, *, sizes: bool) -> Words:
    """Explain that the selected time or size range leaves no row in the memory view."""
    one, many = nouns(name)
    what = "range of sizes" if sizes else "range"
    text = f"Without the {what} there {'is' if rows == 1 else 'are'} {_count(rows, one, many)}."
    return {"title": f"No {one} in the {what}", "text": text, "actions": []}


def no_rows(name: str, model: TraceModel, filter_: Filter, rows_of: CountRows) -> Words:
    """Explain why a table has no rows under a filter.

    Parameters
    ----------
    name : str
        The table.
    model : TraceModel
        The trace.
    filter_ : Filter
        The filter of the empty table.
    rows_of : callable
        Computes the table under another filter, to count its rows.
    """
    if filter_:
        everything = rows_of(filter_.__class__())
        if everything.num_rows:
            outside = _outside_steps(name, model, filter_) or _without_times(name, model, filter_)
            return outside or _filtered_out(name, filter_, rows_of, everything.num_rows)
    return _not_recorded(name, model)


def _not_recorded(name: str, model: TraceModel) -> Words:
    """Explain why a table is empty without a filter."""
    spec = TABLES.get(name)
    needs, texts = ("", {}) if spec is None else (spec.needs, spec.empty_texts)
    held = {"": True, **holdings(model)}
    _, many = nouns(name)
    title = f"No {many} recorded" if many == needs.replace("_", " ") else f"No {many}"
    text = next((text for what, text in texts.items() if held[what]), "")
    if not text and needs and not held.get(needs):
        text = hint(model, needs)
        first, _, advice = text.partition(". ")
        if first.rstrip(".").endswith(" recorded"):
            title, text = first.rstrip("."), advice or text
    text = text or "The trace has no data for this table."
    return {"title": title, "text": text, "actions": []}


def _outside_steps(name: str, model: TraceModel, filter_: Filter) -> Words | None:
    """Explain that the filter selects steps that the trace does not have; name those it has."""
    if filter_.steps is None:
        return None
    first, last = filter_.steps
    numbers = model.steps.number
    if ((numbers >= first) & (numbers <= last)).any():
        return None
    one, _ = nouns(name)
    asked = f"step {first}" if first == last else f"steps {first} to {last}"
    low, high = int(numbers.min()), int(numbers.max())
    there = f"only step {low}" if low == high else f"steps {low} to {high}"
    return {
        "title": f"No {one} in {asked}",
        "text": f"This trace has {there}.",
        "actions": [_clear("steps", filter_.replace(steps=None))],
    }


def _without_times(name: str, model: TraceModel, filter_: Filter) -> Words | None:
    """Explain that rows are left out because the recorder gives them no times."""
    spec = TABLES.get(name)
    if spec is None or spec.lacks_times is None or not spec.lacks_times(model):
        return None
    fields = [field for field in filter_.to_dict() if field not in ("name", "kinds")]
    if not fields:
        return None
    without = filter_.replace(**dict.fromkeys(fields))
    actions = [_clear(fields[0], without)] if len(fields) == 1 else []
    title = f"No {nouns(name)[1]} under the {_FIELDS.get(fields[0], fields[0])} filter"
    return {"title": title, "text": hint(model, "placed"), "actions": actions}


def _filtered_out(name: str, filter_: Filter, rows_of: CountRows, everything: int) -> Words:
    one, many = nouns(name)
    fields = [field for field, _ in filter_.describe()]
    how_many = {1: "the filter", 2: "both filters"}.get(len(fields), f"all {len(fields)} filters")
    words: Words = {"title": f"No {one} matches {how_many}", "text": "", "actions": []}
    if filter_.name is not None:
        unnamed = filter_.replace(name=None)
        others = rows_of(unnamed)
        if others.num_rows:
            words.update(_about_name(name, filter_.name, unnamed, others))
            return words
    for field in fields:
        without = filter_.replace(**{field: None})
        count = rows_of(without).num_rows
        if count and len(fields) > 1:
            text = f"Without the {_FIELDS.get(field, field)} filter there "
            text += f"{'is' if count == 1 else 'are'} {_count(count, one, many)}."
            text += _unlinked(rows_of(filter_)) if field == "within" else ""
            return {**words, "text": text, "actions": [_clear(field, without)]}
    text = f"Without filters there {'is' if everything == 1 else 'are'} "
    words["text"] = f"{text}{_count(everything, one, many)}.{_unlinked(rows_of(filter_))}"
    words["actions"] = [{"label": "Reset filters", "filter": {}}]
    return words


def _unlinked(table: pa.Table) -> str:
    """Count the device work left out because neither its launch nor its operator is known."""
    count = unlinked(table)
    if not count:
        return ""
    rows, has = ("row", "has") if count == 1 else ("rows", "have")
    return f" {count:,} {rows} of device work {has} neither a launch nor an operator in the trace."


def _about_name(table: str, name: str, unnamed: Filter, others: pa.Table) -> Words:
    one, many = nouns(table)
    place = _place(unnamed)
    texts = others["name"].to_pylist() if "name" in others.column_names else []
    actions = [_clear("name", unnamed)]
    shorter = None if is_pattern(name) else _longest_start(name, texts)
    if shorter is None:
        verb = "matches" if is_pattern(name) else "contains"
        count = _count(others.num_rows, one, many)
        return {"text": f"None of {count} {place} {verb} “{name}”.", "actions": actions}
    hits = sum(match_names(texts, shorter))
    verb = "matches" if hits else "match"
    text = f"“{shorter}” matches {hits:,} of {_count(others.num_rows, one, many)} {place}."
    use = {
        "label": f"Use “{shorter}”",
        "filter": unnamed.replace(name=shorter).to_dict(),
    }
    return {"text": text, "actions": [use, *actions]}


def _longest_start(name: str, texts: list[str | None]) -> str | None:
    """Return the longest prefix of a name that any text contains: typos are often late."""
    for length in range(len(name) - 1, 1, -1):
        start = name[:length]
        if not is_pattern(start) and any(match_names(texts, start)):
            return start
    return None


def _place(filter_: Filter) -> str:
    if filter_.steps is not None:
        return "in this step" if filter_.steps[0] == filter_.steps[1] else "in these steps"
    if filter_.time_us is not None:
        return "in this time range"
    return "that match the other filters" if filter_ else "in this trace"


def _clear(field: str, without: Filter) -> Words:
    return {"label": f"Clear {_FIELDS.get(field, field)} filter", "filter": without.to_dict()}


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
