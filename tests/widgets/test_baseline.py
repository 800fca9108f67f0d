"""The baseline: a trait, a part of the state of requests, and a trace of this or another source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

import nbprof
from nbprof.model.errors import NbprofError
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.session.baseline import OTHER, Baseline
from nbprof.widgets.session.session import Session
from nbprof.widgets.session.state import State
from tests.widgets.conftest import write_trace

if TYPE_CHECKING:
    from pathlib import Path


def explorer(source: Any, **options: Any) -> nbprof.Explorer:
    return nbprof.Explorer(source, **options)


def test_missing_names_are_filled_in_and_wrong_ones_are_named(logs: Path) -> None:
    view = explorer(logs, run="runA", worker="worker1")
    assert view.baseline == {}
    view.baseline = "runA"
    assert view.baseline == {"run": "runA", "worker": "worker1", "span": 1}, "the worker on screen"
    view.baseline = {"run": "runB"}
    assert view.baseline == {"run": "runB", "worker": "cpu0", "span": 1}
    for wrong, words in (
        ("runC", "no run 'runC'"),
        ({"run": "runA", "worker": "cpu0"}, "no worker 'cpu0'"),
        ({"run": "runA", "span": 9}, "no span 9"),
        ({"rnu": "runA"}, "no 'rnu'.*Did you mean 'run'"),
        ({"source": "elsewhere"}, "source is"),
        ({"source": OTHER}, "no other source"),
        ([1], "a dict of run"),
        ({"span": True}, "no span True"),
    ):
        with pytest.raises(TraitError, match=words):
            view.baseline = wrong
    assert view.baseline["run"] == "runB"
    view.baseline = None
    assert view.baseline == {}


def test_the_state_of_a_request_names_it(logs: Path) -> None:
    session = Session(logs)
    plain = {"run": "runA", "worker": "worker0", "span": 1, "filter": {"steps": [2, 2]}}
    state = State.parse(plain)
    assert state.baseline is None
    assert session.baseline(state) is None
    named = {"run": "runA", "worker": "worker1", "span": 1}
    state = State.parse({**plain, "baseline": named})
    assert state.baseline == Baseline(**named)
    trace = session.baseline(state)
    assert trace is not None
    assert (trace.worker, trace.active_filter.steps) == ("worker1", (2, 2))
    assert trace.table("steps")["step"].to_pylist() == [2]
    with pytest.raises(RequestError, match="baseline"):
        State.parse({**plain, "baseline": "runA"})
    with pytest.raises(NbprofError, match="no other source"):
        session.baseline(State.parse({**plain, "baseline": {"source": OTHER}}))


def test_it_may_come_from_another_source(logs: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "secret"
    write_trace(other / "runA" / "worker0.1700000000001.pt.trace.json", steps=(7, 8))
    for given in (other, str(other), nbprof.load(other), nbprof.load(other).trace()):
        view = explorer(logs, baseline=given)
        assert view.baseline == {"run": "runA", "worker": "worker0", "span": 1, "source": OTHER}
        trace = view._session.baseline(view._state())
        assert trace is not None
        assert trace.steps()["step"].to_pylist() == [7, 8]
        assert str(tmp_path) not in repr(view.get_state())
    assert explorer(logs, baseline="runB").baseline["worker"] == "cpu0"
    with pytest.raises(nbprof.TraceNotFoundError):
        explorer(logs, baseline=tmp_path / "nothing")


def test_other_steps_are_those_of_both_sides(logs: Path) -> None:
    view = explorer(logs, run="runA", baseline={"run": "runA", "worker": "worker1"}, step="forward")
    state = view._state()
    for trace in (view._session.trace(state), view._session.baseline(state)):
        assert trace is not None
        assert trace.step in (None, "forward")
    view._session.close()


def test_it_is_forgotten_when_its_file_vanishes(logs: Path) -> None:
    view = explorer(logs, run="runA", worker="worker0", baseline="runB")
    for file in (logs / "runB").iterdir():
        file.unlink()
    view.refresh()
    assert view.baseline == {}


def test_what_is_aligned_is_a_trait(logs: Path) -> None:
    view = explorer(logs)
    assert view.timeline_align == {}
    view.timeline_align = {"name": "aten::add"}
    assert view.timeline_align == {"name": "aten::add", "nth": 1}
    view.timeline_align = {"step": 3, "nth": 2}
    assert view.timeline_align == {"step": 3}
    for wrong, words in (
        ({"stpe": 3}, "Did you mean 'step'"),
        ({"step": "3"}, "step cannot be '3'"),
        ({"step": 1, "name": "a", "nth": 0}, "nth cannot be 0"),
        ({"step": True}, "step cannot be True"),
        (3, "a dict of step, name and nth"),
    ):
        with pytest.raises(TraitError, match=words):
            view.timeline_align = wrong
