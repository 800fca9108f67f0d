"""Limits: their grammar, what exceeds them, noise, and what cannot be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.diffs.gate.headlines import HEADLINES
from nbprof.diffs.gate.limits import Limit
from nbprof.diffs.gate.verdicts import check
from nbprof.testing import assert_no_slower
from tests.diffs.runs import NET, changed, diff_of, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> nbprof.Diff:
    """A run, and one whose second linear layer takes 80 instead of 40 µs, twice."""
    return diff_of(tmp_path_factory.mktemp("gate"), NET, changed(NET, 3, device=80))


@pytest.mark.parametrize(
    ("text", "amount", "is_share"),
    [
        ("step_us > +5%", 5, True),
        ("step_us>+5%", 5, True),
        ("  step_us  >  + 2.5 ms ", 2500, False),
        ("step_us > +10", 10, False),
        ("step_us > +3µs", 3, False),
        ("step_us < -1s", -1e6, False),
        ("memory_peak_bytes > +100MB", 100e6, False),
        ("memory_peak_bytes > +1.5GiB", 1.5 * 2**30, False),
        ("kernel:/gemm/ total_us > +10%", 10, True),
        ("kernel:a name with > in it total_us > +10%", 10, True),
        ("operator+shape:=aten::mm calls > +0", 0, False),
        ("launches > +3", 3, False),
    ],
)
def test_limits_are_read(text: str, amount: float, *, is_share: bool) -> None:
    limit = Limit.parse(text)
    assert (limit.amount, limit.is_share) == (pytest.approx(amount), is_share)


def test_a_pattern_may_hold_anything() -> None:
    limit = Limit.parse("kernel:a name with > in it total_us > +10%")
    assert (limit.pattern, limit.figure.name) == ("a name with > in it", "total_us")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no figure, sign and amount"),
        ("step_us", "has no figure, sign and amount"),
        ("step > +5%", "Did you mean 'step_us'"),
        ("step_us > 5%", r"needs a change after >, such as \+5%"),
        ("step_us > +many", "needs a change"),
        ("step_us > -5%", "mixes directions"),
        ("step_us < +5%", "mixes directions"),
        ("step_us > +5MB", "takes a percentage or us, ms or s"),
        ("memory_peak_bytes > +5ms", "takes a percentage or B, KB"),
        ("launches > +5ms", "takes a percentage or no unit"),
        ("kernal:x total_us > +5%", "Did you mean 'kernel'"),
        ("kernel: total_us > +5%", "names no kernel"),
        ("kernel:x total > +5%", "Did you mean 'total_us'"),
        ("x y total_us > +5%", "must begin with a figure"),
        ("waterfall:x delta_us > +5%", "must begin with a figure"),
    ],
)
def test_mistakes_are_explained(text: str, says: str) -> None:
    with pytest.raises(nbprof.LimitError, match=says):
        Limit.parse(text)


def test_patterns_are_those_of_re2() -> None:
    with pytest.raises(nbprof.FilterError, match="RE2 has no look-ahead"):
        Limit.parse("kernel:/(?=a)/ total_us > +5%")


@pytest.mark.parametrize(
    ("text", "exceeded"),
    [
        ("kernel:linear total_us > +30%", True),
        ("kernel:linear total_us > +40%", False),
        ("kernel:/^linear/ total_us > +79us", True),
        ("kernel:/^linear/ total_us > +90us", False),
        ("kernel:=linear_kernel total_us > +33%", True),
        ("kernel:=linear total_us > +1%", None),
        ("operator:=aten::linear device_self_us > +33%", True),
        ("operator+shape:aten::linear calls > +0", False),
        ("module:Linear device_us > +30%", True),
        ("step_us > +5%", True),
        ("kernel_us > +10%", True),
        ("cpu_exec_us > +1ms", False),
        ("step_us < -1%", False),
        ("launches > +0", False),
    ],
)
def test_sums_of_matching_rows(slower: nbprof.Diff, text: str, *, exceeded: bool | None) -> None:
    limit = Limit.parse(text)
    if exceeded is None:
        with pytest.raises(nbprof.TableError, match="neither side has a kernel that matches"):
            check(slower, limit)
        return
    verdict = check(slower, limit)
    assert (verdict.exceeded, verdict.failed) == (exceeded, exceeded)
    opposite = check(slower.swapped(), limit)
    assert opposite.delta == pytest.approx(-verdict.delta)


@pytest.mark.parametrize("name", [name for name in HEADLINES if "memory" not in name])
def test_headlines_of_a_run_against_itself(samples: Path, name: str) -> None:
    path = samples / "gpu_resnet_synthetic"
    verdict = check(nbprof.diff(path, path), Limit.parse(f"{name} > +0"))
    assert (verdict.delta, verdict.exceeded) == (0, False)


def test_a_limit_exceeded_within_the_noise_does_not_fail(tmp_path: Path) -> None:
    diff = diff_of(tmp_path, NET, changed(NET, 0, device=60.6), jitter=0.05)
    limit = Limit.parse("kernel:=conv2d_kernel total_us > +0.1%")
    verdict = check(diff, limit)
    assert (verdict.exceeded, verdict.within_noise, verdict.failed) == (True, True, False)
    assert "only within the noise" in verdict.sentence
    strict = check(diff, limit, strict=True)
    assert strict.failed
    assert "strict" in strict.sentence


def test_without_an_estimate_an_exceeded_limit_fails(tmp_path: Path) -> None:
    diff = diff_of(tmp_path, NET, changed(NET, 0, device=60.6), steps=2, jitter=0.0)
    verdict = check(diff, Limit.parse("kernel:=conv2d_kernel total_us > +0.1%"))
    assert (verdict.has_noise, verdict.failed) == (False, True)
    assert "there is no estimate of the noise" in verdict.sentence


def test_a_new_row_exceeds_any_share(tmp_path: Path) -> None:
    diff = diff_of(tmp_path, NET[1:], NET)
    verdict = check(diff, Limit.parse("kernel:=conv2d_kernel total_us > +500%"))
    assert (verdict.baseline, verdict.delta_pct, verdict.failed) == (0, None, True)


def test_memory_that_was_not_recorded(slower: nbprof.Diff) -> None:
    with pytest.raises(nbprof.TableError, match=r"cannot be checked\. .*No memory was recorded"):
        check(slower, Limit.parse("memory_peak_bytes > +1GB"))


def test_the_largest_peak_counts(shared_data: Path) -> None:
    sides = [shared_data / "kineto" / f"resnet50_num_workers_{count}" for count in (0, 4)]
    verdict = check(nbprof.diff(*sides), Limit.parse("memory_peak_bytes > +100MB"))
    peaks = [nbprof.load(side).trace().memory_peak().to_pylist() for side in sides]
    devices = [max(r["peak_bytes"] for r in of if r["device_type"] == "gpu") for of in peaks]
    assert (verdict.baseline, verdict.candidate) == tuple(devices)
    assert not verdict.exceeded


def test_assert_no_slower(tmp_path: Path) -> None:
    one, two = run(tmp_path / "a"), run(tmp_path / "b", changed(NET, 3, device=80))
    assert assert_no_slower(one, one).complete_steps == (6, 6)
    with pytest.raises(AssertionError, match=r"FAILED.*step_us > \+5%") as failure:
        assert_no_slower(one, two)
    assert "linear_kernel" not in str(failure.value)
    assert "aten::linear" in str(failure.value)
    assert_no_slower(one, two, "step_us > +80%")
    (tmp_path / "b" / "worker1.pt.trace.json").write_text("broken")
    with pytest.raises(nbprof.TraceFormatError, match=r"could not be read.*worker1"):
        assert_no_slower(one, tmp_path / "b", "step_us > +80%")
