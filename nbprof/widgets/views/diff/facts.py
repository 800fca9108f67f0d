"""Saves the values of every step of both sides, from which a page compares under other filters.

`js/src/views/diff/later/` reads them: the entry ``diff:steps`` says which steps each worker has,
``diff:by:<word>`` holds the values of a table: its keys, then the cells of each worker, then the
idle times at the borders of steps of each worker, for the table that has them; and
``diff:calls`` the calls of which a page makes trees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.steps.breakdown import steps_in_range
from nbprof.diffs.lookup import diff_table
from nbprof.diffs.notes import lasting_notes
from nbprof.diffs.trees.outline import Outline
from nbprof.diffs.values.by_step import steps_of
from nbprof.model.building import arrow_array, table_of
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.views.diff.comparison import difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from nbprof.diffs.sides.sides import Side, Sides
    from nbprof.diffs.values.by_step import AtBorders, ByStep
    from nbprof.diffs.values.cells import Cells
    from nbprof.widgets.saved.parts import Saving

STEPS: Final = "diff:steps"
#: Beginning of the names of entries with the values of a table.
BY: Final = "diff:by:"
#: The calls of every step, of which trees are made.
CALLS: Final = "diff:calls"


def keep_steps(saving: Saving) -> Iterator[str]:
    """Save which steps both sides have."""
    diff = difference(saving.session, saving.state)
    if diff is None or not saving.plan.refilters:
        return
    own = saving.session.own_conditions if saving.state.baseline else {}
    has_own = bool(saving.state.baseline and saving.state.baseline.source)
    about = {
        "per_step": diff.per_step,
        "notes": lasting_notes(diff.sides),
        "sides": [
            _steps(diff.sides.baseline, sorted(own) if has_own else []),
            _steps(diff.sides.candidate, []),
        ],
    }
    saving.writer.add(STEPS, about)
    yield STEPS


def keep_values(saving: Saving, word: str) -> Iterator[str]:
    """Save the values of a table in every step, if a page can compare by them."""
    diff = difference(saving.session, saving.state)
    if diff is None or not saving.plan.refilters or STEPS not in saving.writer:
        return
    spec, options = diff_table(word)
    if spec.of_calls is not None:
        yield from _keep_calls(saving, diff.sides)
        if CALLS in saving.writer:
            saving.writer.add(f"{BY}{word}", {"of_calls": list(spec.of_calls)})
            yield f"{BY}{word}"
        return
    if spec.by_step is None:
        return
    found = spec.by_step(diff.sides, **options)
    if found is None:
        return
    about = _about(found)
    if not saving.writer.add(f"{BY}{word}", about, [to_ipc(one) for one in _tables(found)]):
        title = spec.nouns[1].capitalize()
        saving.writer.leave_out(
            f"Differences of {title.lower()} cannot be filtered here, because of the size limit."
        )
    yield f"{BY}{word}"


def _keep_calls(saving: Saving, sides: Sides) -> Iterator[str]:
    """Save the calls of every step of the first trace of both sides, once."""
    if CALLS in saving.writer:
        return
    both = [
        Outline.of(side.models[0], side.filters[0], steps_of(side, sides)[0])
        for side in (sides.baseline, sides.candidate)
    ]
    about = {
        "noisy": sides.per_step,
        "labels": [of.labels for of in both],
        "shapes": [of.shapes for of in both],
    }
    tables = [to_ipc(one) for of in both for one in _calls(of)]
    if not saving.writer.add(CALLS, about, tables):
        saving.writer.leave_out(
            "The tree of both sides cannot be filtered here, because of the size limit."
        )
    yield CALLS


def _calls(of: Outline) -> Iterator[pa.Table]:
    """Yield the positions of a side, then what each step has there."""
    yield table_of(
        {
            "parent": arrow_array(of.parent.astype(np.int32)),
            "occurrence": arrow_array(of.occurrence.astype(np.int32)),
        }
    )
    about = {"among": of.among, "label": of.label, "shape": of.shape, "backward": of.backward}
    yield table_of(
        {
            "row": arrow_array(of.cells.row.astype(np.int32)),
            "step": arrow_array(of.cells.step.astype(np.int32)),
            **{name: arrow_array(values.astype(np.int32)) for name, values in about.items()},
            **{name: arrow_array(values) for name, values in of.cells.values.items()},
        }
    )


def _steps(side: Side, own: list[str]) -> dict[str, Any]:
    """Return the steps of each worker of a side, and the fields of the filter that are its own."""
    workers = []
    for model, filter_ in zip(side.models, side.filters, strict=True):
        found = steps_in_range(model, filter_)
        workers.append(
            {
                "number": model.steps.number[found.chosen].tolist(),
                "complete": found.complete[found.chosen].tolist(),
            }
        )
    return {"workers": workers, "own": own}


def _about(found: ByStep) -> dict[str, Any]:
    return {
        "named": found.named,
        "width": found.width,
        "in_order": found.in_order,
        "at_peak": found.at_peak,
        "at_borders": found.borders is not None,
        "noisy": found.is_noisy,
        "workers": [len(of) for of in found.cells],
    }


def _tables(found: ByStep) -> Iterator[pa.Table]:
    """Yield the keys with their places on both sides, then cells and borders of each worker."""
    known: dict[tuple[Any, ...], int] = {}
    places: list[dict[int, int]] = []
    for of in found.cells:
        place: dict[int, int] = {}
        for one in of:
            for key in one.keys:
                place.setdefault(known.setdefault(key, len(known)), len(place))
        places.append(place)
    keys = list(known)
    width = len(keys[0]) if keys else 0
    columns = {f"key{at}": arrow_array([key[at] for key in keys]) for at in range(width)}
    for name, place in zip(("baseline", "candidate"), places, strict=True):
        rank = np.array([place.get(row, -1) for row in range(len(keys))], np.int32)
        columns[name] = arrow_array(rank)
    yield table_of(columns)
    for of in found.cells:
        for one in of:
            yield _cells(one, known)
    for cells, borders in zip(found.cells, found.borders or (), strict=False):
        for one, of_worker in zip(cells, borders, strict=True):
            yield from _borders(one, of_worker, known)


def _borders(
    cells: Cells, borders: AtBorders, known: dict[tuple[Any, ...], int]
) -> Iterator[pa.Table]:
    """Yield the steps of a worker, then its idle times at their borders; times are exact floats."""
    rows = np.array([known[key] for key in cells.keys], np.int32)
    start, end = (arrow_array(of.astype(np.float64)) for of in borders.windows)
    yield table_of({"start": start, "end": end})
    times = {"start": borders.start, "end": borders.end, "launch": borders.launch}
    yield table_of(
        {
            "row": arrow_array(rows[borders.row] if len(rows) else borders.row.astype(np.int32)),
            **{name: arrow_array(of.astype(np.float64)) for name, of in times.items()},
        }
    )


def _cells(cells: Cells, known: dict[tuple[Any, ...], int]) -> pa.Table:
    rows = np.array([known[key] for key in cells.keys], np.int32)
    return table_of(
        {
            "row": arrow_array(rows[cells.row] if len(rows) else cells.row.astype(np.int32)),
            "step": arrow_array(cells.step.astype(np.int32)),
            **{name: arrow_array(of) for name, of in cells.values.items()},
        }
    )
