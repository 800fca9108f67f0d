"""The module tree from PyTorch's frames and Lightning's ranges, and the backward pass in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.links.module_tree import ModuleTree
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds
from tests.support.models import make_model
from tests.support.traces import op, read_trace, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def module(name: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    row = {"name": f"nn.Module: {name}", "kind": "module", "module_id": 0, "start": start}
    return {**row, "end": end, **more}


def tree_of(model: TraceModel) -> list[tuple[str, int]]:
    """Return the paths of the modules in their order, with their numbers of the recorder."""
    tree = ModuleTree.of(model)
    paths = tree.paths(tree.labels(), " > ")
    return [(paths[number], tree.ident[number]) for number in tree.order]


def belongs(model: TraceModel, name: str) -> list[str]:
    """Return the labels of the modules that the rows of a name belong to."""
    tree, names = ModuleTree.of(model), model.values("host", "name")
    codes = model.column("host", "name").tolist()
    rows = [row for row, code in enumerate(codes) if names[code] == name]
    return [tree.labels()[tree.module[row]] if tree.module[row] >= 0 else "" for row in rows]


def test_calls_of_one_module_in_one_place_are_one() -> None:
    rows = [
        module("B_0", 0, 9),
        module("A_0", 1, 2, module_id=4),
        module("A_0", 3, 4, module_id=5),
        module("A_0", 5, 6, module_id=4),
        module("A_0", 20, 21, module_id=4),
    ]
    model = make_model(rows)
    assert tree_of(model) == [("B_0", 0), ("B_0 > A_0", 4), ("B_0 > A_0", 5), ("A_0", 4)]
    assert ModuleTree.of(model).module.tolist() == [0, 2, 3, 2, 1]


def test_the_backward_pass_belongs_to_its_forward_module() -> None:
    back = {"tid": 2, "sequence": 3, "forward_thread": 1}
    model = make_model(
        [
            module("A_0", 0, 9),
            {"name": "aten::mm", "start": 1, "end": 2, "sequence": 3, "forward_thread": 0},
            {"name": "MmBackward", "start": 20, "end": 30, **back},
            {"name": "inside", "start": 21, "end": 22, "tid": 2},
            {"name": "unlinked", "start": 40, "end": 50, "tid": 2, "forward_thread": 1},
            module("Hook_0", 60, 70, tid=2),
            {"name": "unlinked", "start": 61, "end": 62, "tid": 2, "forward_thread": 1},
        ]
    )
    assert belongs(model, "MmBackward") == belongs(model, "inside") == ["A_0"]
    assert belongs(model, "unlinked") == ["", "Hook_0"]


def test_lightning_names_its_modules(tmp_path: Path) -> None:
    def range_(name: str, ts: int, dur: int, cat: str = "cpu_op") -> dict[str, Any]:
        return {**op(name, ts, dur), "cat": cat}

    frame = {**range_("nn.Module: Linear_0", 22, 5, "python_function"),
             "args": {"Python id": 1, "Python module id": 0}}  # fmt: skip
    path = write(
        tmp_path / "a.pt.trace.json",
        [
            range_("[pl][profile]run_training_batch", 0, 100),
            range_("[pl][module]torch.nn.modules.container.Sequential: layers", 20, 30),
            range_("[pl][module]torch.nn.modules.linear.Linear: layers.0", 21, 8),
            range_("aten::linear", 23, 2),
            range_("[pl][module]my.Odd: loss.of.it", 60, 9, "user_annotation"),
            # called outside of the module that holds it
            range_("[pl][module]torch.nn.modules.linear.Linear: layers.a.1", 80, 8),
            frame,
        ],
        Framework="pytorch-lightning",
    )
    model = read_trace(path)
    linear, layers = "torch.nn.modules.linear.Linear: ", "torch.nn.modules.container.Sequential: "
    assert tree_of(model) == [
        (f"{layers}layers", 0),
        (f"{layers}layers > {linear}layers.0", 0),
        (f"{layers}layers > {linear}layers.a.1", 0),
        ("my.Odd: loss.of.it", 0),
    ]
    assert belongs(model, "aten::linear") == [f"{linear}layers.0"]
    assert operator_rows(model).sum() == 1
    kind = model.column("host", "kind")
    assert kind.tolist().count(kinds.ANNOTATION) == 1
    assert ModuleTree.of(model).ident == [0, 0, 0, 0]


def test_without_modules_there_is_no_tree() -> None:
    for model in (make_model(), make_model([{"name": "aten::mm", "start": 0, "end": 1}])):
        tree = ModuleTree.of(model)
        assert (tree.name, tree.order) == ([], [])
        assert set(tree.module.tolist()) <= {-1}
