"""The trait ``notes``: the user's notes on slices and ranges of the timeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import traitlets
from traitlets import TraitError, TraitType, Undefined

from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    from nbprof.widgets.session.state import State

    _Trait = TraitType[Any, Any]
else:
    _Trait = TraitType  # not generic in the oldest traitlets that ipywidgets accepts

#: A note as plain values.
Note = dict[str, Any]

#: Maximum characters of a text and of a name, and maximum number of notes, since all of them are
#: saved with the notebook.
MOST_TEXT: Final = 2_000
MOST_NAME: Final = 400
MOST_NOTES: Final = 1_000

#: Default values of text and integer fields. Run, worker and span are those on screen by default;
#: times have to be given.
_TEXTS: Final = {"run": None, "worker": None, "lane": "", "side": "", "name": "", "text": ""}
_NUMBERS: Final = {"span": None, "start_ns": None, "end_ns": None, "depth": -1, "row": -1}
_ORDER: Final = (
    "run",
    "worker",
    "span",
    "lane",
    "depth",
    "side",
    "row",
    "start_ns",
    "end_ns",
    "name",
    "text",
)
_LONGEST: Final = {"text": MOST_TEXT, "name": MOST_NAME}
#: Times beyond this are not exact in a browser.
_FAR_NS: Final = 2**53


class NotesTrait(_Trait):
    """A list of notes, each a dict of plain values."""

    info_text = 'a list of dicts such as {"start_ns": 1000, "end_ns": 2000, "text": "slow"}'
    default_value: Any = Undefined

    def make_dynamic_default(self) -> list[Note]:
        """Create a separate list for every widget."""
        return []

    def validate(self, obj: Any, value: Any) -> list[Note]:
        """Check notes and fill in what was left out."""
        if value is None:
            return []
        given = [value] if isinstance(value, Mapping) else value
        if not isinstance(given, (list, tuple)):
            self.error(obj, value)
        if len(given) > MOST_NOTES:
            message = f"notes: {len(given):,} notes exceed the limit of {MOST_NOTES:,}."
            raise TraitError(message)
        return [_checked(note, obj) for note in given]


class NoteTraits(traitlets.HasTraits):
    """The trait of the notes on the timeline."""

    notes = NotesTrait().tag(sync=True, echo_update=False)
    """Notes on slices and ranges of the timeline, as dicts: ``run``, ``worker``, ``span``, ``lane``
    (its key in the table ``slices``; empty for all lanes), ``start_ns`` and ``end_ns`` from the
    first event of that worker, ``name`` (of the slice) and ``text``. Only the times are needed:
    run, worker and span are those on screen by default. A note on a slice also has its ``side`` and
    ``row``, as in ``selection``, and its ``depth`` in the lane. They are saved with the notebook
    and on pages; ``nbprof.show(..., notes=view.notes)`` passes them on."""


def notes_of(notes: list[Note], state: State) -> list[Note]:
    """Return the notes on the trace of a state, by time."""
    trace = state.run, state.worker, state.span
    own = [note for note in notes if (note["run"], note["worker"], note["span"]) == trace]
    return sorted(own, key=lambda note: (note["start_ns"], note["end_ns"]))


def _checked(note: object, view: Any) -> Note:
    if not isinstance(note, Mapping):
        message = f"notes: a note is a dict, not {note!r}."
        raise TraitError(message)
    for field in note:
        if field not in _ORDER:
            message = f"notes: there is no field {field!r}; there is {', '.join(_ORDER)}."
            raise TraitError(message + did_you_mean(field, _ORDER))
    found: Note = {}
    for field in _ORDER:
        default = {**_TEXTS, **_NUMBERS}[field]
        if default is None:
            default = getattr(view, field, None)  # the trace on screen; there are no such times
        value = note.get(field, default)
        found[field] = _text(field, value) if field in _TEXTS else _number(field, value)
    if found["start_ns"] > found["end_ns"]:
        message = f"notes: {found['start_ns']} to {found['end_ns']} ns is backwards."
        raise TraitError(message)
    return found


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        message = f"notes: {field} is a text, not {value!r}."
        raise TraitError(message)
    most = _LONGEST.get(field)
    if most is not None and len(value) > most:
        message = f"notes: {field} has {len(value):,} characters; the limit is {most:,}."
        raise TraitError(message)
    return value


def _number(field: str, value: object) -> int:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(whole, int) or isinstance(whole, bool) or not -_FAR_NS <= whole <= _FAR_NS:
        message = f"notes: {field} is a whole number, not {value!r}."
        raise TraitError(message)
    return whole
