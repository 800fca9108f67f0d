"""What is made from both sides is made once for all comparisons of the same traces."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.diffs.trees import rows as tree_rows
from nbprof.widgets.requests.tables import page
from tests.diffs.runs import NET, changed, diff_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def alignments(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the pairs of trees that are aligned from now on."""
    found: list[object] = []
    align = tree_rows.pair_up

    def counted(one: tree_rows.Positions, other: tree_rows.Positions) -> list[tree_rows.Pair]:
        found.append((one, other))
        return align(one, other)

    monkeypatch.setattr(tree_rows, "pair_up", counted)
    return found


def test_a_view_aligns_no_tree_again(tmp_path: Path, alignments: list[object]) -> None:
    diff = diff_of(tmp_path, NET, changed(NET, 1, device=50))
    table = diff.tree()
    diff.modules()
    view = nbprof.Explorer(diff)
    state = {
        "run": view.run,
        "worker": view.worker,
        "span": view.span,
        "baseline": view.baseline,
    }
    page(view._session, {"state": state, "table": "diff_tree", "tree": {}}, lambda *_: None)
    assert len(alignments) == 1
    assert diff.filter(steps=(4, 6)).tree() != table
    assert len(alignments) == 2
    assert diff.swapped().tree().num_rows == table.num_rows
    assert len(alignments) == 3
    assert diff.tree() == table
    assert len(alignments) == 3


def test_the_candidate_does_not_keep_the_baseline(tmp_path: Path) -> None:
    diff = diff_of(tmp_path, NET, NET)
    diff.tree()
    candidate, gone = diff.candidate, weakref.ref(diff.baseline.model)
    del diff
    gc.collect()
    assert gone() is None
    assert candidate.model is not None
