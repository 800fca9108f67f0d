"""The diff view of several workers on a side: the means that `Diff` itself has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.session.baseline import OTHER
from nbprof.widgets.views.diff.choices import CHOICES
from nbprof.widgets.views.diff.requests import overview
from tests.diffs.runs import NET, changed, run
from tests.widgets.saved.test_page_differences import BY_NAME, BY_STEP, compare, requests_of

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

BOTH = ["rank0", "rank1"]


@pytest.fixture
def ranks(tmp_path: Path) -> Path:
    """Two runs of three workers, all of different speed."""
    for name, slower in (("before", 1.0), ("after", 1.2)):
        for rank in range(3):
            ops = changed(NET, 0, device=60 * slower * (1 + rank))
            place = run(tmp_path / "ranks" / name / str(rank), ops, seed=rank)
            moved = tmp_path / "ranks" / name / f"rank{rank}.pt.trace.json"
            (tmp_path / "ranks" / name / str(rank) / "worker0.pt.trace.json").rename(moved)
            assert str(place).endswith("worker0.pt.trace.json")
    return tmp_path / "ranks"


def same(one: pa.Table, other: pa.Table) -> bool:
    names = sorted(one.column_names)
    return names == sorted(other.column_names) and one.select(names).equals(other.select(names))


def test_the_view_has_the_figures_of_the_difference(ranks: Path) -> None:
    sides = [nbprof.load(ranks / name).filter(workers=BOTH) for name in ("before", "after")]
    diff = nbprof.diff(*sides)
    view = nbprof.Explorer(diff)
    named = {"run": "before", "worker": "rank0", "span": 1, "source": OTHER}
    assert view.baseline == {**named, "workers": BOTH, "candidates": BOTH}
    for word in CHOICES:
        view.group_by = word
        assert same(view.table, diff.table(word)), word
    said = overview(view._session, view._state())
    assert said["candidate"]["workers"] == said["baseline"]["workers"] == BOTH
    assert any("means over 2 workers" in note for note in said["notes"])
    assert "2 workers" in view.static().text


def test_workers_are_chosen_on_each_side(ranks: Path) -> None:
    profile = nbprof.load(ranks)
    view = nbprof.Explorer(profile, view="diff", run="after", worker="rank1", baseline="before")
    alone = profile.diff(run="before", worker="rank1", to="after", to_worker="rank1")
    assert same(view.table, alone.operators())
    view.baseline = {**view.baseline, "workers": ["rank1", "rank2"], "candidates": BOTH}
    sides = [
        [profile.trace(run=name, worker=worker) for worker in workers]
        for name, workers in (("before", ["rank1", "rank2"]), ("after", ["rank1", "rank0"]))
    ]
    assert same(view.table, nbprof.diffs.diff.Diff(*sides).operators())
    view.worker = "rank2"  # is not among those that are compared
    said = overview(view._session, view._state())
    assert said["candidate"]["workers"] == ["rank2"]


def test_workers_that_do_not_exist_are_refused(ranks: Path) -> None:
    view = nbprof.Explorer(ranks, view="diff", run="after", baseline="before")
    view.baseline = {**view.baseline, "workers": ["rank1", "nobody"]}
    assert view.baseline["workers"] == ["rank1"]
    with pytest.raises(Exception, match="workers"):
        view.baseline = {"run": "before", "workers": "rank0"}


def test_a_page_filters_several_workers(open_page: Any, ranks: Path, tmp_path: Path) -> None:
    sides = [nbprof.load(ranks / name).filter(workers=BOTH) for name in ("before", "after")]
    page = open_page(nbprof.diff(*sides), view="diff")
    kept = [{"steps": (4, 6)}, {"steps": (5, 5), "name": "conv"}]
    assert set(BY_NAME) <= set(BY_STEP)
    compare(page, tmp_path, requests_of(page, kept))
