"""Generates small random traces with stages of steps, as PyTorch and Paddle record them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.analysis.generated import LOADER, rows
from tests.analysis.steps.slow_stages import LABELS
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

BACKWARD = "autograd::engine::evaluate_function: MmBackward0"
OPERATORS = (
    *("aten::mm", "aten::add", "aten::ones_like"),
    *("Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD", LOADER),
)
TORCH = {
    "operator": OPERATORS,
    "runtime": ("cudaLaunchKernel",),
    "annotation": ("loss", "closure", "Optimizer.step#SGD.step", "Optimizer.step_hook", LOADER),
}
#: Kinds and names, and the type of each where the name is not the type itself.
PADDLE = {
    "operator": ("conv2d dygraph", "matmul dygraph", "c_allreduce_sum"),
    "runtime": ("cudaLaunchKernel",),
    "annotation": (
        *("Dataloader", "Forward", "Forward", "Backward", "Optimization"),
        *("PythonUserDefined", "UserDefined", "Communication"),
    ),
    "phase": ("add infer_meta", "add compute", "add node_creation", "Local_Add", "add launch"),
}
TYPES = {
    "operator": "Operator",
    "runtime": "CudaRuntime",
    "phase": "OperatorInner",
    "step": "ProfileStep",
}


@st.composite
def torch_traces(draw: st.DrawFn) -> TraceModel:
    """Draw a trace of PyTorch, as newer recorders write them or as older ones do."""
    newer = draw(st.booleans())
    more = (BACKWARD, BACKWARD) if newer else ()
    return make_model(*draw(rows({**TORCH, "operator": OPERATORS + more})))


@st.composite
def inference_traces(draw: st.DrawFn) -> TraceModel:
    """Draw a trace of an engine that may say what its batches are of."""
    labels = draw(st.sampled_from(((), tuple(LABELS))))
    names = {
        "operator": ("aten::mm", "aten::add", LOADER),
        "runtime": ("cudaLaunchKernel",),
        "annotation": ("attention", *labels, *labels),
    }
    return make_model(*draw(rows(names)))


@st.composite
def paddle_traces(draw: st.DrawFn) -> TraceModel:
    """Draw a trace of Paddle."""
    host, device = draw(rows(PADDLE))
    return make_model([_typed(row) for row in host], device, metadata={"format": "Paddle"})


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    launch = row["name"] == "add launch"
    name = "DygraphKernelLaunch" if launch else TYPES.get(row["kind"], row["name"])
    return {**row, "event_type": name}
