"""Detection of training and inference, and the advice that depends on it."""

from __future__ import annotations

from typing import Any

import pytest

from nbprof.analysis.advice.recommendations import recommendations
from nbprof.model.names.roles import is_training, is_training_kernel
from nbprof.model.steps.training import trains
from tests.support.models import make_model

OPERATOR = {"name": "aten::mm", "start": 0, "end": 10}


def label(name: str) -> dict[str, Any]:
    return {"name": name, "kind": "annotation", "start": 20, "end": 30}


@pytest.mark.parametrize(
    "name",
    [
        "autograd::engine::evaluate_function: MmBackward0",
        "AddmmBackward",
        "aten::convolution_backward",
        "Optimizer.step#AdamW.step",
        "Optimizer.zero_grad#SGD.zero_grad",
        "## backward ##",
        "loss.backward",
        "bwd",
        "optimizer",
        "train_step",
    ],
)
def test_what_only_training_has(name: str) -> None:
    assert is_training(name)
    assert trains(make_model([OPERATOR, label(name)])) is True


@pytest.mark.parametrize(
    "name",
    [
        "forward",
        "execute_context_0(0)_generation_3(3)",
        "gpu_model_runner: forward",
        "Torch-Compiled Region: 0/0",
        "feedbackward_looking",
        "aten::_scaled_dot_product_flash_attention",
        "step[EXTEND bs=15 toks=812]",
    ],
)
def test_what_inference_has_too(name: str) -> None:
    assert not is_training(name)
    assert trains(make_model([OPERATOR, label(name)])) is False


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("void flash::flash_bwd_dq_dk_dv_loop_kernel<…>", True),
        ("sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32", True),
        ("void at::native::multi_tensor_apply_kernel<…, FusedAdamMathFunctor<float, 4>>", True),
        ("fast_hadamard_transform_kernel<float>", False),
        ("void at::native::softmax_warp_backward<float>", True),
        ("nvjet_tst_128x8_64x12_4x1_v_bz_TNT", False),
        ("void flash::flash_fwd_kernel<…>", False),
        # Transposed convolutions compute this way forward.
        ("sm80_xmma_dgrad_implicit_gemm_indexed_tf32f32", False),
    ],
)
def test_kernels_that_only_training_has(name: str, *, expected: bool) -> None:
    assert is_training_kernel(name) is expected


def test_links_between_the_passes_are_evidence() -> None:
    assert trains(make_model([{**OPERATOR, "forward_thread": 1}])) is True
    ends = [{"category": "fwdbwd", "id": 1, "phase": p, "time_ns": 1, "pid": 1} for p in "sf"]
    assert trains(make_model([OPERATOR], flows=ends)) is True
    others = [{**end, "category": "launch"} for end in ends]
    assert trains(make_model([OPERATOR], flows=others)) is False


def test_kernels_alone_tell_nothing() -> None:
    kernel = {"name": "gemm", "start": 0, "end": 10}
    assert trains(make_model(device=[kernel])) is None
    assert trains(make_model([label("forward")], [kernel])) is None
    assert trains(make_model(device=[{**kernel, "name": "softmax_backward"}])) is True


def advice(*host: dict[str, Any]) -> dict[str, str]:
    """Return the advice about a device that is hardly used, by the rule."""
    call = {"name": "cudaLaunchKernel", "kind": "runtime", "start": 2, "end": 4, "correlation": 1}
    kernel = {"name": "gemm", "start": 5, "end": 10, "correlation": 1, "blocks_per_sm": 1.0}
    operator = {"name": "aten::mm", "start": 0, "end": 1000}
    devices = [{"device": 0, "name": "GPU", "multiprocessors": 108}]
    table = recommendations(make_model([operator, call, *host], [kernel], devices=devices))
    return {row["rule"]: row["message"] + row["advice"] for row in table.to_pylist()}


def test_advice_is_that_of_inference_or_of_training() -> None:
    inference, training = advice(), advice(label("loss.backward"))
    assert "converges" in training["low_utilization"]
    assert "converges" not in inference["low_utilization"]
    assert "of the recording" in inference["low_utilization"]
    assert "every training step" in training["steps_not_marked"]
    assert "every batch" in inference["steps_not_marked"]
    outside = [{**label("request"), "tid": 2, "start": i, "end": i + 1} for i in (20, 25)]
    said = advice(*outside)["steps_not_marked"]
    assert "request repeats 2 times: choose it under “Steps by”" in said
    assert "step='request'" in said
