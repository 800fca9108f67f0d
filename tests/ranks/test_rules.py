"""User rules for communication names: in open sessions, in other processes, and on pages."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.sources.cache import cache
from nbprof.widgets.session.session import Session
from nbprof.widgets.session.state import State
from nbprof.widgets.views.distributed import requests as view_of_workers
from tests.support.programs.offline import header
from tests.support.recordings.jobs import small_job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RANKS = 3
#: The only kernel of `small_job`.
RULE = ["GEMM"]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    yield
    nbprof.options.reset()


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return small_job(tmp_path / "job", RANKS)


def communication(profile: nbprof.Profile, **options: Any) -> list[float]:
    found: list[float] = profile.device_time(**options)["communication_us"].to_pylist()
    return found


KERNELS = [60.0 + rank for rank in range(RANKS)]


def test_tables_of_open_traces_follow_at_once(job: Path) -> None:
    profile = nbprof.load(job, progress=False)
    trace = profile.trace()
    narrow = nbprof.Filter(steps=3)
    for _ in range(2):
        assert communication(profile) == communication(profile, filter_=narrow) == [0.0] * RANKS
        assert trace.device_time()["communication_us"].to_pylist() == [0.0]
        assert trace.filter(narrow).steps()["communication_us"].to_pylist() == [0.0]
        assert profile.distributed_ops().num_rows == 0
        assert "communication_names" not in trace.metadata
        nbprof.options.communication_names = RULE
        assert communication(profile) == communication(profile, filter_=narrow) == KERNELS
        assert trace.device_time()["communication_us"].to_pylist() == [60.0]
        assert trace.filter(narrow).steps()["communication_us"].to_pylist() == [60.0]
        assert profile.distributed_ops()["name"].to_pylist() == ["gemm"] * RANKS
        assert trace.metadata["communication_names"] == {"GEMM": 1}
        del nbprof.options.communication_names
    assert profile._ranks.nbytes <= RANKS * 1_000_000


def test_ranks_that_were_never_opened_follow_too(job: Path) -> None:
    profile = nbprof.load(job, progress=False)
    assert communication(profile) == [0.0] * RANKS
    nbprof.options.communication_names = RULE
    assert communication(profile) == KERNELS
    assert len(profile._ranks) == RANKS


def test_rules_travel_to_other_processes(job: Path) -> None:
    nbprof.options.communication_names = RULE
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        profile = nbprof.load(job, progress=False, executor=pool)
        assert communication(profile) == KERNELS
        del nbprof.options.communication_names
        assert communication(profile) == [0.0] * RANKS


def test_the_cache_on_disk_keeps_nothing_of_rules(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 0)
    nbprof.options.communication_names = RULE
    assert communication(nbprof.load(job, progress=False)) == KERNELS
    cache.finish()
    assert list((tmp_path / "cache").rglob("*.*")), "nothing was kept"
    del nbprof.options.communication_names
    assert communication(nbprof.load(job, progress=False)) == [0.0] * RANKS


def test_a_view_makes_its_tables_anew(job: Path) -> None:
    session = Session(job)
    state = State()

    def seen() -> tuple[Any, ...]:
        table = session.table(state, "device_time")["communication_us"].to_pylist()
        return table, session.distributed(state).calls

    assert seen() == ([0.0], 0)
    nbprof.options.communication_names = RULE
    assert seen() == ([60.0], RANKS)
    _, about = view_of_workers.labelled(session, state)
    assert about["notes"] == ["User-defined communication: GEMM (1 device event)."]
    del nbprof.options.communication_names
    assert seen() == ([0.0], 0)
    assert view_of_workers.labelled(session, state)[1]["notes"] == []


def test_a_page_says_which_rules_its_figures_follow(job: Path, tmp_path: Path) -> None:
    def facts(page: Path) -> dict[str, str]:
        from nbprof.widgets.saved import content
        from nbprof.widgets.saved.parts import SavePlan

        view = nbprof.Explorer(job)
        plan = SavePlan(1_000_000, timeline_bytes=0)
        about = header(content.make(view._session, view._state(), plan))
        view.to_html(page)
        view.close()
        return dict(about["entries"]["facts"]["about"])

    assert "User-defined communication" not in facts(tmp_path / "plain.html")
    nbprof.options.communication_names = [*RULE, "/tpyo/"]
    told = "GEMM (1 device event), /tpyo/ (matches nothing here)"
    assert facts(tmp_path / "ruled.html")["User-defined communication"] == told
    assert told in (tmp_path / "ruled.html").read_text("utf-8")
    assert told not in (tmp_path / "plain.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("gemm", "takes a list of names"),
        ([""], "a name or /regular expression/ is required"),
        (["/(/"], "not a valid regular expression"),
        ([3], "not 3"),
        (None, "takes a list"),
    ],
)
def test_rules_are_checked_when_they_are_set(names: Any, said: str) -> None:
    with pytest.raises(ValueError, match="communication_names takes") as caught:
        nbprof.options.communication_names = names
    assert said in str(caught.value)
    assert nbprof.options.communication_names == ()


def test_options_hold_for_the_time_of_a_block() -> None:
    nbprof.options.communication_names = RULE
    with nbprof.options.having(communication_names=["other"], theme="dark"):
        assert nbprof.options.communication_names == ("other",)
    assert nbprof.options.communication_names == ("GEMM",)
    assert nbprof.options.theme == "auto"
    with pytest.raises(ValueError, match="theme takes"), nbprof.options.having(theme="blue"):
        pytest.fail("it was refused")
    assert nbprof.options.theme == "auto"
