"""`key_averages` of a live profiler prints what PyTorch itself prints.

It needs PyTorch 2.13 (``pip install torch==2.13.0``), which nbprof does not depend on, and is
skipped without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

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


Profiler = Any


def record(**options: Any) -> Profiler:
    """Record three steps of a small model on the CPU."""
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(1568, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        record_shapes=True,
        profile_memory=True,
        **options,
    ) as prof:
        for _ in range(3):
            with torch.profiler.record_function("forward"):
                loss = model(torch.randn(4, 3, 16, 16)).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            prof.step()
    return prof


@pytest.mark.parametrize("frames", [0, 3])
@pytest.mark.parametrize("by_shape", [False, True])
@pytest.mark.parametrize("stacks", [False, True])
def test_it_prints_what_pytorch_prints(*, stacks: bool, by_shape: bool, frames: int) -> None:
    prof = record(with_stack=stacks, with_flops=True)
    theirs = prof.key_averages(group_by_input_shape=by_shape, group_by_stack_n=frames)
    ours = nbprof.key_averages(prof, group_by_input_shape=by_shape, group_by_stack_n=frames)
    for layout in LAYOUTS:
        assert ours.text(**layout) == theirs.table(**layout)


def test_a_list_of_events_has_all_but_memory() -> None:
    prof = record(with_flops=True)
    theirs = nbprof.key_averages(prof).table
    ours = nbprof.key_averages(prof.events()).table
    without = [name for name in theirs.column_names if "memory" not in name]
    records = theirs["name"].to_pylist().index("[memory]")
    assert ours.select(without).to_pylist() == [
        row for at, row in enumerate(theirs.select(without).to_pylist()) if at != records
    ]
    assert set(ours["host_memory_bytes"].to_pylist()) == {None}


def test_stacks_that_were_recorded_as_text() -> None:
    config = torch._C._profiler._ExperimentalConfig(verbose=True)
    prof = record(with_stack=True, experimental_config=config)
    theirs = prof.key_averages(group_by_stack_n=3).table(row_limit=-1)
    assert "Source Location" in theirs
    assert nbprof.key_averages(prof, group_by_stack_n=3).text(row_limit=-1) == theirs


def test_single_events() -> None:
    prof = record(with_stack=True)
    ours = nbprof.key_averages(prof, single_events=True)
    for layout in LAYOUTS:
        assert ours.text(**layout) == prof.events().table(**layout)


def test_a_file_has_the_same_rows(tmp_path: Path) -> None:
    prof = record(with_stack=True, with_flops=True)
    live = nbprof.key_averages(prof).table
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    assert nbprof.key_averages(str(tmp_path / "trace.json")).table == live


def test_stacks_are_rebuilt_on_request() -> None:
    prof = record(with_stack=True)
    plain = nbprof.key_averages(prof, group_by_stack_n=3)
    rebuilt = nbprof.key_averages(prof, group_by_stack_n=3, rebuild_stacks=True)
    assert not any(plain.table["call_stack"].to_pylist())
    assert any(rebuilt.table["call_stack"].to_pylist())
    assert rebuilt.table.num_rows > plain.table.num_rows


def test_an_older_pytorch_has_no_python_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    prof = record(with_stack=True)
    with_functions = nbprof.key_averages(prof).table
    monkeypatch.setattr(torch, "__version__", "2.11.0+cu130")
    without = nbprof.key_averages(prof).table
    assert 0 < without.num_rows < with_functions.num_rows
    assert "aten::conv2d" in without["name"].to_pylist()
