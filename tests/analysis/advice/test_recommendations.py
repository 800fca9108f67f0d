"""Recommendations: every rule, its number, and the evidence it points to."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from nbprof.analysis.advice.recommendations import recommendations
from nbprof.analysis.advice.rules_kernels import odd_dimension
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.sources import discover, read
from nbprof.tables import TABLES
from tests.analysis.advice.test_defects import call, kernel, op, step
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1024**3
V100 = {
    "device": 0,
    "name": "Tesla V100",
    "memory_bytes": 16 * GIB,
    "compute_major": 7,
    "compute_minor": 0,
}


def said(model: TraceModel, filter_: Filter = NO_FILTER) -> dict[str, dict[str, Any]]:
    return {row["rule"]: row for row in recommendations(model, filter_).to_pylist()}


def check_evidence(model: TraceModel, filter_: Filter = NO_FILTER) -> int:
    """Look every number up where its evidence says it stands; return how many there are."""
    rows = recommendations(model, filter_).to_pylist()
    for row in rows:
        evidence = json.loads(row["evidence"])
        options = {"group_by": evidence["group_by"]} if "group_by" in evidence else {}
        make = TABLES[evidence["table"]].make
        table = make(model, Filter.from_dict(evidence["filter"]), **options).to_pylist()
        if "column" not in evidence:
            assert len(table) == evidence["value"]
            continue
        where = evidence["row"]
        found = [r for r in table if all(r[key] == value for key, value in where.items())]
        assert [r[evidence["column"]] for r in found] == [pytest.approx(evidence["value"])]
    return len(rows)


def training(*host: dict[str, Any], name: str = "sgemm", **options: Any) -> TraceModel:
    """One step with a matrix product, busy for most of the time."""
    rows = [step(1, 0, 100), op("aten::mm", 5, 20), call(6, 8, 1), *host]
    device = [kernel(10, 90, 1, name=name), *options.pop("device", [])]
    return make_model(rows, device, devices=options.pop("devices", [V100]), **options)


def test_nothing_to_say() -> None:
    assert said(training(name="h884gemm")) == {}


LOADER = "enumerate(DataLoader)#_{}DataLoaderIter.__next__"


@pytest.mark.parametrize(
    ("loader", "advice"),
    [("SingleProcess", "num_workers"), ("MultiProcessing", "in use already")],
)
def test_data_loading(loader: str, advice: str) -> None:
    model = training(op(LOADER.format(loader), 90, 98, kind="annotation"), name="h884gemm")
    row = said(model)["data_loading"]
    assert row["message"].startswith("Waiting for the data loader takes 8.0 % of the step time.")
    assert row["severity"] == "medium"
    assert advice in row["advice"]
    assert check_evidence(model) == 1


def test_data_parallel() -> None:
    model = training(
        op("DataParallel.forward", 2, 30, kind="annotation"),
        name="h884gemm",
        device=[{**kernel(10, 95), "device": 1}],
    )
    assert "2 GPUs" in said(model)["data_parallel"]["message"]
    assert check_evidence(model) >= 1


def test_ddp_without_nccl() -> None:
    forward = op("DistributedDataParallel.forward", 2, 30, kind="annotation")
    assert "1 forward passes" in said(training(forward))["ddp_backend"]["message"]
    assert check_evidence(training(forward)) >= 1
    with_nccl = training(forward, op("nccl:_all_gather_base", 40, 41, kind="annotation"))
    assert "ddp_backend" not in said(with_nccl)


def test_communication() -> None:
    model = make_model([step(1, 0, 100), op("gloo:all_reduce", 10, 40, kind="annotation")])
    row = said(model)["communication"]
    assert row["message"].startswith("Communication that no computation hides takes 30.0 %")
    assert row["severity"] == "high"
    assert check_evidence(model) == 1


def test_exposed_exchange_between_experts() -> None:
    device = [kernel(40, 90, 1, name="void deep_ep::intranode::combine<8>(int)")]
    model = make_model([step(1, 0, 100), call(6, 8, 1)], device)
    row = said(model)["communication"]
    assert row["message"].startswith("Communication that no computation hides takes 50.0 %")
    assert "experts" in row["advice"]
    assert check_evidence(model) > 0


def test_hidden_communication() -> None:
    """Of 100 ns, 60 communicate, 5 of them alone."""
    device = [
        kernel(0, 60, 1, name="ncclDevKernel_AllReduce"),
        kernel(5, 100, 2, name="sgemm"),
    ]
    model = make_model([step(1, 0, 100), call(0, 1, 1), call(2, 3, 2)], device)
    row = said(model)["hidden_communication"]
    assert "communicates 60.0 % of the time" in row["message"]
    assert "hides 91.7 % of that; perfect overlap would save 5.0 %." in row["message"]
    assert row["severity"] == "low"
    assert check_evidence(model) == len(said(model))
    shorter = [kernel(0, 50, 1, name="ncclDevKernel_AllReduce"), device[1]]
    assert "hidden_communication" not in said(make_model([step(1, 0, 100)], shorter))


def test_low_utilization_lists_devices_as_people_write_them() -> None:
    """The plugin writes "0, 1and 2"."""
    device = [{**kernel(10, 20 + i), "device": i} for i in range(3)]
    row = said(make_model([step(1, 0, 100)], device))["low_utilization"]
    assert row["message"].startswith("GPUs 0, 1 and 2 have low utilization: kernels run 10.0 %")
    assert isinstance(row["advice"], str)
    assert check_evidence(make_model([step(1, 0, 100)], device)) >= 1


def test_mixed_precision() -> None:
    row = said(training())["mixed_precision"]
    assert row["message"].startswith("100 % of kernel time, 100 % of that by aten::mm, could use")
    assert check_evidence(training()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"name": "h884gemm"},
        {"name": "triton_tem_fused_mm_0"},
        {"devices": [{**V100, "compute_major": 6}]},
        {"devices": [{**V100, "name": "AMD Instinct MI300X", "compute_major": 9}]},
        {"devices": [{**V100, "device": 1}]},
        {"metadata": {"hip_runtime_version": 60200000}},
    ],
)
def test_mixed_precision_only_where_tensor_cores_would_have_been_seen(
    change: dict[str, Any],
) -> None:
    assert "mixed_precision" not in said(training(**change))


def test_mixed_precision_is_in_use_already() -> None:
    host = [step(1, 0, 100), op("aten::mm", 5, 20, input_types='["c10::Half", "c10::Half"]')]
    model = make_model([*host, call(6, 8, 1)], [kernel(10, 90, 1)], devices=[V100])
    assert "mixed_precision" not in said(model)


def test_odd_dimensions() -> None:
    host = [step(1, 0, 100), op("aten::addmm", 5, 20, input_shapes="[[10], [32, 512], [512, 10]]")]
    model = make_model([*host, call(6, 8, 1)], [kernel(10, 90, 1, name="h884")], devices=[V100])
    row = said(model)["odd_dimensions"]
    assert row["message"].startswith("100.0 % of kernel time multiplies")
    assert "mainly aten::addmm with 10 in 32x512, 512x10." in row["message"]
    assert check_evidence(model) == 1


@pytest.mark.parametrize(
    ("name", "shapes", "odd"),
    [
        ("aten::mm", "[[32, 64], [64, 128]]", None),
        ("aten::mm", "[[32, 60], [60, 128]]", 60),
        ("aten::bmm", "[[3, 64, 64], [3, 64, 64]]", None),
        ("aten::mm", "[[1, 64], [64, 8]]", None),
        ("aten::cudnn_convolution", "[[32, 3, 224, 224], [64, 3, 7, 7], []]", 3),
        ("aten::cudnn_convolution", "[[32, 16, 99, 99], [64, 16, 7, 7], []]", None),
        ("aten::mm", "", None),
        ("aten::mm", "not json", None),
        ("aten::mm", "[[32], []]", None),
        ("aten::mm", "5", None),
        ("aten::add", "[[3, 3], [3, 3]]", None),
    ],
)
def test_odd_dimension(name: str, shapes: str, odd: int | None) -> None:
    assert odd_dimension(name, shapes) == odd


def with_memory(model: TraceModel, *records: tuple[int, int, int]) -> TraceModel:
    """Add records of (device type, device, total allocated)."""
    columns = {name: [0] * len(records) for name in schema.MEMORY.names}
    columns["device_type"] = [r[0] for r in records]
    columns["device"] = [r[1] for r in records]
    columns["total_allocated"] = [r[2] for r in records]
    table = pa.table(columns, schema=schema.MEMORY)
    return TraceModel({**model.tables, "memory": table}, model.metadata, dialect=model.dialect)


def test_memory_limit_names_the_device_and_leaves_the_cpu_out() -> None:
    """The plugin compared the memory of the CPU with the last GPU, "on GPU-1"."""
    devices = [{**V100, "device": 1, "memory_bytes": 32 * GIB}, V100]
    model = training(name="h884gemm", devices=devices)
    assert said(with_memory(model, (0, -1, 400 * GIB), (1, 1, 16 * GIB))) == {}
    full = with_memory(model, (1, 0, 15 * GIB), (1, 1, 20 * GIB))
    message = said(full)["memory_limit"]["message"]
    assert message.startswith("GPU 0 is near its memory limit: 93.8 % of 16.00 GiB")
    assert check_evidence(full) == 1


def test_idle_and_exposed_copies() -> None:
    device = [{**kernel(60, 90), "name": "Memcpy HtoD", "kind": "memcpy"}, kernel(97, 100)]
    host = [step(1, 0, 100), op("aten::add", 5, 20), call(6, 8, 1)]
    model = make_model(host, [kernel(0, 55, 1), *device])
    assert "only copies 30.0 %" in said(model)["exposed_copies"]["message"]
    assert "idle" not in said(model)
    # A copy counts for what a range has of it, also one that began before.
    message = said(model, Filter(time_us=(70, 100)))["exposed_copies"]["message"]
    assert "only copies 66.7 %" in message
    assert "mostly Memcpy HtoD" in message
    model = make_model(host, [kernel(0, 20, 1), kernel(95, 100)])
    message = said(model)["low_utilization"]["message"]
    assert "kernels run 25.0 % of the step time" in message
    assert "idle" not in said(model)
    partly = make_model(host, [kernel(0, 60, 1), kernel(95, 100)])
    assert said(partly)["idle"]["message"].startswith("GPU 0 is idle 35.0 % of the step time")
    assert check_evidence(partly) == len(said(partly))
    assert check_evidence(model) == len(said(model))


def test_steps_not_marked() -> None:
    model = make_model([op("aten::mm", 0, 50)])
    assert said(model)["steps_not_marked"]["severity"] == "low"
    assert "steps_not_marked" not in said(make_model())  # of memory alone, say
    assert check_evidence(model) == 1
    assert check_evidence(model, Filter(time_us=(0, 10))) == 1


def test_evidence_in_an_open_range_is_json() -> None:
    model = make_model([step(1, 0, 100), call(6, 8, 1)], [kernel(10, 20, 1), kernel(95, 100)])
    far = float("inf")
    for low, high in ((-far, far), (0.01, far), (-far, 0.09), (-far, -1.0), (9.0, far)):
        filter_ = Filter(time_us=(low, high))
        assert check_evidence(model, filter_) == recommendations(model, filter_).num_rows
        texts = recommendations(model, filter_)["evidence"].to_pylist()
        assert "Infinity" not in "".join(texts)
    assert "low_utilization" in said(model, Filter(time_us=(0.01, far)))


def test_a_device_is_not_idle_because_of_a_name() -> None:
    model = training(name="h884gemm")
    narrow = Filter(name="nothing", kinds=["memcpy"], threads=[9], streams=[9])
    assert said(model, narrow) == said(model) == {}
    assert list(said(model, Filter(devices=[1]))) == []


@pytest.mark.parametrize(
    "trace",
    [
        "resnet50_num_workers_0",
        "a100_nccl",
        "diff_control",
        "b200_eager",
        "mi300_qwen",
        "h800_deepseek",
    ],
)
@pytest.mark.parametrize("filter_", [NO_FILTER, Filter(name="/conv|mm/")])
def test_evidence_of_real_traces(trace: str, filter_: Filter, shared_data: Path) -> None:
    (file,) = discover(shared_data / "kineto" / trace).files
    model = read(file, progress=False)
    rows = recommendations(model, filter_)
    assert check_evidence(model, filter_) == rows.num_rows
    gains = [gain for gain in rows["gain_us"].to_pylist() if gain is not None]
    assert gains == sorted(gains, reverse=True)
    messages = rows["message"].to_pylist()
    assert [one for one in messages if not re.search(r"\d|^No ", one)] == []  # "No" is the number 0


def test_of_very_many_devices_a_sentence_lists_the_first() -> None:
    many = 500
    work = [kernel(10, 20 + at % 7, 1) | {"device": at} for at in range(many)]
    model = make_model([step(1, 0, 100), op("aten::mm", 5, 20), call(6, 8, 1)], work)
    row = said(model)["low_utilization"]
    listed = ", ".join(map(str, range(16)))
    assert row["message"].startswith(f"GPUs {listed} and 484 more have low utilization")
    evidence = json.loads(row["evidence"])
    assert len(evidence["filter"]["devices"]) == 100
    assert evidence["row"]["device"] in evidence["filter"]["devices"]
    assert check_evidence(model)
