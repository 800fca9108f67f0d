"""Steps chosen by a label: parts, written files, the cache, other ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.content import content_of
from nbprof.model.errors import FilterError
from nbprof.sources import ReadOptions, discover
from nbprof.sources.cache import cache
from tests.sources.writing.round_trip import NO_TABLES_OF_A_PART, NOT_OF_A_PART
from tests.support.recordings.labels import write_labelled
from tests.support.tables import TRACE_TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace


@pytest.fixture
def served(tmp_path: Path) -> Path:
    return write_labelled(tmp_path / "served.pt.trace.json")


def assert_same_tables(found: Trace, wanted: Trace) -> None:
    for name in TRACE_TABLES:
        if name in NO_TABLES_OF_A_PART:
            continue
        one, other = found.table(name), wanted.table(name)
        kept = [column for column in other.column_names if column not in NOT_OF_A_PART]
        assert one.select(kept).to_pylist() == other.select(kept).to_pylist(), name


def test_a_choice_shares_what_was_read(served: Path) -> None:
    trace = nbprof.load(served, progress=False).trace()
    chosen = trace.with_step("step[")
    assert chosen.model.tables["device"] is trace.model.tables["device"]
    assert trace.steps()["step"].to_pylist() == [0]
    assert chosen.steps()["step"].to_pylist() == [0, 1, 2, 3]
    assert chosen.with_step(None).steps().equals(trace.steps())
    assert nbprof.load(served, step="step[").trace().model is chosen.model
    assert chosen.filter(steps=2).with_step("/DECODE/").steps()["step"].to_pylist() == [2]


@pytest.mark.parametrize("part", [{"steps": (1, 2)}, {"steps": 3}, {"time_us": (110.0, 330.0)}])
def test_parts_have_the_tables_of_the_whole(served: Path, part: dict) -> None:
    whole = nbprof.load(served, step="step[").trace()
    loaded = nbprof.load(served, step="step[", progress=False, **part).trace()
    assert_same_tables(loaded, whole.filter(**part))
    if "steps" in part:
        rows = loaded.model.tables["host"].num_rows
        assert rows < whole.model.tables["host"].num_rows


@pytest.mark.parametrize("part", [{}, {"steps": (1, 2)}, {"time_us": (110.0, 330.0)}])
def test_files_that_are_written_keep_the_steps(served: Path, tmp_path: Path, part: dict) -> None:
    whole = nbprof.load(served, step="step[").trace()
    path = tmp_path / "written.json"
    whole.filter(**part).to_chrome_trace(path)
    again = nbprof.load(path, strict=True).trace()
    assert again.model.metadata["step_name"] == "step["
    assert_same_tables(again.filter(**part), whole.filter(**part))
    if part:
        # A look at the text finds no steps there: it is read in full.
        assert_same_tables(nbprof.load(path, **part).trace(), whole.filter(**part))


def test_a_written_file_can_be_read_by_other_steps(served: Path, tmp_path: Path) -> None:
    path = tmp_path / "written.json"
    nbprof.load(served, step="step[").trace().to_chrome_trace(path)
    again = nbprof.load(path, step="/DECODE/").trace()
    assert_same_tables(again, nbprof.load(served, step="/DECODE/").trace())


def test_options_are_parts_of_the_key(served: Path) -> None:
    (file,) = discover(served).files
    by_step, whole = ReadOptions(step="step["), ReadOptions()
    assert by_step != whole
    assert not by_step.partial
    assert content_of(file, by_step) is not content_of(file, whole)
    assert content_of(file, by_step) is content_of(file, ReadOptions.of(step="step["))
    assert ReadOptions(step="") == whole
    with pytest.raises(FilterError, match="step: "):
        ReadOptions(step="/(/")


def test_the_cache_keeps_the_whole_and_every_choice_reads_it(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 1)
    first = nbprof.load(served, step="step[").trace()
    steps = first.steps()
    cache.finish()
    (file,) = discover(served).files
    path, *state, _ = content_of(file, ReadOptions()).stamp
    kept = cache.find(path, state, ReadOptions())
    assert kept is not None
    assert "step_name" not in kept.metadata
    del first
    assert nbprof.load(served, step="step[").trace()._content.is_kept
    assert nbprof.load(served, step="step[").trace().steps().equals(steps)
    assert nbprof.load(served).trace().steps()["step"].to_pylist() == [0]


def test_ranks_are_compared_step_by_step(tmp_path: Path) -> None:
    for rank in range(2):
        write_labelled(tmp_path / f"rank{rank}.pt.trace.json", late=12 + rank)
    profile = nbprof.load(tmp_path, step="step[", progress=False)
    found = profile.distributed_overview()
    assert set(found["step"].to_pylist()) - {None} == {0, 1, 2, 3}
    whole = nbprof.load(tmp_path, progress=False).distributed_overview()
    assert set(whole["step"].to_pylist()) - {None} == {0}
    assert profile.with_step(None).distributed_overview().equals(whole)


def test_a_rank_without_the_label_says_so(tmp_path: Path) -> None:
    write_labelled(tmp_path / "rank0.pt.trace.json")
    write_labelled(tmp_path / "rank1.pt.trace.json", ("other 1", "other 2"))
    profile = nbprof.load(tmp_path, step="step[", progress=False)
    with pytest.raises(FilterError, match="These repeat: 'other'"):
        profile.trace(worker="rank1").steps()


def test_labels_are_counted_by_their_own_numbers(tmp_path: Path) -> None:
    labels = [f"[Executor] _forward_step {n}: {n % 2} ctx reqs, 3 gen reqs" for n in (7, 8, 9)]
    path = write_labelled(tmp_path / "a.pt.trace.json", labels)
    trace = nbprof.load(path, step="_forward_step").trace()
    assert trace.steps()["step"].to_pylist() == [7, 8, 9]
    assert nbprof.load(path, step="_forward_step", steps=8).trace().steps()["step"].to_pylist() == [
        8
    ]


def test_steps_last_until_the_work_that_they_launched_ends(served: Path) -> None:
    table = nbprof.load(served, step="step[").trace().steps().to_pylist()
    # The last kernel of an iteration starts 89 µs after it, and takes 18.
    ends = [105.0 * i + 107.0 for i in range(4)]
    assert [row["end_us"] for row in table] == ends
    assert [row["start_us"] for row in table] == [0.0, *ends[:-1]]
    assert all(row["complete"] for row in table)
