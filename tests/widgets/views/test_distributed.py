"""The distributed view: reading traces in groups, messages, one worker, saved state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.model.filters.filter import Filter
from nbprof.widgets.session.session import Session
from nbprof.widgets.session.state import State
from nbprof.widgets.views.distributed import requests as view_of_workers
from tests.support.programs.offline import header
from tests.support.recordings.ranks import STEPS, talking_job
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

RANKS = 4


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return talking_job(tmp_path / "logs", RANKS)


def ask(session: Session, **params: Any) -> dict[str, Any]:
    """Ask until all traces are read, as the browser does."""
    for _ in range(100):
        reply = view_of_workers.distributed(session, {"state": {}, **params}, lambda *_: None)
        if reply.result["done"] == reply.result["of"]:
            return {**reply.result, "buffers": reply.buffers}
    pytest.fail("it never ends")


def test_one_request_reads_for_a_while_and_no_longer(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_of_workers, "PATIENCE", 0.0)
    session = Session(job)
    told: list[tuple[int, int, str]] = []
    for done in range(RANKS):
        reply = view_of_workers.distributed(
            session, {"state": {}}, lambda *words: told.append(words)
        )
        # At least one is read by every request, so that it comes to an end.
        assert (reply.result["done"], reply.result["of"]) == (min(done + 1, RANKS), RANKS)
        if done + 1 < RANKS:
            assert not reply.buffers
    assert told[0][2] == "Reading trace 1 of 4"
    assert told[-1][2] == "Reading trace 4 of 4"
    shares = [done / total for done, total, _ in told]
    assert shares == sorted(shares)


def test_cards_show_all_steps_and_each(job: Path) -> None:
    result = ask(Session(job))
    assert [card["name"] for card in result["cards"]] == [
        "distributed_overview",
        "distributed_wait",
    ]
    assert set(result["figures"]) == {"distributed_overview", "distributed_wait"}
    (switch,) = result["cards"][0]["switches"]
    assert switch["options"] == [
        ["", "All, mean"],
        ["5", "Step 5"],
        ["6", "Step 6"],
        ["7", "Step 7"],
    ]
    assert result["empty"] is None
    assert result["notes"] == []
    assert result["calls"] == RANKS * STEPS
    chosen = ask(Session(job), choices={"distributed_wait": {"step": "6"}})
    assert chosen["cards"][1]["choice"] == {"step": "6"}


def test_lost_and_broken_ranks_are_named(job: Path) -> None:
    (job / "job/rank1.pt.trace.json").unlink()
    path = job / "job/rank2.pt.trace.json"
    path.write_text(path.read_text().replace('"ts"', '"no"'))
    result = ask(Session(job))
    told = " ".join(result["notes"])
    assert "Rank 1 of this job is not here." in told
    assert "rank2 cannot be read and is left out" in told
    again = ask(Session(job))
    assert again["notes"] == result["notes"]


def test_workers_that_made_other_calls_are_named(job: Path) -> None:
    path = job / "job/rank3.pt.trace.json"
    path.write_text(path.read_text().replace("gloo:all_reduce", "gloo:broadcast", 1))
    (note,) = ask(Session(job))["notes"]
    assert "1 of rank0, 1 of rank1, 1 of rank2, 1 of rank3 calls" in note


@pytest.mark.parametrize("ranks", [1, 2])
def test_without_communication_it_says_what_to_do(tmp_path: Path, ranks: int) -> None:
    for rank in range(ranks):
        write(tmp_path / f"rank{rank}.pt.trace.json", [op()])
    result = ask(Session(tmp_path))
    assert result["cards"] == []
    title = "One worker" if ranks == 1 else "No communication found"
    assert result["empty"]["title"] == title
    text = result["empty"]["text"]
    assert "No communication was found in " in text
    assert "tensorboard_trace_handler" in text
    assert "communication_names" not in text


def test_kernels_that_go_unrecognised_can_be_named(tmp_path: Path) -> None:
    """Nothing recognised is not nothing there."""
    write(tmp_path / "rank0.pt.trace.json", [op(), kernel("mine::push")])
    text = ask(Session(tmp_path))["empty"]["text"]
    assert "nbprof.options.communication_names" in text


def test_one_worker_shows_what_it_knows(tmp_path: Path) -> None:
    result = ask(Session(talking_job(tmp_path, 1)))
    assert [card["name"] for card in result["cards"]] == ["distributed_overview"]
    assert result["empty"]["title"] == "One worker"
    assert result["notes"] == ["Waiting times need the traces of all ranks."]


def test_a_filter_that_leaves_nothing_can_be_reset(job: Path) -> None:
    result = ask(Session(job), state={"filter": {"name": "nothing"}})
    assert result["empty"]["actions"] == [{"label": "Reset filters", "filter": {}}]


def test_a_single_trace_is_one_worker(job: Path) -> None:
    trace = nbprof.load(job, progress=False).trace()
    result = ask(Session(trace))
    assert result["empty"]["title"] == "One worker"
    assert result["calls"] == STEPS


def test_the_view_gives_its_tables(job: Path) -> None:
    view = nbprof.DistributedView(job, steps=6)
    assert view.views == ["distributed"]
    profile = nbprof.load(job, progress=False)
    expected = profile.distributed_ops(filter_=Filter(steps=6))
    assert view.table.equals(expected.drop(["run", "span"])), "the view shows one run and span"
    assert set(view.figures) == {"distributed_overview", "distributed_wait"}
    assert view.figure is view.figures["distributed_overview"]
    view.selection = [{"worker": "rank2", "name": "gloo:all_reduce"}]
    assert view.selected["worker"].to_pylist() == ["rank2"]
    view.close()


def test_filters_narrow_workers_and_not_what_is_known(job: Path) -> None:
    profile = nbprof.load(job, progress=False)
    whole = profile.distributed_wait().to_pylist()
    some = profile.distributed_wait(workers="rank1").to_pylist()
    assert some == [row for row in whole if row["worker"] == "rank1"]
    assert profile.distributed_wait(filter_=Filter(workers=["rank1"])).to_pylist() == some


def test_runs_of_one_directory_are_apart(tmp_path: Path) -> None:
    talking_job(tmp_path, 2, run="a")
    talking_job(tmp_path, 3, run="b")
    session = Session(tmp_path)
    assert ask(session)["of"] == 2
    assert ask(session, state={"run": "b"})["of"] == 3


def test_saved_state_has_it_once_all_traces_are_read(job: Path) -> None:
    from nbprof.widgets.saved.content import make
    from nbprof.widgets.saved.parts import SavePlan

    session = Session(job)
    session.trace(State()).read()
    head = header(make(session, State(), SavePlan(2_000_000)))
    assert "distributed" not in head["entries"]
    ask(session)
    head = header(make(session, State(), SavePlan(2_000_000)))
    assert head["entries"]["distributed"]["about"]["calls"] == RANKS * STEPS
    assert "cards:distributed" in head["entries"]
    assert "table:distributed_ops:" in head["entries"]
    page = Session(job)
    page.trace(State()).read()
    head = header(make(page, State(), SavePlan(2_000_000, ranks=True)))
    assert "distributed" in head["entries"]


def test_the_summary_has_the_workers_where_they_are_read(job: Path) -> None:
    view = nbprof.DistributedView(job, static=True)
    made = view.static()
    lines = made.text.splitlines()
    (at,) = [n for n, line in enumerate(lines) if line.startswith("Mean step of workers")]
    assert [line.split()[0] for line in lines[at + 1 : at + 5]] == [f"rank{n}" for n in range(4)]
    # Of 340 µs of the first worker's sums, the last to come needs 280.
    assert lines[at + 1].split()[-1] == "60"
    assert "Workers: mean step" in made.html
    view.close()
    other = nbprof.Explorer(job, static=True)
    # Nothing is read for the summary of a view that shows one worker first.
    assert "Mean step of workers" not in other.static().text
    other.close()
