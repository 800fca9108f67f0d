"""FLOPs of a training step against PyTorch's counter, which ran the same step on an H200."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

#: Tokens of a sequence of gpt_train.
_LENGTH = 512


def counted(shared_oracle: Path, name: str) -> dict[str, int]:
    found = json.loads((shared_oracle / "h200/flops.json").read_text("utf-8"))[name]
    operators: dict[str, int] = found["by"]["Global"]
    assert sum(operators.values()) == found["total"]
    return operators


def steps(shared_data: Path, name: str) -> list[int]:
    trace = nbprof.load(shared_data / "h200" / name, progress=False).trace()
    found: list[int] = trace.step_flops()["flops"].to_pylist()
    return found


@pytest.mark.parametrize("name", ["resnet_before", "resnet_after"])
def test_resnet(name: str, shared_data: Path, shared_oracle: Path) -> None:
    total = sum(counted(shared_oracle, "resnet50_b32").values())
    assert steps(shared_data, name) == [total] * 4


def test_a_transformer(shared_data: Path, shared_oracle: Path) -> None:
    """PyTorch counts all pairs of causal attention, we those that the mask leaves."""
    operators = counted(shared_oracle, "gpt_train")
    attention = sum(flops for name, flops in operators.items() if "attention" in name)
    pairs = (_LENGTH + 1) / (2 * _LENGTH)
    wanted = sum(operators.values()) - attention + attention * pairs
    assert steps(shared_data, "gpt_train") == pytest.approx([wanted] * 3, rel=1e-12)
