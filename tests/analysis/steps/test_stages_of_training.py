"""What counts as forward, backward and optimization around and inside an optimizer's step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.analysis.launches.directions import DIRECTIONS, directions
from nbprof.analysis.steps.stages import stages
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

ENGINE = "autograd::engine::evaluate_function: MmBackward0"
UPDATE, CLEAR = "Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD.zero_grad"


def row(name: str, start: int, end: int, tid: int = 1) -> dict[str, Any]:
    """Return a host row; engines and operators have a namespace, labels have none."""
    kind = "operator" if "::" in name else "annotation"
    return {"name": name, "kind": kind, "start": start, "end": end, "tid": tid}


def step(start: int = 0, end: int = 100, number: int = 1) -> dict[str, Any]:
    return {"name": f"ProfilerStep#{number}", "kind": "step", "start": start, "end": end, "tid": 1}


def host_ns(model: TraceModel, number: int = 1) -> dict[str, int]:
    """Return the nanoseconds of each stage of a step that ran."""
    found = {r["stage"]: r["host_us"] for r in stages(model).to_pylist() if r["step"] == number}
    return {stage: round(1000 * us) for stage, us in found.items() if us}


def direction_of(model: TraceModel, name: str) -> str:
    index = model.tables["host"].column("name").to_pylist().index(name)
    return DIRECTIONS[directions(model)[index]]


@pytest.mark.parametrize("thread", [1, 2])
def test_clipping_is_optimization_wherever_the_backward_pass_ran(thread: int) -> None:
    model = make_model(
        [
            step(),
            row("aten::linear", 0, 10),
            row(ENGINE, 20, 40, thread),
            row("aten::_foreach_norm", 50, 55),
            row(UPDATE, 60, 90),
        ]
    )
    assert host_ns(model) == {"Forward": 10, "Backward": 20, "Optimization": 35, "Other": 35}
    assert direction_of(model, "aten::_foreach_norm") == "optimizer"
    assert direction_of(model, "aten::linear") == "forward"


def test_operators_during_the_backward_pass_are_forward() -> None:
    """They run beside it, so they are not after it."""
    host = [step(), row(ENGINE, 20, 40, 2), row("aten::add", 30, 50), row(UPDATE, 60, 90)]
    assert host_ns(make_model(host)) == {
        "Forward": 10,
        "Backward": 20,
        "Optimization": 30,
        "Other": 40,
    }


def test_between_two_backward_passes_of_a_step_is_forward() -> None:
    host = [
        step(),
        row("aten::linear", 0, 5),
        row(ENGINE, 10, 20, 2),
        row("aten::linear", 20, 26),
        row(ENGINE, 30, 40, 2),
        row("aten::mul_", 40, 47),
        row(UPDATE, 60, 90),
    ]
    assert host_ns(make_model(host)) == {
        "Forward": 11,
        "Backward": 20,
        "Optimization": 37,
        "Other": 32,
    }


def test_each_update_of_a_step_has_its_own_backward_pass() -> None:
    """As in a recording without steps, or with two optimizers in turn."""
    iteration = [("aten::linear", 0, 5), (ENGINE, 10, 20), ("aten::mul_", 20, 27), (UPDATE, 30, 40)]
    host = [
        row(name, start + shift, end + shift, 2 if name == ENGINE else 1)
        for shift in (0, 50)
        for name, start, end in iteration
    ]
    for rows in (host, [step(), *host]):
        model = make_model(rows)
        number = int(model.steps.number[0])
        found = host_ns(model, number)
        assert (found["Forward"], found["Optimization"]) == (10, 34)


def test_after_the_backward_pass_of_a_step_without_optimizer_is_forward() -> None:
    """Steps that accumulate gradients read the loss."""
    host = [
        step(),
        row(ENGINE, 10, 20, 2),
        row("aten::item", 20, 29),
        step(100, 200, 2),
        row("aten::linear", 100, 104),
        row(UPDATE, 110, 120),
    ]
    assert host_ns(make_model(host)) == {"Forward": 9, "Backward": 10, "Other": 81}
    # Nor is there anything before the optimizer of a step that has no backward pass.
    assert host_ns(make_model(host), 2) == {"Forward": 4, "Optimization": 10, "Other": 86}


def test_after_the_optimizer_is_forward() -> None:
    """Metrics, an evaluation, the next batch: nothing tells them apart."""
    host = [step(), row(ENGINE, 10, 20, 2), row(UPDATE, 30, 40), row("aten::linear", 50, 80)]
    model = make_model(host)
    assert host_ns(model) == {"Forward": 30, "Backward": 10, "Optimization": 10, "Other": 50}
    assert direction_of(model, "aten::linear") == "forward"


def test_before_zero_grad_is_forward_unless_it_ends_the_step() -> None:
    first = [
        row("aten::to", 0, 4),
        row(CLEAR, 4, 6),
        row("aten::linear", 10, 15),
        row(ENGINE, 20, 30, 2),
    ]
    assert host_ns(make_model([step(), *first]))["Forward"] == 9
    # An update that was skipped, since gradients were infinite.
    scaled = [row("aten::_amp_foreach_non_finite_check_and_unscale_", 30, 37), row(CLEAR, 50, 52)]
    found = host_ns(make_model([step(), *first, *scaled]))
    assert (found["Forward"], found["Optimization"]) == (9, 11)
    # With one more iteration before the end of the step, the work before `zero_grad` begins it.
    again = [row(ENGINE, 60, 70, 2)]
    found = host_ns(make_model([step(), *first, *scaled, *again]))
    assert (found["Forward"], found["Optimization"]) == (16, 4)


def closure(start: int, backward_thread: int) -> list[dict[str, Any]]:
    """Return the rows of a closure of 40 ns: zero_grad 2, forward 8, backward 20."""
    return [
        row(CLEAR, start, start + 2),
        row("aten::linear", start + 2, start + 10),
        row(ENGINE, start + 12, start + 32, backward_thread),
    ]


@pytest.mark.parametrize("thread", [1, 2])
def test_a_closure_is_forward_and_backward(thread: int) -> None:
    host = [
        step(0, 200),
        row("aten::to", 0, 3),
        row(UPDATE, 10, 150),
        *closure(20, thread),
        row("aten::dot", 60, 66),
        *closure(70, thread),
        row("aten::add_", 120, 130),
        row("aten::item", 160, 165),
    ]
    model = make_model(host)
    # The direction of descent between two calls of the closure cannot be told from it.
    forward, backward = 3 + 8 + 6 + 8 + 5, 20 + 20
    optimization = 140 - 22 - 40
    assert host_ns(model) == {
        "Forward": forward,
        "Backward": backward,
        "Optimization": optimization,
        "Other": 200 - forward - backward - optimization,
    }
    told = {"aten::linear": "forward", ENGINE: "backward", "aten::add_": "optimizer"}
    for name, direction in {**told, CLEAR: "optimizer", UPDATE: "optimizer"}.items():
        assert direction_of(model, name) == direction, name


def test_labels_in_a_closure_count_whole_if_they_hold_one_pass() -> None:
    host = [
        step(),
        row(UPDATE, 0, 100),
        row("closure", 5, 80),
        row("training_step", 10, 30),
        row("aten::linear", 12, 20),
        row("backward", 40, 70),
        row("aten::ones_like", 41, 42),
        row(ENGINE, 45, 60, 2),
        row("nothing", 85, 90),
    ]
    assert host_ns(make_model(host)) == {"Forward": 20, "Backward": 30, "Optimization": 50}


def test_a_label_outside_a_closure_counts_for_nothing() -> None:
    host = [
        step(),
        row("training_step", 0, 30),
        row("aten::linear", 2, 10),
        row(ENGINE, 40, 60, 2),
        row(UPDATE, 70, 80),
    ]
    assert host_ns(make_model(host))["Forward"] == 8


def test_an_optimizer_in_the_backward_pass_has_no_closure() -> None:
    host = [
        step(),
        row("aten::linear", 0, 10),
        row(ENGINE, 20, 80, 2),
        row(UPDATE, 30, 50, 2),
        row("aten::add_", 32, 48, 2),
        row(ENGINE, 35, 60, 3),
    ]
    assert host_ns(make_model(host)) == {
        "Forward": 10,
        "Backward": 40,
        "Optimization": 20,
        "Other": 30,
    }


def test_recordings_with_clipping_and_with_a_closure(shared_data: Path) -> None:
    found = {}
    for name in ("h200_small/clip_counts_as_forward.json", "lightning"):
        table = nbprof.load(shared_data / "reports" / name).trace().stages().to_pylist()
        first = [r for r in table if r["step"] == table[0]["step"]]
        found[name] = {r["stage"]: (r["host_us"], r["device_us"]) for r in first}
    clip, lightning = found.values()
    assert clip["Forward"] == (100, 50)
    assert clip["Optimization"] == (400, 250)
    assert lightning["Forward"] == (300, 150)
    assert lightning["Backward"] == (300, 150)
    assert lightning["Optimization"] == (240, 70)
