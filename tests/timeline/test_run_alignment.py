"""Alignment of two runs at a step or a name, and counterparts, compared with walks over slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

import nbprof
from nbprof.model.filters import selection
from nbprof.timeline.run_alignment import StepPairs, align_runs, counterpart, occurrence_of
from nbprof.timeline.slices import Slices
from tests.analysis.generated import traces
from tests.support.models import make_model
from tests.widgets.conftest import write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def walk(model: TraceModel, name: str, step: int | None) -> list[tuple[int, int]]:
    """Return (start, id) of all slices with a name, in a step: those of the host if it has any."""
    slices = Slices.of(model)
    steps = [*selection.step_of_host_rows(model), *selection.step_of_device_rows(model)]
    sides = (range(slices.host_rows), range(slices.host_rows, len(slices)))
    for ids in sides:
        named = [i for i in ids if slices.name[i] >= 0 and slices.names[slices.name[i]] == name]
        if named:
            kept = [i for i in named if step is None or steps[i] == step]
            return sorted((int(slices.start[i]), i) for i in kept)
    return []


def recording(path: Path, steps: tuple[int, ...]) -> TraceModel:
    file = write_trace(path / f"steps{'-'.join(map(str, steps))}.pt.trace.json", steps=steps)
    return nbprof.load(file, progress=False).trace().model


def without_steps() -> TraceModel:
    row = {"name": "aten::add", "start": 5, "end": 12}
    return make_model([row], [])


def test_steps_go_together_by_number_or_else_in_order(tmp_path: Path) -> None:
    first, same = recording(tmp_path, (3, 4, 5)), recording(tmp_path, (4, 5, 6))
    pairs = StepPairs.of(first, same)
    assert pairs.first.tolist() == [1, 2]
    assert pairs.second.tolist() == [0, 1]
    assert [pairs.partner(step) for step in range(3)] == [-1, 0, 1]
    assert StepPairs.of(same, first).first.tolist() == [0, 1]
    other = recording(tmp_path, (11, 12))
    pairs = StepPairs.of(first, other)
    assert (pairs.first.tolist(), pairs.second.tolist()) == ([0, 1], [0, 1])
    assert not len(StepPairs.of(first, without_steps()).first)


def test_a_run_is_moved_until_a_step_begins_with_its_partner(tmp_path: Path) -> None:
    first, second = recording(tmp_path, (3, 4, 5)), recording(tmp_path, (4, 5, 6))
    found = align_runs(first, second)
    assert (found.at_ns, found.other_ns) == (1_000_000, 0)
    assert found.shift_ns == 1_000_000
    assert (found.place, found.nth, found.count) == ("step 4", 1, 2)
    assert found.end_ns == 1_000_000 + 900_000, "the step as the host recorded it is the longer one"
    assert align_runs(first, second, step=5).at_ns == 2_000_000
    assert align_runs(second, first, step=5).shift_ns == -1_000_000
    away = align_runs(first, second, step=3)
    assert away.at_ns == 1_000_000, "the first step of both"
    assert "step 3 is not on both sides" in away.words
    nothing = align_runs(first, without_steps())
    assert (nothing.at_ns, nothing.shift_ns, nothing.count) == (0, 0, 0)
    assert "steps were not recorded in both" in nothing.words


def test_a_run_is_moved_until_an_occurrence_begins_with_its_partner(tmp_path: Path) -> None:
    first, second = recording(tmp_path, (3, 4, 5)), recording(tmp_path, (4, 5, 6))
    found = align_runs(first, second, name="aten::add")
    assert (found.at_ns, found.other_ns, found.nth, found.count) == (500_000, 500_000, 1, 3)
    assert found.end_ns == 500_000 + 104_000, "the add of step 4 takes longer than that of step 3"
    within = align_runs(first, second, step=4, name="aten::add")
    assert (within.at_ns, within.other_ns, within.count) == (1_500_000, 500_000, 1)
    assert "1st aten::add of step 4 begins" in within.words
    kernel = align_runs(first, second, step=5, name="add_kernel")
    assert (kernel.at_ns, kernel.other_ns) == (2_530_000, 1_530_000)
    for asked, words in (
        ({"name": "aten::mm"}, "there is no aten::mm in the candidate"),
        ({"name": "aten::add", "nth": 4}, "there is no 4th aten::add in the candidate"),
        ({"name": "aten::add", "nth": 2, "step": 4}, "no 2nd aten::add of step 4"),
        ({"name": "aten::add", "step": 3}, "step 3 is not on both sides"),
    ):
        lost = align_runs(first, second, **asked)  # type: ignore[arg-type]
        assert words in lost.words
        assert lost.place == "step 4"


@settings(max_examples=18)
@given(traces(), traces(), st.data())
def test_occurrences_and_counterparts_equal_a_walk(
    first: TraceModel, second: TraceModel, data: st.DataObject
) -> None:
    slices = Slices.of(first)
    if not len(slices):
        return
    slice_id = data.draw(st.integers(0, len(slices) - 1))
    found = occurrence_of(first, slice_id)
    if slices.name[slice_id] < 0:
        assert found is None
        return
    assert found is not None
    name = slices.names[slices.name[slice_id]]
    assert found.name == name
    on_host = slice_id < slices.host_rows
    steps = [*selection.step_of_host_rows(first), *selection.step_of_device_rows(first)]
    step = int(steps[slice_id]) if first.steps.recorded else -1
    assert found.step == step
    side = [i for i in range(len(slices)) if (i < slices.host_rows) == on_host]
    same = [i for i in side if slices.name[i] >= 0 and slices.names[slices.name[i]] == name]
    same = [i for i in same if step < 0 or steps[i] == step]
    assert sorted(same, key=lambda i: (slices.start[i], i))[found.nth - 1] == slice_id
    assert counterpart(first, first, slice_id) in (slice_id, -1)
    if step >= 0 or not first.steps.recorded:
        assert counterpart(first, first, slice_id) == slice_id, "a trace is its own counterpart"
    other = counterpart(first, second, slice_id)
    theirs = Slices.of(second)
    if other >= 0 and name in theirs.names:
        assert theirs.names[theirs.name[other]] == name
        assert (other < theirs.host_rows) == on_host
        assert counterpart(second, first, other) == slice_id, "and the counterpart of that is this"
    elif other >= 0:
        operators = [model.links.operator for model in (first, second)]
        pair = operators[0][slice_id - slices.host_rows], operators[1][other - theirs.host_rows]
        assert counterpart(first, second, int(pair[0])) == pair[1], "their operators correspond"


@settings(max_examples=18)
@given(traces(), traces(), st.data())
def test_names_are_counted_as_a_walk_counts_them(
    first: TraceModel, second: TraceModel, data: st.DataObject
) -> None:
    names = sorted({*Slices.of(first).names, *Slices.of(second).names} - {""})
    if not names:
        return
    name, nth = data.draw(st.sampled_from(names)), data.draw(st.integers(1, 3))
    found = align_runs(first, second, name=name, nth=nth)
    both = [walk(model, name, None) for model in (first, second)]
    if any(len(one) < nth for one in both):
        assert "there is no" in found.words
        return
    assert (found.at_ns, found.other_ns) == (both[0][nth - 1][0], both[1][nth - 1][0])
    assert (found.nth, found.count) == (nth, min(map(len, both)))
