"""The sentence that says why a step changed: which categories, by how much, and in what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.diffs.runs import NET, Op, changed, diff_of, run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_category_and_the_operator_that_changed_are_named(tmp_path: Path) -> None:
    found = diff_of(tmp_path, NET, changed(NET, 0, device=600.0, backward=False))
    before, after = (
        found.categories().to_pylist()[0][f"{side}_total_us"] for side in ("baseline", "candidate")
    )
    said = found.reason()
    assert said.startswith(f"A step takes {after - before:.0f} µs more: ")
    assert "µs more in kernels (" in said
    assert said.count("(aten::conv2d: ") == 1
    less = found.swapped().reason()
    assert less.startswith(f"A step takes {after - before:.0f} µs less: ")
    assert "µs less in kernels (" in less


def test_what_works_against_the_change_is_said_after_it(tmp_path: Path) -> None:
    before, after = (
        [Op("aten::lists", host), *changed(NET, 0, device=device, backward=False)]
        for host, device in ((300.0, 60.0), (20.0, 600.0))
    )
    found = diff_of(tmp_path, before, after)
    rows = {row["category"]: row["delta_total_us"] for row in found.categories().to_pylist()}
    with_, against = found.reason().removesuffix(".").split(", but ")
    for category, words in (("kernel", "in kernels"), ("cpu_exec", "in host operators alone")):
        part = with_ if (rows[category] > 0) is (rows["total"] > 0) else against
        assert words in part


def test_without_a_change_beyond_the_noise(tmp_path: Path) -> None:
    same = run(tmp_path / "a")
    assert nbprof.diff(same, same).reason() == "A step takes as long as before."
    noisy = diff_of(tmp_path / "b", NET, changed(NET, 4, host=18.2), jitter=0.05)
    assert noisy.reason() == "A step takes as long as before, within the noise."


def test_under_a_filter_the_rest_is_outside_of_it(tmp_path: Path) -> None:
    found = diff_of(tmp_path, NET, changed(NET, 0, device=600.0, backward=False))
    said = found.filter(name="aten::linear").reason()
    assert "more outside the filter" in said
    assert "other time" not in said


def test_few_steps_are_said_to_be_few(tmp_path: Path) -> None:
    few, many = (diff_of(tmp_path / str(steps), NET, NET, steps=steps).notes() for steps in (5, 14))
    assert any("rough estimate, of 5 and 5 complete steps" in note for note in few)
    assert not any("rough" in note for note in many)


def test_rows_that_launch_nothing_are_judged_by_their_host_time(tmp_path: Path) -> None:
    ops = [*NET, Op("aten::lists", 100.0)]
    found = diff_of(tmp_path, ops, changed(ops, len(NET), host=200.0))
    for table in (found.operators(), found.tree()):
        row = next(one for one in table.to_pylist() if one["name"] == "aten::lists")
        assert row["change"] == "up"
        assert row["delta_pct"] == pytest.approx(100, rel=0.05)
    by_device = found.operators(figure="device_self_us").to_pylist()
    assert next(one for one in by_device if one["name"] == "aten::lists")["change"] == "same"


def test_the_resnets_tell_their_story() -> None:
    found = nbprof.diff("samples/gpu_resnet/before", "samples/gpu_resnet/after")
    assert found.reason() == (
        "A step takes 99.1 ms less: 105.5 ms less waiting for data and 9.9 ms less in kernels"
        " (aten::convolution_backward: 3.8 ms less), but 11.8 ms more in host operators alone."
    )
