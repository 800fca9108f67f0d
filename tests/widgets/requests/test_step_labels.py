"""Labels as steps in the explorer: the choices, and what follows from one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from traitlets import TraitError

import nbprof
from nbprof.widgets.explorer import Explorer
from tests.support.recordings.labels import write_labelled
from tests.widgets.conftest import Page, write_trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def served(tmp_path: Path) -> Path:
    return write_labelled(tmp_path / "served" / "rank0.pt.trace.json")


@pytest.fixture
def view(served: Path) -> Iterator[Explorer]:
    with_labels = Explorer(served.parent)
    yield with_labels
    with_labels.close()


def steps_of(view: Explorer) -> list[int]:
    return view._session.table(view._state(), "steps")["step"].to_pylist()


def test_the_steps_field_offers_what_repeats(view: Explorer) -> None:
    page = Page(view)
    steps = page.result("trace", state=page.state())["steps"]
    assert not steps["recorded"]
    assert steps["by"] == [["", "whole recording"], ["step[", "4 steps: step[…]"]]
    chosen = page.result("trace", state={**page.state(), "step": "step["})["steps"]
    assert chosen["recorded"]
    assert (chosen["first"], chosen["last"], chosen["count"]) == (0, 3, 4)
    assert chosen["by"] == steps["by"]


def test_a_choice_of_the_page_makes_the_tables_anew(view: Explorer) -> None:
    page = Page(view)
    assert steps_of(view) == [0]
    page.save(filter={"steps": [0, 0], "name": "gemm"})
    page.save(step="step[")
    assert steps_of(view) == [0, 1, 2, 3]
    assert view.filter == {"name": "gemm"}
    assert view.trace.step == "step["
    page.save(step="")
    assert steps_of(view) == [0]


def test_traces_where_steps_are_marked_offer_nothing(tmp_path: Path) -> None:
    view = Explorer(write_trace(tmp_path / "a" / "rank0.pt.trace.json"))
    page = Page(view)
    assert page.result("trace", state=page.state())["steps"]["by"] == []
    view.close()


def test_a_trace_without_the_label_is_shown_as_a_whole(served: Path) -> None:
    write_labelled(served.parent / "rank1.pt.trace.json", ("other 1", "other 2"))
    view = Explorer(served.parent, worker="rank1", step="step[")
    page = Page(view)
    info = page.result("trace", state={**page.state(), "step": "step["})
    assert not info["steps"]["recorded"]
    assert ["step[", "step[ (not in this trace)"] in info["steps"]["by"]
    assert steps_of(view) == [0]
    view.worker = "rank0"
    assert steps_of(view) == [0, 1, 2, 3]
    view.close()


def test_what_is_loaded_by_a_label_is_shown_by_it(served: Path) -> None:
    for source in (
        nbprof.load(served, step="step["),
        nbprof.load(served).trace().with_step("step["),
    ):
        view = Explorer(source)
        assert view.step == "step["
        assert steps_of(view) == [0, 1, 2, 3]
        view.step = ""
        assert steps_of(view) == [0]
        view.close()


def test_what_cannot_be_a_pattern_is_refused(view: Explorer) -> None:
    with pytest.raises(TraitError, match="step: "):
        view.step = "/(/"
    assert view.step == ""


def test_saved_state_is_of_the_steps_that_it_was_made_with(view: Explorer) -> None:
    from nbprof.widgets.saved import content

    view.step = "step["
    made = content.start(view._session, view._state(), 10**6).to_bytes()
    assert b'["served", "rank0", 1, "step["]' in made or b'["served","rank0",1,"step["]' in made


def test_words_say_whole_recording_without_steps(view: Explorer) -> None:
    text = view.static()._repr_mimebundle_()["text/plain"]
    assert "Whole recording" in text
    assert "Stages of the recording" in text
    assert "Average step" not in text
    view.step = "step["
    text = view.static()._repr_mimebundle_()["text/plain"]
    assert "4 steps by the label step[" in text
    assert "Average step" in text
    assert "converges" not in text
