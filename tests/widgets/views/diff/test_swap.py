"""Both sides of a comparison of two profiles are exchanged, with their filters and workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest

import nbprof
from nbprof.widgets.session.baseline import OTHER
from tests.diffs.runs import NET, changed, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def two(tmp_path: Path) -> tuple[nbprof.Profile, nbprof.Profile]:
    run(tmp_path / "one" / "before", NET)
    run(tmp_path / "other" / "after", changed(NET, 0, device=90.0), seed=2)
    return nbprof.load(tmp_path / "one"), nbprof.load(tmp_path / "other")


def swap(page: Any, **filter_: Any) -> None:
    state = {**page.state(**filter_), "baseline": page.view.baseline}
    reply, _ = page.ask("swap", state=state)
    assert reply["ok"], reply


def test_two_profiles_change_places(open_page: Any, two: Any) -> None:
    page = open_page(nbprof.diff(*two), view="diff")
    view = page.view
    before = view.table
    assert (view.run, view.baseline["run"]) == ("after", "before")
    swap(page)
    assert (view.run, view.worker) == ("before", "worker0")
    assert view.baseline == {"run": "after", "worker": "worker0", "span": 1, "source": OTHER}
    for name in before.column_names:
        if name.startswith("delta_") and name != "delta_pct":
            known = dict(zip(before["name"].to_pylist(), before[name].to_pylist(), strict=True))
            now = dict(
                zip(view.table["name"].to_pylist(), view.table[name].to_pylist(), strict=True)
            )
            assert now == {key: None if v is None else -v for key, v in known.items()}, name
    assert pc.any(pc.not_equal(view.table["delta_device_self_us"], 0)).as_py()
    swap(page)
    assert view.table.equals(before)
    view.refresh()
    assert view.run == "after"


def test_conditions_of_each_side_go_with_it(open_page: Any, two: Any) -> None:
    one, other = (profile.trace() for profile in two)
    page = open_page(nbprof.diff(one.filter(steps=(3, 5)), other.filter(steps=(4, 8))))
    view = page.view
    assert view.filter == {"steps": [4, 8]}
    swap(page, **view.filter)
    assert view.filter == {"steps": [3, 5]}
    assert list(view._session.own_conditions["steps"]) == [4, 8]
    swapped = nbprof.diff(other.filter(steps=(4, 8)), one.filter(steps=(3, 5)))
    view.active = "diff"
    names = view.table.column_names
    assert view.table.equals(swapped.operators().select(names))


def test_one_profile_needs_no_exchange(open_page: Any, two: Any) -> None:
    page = open_page(two[0], view="diff")
    error = page.error("swap", state=page.state())
    assert "no two sources" in error["message"]
