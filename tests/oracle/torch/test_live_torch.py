"""`key_averages` of a live profiler prints what PyTorch itself prints.

It needs PyTorch 2.13 (``pip install torch==2.13.0``), which nbprof does not depend on, and is
skipped without.
"""

from __future__ import annotations

from typing import Any

import pytest

import nbprof

torch = pytest.importorskip("torch", reason="no PyTorch: pip install torch==2.13.0")
if not torch.__version__.startswith("2.13."):
    pytest.skip(
        f"PyTorch {torch.__version__} is not 2.13, whose rules these are", allow_module_level=True
    )

LAYOUTS: tuple[dict[str, Any], ...] = (
    {},
    {"sort_by": "self_cpu_time_total"},
    {"sort_by": "cpu_time_total", "top_level_events_only": True},
    {"sort_by": "cuda_memory_usage", "row_limit": 7, "time_unit": "ms"},
    {"sort_by": "self_cpu_memory_usage", "header": "a header", "row_limit": -1},
    {"sort_by": "count", "max_name_column_width": None, "max_shapes_column_width": 20},
)


@pytest.mark.parametrize("by_shape", [False, True])
@pytest.mark.parametrize("stacks", [False, True])
def test_it_prints_what_pytorch_prints(*, stacks: bool, by_shape: bool) -> None:
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(1568, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        record_shapes=True,
        profile_memory=True,
        with_stack=stacks,
        with_flops=True,
    ) as prof:
        for _ in range(3):
            with torch.profiler.record_function("forward"):
                loss = model(torch.randn(4, 3, 16, 16)).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            prof.step()
    theirs = prof.key_averages(group_by_input_shape=by_shape)
    ours = nbprof.key_averages(prof, group_by_input_shape=by_shape)
    for layout in LAYOUTS:
        assert ours.text(**layout) == theirs.table(**layout)
