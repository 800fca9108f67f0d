"""Labels that repeat where no steps are marked: where their times jump, and which call is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.analysis.advice.test_recommendations import check_evidence, said
from tests.support.models import make_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def labelled(lengths: Sequence[int], name: str = "decode[bs=4 pos={}]") -> TraceModel:
    """Calls of some lengths, each with an operator that takes whatever exceeds 10."""
    host: list[dict[str, Any]] = []
    at = 0
    for number, length in enumerate(lengths):
        host.append(
            {"name": name.format(number), "kind": "annotation", "start": at, "end": at + length}
        )
        host.append({"name": "aten::mm", "start": at + 1, "end": at + 6})
        if length > 10:
            host.append({"name": "aten::sort", "start": at + 7, "end": at + length - 3})
        at += length + 5
    return make_model(host, [])


def test_a_jump_is_reported_where_it_is() -> None:
    model = labelled([10, 9, 10, 10, 50, 51, 49, 50])
    row = said(model)["uneven_labels"]
    assert row["message"].startswith(
        "decode[…] takes 0.050 µs from decode[bs=4 pos=4] on and 0.010 µs before, medians of 4 and"
        " 4 calls. aten::sort took 0.040 µs more on the host."
    )
    assert row["gain_us"] == pytest.approx((40 + 41 + 39 + 40) / 1000)
    assert check_evidence(model) == len(said(model))


def test_one_slow_call_is_named() -> None:
    model = labelled([10, 9, 10, 40, 10, 10, 11])
    message = said(model)["uneven_labels"]["message"]
    assert message.startswith(
        "decode[bs=4 pos=3] took 0.040 µs, 4.0 times the median of 7 calls of decode[…] (0.010 µs)."
    )
    assert "warm-up" in said(labelled([40, 9, 10, 10, 10, 11]))["uneven_labels"]["advice"]
    same = said(labelled([10, 9, 10, 40, 10, 10, 11], "iteration"))["uneven_labels"]["message"]
    assert same.startswith("iteration took 0.040 µs, 4.0 times the median of 7 calls (0.010 µs).")


@pytest.mark.parametrize(
    "lengths",
    [
        [10] * 8,
        [0, 0, 0, 0, 9, 0, 0],
        [0, 0, 0, 0, 9, 9, 9],
        [10, 12, 11, 13, 12, 14],
        [10, 40, 10, 10],
    ],
)
def test_even_or_few_calls_are_not_reported(lengths: list[int]) -> None:
    assert "uneven_labels" not in said(labelled(lengths))


def test_decoding_on_a_gpu(shared_data: Path) -> None:
    trace = nbprof.load(shared_data / "h200/decode", progress=False).trace()
    [row] = [r for r in trace.recommendations().to_pylist() if r["rule"] == "uneven_labels"]
    assert row["message"].startswith(
        "decode[…] takes 45.6 ms from decode[bs=4 pos=387] on and 9.2 ms before, medians of 9 and 3"
        " calls. aten::_cudnn_attention_forward took 37.7 ms more on the host."
    )
