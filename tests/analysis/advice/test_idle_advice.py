"""Rules about idle devices: what they name, what they can save, and where they stay silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.analysis.advice.test_defects import call, kernel, op, step
from tests.analysis.advice.test_recommendations import V100, check_evidence, said
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def waiting(name: str = "cudaStreamSynchronize") -> TraceModel:
    """A loop that waits for every kernel before it launches the next one: 60 of 100 are idle."""
    host, device = [step(1, 0, 100)], []
    for n in range(4):
        at = 25 * n
        host += [
            op("aten::mm", at, at + 3),
            call(at + 1, at + 2, n + 1),
            op("aten::item", at + 4, at + 14),
            {**call(at + 5, at + 13, -1), "name": name},
        ]
        device.append(kernel(at + 2, at + 12, n + 1, name="h884gemm"))
    return make_model(host, device, devices=[V100])


def test_what_makes_the_host_wait_is_named_before_all_else() -> None:
    model = waiting()
    found = list(said(model).values())
    assert [row["rule"] for row in found[:2]] == ["synchronization", "low_utilization"]
    # Each of the three gaps between kernels is 15 long.
    assert found[0]["gain_us"] == pytest.approx(45)
    waits = "3 waits (cudaStreamSynchronize), 100.0 % of the time in aten::item."
    assert f"because the host waited for it: {waits}" in found[0]["message"]
    assert found[0]["severity"] == "high"
    assert check_evidence(model) == len(found)


def test_devices_that_wait_at_once_do_not_add_up() -> None:
    one = waiting()
    device = [
        kernel(25 * n + 2, 25 * n + 12, n + 1, name="h884gemm") | {"device": at}
        for at in (0, 1)
        for n in range(4)
    ]
    host = [step(1, 0, 100)]
    for n in range(4):
        host += [op("aten::item", 25 * n + 4, 25 * n + 14), call(25 * n + 1, 25 * n + 2, n + 1)]
        host.append({**call(25 * n + 5, 25 * n + 13, -1), "name": "cudaStreamSynchronize"})
    row = said(make_model(host, device))["synchronization"]
    assert row["gain_us"] == said(one)["synchronization"]["gain_us"]
    assert row["message"].startswith("For 45.0 % of the step time the device is idle")


def test_other_calls_do_not_wait() -> None:
    assert "synchronization" not in said(waiting("cudaEventRecord"))


def test_waiting_for_work_that_goes_on_costs_nothing() -> None:
    """The device has more work queued when the host waits."""
    host = [
        step(1, 0, 100),
        op("aten::mm", 1, 8),
        *(call(n, n + 1, n) for n in (2, 4, 6)),
        {**call(9, 99, -1), "name": "cudaDeviceSynchronize"},
    ]
    work = [kernel(10, 35, 2), kernel(40, 65, 4), kernel(70, 95, 6)]
    assert "synchronization" not in said(make_model(host, work))


def updating(operator: str, updates: int = 2, loops: int = 2) -> TraceModel:
    """Updates of 60 parameters with a kernel for each, which the device waits for."""
    host, device, number = [], [], 0
    for update in range(updates):
        at = 1000 * update
        host.append(step(update, at, at + 1000))
        host.append(op("Optimizer.step#SGD.step", at + 1, at + 900, kind="annotation"))
        for parameter in range(60 if update < loops else 1):
            begin = at + 10 + 10 * parameter
            number += 1
            host += [op(operator, begin, begin + 4), call(begin + 1, begin + 2, number)]
            device.append(kernel(begin + 3, begin + 5, number))
    return make_model(host, device)


def test_an_optimizer_that_updates_one_by_one() -> None:
    model = updating("aten::addcmul_")
    row = next(iter(said(model).values()))
    assert row["rule"] == "optimizer_loop"
    assert "Optimizer.step#SGD.step, which launches 60 kernels" in row["message"]
    # 59 gaps of 8 in each update, and the one between both.
    assert row["gain_us"] == pytest.approx(2 * 59 * 8 + 1013 - 605)
    assert check_evidence(model) == len(said(model))


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(updating("aten::_foreach_add_"), id="all parameters together"),
        pytest.param(updating("aten::add_", 4, 1), id="only the first update prepares them"),
    ],
)
def test_other_optimizers(model: TraceModel) -> None:
    assert "optimizer_loop" not in said(model)


def idle_for_most(*host: dict[str, Any], name: str = "x") -> TraceModel:
    rows = [step(1, 0, 100), op("aten::add", 60, 80), call(70, 72, 1), *host]
    return make_model(rows, [kernel(2, 10, name=name), kernel(75, 80, 1, name=name)])


def test_the_host_work_in_gaps_is_named() -> None:
    [row] = said(idle_for_most(op("aten::sort", 12, 42))).values()
    # 65 without work: sort 30, add 13 (without its launch 2), nothing 20.
    assert "While it was idle (65 µs), the host was in aten::sort (46.2 %)" in row["message"]
    assert "and nothing recorded (30.8 %)." in row["message"]
    assert row["gain_us"] == pytest.approx(30)
    assert "Avoiding aten::sort can save at most 30 µs of 90 µs." in row["message"]


def without_time() -> TraceModel:
    """Launched work that takes no time at all, as clocks of a microsecond record it."""
    host = [step(1, 0, 100), op("aten::add", 60, 80), call(70, 72, 1)]
    return make_model(host, [kernel(75, 75, 1)])


@pytest.mark.parametrize(
    ("model", "words", "never"),
    [
        (without_time(), "torch.compile or CUDA graphs", "already"),
        (idle_for_most(), "torch.compile or CUDA graphs", "already"),
        (idle_for_most(name="triton_poi_fused_0"), "compiled already", "torch.compile or"),
        (idle_for_most(op("Torch-Compiled Region: 0/0", 11, 85)), "compiled already", " or CUDA"),
        (idle_for_most({**call(69, 73, -1), "name": "cudaGraphLaunch"}), "in use", "compile"),
        # One compiled function, or one graph, beside a model that is neither.
        (idle_for_most(op("Torch-Compiled Region: 0/0", 11, 50)), "or CUDA graphs", "already"),
        (idle_for_most({**call(50, 52, -1), "name": "cudaGraphLaunch"}), "torch.compile", "in use"),
        (
            idle_for_most(op("enumerate(DataLoader)#_X.__next__", 11, 60, kind="annotation")),
            "waiting for data",
            "larger batch",
        ),
    ],
)
def test_nothing_is_advised_that_is_in_use_already(
    model: TraceModel, words: str, never: str
) -> None:
    advice = said(model)["low_utilization"]["advice"]
    assert words in advice
    assert never not in advice


def test_a_device_that_copies_or_waits_for_other_ranks_is_not_called_idle() -> None:
    copy = {**kernel(10, 95), "name": "Memcpy HtoD (Pageable -> Device)", "kind": "memcpy"}
    found = said(make_model([step(1, 0, 100)], [kernel(0, 10), copy]))
    assert list(found) == ["exposed_copies"]
    assert "mostly Memcpy HtoD (Pageable -> Device)" in found["exposed_copies"]["message"]
    assert "pin_memory()" in found["exposed_copies"]["advice"]
    sends = op("gloo:all_reduce", 10, 95, kind="annotation")
    assert list(said(make_model([step(1, 0, 100), sends], [kernel(0, 10)]))) == ["communication"]


def uneven(first: int, slow: int) -> TraceModel:
    """Five steps of 100, of which the first and the third may take longer."""
    host, device, at = [], [], 0
    for n, length in enumerate((first, 100, slow, 100, 100)):
        host += [step(n, at, at + length), op("aten::mm", at + 1, at + length - 1)]
        host += [call(at + 2, at + 3, n + 1)]
        device.append(kernel(at + 5, at + 90, n + 1, name="h884gemm"))
        at += length
    return make_model(host, device, devices=[V100])


def test_a_slow_step_is_named_with_what_differs() -> None:
    model = uneven(100, 250)
    row = said(model)["uneven_steps"]
    assert row["message"].startswith("Step 2 took 250 µs, 2.5 times the median of 5 steps")
    assert "aten::mm took 150 µs more on the host" in row["message"]
    assert row["gain_us"] == pytest.approx(150)
    assert check_evidence(model) == len(said(model))


def test_a_slow_first_step_may_hold_warm_up() -> None:
    row = said(uneven(250, 100))["uneven_steps"]
    assert "warm-up" in row["advice"]
    assert row["gain_us"] is None
    assert "uneven_steps" not in said(uneven(120, 140))


def test_the_cost_of_stacks_is_said_where_the_device_waits() -> None:
    frames = [op("train.py(1): f", n, n + 1, kind="python") for n in range(20, 50)]
    found = said(idle_for_most(*frames))
    assert found["stacks"]["message"].startswith(
        "Recording 30 Python calls, 30 for each operator, slowed"
    )
    assert "stacks" not in said(idle_for_most())
    busy = make_model([step(1, 0, 100), *frames], [kernel(0, 100)])
    assert "stacks" not in said(busy)


@pytest.mark.parametrize(
    ("fault", "rule", "words"),
    [
        (
            "sync_loop",
            "synchronization",
            "69.1 % of the time in aten::item (record2.py(39): body)",
        ),
        ("loop_optimizer", "optimizer_loop", "Optimizer.step#AdamW.step, which launches 424"),
        ("fp32", "mixed_precision", "by aten::mm"),
        ("overlap", "exposed_copies", "Memcpy HtoD (Pageable -> Device) by aten::to"),
    ],
)
def test_a_planted_fault_comes_first(fault: str, rule: str, words: str, shared_data: Path) -> None:
    path = shared_data / "h200/faults" / fault
    if not path.exists():
        pytest.skip(f"{fault} is not there")
    model = nbprof.load(path, progress=False, cache=False).trace().model
    first = next(iter(said(model).values()))
    assert first["rule"] == rule
    assert words in first["message"]
    assert "This can save at most" in first["message"]
    assert check_evidence(model) == len(said(model))


@pytest.mark.parametrize(
    ("name", "rule", "words"),
    [
        ("mixed_precision_silenced", "mixed_precision", "97 % of kernel time"),
        ("mixed_precision_share", "mixed_precision", "10 % of kernel time"),
        ("odd_batch_of_decode", "odd_dimensions", ""),
        ("already_compiled", "low_utilization", "compiled already"),
    ],
)
def test_small_recordings(name: str, rule: str, words: str, shared_data: Path) -> None:
    path = shared_data / f"reports/h200_small/{name}.json"
    if not path.exists():
        pytest.skip(f"{name} is not there")
    found = said(nbprof.load(path, progress=False, cache=False).trace().model)
    assert (rule in found) == bool(words)
    if words:
        assert words in found[rule]["message"] + found[rule]["advice"]
    if rule == "mixed_precision":
        assert 'set_float32_matmul_precision("high")' in found[rule]["advice"]
