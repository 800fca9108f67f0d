"""Aligned call trees: one change is one row; the backward pass; modules; sums."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.diffs.runs import NET, Op, changed, diff_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Row = dict[str, Any]
NEW = Op("aten::dropout", 12, 15, module=("Net", "Dropout"))


def rows(diff: nbprof.Diff) -> list[Row]:
    found: list[Row] = diff.tree().to_pylist()
    return found


def path(table: list[Row], row: Row) -> str:
    names = [row["name"]]
    while row["parent"] is not None:
        row = table[row["parent"]]
        names.append(row["name"])
    return "/".join(names[::-1])


def alone(table: list[Row], word: str) -> list[str]:
    """Return the rows of one side whose parent is on both."""
    changes = [row["change"] for row in table]
    return [
        path(table, row)
        for row in table
        if row["change"] == word and changes[row["parent"]] != word
    ]


def compared(folder: Path, one: Sequence[Op], other: Sequence[Op]) -> list[Row]:
    return rows(diff_of(folder, one, other, jitter=0.0))


def test_an_inserted_module_shifts_nothing(tmp_path: Path) -> None:
    for place in range(4):
        table = compared(tmp_path / str(place), NET, [*NET[:place], NEW, *NET[place:]])
        assert alone(table, "added") == ["Step/Net_0/Dropout_0"]
        assert alone(table, "removed") == []
        inside = [row for row in table if path(table, row).startswith("Step/Net_0/")]
        others = [row for row in inside if row["change"] != "added"]
        assert {row["change"] for row in others} == {"same"}


def test_removing_is_the_opposite(tmp_path: Path) -> None:
    table = compared(tmp_path, [*NET[:1], NEW, *NET[1:]], NET)
    assert alone(table, "removed") == ["Step/Net_0/Dropout_0"]
    assert alone(table, "added") == []


def test_an_inserted_operator_among_equal_ones_is_the_one_with_other_shapes(
    tmp_path: Path,
) -> None:
    adds = [Op("aten::add_", 6, 4 + at, shapes=f"[[{at}]]") for at in range(5)]
    for place in range(6):
        more = [*adds[:place], Op("aten::add_", 6, 30, shapes="[[9]]"), *adds[place:]]
        table = compared(tmp_path / str(place), adds, more)
        added = [row for row in table if row["change"] == "added" and row["kind"] == "operator"]
        assert [row["candidate_device_us"] for row in added] == [pytest.approx(30)]
        assert {r["change"] for r in table if r["kind"] == "kernel"} == {"same", "added"}


def test_a_renamed_operator_stays_in_its_place(tmp_path: Path) -> None:
    table = compared(tmp_path, NET, changed(NET, 1, name="aten::gelu", backward=True))
    assert alone(table, "added") == alone(table, "removed") == []
    renamed = {
        row["name"]: row["candidate_name"] for row in table if row["name"] != row["candidate_name"]
    }
    assert renamed == {
        "aten::relu": "aten::gelu",
        "relu_kernel": "gelu_kernel",
        "reluBackward0": "geluBackward0",
        "reluBackward0_kernel": "geluBackward0_kernel",
    }
    assert {row["change"] for row in table} == {"same"}


def test_the_backward_pass_is_in_its_forward_module(tmp_path: Path) -> None:
    table = compared(tmp_path, NET, NET)
    back = {row["name"]: path(table, row) for row in table if row["phase"] == "backward"}
    assert back["conv2dBackward0"] == "Step/Net_0/Conv_0/conv2dBackward0"
    linear = [row for row in table if row["name"] == "Linear_0"]
    assert [row["baseline_device_us"] for row in linear] == pytest.approx([160, 80])
    modules = nbprof.diff(*_paths(tmp_path)).modules().to_pylist()
    assert [row["name"] for row in modules] == ["Net_0", "Conv_0", "ReLU_0", "Linear_0", "Linear_0"]
    assert [row["depth"] for row in modules] == [0, 1, 1, 1, 1]
    assert modules[0]["baseline_device_us"] == pytest.approx(2 * (60 + 12 + 80 + 40))
    assert modules[0]["baseline_backward_device_us"] == pytest.approx(60 + 12 + 80 + 40)


def _paths(folder: Path) -> tuple[str, str]:
    return str(folder / "a"), str(folder / "b")


def test_sums_of_rows(tmp_path: Path) -> None:
    table = compared(tmp_path, NET, changed(NET, 0, device=90))
    for row in table:
        below = [one for one in table if one["parent"] == row["row"]]
        work = 0.0 if row["kind"] == "kernel" else sum(one["baseline_device_us"] for one in below)
        if row["kind"] != "kernel":
            assert row["baseline_device_us"] == pytest.approx(work)
        host = row["baseline_host_self_us"] + sum(one["baseline_host_us"] for one in below)
        assert row["baseline_host_us"] == pytest.approx(host)
    assert table[0]["baseline_device_us"] == pytest.approx(60 * 2 + 24 + 160 + 80 + 9 + 8)


def test_rows_are_in_preorder(tmp_path: Path) -> None:
    table = compared(tmp_path, NET, [*NET[:2], NEW, *NET[2:]])
    assert [row["row"] for row in table] == list(range(len(table)))
    for row in table[1:]:
        assert row["parent"] < row["row"]
        assert row["depth"] == table[row["parent"]]["depth"] + 1


@pytest.mark.parametrize("name", ["torchcpu/convnet_dl", "kineto/mi300_qwen", "kineto/a100_triton"])
def test_recordings_against_themselves(shared_data: Path, name: str) -> None:
    source = shared_data / name
    table = nbprof.diff(source, source).tree()
    assert set(table["change"].to_pylist()) == {"same"}
    assert table.num_rows >= 5
    root = table.slice(0, 1).to_pylist()[0]
    assert root["baseline_host_us"] > 0


def seen(table: list[Row], baseline: str, candidate: str) -> Counter[tuple[Any, ...]]:
    """Count the rows by names and times of both sides, None for the side without the row."""
    rows_ = []
    for row in table:
        there = {"baseline": row["change"] != "added", "candidate": row["change"] != "removed"}
        name = {"baseline": row["name"], "candidate": row["candidate_name"]}
        times = [row[f"{side}_host_us"] for side in (baseline, candidate)]
        names = [name[side] if there[side] else None for side in (baseline, candidate)]
        rows_.append((row["kind"], *names, *times))
    return Counter(rows_)


@pytest.mark.parametrize(
    "names", [("resnet50_num_workers_0", "resnet50_num_workers_4"), ("h100_qwen", "mi300_qwen")]
)
def test_swapping_sides_gives_the_same_rows(shared_data: Path, names: tuple[str, str]) -> None:
    diff = nbprof.diff(*(shared_data / "kineto" / name for name in names))
    here, there = rows(diff), rows(diff.swapped())
    assert seen(here, "baseline", "candidate") == seen(there, "candidate", "baseline")


def test_without_a_device_the_host_is_compared(tmp_path: Path) -> None:
    ops = [Op("aten::mm", 20), Op("aten::relu", 10)]
    found = diff_of(tmp_path, ops, changed(ops, 0, host=60))
    table = found.tree()
    assert table["baseline_device_us"].null_count == table.num_rows
    assert table.schema.field("change").metadata[b"figure"] == b"host_us"
    rows_by_name = {row["name"]: row["change"] for row in table.to_pylist()}
    assert rows_by_name == {"Step": "up", "aten::mm": "up", "aten::relu": "same"}
