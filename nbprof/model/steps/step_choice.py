"""Chooses annotations as the steps of a trace in which the recorder marked none.

Engines and users label their iterations. Labels that repeat at the top level of a thread are
candidates. A choice gives a new model in which the chosen rows are steps; it shares all other
tables with the original model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.errors import FilterError
from nbprof.model.filters.filter import Filter
from nbprof.model.filters.patterns import match_names
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import rows_of_values
from nbprof.model.names.communication_names import BACKEND
from nbprof.model.names.roles import is_wrapper
from nbprof.model.steps.label_families import (
    CHANGES,
    consecutive_numbers,
    family_name,
    family_of,
)
from nbprof.model.steps.steps import STEP_NAME, STEP_NUMBERS
from nbprof.model.trace import kinds
from nbprof.model.trace.model import TraceModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Metadata keys about the previous steps.
_OF_STEPS: Final = (STEP_NAME, STEP_NUMBERS, "steps")

#: Maximum number of candidates named in messages.
MOST: Final = 8

#: Labels of collectives, recorded by process groups, are not iterations of a program.
_COLLECTIVE: Final = re.compile(BACKEND)

#: Minimum length of a pattern by which users would recognise a label.
_SHORTEST: Final = 3


@dataclass(frozen=True)
class StepCandidate:
    """A label that repeats at the top of a thread and may be the step of the trace.

    Attributes
    ----------
    name : str
        The label, or the common parts of labels that differ in numbers or arguments.
    pattern : str
        Pattern that chooses it: ``nbprof.load(…, step=pattern)``.
    count : int
        Number of steps that this gives.
    total_us : float
        Host time of these steps, in microseconds.
    """

    name: str
    pattern: str
    count: int
    total_us: float


def step_candidates(model: TraceModel) -> tuple[StepCandidate, ...]:
    """Return the labels that may mark the steps, sorted by host time, largest first.

    A label is at the top level if no operator and no other repeated label encloses it. Enclosing
    Python frames, modules and labels that occur once are ignored. Labels that differ in numbers are
    one if these stand apart from words or, at the end of a word, count up: ``conv2d`` and
    ``float32`` are names. Waits for data loaders, ranges of
    optimizers, collectives and steps of `prof.step()` are not candidates.
    """
    return model.cached("step candidates", lambda: _candidates(model))


def checked_pattern(value: object) -> str | None:
    """Return a validated pattern for ``step=``; None for an empty one.

    Raises
    ------
    FilterError
        The value is not text, or not a valid regular expression.
    """
    try:
        return Filter(name=value).name  # type: ignore[arg-type]
    except FilterError as error:
        message = f"step: {str(error).removeprefix('name: ')}"
        raise FilterError(message) from error


def choose_steps(model: TraceModel, pattern: str) -> TraceModel:
    """Return a model whose steps are the annotations that a pattern matches.

    Of nested matches, the outermost counts; of several threads, the one on which matches take the
    most time.

    Parameters
    ----------
    model : TraceModel
        A trace without steps of its own.
    pattern : str
        A part of the names, or ``/regular expression/``.

    Raises
    ------
    FilterError
        Nothing matches, or the trace has steps of its own.
    """
    if STEP_NAME in model.metadata:
        if model.metadata[STEP_NAME] == pattern:
            return model
        model = _without_choice(model)
    if model.steps.recorded:
        count = len(model.steps.number)
        message = (
            f"step: this trace has {count:,} step{'s' * (count != 1)} of its own,"
            " which the recorder marked; leave step out."
        )
        raise FilterError(message)
    rows = labelled_rows(model, pattern)
    if len(rows) == 0:
        message = (
            f"step: no annotation matches {pattern!r}. {_list_candidates(step_candidates(model))}"
        )
        raise FilterError(message)
    kind = model.column("host", "kind").copy()
    kind[rows] = kinds.STEP
    metadata = {k: v for k, v in model.metadata.items() if k not in _OF_STEPS}
    return _replace_kinds(model, kind, {**metadata, STEP_NAME: pattern})


def labelled_rows(model: TraceModel, pattern: str) -> Rows:
    """Return the host rows that would be the steps if a pattern chose them, in time order."""
    return _matching_rows(model, match_names(model.values("host", "name"), pattern))


def _without_choice(model: TraceModel) -> TraceModel:
    """Return a model in which previously chosen steps are annotations again."""
    kind = model.column("host", "kind").copy()
    kind[kind == kinds.STEP] = kinds.ANNOTATION
    metadata = {k: v for k, v in model.metadata.items() if k not in _OF_STEPS}
    return _replace_kinds(model, kind, metadata)


def _replace_kinds(model: TraceModel, kind: np.ndarray, metadata: dict[str, Any]) -> TraceModel:
    """Return a model with other kinds of host rows that shares everything else."""
    host = model.tables["host"]
    place = host.schema.get_field_index("kind")
    names = arrow_array(kinds.HOST_KINDS, pa.utf8())
    column = pa.DictionaryArray.from_arrays(arrow_array(kind, pa.int8()), names)
    tables = {**model.tables, "host": host.set_column(place, host.schema.field(place), column)}
    made = TraceModel(tables, metadata, model.warnings, dialect=model.dialect)
    made.put("nesting", model.nesting)  # steps nest as annotations do
    return made


def _list_candidates(candidates: Sequence[StepCandidate]) -> str:
    if not candidates:
        return "No annotation repeats at the top of a thread."
    listed = ", ".join(f"{one.pattern!r} ({one.count:,} steps: {one.name})" for one in candidates)
    return f"These repeat: {listed}."


def _matching_rows(model: TraceModel, by_name: Mask) -> Rows:
    """Return the annotations of some names that are steps if these are chosen, in time order."""
    passes = np.append(by_name, False)
    kind, names = (model.column("host", name) for name in ("kind", "name"))
    match = (kind == kinds.ANNOTATION) & passes[names]
    rows: Rows = np.flatnonzero(match)
    if len(rows) == 0:
        return rows
    rows = rows[nearest_ancestor(model.nesting.parent, match)[rows] < 0]
    duration, thread = (model.column("host", name)[rows] for name in ("duration_ns", "thread"))
    total = np.bincount(thread, duration + 1.0)  # for ranges without duration, their number counts
    rows = rows[thread == total.argmax()]
    in_time: Rows = rows[np.argsort(model.column("host", "start_ns")[rows], kind="stable")]
    return in_time


def _candidates(model: TraceModel) -> tuple[StepCandidate, ...]:
    texts = model.values("host", "name")
    duration = model.column("host", "duration_ns")
    found: list[StepCandidate] = []
    for codes in _families(model):
        names = [texts[code] for code in codes]
        name = family_label(names)
        pattern = _pattern(model, name, names)
        rows = labelled_rows(model, pattern)
        total = int(duration[rows].sum())
        if len(rows) > 1 and total > 0:
            found.append(StepCandidate(name, pattern, len(rows), total / 1000))
    return tuple(sorted(found, key=lambda one: (-one.total_us, one.name))[:MOST])


def _families(model: TraceModel) -> Iterator[list[int]]:
    """Yield the name codes of each family that repeats at the top level of a thread."""
    kind, names = (model.column("host", name) for name in ("kind", "name"))
    rows = np.flatnonzero(((kind == kinds.ANNOTATION) | (kind == kinds.STEP)) & (names >= 0))
    if len(rows) == 0:
        return
    texts, codes = model.values("host", "name"), np.unique(names[rows])
    family = label_families(model, rows)
    count = int(family.max()) + 1
    # Families per thread: a label that occurs once on a thread is not an iteration there.
    place = model.column("host", "thread")[rows] * count + family[names[rows]]
    again = rows[np.bincount(place)[place] > 1]
    around = kind == kinds.OPERATOR
    around[again] = True
    top = again[nearest_ancestor(model.nesting.parent, around)[again] < 0]
    place = model.column("host", "thread")[top] * count + family[names[top]]
    top = top[(np.bincount(place)[place] > 1) & (kind[top] == kinds.ANNOTATION)]
    for one in np.unique(family[names[top]]).tolist():
        members = codes[family[codes] == one].tolist()
        if not any(is_wrapper(texts[code]) or _COLLECTIVE.match(texts[code]) for code in members):
            yield members


def label_families(model: TraceModel, rows: Rows) -> Rows:
    """Return the number of the family of each name among labels, by code of the name.

    Labels that differ only in numbers or brackets are a family, as for `step_candidates`.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (labels,)
        Host rows with a name, ascending.

    Returns
    -------
    ndarray of int64, shape (names,)
        From 0 on, in order of names; -1 for names that no label has.
    """
    texts = model.values("host", "name")
    numbers: dict[Any, int] = {}
    family = np.full(len(texts), -1, np.int64)
    counting = _counting_names(model, rows)
    for code in np.unique(model.column("host", "name")[rows]).tolist():
        key = family_of(texts[code], endings=code in counting), code in counting
        family[code] = numbers.setdefault(key, len(numbers))
    return family


def family_label(names: Sequence[str]) -> str:
    """Return the displayed name of the labels of one family: one name, or what all share."""
    if len(names) == 1:
        return names[0]
    return family_name(names, endings=len({family_of(one) for one in names}) > 1)


def _counting_names(model: TraceModel, rows: Rows) -> set[int]:
    """Return the codes of names that end words with a number which counts them on a thread."""
    texts, names = model.values("host", "name"), model.column("host", "name")[rows]
    numbers: dict[tuple[str, ...], int] = {}
    family = np.full(len(texts), -1, np.int64)
    for code in np.unique(names).tolist():
        endings = family_of(texts[code], endings=True)
        if endings != family_of(texts[code]):
            family[code] = numbers.setdefault(endings, len(numbers))
    thread, found = model.column("host", "thread")[rows], set()
    for one, here in rows_of_values(family[names]).items():  # in order of thread and time
        codes = names[here].tolist()
        one_thread = thread[here[0]] == thread[here[-1]]
        if one >= 0 and one_thread and consecutive_numbers([texts[code] for code in codes]):
            found.update(codes)
    return found


def _pattern(model: TraceModel, name: str, names: Sequence[str]) -> str:
    """Return the simplest pattern that matches the names of a family and no other annotation."""
    kind, codes = (model.column("host", column) for column in ("kind", "name"))
    texts = model.values("host", "name")
    others = {texts[c] for c in np.unique(codes[kind == kinds.ANNOTATION]).tolist() if c >= 0}
    others -= set(names)
    literal = name.split(CHANGES)
    for text in (name if len(literal) == 1 else "", literal[0].strip()):
        is_plain = len(text) >= _SHORTEST and not text.startswith("/")
        if is_plain and not any(match_names(sorted(others), text)):
            return text
    escaped = ".*".join(_escaped(one) for one in literal)
    return f"/^{escaped}$/"


def _escaped(text: str) -> str:
    """Escape regular expression syntax in a text, but not spaces."""
    return re.sub(r"([\\.^$*+?{}\[\]()|])", r"\\\1", text)
