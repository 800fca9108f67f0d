"""`nbprof.profile` records with the profiler of PyTorch, here with a stand-in for it."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.sources.live.recording import without_event
from tests.support import fake_torch

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def profiler(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("RANK", raising=False)
    return fake_torch.install(monkeypatch)


def steps(recording: Any, span: int = 1) -> list[int]:
    found: list[int] = nbprof.load(recording).trace(span=span).steps()["step"].to_pylist()
    return found


def names(recording: Any, span: int = 1) -> list[str]:
    found = nbprof.load(recording).trace(span=span).operators()["name"].to_pylist()
    return sorted(found)


def test_all_that_the_views_can_use_is_recorded(profiler: Any) -> None:
    with nbprof.profile() as recording:
        profiler.record("aten::add")
    options = recording.profiler.options
    assert options.pop("experimental_config") is None  # only devices wait
    assert options == dict.fromkeys(options, True)
    assert {"record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules"} == set(
        options
    )
    assert names(recording) == ["aten::add"]
    assert nbprof.profile(with_stack=False, activities=["CPU"]).options["activities"] == ["CPU"]


def test_steps_are_those_that_were_marked(profiler: Any) -> None:
    with nbprof.profile() as recording:
        for _ in range(3):
            profiler.record("aten::add")
            busy()
            recording.step()
    assert steps(recording) == [0, 1, 2]


def test_a_last_step_that_was_not_marked_counts(profiler: Any) -> None:
    with nbprof.profile() as recording:
        for _ in range(3):
            recording.step()
            profiler.record("aten::add")
            busy()
    assert steps(recording)[-1] == 3


def test_without_marks_there_are_no_steps_and_others_can_be_chosen(profiler: Any) -> None:
    with nbprof.profile() as recording:
        profiler.record("aten::add")
    trace = nbprof.load(recording).trace()
    assert "ProfilerStep#0" not in trace.slices()["name"].to_pylist()
    assert trace.step_candidates() == ()


def test_each_part_of_a_schedule_is_a_span(profiler: Any, tmp_path: Path) -> None:
    actions = profiler.ProfilerAction
    cycle = [actions.WARMUP, actions.RECORD, actions.RECORD_AND_SAVE]
    with nbprof.profile(
        schedule=lambda step: cycle[step % 3],
        on_trace_ready=nbprof.trace_handler(tmp_path, "worker0"),
        name="mine",
    ) as recording:
        for number in range(6):
            profiler.record(f"aten::op{number}")
            recording.step()
    runs = nbprof.load(recording).runs().to_pylist()
    assert [(row["run"], row["span"]) for row in runs] == [("mine", 1), ("mine", 2)]
    assert names(recording, 1) == ["aten::op1", "aten::op2"]
    assert names(recording, 2) == ["aten::op4", "aten::op5"]
    assert steps(recording, 2) == [4, 5]
    written = nbprof.load(tmp_path)
    assert [(file.worker, file.span) for file in written.files] == [("worker0", 1), ("worker0", 2)]
    assert written.trace(span=2).steps() == nbprof.load(recording).trace(span=2).steps()


def test_one_that_has_not_ended_says_so(profiler: Any) -> None:
    with nbprof.profile() as recording:
        with pytest.raises(nbprof.SourceError, match="still recording"):
            nbprof.load(recording)
        profiler.record("aten::add")
    assert "1 span recorded" in repr(recording)


def test_what_ran_before_an_error_is_there(profiler: Any) -> None:
    recording = nbprof.profile()

    def failing() -> None:
        with recording:
            profiler.record("aten::add")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert names(recording) == ["aten::add"]


def test_nothing_recorded_is_a_warning(profiler: Any, capsys: pytest.CaptureFixture[str]) -> None:
    never = profiler.ProfilerAction.NONE
    with (
        pytest.warns(UserWarning, match="recorded nothing yet"),
        nbprof.profile(schedule=lambda _: never, show=True),
    ):
        pass
    assert capsys.readouterr().out == ""


def test_it_shows_itself_once_where_asked(
    profiler: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with nbprof.profile(show=True, name="mine"):
        profiler.record("aten::add")
    assert capsys.readouterr().out.count("Run mine") == 1
    with nbprof.profile():  # this is no notebook
        profiler.record("aten::add")
    assert capsys.readouterr().out == ""


def test_all_else_is_that_of_the_profiler(profiler: Any, tmp_path: Path) -> None:
    with nbprof.profile() as recording:
        profiler.record("aten::add")
    for _ in range(2):
        recording.export_chrome_trace(str(tmp_path / "a.json"))
        assert names(tmp_path / "a.json") == ["aten::add"]
    assert recording.step_num == 0
    with pytest.raises(AttributeError, match="nothing"):
        _ = recording.nothing


def test_without_pytorch_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "torch.profiler", None)
    with pytest.raises(nbprof.RecordingError, match="pip install torch"):
        nbprof.profile()


@pytest.mark.parametrize("at", range(3))
def test_an_event_is_removed_wherever_it_is(at: int) -> None:
    events = ['{"name": "a", "args": {"x": 1}}', '{"name": "b"}']
    events.insert(at, '{"ph": "X", "name": "ProfilerStep#3", "args": {"y": {}}}')
    text = f'{{"traceEvents": [{", ".join(events)}], "traceName": "n"}}'.encode()
    left = without_event(text, "ProfilerStep#3")
    assert [event["name"] for event in json.loads(left)["traceEvents"]] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        b'{"traceEvents": [{"name": "a"}]}',
        b'{"traceEvents": [{"name": "b"}, {"name": "b"}]}',
        b'{"traceEvents": [{"name": "b", "args": {',
    ],
)
def test_an_unexpected_text_is_left_as_it_is(text: bytes) -> None:
    assert without_event(text, "b") == text


def busy() -> None:
    """Take longer than what follows the last step."""
    end = time.perf_counter_ns() + 2_000_000
    while time.perf_counter_ns() < end:
        pass
