"""Properties of NPU kernels, collectives, and Paddle operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.loading import load
from nbprof.timeline.details.details import slice_details
from nbprof.timeline.details.properties_vendors import named_inputs
from tests.conftest import ROOT
from tests.support.models import make_model
from tests.support.npu import make_npu, table

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def facts(model: TraceModel, slice_id: int) -> dict[str, str]:
    return dict(slice_details(model, slice_id).facts)


def test_a_kernel_of_an_npu() -> None:
    device = [
        {"name": "a", "start": 0, "end": 9, "stream": 2},
        {"name": "b", "start": 10, "end": 19, "stream": 2},
    ]
    kernels = [
        {"row": 1, "type": "MatMul", "accelerator_core": "AI_CORE", "wait_us": 1.5, "block_dim": 8,
         "input_shapes": '"2,3;3,4"', "output_shapes": "N/A", "aic_mac_ratio": 0.25,
         "aiv_vec_ratio": 0.0},
    ]  # fmt: skip
    model = make_npu(device=device, kernels=kernels, metrics=("aic_mac_ratio", "aiv_vec_ratio"))
    assert facts(model, 0) == {"Stream": "NPU 0, stream 2"}
    assert list(facts(model, 1).items()) == [
        ("Stream", "NPU 0, stream 2"),
        ("Type", "MatMul"),
        ("Accelerator core", "AI_CORE"),
        ("Block dim", "8"),
        ("Waited", "1.5 µs"),
        ("Input shapes", "2,3;3,4"),
        ("aic_mac_ratio", "0.250"),
    ]


def test_a_collective_has_the_measures_of_the_nearest_of_its_name() -> None:
    device = [{"name": "hcom", "start": 5_000, "end": 9_000, "stream": -2}]
    model = make_npu(device=device)
    rows = [
        {"name": "hcom", "start_ns": start, "transit_us": transit, "wait_us": 0.0, "group": "g",
         "is_total": total}
        for start, transit, total in ((0, 1.0, False), (5_100, 2.0, False), (5_000, 3.0, True))
    ]  # fmt: skip
    made = table("communication", rows)
    links = [
        {"row": 0, "link": "SDMA", "bytes": 7, "transit_us": 1.0},
        {"row": 1, "link": "HCCS", "bytes": 2048, "transit_us": 4.0},
        {"row": 1, "link": "PCIE", "bytes": 0, "transit_us": 0.0},
    ]
    tables = {**model.tables, "communication": made,
              "communication_links": table("communication_links", links)}  # fmt: skip
    assert facts(type(model)(tables, model.metadata), 0) == {
        "Stream": "NPU 0",
        "Transit": "2.0 µs",
        "Group": "g",
        "Sent over HCCS": "2.0 KiB in 4.0 µs",
    }


def test_a_real_kernel_and_a_real_collective(shared_data: Path) -> None:
    trace = next(iter(load(shared_data / "ascend" / "msinsight_text_level1", progress=False)))
    model = trace.model
    host = model.tables["host"].num_rows
    names = model.tables["device"].column("name").to_pylist()
    relu = facts(model, host + names.index("aclnnInplaceRelu_Relu_Relu"))
    assert relu["Accelerator core"] == "AI_VECTOR_CORE"
    assert {"Block dim", "Waited", "Input shapes", "aiv_vec_time(us)"} <= relu.keys()
    assert not any(label.startswith(("aic_", "Tensor")) for label in relu)
    collective = facts(model, host + names.index("hcom_allReduce__586_0_1"))
    assert collective["Lane"] == "NPU 0, HCCL, Group 0 Communication"
    assert collective["Idle"] == "73.2 ms"
    assert collective["Sent over HCCS"] == "27.3 MiB in 1.8 ms"
    for slice_id in range(host, host + len(names)):
        slice_details(model, slice_id)  # whatever it is, something is said of it


def test_an_operator_of_paddle() -> None:
    host = [{"name": "matmul", "start": 0, "end": 9, "event_type": "Operator",
             "input_shapes": '{"x": [[2, 3]], "y": [[3], [4]]}',
             "input_types": '{"x": ["float32"]}'}]  # fmt: skip
    assert facts(make_model(host), 0) == {
        "Type": "Operator",
        "Thread": "1, main",
        "Input shapes": "x [2, 3], y [3] and [4]",
        "Input types": "x float32",
    }


@pytest.mark.parametrize("text", ["[[2, 3]]", "", "{", '{"x"', "{[}"])
def test_what_is_not_by_argument_stays_as_it_is(text: str) -> None:
    assert named_inputs(text) == text


def test_work_of_cuda_says_how_it_was_launched_and_which_memory_it_used() -> None:
    model = load(ROOT / "samples" / "nsys_mlp_synthetic", progress=False).trace().model
    work = model.tables["cuda_work"].to_pylist()
    host = model.tables["host"].num_rows
    seen = set()
    for row, one in enumerate(work[:200]):
        found = facts(model, host + row)
        seen |= found.keys()
        for name, label in (("context", "Context"), ("graph", "CUDA graph")):
            assert found.get(label) == (str(one[name]) if one[name] >= 0 else None)
        assert found.get("Launch type") == (one["launch_type"] or None)
        shared = one["dynamic_shared_bytes"]
        assert ("Dynamic shared memory" in found) == (shared > 0)
        ends = [one[name] for name in ("source_memory", "target_memory") if one[name]]
        assert found.get("Memory") == (" to ".join(ends) or None)
    assert {"Context", "Memory", "Dynamic shared memory"} <= seen
