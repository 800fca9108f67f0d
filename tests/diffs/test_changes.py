"""One operator of a run is changed; the differences name exactly that one first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.diffs.runs import NET, Op, changed, diff_of

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
#: Operators with names of their own, so that a change has one name.
OPS = [
    Op("aten::conv2d", 30, 60),
    Op("aten::relu", 10, 12),
    Op("aten::linear", 25, 80),
    Op("aten::softmax", 25, 40),
    Op("aten::cross_entropy", 18, 9),
    Op("aten::add_", 6, 4),
]
PLACES = range(len(OPS))


def first(table: Any) -> Row:
    row: Row = table.slice(0, 1).to_pylist()[0]
    return row


def names(table: Any, *changes: str) -> list[str]:
    return [row["name"] for row in table.to_pylist() if row["change"] in changes]


@pytest.mark.parametrize("place", PLACES)
def test_slowed_down(tmp_path: Path, place: int) -> None:
    op = OPS[place]
    found = diff_of(tmp_path, OPS, changed(OPS, place, device=op.device * 1.5))
    for table in (found.operators(), found.kernels(), found.operators(group_by="name+shape")):
        assert first(table)["name"] in (op.name, f"{op.name[6:]}_kernel")
        assert first(table)["change"] == "up"
        assert len(names(table, "up", "down", "added", "removed")) == 1
    bar = found.waterfall().to_pylist()[1]
    assert (bar["name"], bar["category"]) == (op.name, "Kernel")
    assert bar["delta_us"] == pytest.approx(op.device / 2, rel=0.05)


@pytest.mark.parametrize("place", PLACES)
def test_slowed_down_on_the_host(tmp_path: Path, place: int) -> None:
    op = OPS[place]
    found = diff_of(tmp_path, OPS, changed(OPS, place, host=op.host * 3))
    table = found.operators(figure="host_self_us")
    assert first(table)["name"] == op.name
    assert names(table, "up", "down", "added", "removed") == [op.name]
    assert set(found.kernels()["change"].to_pylist()) == {"same"}


@pytest.mark.parametrize("place", PLACES)
def test_inserted_and_removed(tmp_path: Path, place: int) -> None:
    new = Op("aten::dropout", 12, 15)
    found = diff_of(tmp_path, OPS, [*OPS[:place], new, *OPS[place:]])
    for diff, word in ((found, "added"), (found.swapped(), "removed")):
        for table in (diff.operators(), diff.kernels()):
            assert first(table)["name"] in ("aten::dropout", "dropout_kernel")
            assert first(table)["change"] == word
            assert len(names(table, "up", "down", "added", "removed")) == 1
        tree = diff.tree()
        assert names(tree, "up", "down") == ["Step"]
        assert names(tree, word) == ["aten::dropout", "dropout_kernel"]
        assert diff.waterfall().to_pylist()[1]["name"] == "aten::dropout"


@pytest.mark.parametrize("place", PLACES)
def test_renamed(tmp_path: Path, place: int) -> None:
    op = OPS[place]
    found = diff_of(tmp_path, OPS, changed(OPS, place, name="aten::renamed"))
    rows = {row["name"]: row["change"] for row in found.operators().slice(0, 2).to_pylist()}
    assert rows == {op.name: "removed", "aten::renamed": "added"}
    assert len(names(found.operators(), "up", "down", "added", "removed")) == 2
    renamed = [
        (row["name"], row["candidate_name"])
        for row in found.tree().to_pylist()
        if row["name"] != row["candidate_name"]
    ]
    assert renamed[0] == (op.name, "aten::renamed")
    assert names(found.tree(), "up", "down", "added", "removed") == []


@pytest.mark.parametrize("place", PLACES)
def test_moved_to_another_stream(tmp_path: Path, place: int) -> None:
    kernel = f"{OPS[place].name[6:]}_kernel"
    found = diff_of(tmp_path, OPS, changed(OPS, place, stream=20))
    table = found.kernels(group_by="name+stream")
    rows = {(row["name"], row["stream"]): row["change"] for row in table.slice(0, 2).to_pylist()}
    assert rows == {(kernel, 7): "removed", (kernel, 20): "added"}
    assert len(names(table, "up", "down", "added", "removed")) == 2
    assert set(found.kernels()["change"].to_pylist()) == {"same"}
    assert set(found.operators()["change"].to_pylist()) == {"same"}


def test_a_changed_shape(tmp_path: Path) -> None:
    found = diff_of(tmp_path, NET, changed(NET, 3, shapes="[[8, 8]]"))
    table = found.operators(group_by="name+shape")
    rows = {row["input_shapes"]: row["change"] for row in table.slice(0, 2).to_pylist()}
    assert rows == {"[[8, 8]]": "added", "[[4, 4]]": "down"}
    assert isinstance(found, nbprof.Diff)
