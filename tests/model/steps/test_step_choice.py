"""Annotations as steps give the tables that prof.step() would have given."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.operators.user_events import user_events
from nbprof.model.errors import FilterError
from nbprof.model.links.host_nesting import nest_host
from nbprof.model.steps.step_choice import choose_steps, step_candidates
from nbprof.model.trace import kinds
from nbprof.sources import discover, read
from nbprof.tables import TABLES
from tests.analysis import slow
from tests.analysis.generated import rows
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

#: Labels of families that letters alone tell apart.
LABELS = ("it 1", "it 2", "it 3", "request(a)", "request(b)", "attention", "Optimizer.step#SGD")
NAMES = {
    "operator": ("aten::mm", "aten::add"),
    "runtime": ("cudaLaunchKernel",),
    "annotation": LABELS,
    "python": ("main.py(3): run",),
}


@st.composite
def labelled(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Draw host and device rows of a trace without steps."""
    host, device = draw(rows(NAMES))
    return [row for row in host if row["kind"] != "step"], device


def family(name: str) -> str:
    return re.match(r"\w+", name).group()  # type: ignore[union-attr]


def ancestors(model: TraceModel, index: int) -> list[int]:
    found, above = [], int(model.nesting.parent[index])
    while above >= 0:
        found.append(above)
        above = int(model.nesting.parent[above])
    return found


def chosen(model: TraceModel, wanted: str) -> list[slow.Row]:
    """Return the outermost rows of a family on the thread on which they take the most time."""
    mine = [
        row
        for row in slow.rows_of(model, "host")
        if row.kind == "annotation" and family(row.name) == wanted
    ]
    inside = {row.index for row in mine}
    mine = [row for row in mine if not inside.intersection(ancestors(model, row.index))]
    time: Counter[int] = Counter()
    for row in mine:
        time[row.more["thread"]] += row.duration + 1
    best = max(sorted(time), key=lambda thread: time[thread], default=-1)
    return sorted((r for r in mine if r.more["thread"] == best), key=lambda r: (r.start, r.index))


def tops(model: TraceModel) -> set[str]:
    """Return the families that occur twice at the top of a thread."""
    host = slow.rows_of(model, "host")
    labels = [row for row in host if row.kind == "annotation"]
    often = Counter((family(row.name), row.more["thread"]) for row in labels)
    again = {row.index for row in labels if often[family(row.name), row.more["thread"]] > 1}
    closed = again | {row.index for row in host if row.kind == "operator"}
    top = Counter(
        (family(host[i].name), host[i].more["thread"])
        for i in again
        if not closed.intersection(ancestors(model, i))
    )
    return {name for (name, _), count in top.items() if count > 1} - {"Optimizer"}


@given(labelled())
def test_candidates_are_what_repeats_at_the_top_of_a_thread(drawn: Any) -> None:
    model = make_model(*drawn)
    wanted = {}
    for name in tops(model):
        found = chosen(model, name)
        total = sum(row.duration for row in found)
        if len(found) > 1 and total:
            wanted[name] = (len(found), total)
    candidates = step_candidates(model)
    assert {family(c.name): (c.count, round(c.total_us * 1000)) for c in candidates} == wanted
    times = [c.total_us for c in candidates]
    assert times == sorted(times, reverse=True)
    for candidate in candidates:
        steps = choose_steps(model, candidate.pattern).steps
        rows_of = [row.index for row in chosen(model, family(candidate.name))]
        assert steps.row.tolist() == rows_of
        assert steps.recorded


@given(labelled(), st.sampled_from(["it ", "request(", "attention"]))
def test_tables_are_those_of_a_trace_in_which_prof_step_was_called(drawn: Any, label: str) -> None:
    host, device = drawn
    model = make_model(host, device)
    found = chosen(model, family(label))
    if not found:
        with pytest.raises(FilterError, match="no annotation matches"):
            choose_steps(model, label)
        return
    made = choose_steps(model, label)
    numbers = made.steps.number.tolist()
    is_count = [row.name.split()[-1] for row in found] == [str(n) for n in numbers]
    assert is_count or numbers == list(range(len(found)))
    name_of = {row.index: f"ProfilerStep#{n}" for row, n in zip(found, numbers, strict=True)}
    table = model.tables["host"]
    same = make_model(
        [
            {**_plain(model, i), **({"name": name_of[i], "kind": "step"} if i in name_of else {})}
            for i in range(table.num_rows)
        ],
        device,
    )
    assert same.steps.row.tolist() == made.steps.row.tolist()
    for name in ("steps", "overview", "user_events", "stages", "stage_summary", "device_summary"):
        make = TABLES[name].make
        assert make(made).equals(make(same)), name
    fresh = nest_host(made)
    assert np.array_equal(fresh.parent, made.nesting.parent)
    assert np.array_equal(fresh.depth, made.nesting.depth)


def _plain(model: TraceModel, index: int) -> dict[str, Any]:
    row = model.tables["host"].slice(index, 1).to_pylist()[0]
    keys = ("name", "kind", "correlation")
    start = row["start_ns"]
    plain = {key: row[key] for key in keys}
    return {**plain, "tid": row["thread"], "start": start, "end": start + row["duration_ns"]}


def iterations(count: int = 3) -> list[dict[str, Any]]:
    return [
        {"name": f"it {4 + i}", "kind": "annotation", "start": 10 * i, "end": 10 * i + 8}
        for i in range(count)
    ]


def test_another_choice_takes_the_place_of_the_first_one() -> None:
    inner = {"name": "part", "kind": "annotation"}
    host = [*iterations(), {**inner, "start": 1, "end": 3}, {**inner, "start": 11, "end": 13}]
    model = make_model(host)
    first = choose_steps(model, "it ")
    assert first.steps.number.tolist() == [4, 5, 6]
    second = choose_steps(first, "part")
    assert second.steps.number.tolist() == [0, 1]
    assert [row["name"] for row in user_events(second).to_pylist()] == [
        "it 4",
        "it 5",
        "it 6",
    ]
    assert choose_steps(first, "it ") is first
    assert model.steps.number.tolist() == [0]
    assert not model.steps.recorded
    assert (model.column("host", "kind") == kinds.ANNOTATION).all()


def test_what_matches_nothing_says_what_repeats() -> None:
    with pytest.raises(
        FilterError, match=r"no annotation matches 'x'. These repeat: '/\^it \.\*\$/' \(3 steps"
    ):
        choose_steps(make_model(iterations()), "x")
    with pytest.raises(FilterError, match="No annotation repeats"):
        choose_steps(make_model(iterations(1)), "x")


def test_a_trace_with_steps_of_its_own_keeps_them() -> None:
    host = [*iterations(), {"name": "ProfilerStep#0", "kind": "step", "start": 0, "end": 40}]
    with pytest.raises(FilterError, match=r"1 step of its own"):
        choose_steps(make_model(host), "it ")


def test_a_label_round_everything_hides_no_iteration() -> None:
    once = {"name": "serve", "kind": "annotation", "start": 0, "end": 99}
    frame = {"name": "run.py(1): main", "kind": "python", "start": 0, "end": 98}
    (found,) = step_candidates(make_model([once, frame, *iterations()]))
    assert (found.name, found.pattern, found.count, found.total_us) == (
        "it …",
        "/^it .*$/",
        3,
        0.024,
    )


def labels(*names: str) -> TraceModel:
    """Return a trace of annotations one after the other."""
    return make_model(
        [
            {"name": name, "kind": "annotation", "start": 10 * at, "end": 10 * at + 9}
            for at, name in enumerate(names)
        ]
    )


def test_numbers_in_words_make_no_iterations(shared_data: Path) -> None:
    (file,) = discover(shared_data / "reports/h200_small/candidates.json").files
    assert step_candidates(read(file, progress=False)) == ()
    assert step_candidates(labels("float16", "float32", "float64")) == ()
    assert step_candidates(labels("conv1d", "conv2d", "conv3d")) == ()


def test_numbers_at_the_end_of_words_make_iterations_if_they_count() -> None:
    (one,) = step_candidates(labels("step8", "step9", "step10"))
    assert (one.name, one.pattern, one.count) == ("step…", "step", 3)
    found = step_candidates(labels("layer0", "layer1", "layer0", "layer1"))
    assert [(one.name, one.count) for one in found] == [("layer0", 2), ("layer1", 2)]
