"""Tests of names give the same for a million names at once as for each name alone."""

from __future__ import annotations

import functools
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.analysis.costs.helper_kernels import is_helper
from nbprof.analysis.kernels import matrix_names
from nbprof.analysis.kernels.matrix_names import uses_of
from nbprof.analysis.kernels.matrix_operators import cannot_multiply, could_multiply
from nbprof.model.names import communication_names, distinct_names, roles
from nbprof.model.names.communication_names import (
    is_communication_kernel,
    is_communication_operator,
)
from nbprof.model.names.distinct_names import FEW, Names
from nbprof.model.names.name_tests import NameTest, finds, is_one_of, starts
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]

TESTS = {
    "communication kernel": is_communication_kernel,
    "communication operator": is_communication_operator,
    "training": roles.is_training,
    "training kernel": roles.is_training_kernel,
    "wrapper": roles.is_wrapper,
    "data loader": roles._is_data_loader,
    "helper": is_helper,
    "could multiply": could_multiply,
    "cannot multiply": cannot_multiply,
    "starts": starts("aten::", "a.b"),
    "finds": finds(re.compile(r"(?<![a-z])gemm(?!v)")),
    "is one of": is_one_of(["aten::mm", "a+b"]),
}

#: What fragments of names are joined by.
GLUE = [
    "", "", "_", "::", " ", "<", ">", "(", ")", "\n", "é", "\u212a", "\u017f", "void ", "aten::",
    "_Z", "3", "triton_poi_fused_", "(anonymous namespace)::", "<unnamed>::", "std::enable_if",
    "Backward0", " dygraph", "autograd::engine::evaluate_function: ",
    "enumerate(DataLoader)#x.__next__",
]  # fmt: skip


@functools.cache
def _recorded() -> list[str]:
    """Return the names of all samples and lists of names beside the tests."""
    found = {name for model in _models() for table in ("host", "device") for name in model(table)}
    kernels = json.loads((ROOT / "tests/analysis/kernels/kernel_names.json").read_text())
    found.update(re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(kernels)))
    return sorted(found)


def _models() -> Iterator[functools.partial[list[str]]]:
    for sample in ("gpu_resnet_synthetic", "npu_convnet_synthetic", "torch_cpu_convnet"):
        for trace in nbprof.load(RUNS / sample, progress=False, cache=False):
            yield functools.partial(trace.model.recorded, name="name")


@functools.cache
def _generated() -> list[str]:
    """Return names made of the words that all tests look for, and of other texts."""
    chance = random.Random(5)
    patterns = [
        *(word for words in _words() for word in words),
        communication_names._POSSIBLE,
        roles._TRAINING.pattern,
        roles._TRAINING_KERNEL.pattern,
    ]
    found = (
        re.findall(r"[A-Za-z_\d]{2,}", re.sub(r"\\[a-z]|\?[:i]+", "", one)) for one in patterns
    )
    words = sorted({word for one in found for word in one})
    names = set()
    while len(names) < 20_000:
        parts = chance.choices(words, k=chance.randint(1, 4))
        name = "".join(part + chance.choice(GLUE) for part in ["", *parts])
        names.add(name.upper() if chance.random() < 0.05 else name)
    long = [f"{words[at] * 3000}<x>{words[-at]}" for at in range(1, len(words), 40)]
    return [*sorted(names), *long]


def _words() -> Iterator[list[str]]:
    for words in vars(matrix_names).values():
        if isinstance(words, matrix_names._Words):
            yield [*words._plain, *words._patterns]


@pytest.fixture(params=["recorded", "generated"])
def names(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Names:
    monkeypatch.setattr(distinct_names, "FEW", 0)
    monkeypatch.setattr(matrix_names, "FEW", 0)
    return Names(_recorded() if request.param == "recorded" else _generated())


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_many_names_pass_as_each_does(test: NameTest, names: Names) -> None:
    assert isinstance(test, NameTest)
    assert names.passing(test).tolist() == [test(name) for name in names.texts]


def test_some_generated_names_pass_each_test() -> None:
    names = [*_generated(), *_recorded()]
    passing = {what: sum(map(test, names)) for what, test in TESTS.items()}
    assert all(0 < count < len(names) for count in passing.values()), passing


def test_uses_of_many_names_are_those_of_each(names: Names) -> None:
    each = [matrix_names._use(name) for name in names.texts]
    assert uses_of(names).tolist() == each
    assert set(each) == {-1, 0, 1}


def test_few_names_need_no_pattern() -> None:
    test = NameTest(str.isupper, "(")  # not a pattern
    assert Names(["A", "b"]).passing(test).tolist() == [True, False]


def test_python_looks_at_few_of_many_names(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"void kernel_{at}<float>(int)" for at in range(2 * FEW)] + ["nccl_1", "sgemm_2"]
    calls: list[str] = []

    def use(name: str) -> int:
        calls.append(name)
        return matrix_names.UNKNOWN

    counted = NameTest(lambda name: bool(calls.append(name)), "nccl")
    Names(names).passing(counted)
    assert calls == ["nccl_1"]
    monkeypatch.setattr(matrix_names, "_use", use)
    calls.clear()
    assert uses_of(Names([*names, "gémm"])).tolist() == [-1] * (2 * FEW) + [-1, 0, -1]
    assert calls == ["gémm"]
