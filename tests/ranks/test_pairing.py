"""Pairing of communication calls across ranks, compared with a slow reference."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import nbprof
from nbprof.analysis.ranks.calls import rank_calls
from nbprof.analysis.ranks.steps import rank_steps
from nbprof.model.filters.filter import Filter
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.ranks.distributed import Measured, measure, overview
from tests.support.models import make_model
from tests.support.work import calls

if TYPE_CHECKING:
    from pathlib import Path


def side_by_side(models: dict[str, TraceModel], filter_: Filter | None = None) -> Measured:
    filter_ = filter_ or Filter()
    calls = {worker: rank_calls(model, filter_) for worker, model in models.items()}
    return measure(calls, {worker: rank_steps(model, filter_) for worker, model in models.items()})


def wait_of(found: Measured) -> dict[tuple[int | None, str], tuple[float, float]]:
    return {
        (row["step"], row["worker"]): (row["data_transfer_us"], row["synchronizing_us"])
        for row in found.wait.to_pylist()
    }


def nccl_rank(
    host: list[tuple[str, int, int, int, int, str]], device: list[tuple[int, int]]
) -> TraceModel:
    """Make a rank of calls (name, host range, kernel range, shapes) and other kernels, in µs."""
    rows: list[dict[str, Any]] = []
    work: list[dict[str, Any]] = []
    for number, (name, start, end, first, last, shapes) in enumerate(host):
        more = {"kind": "annotation", "input_shapes": shapes, "input_types": '["float"]'}
        rows.append({"name": name, "start": 1000 * start, "end": 1000 * end, **more})
        launch = {"kind": "runtime", "correlation": 10 + number, "name": "cudaLaunchKernel"}
        rows.append({**launch, "start": 1000 * start + 1, "end": 1000 * start + 2})
        nccl = {"name": "ncclKernel", "correlation": 10 + number, "stream": 20}
        work.append({**nccl, "start": 1000 * first, "end": 1000 * last})
    work += [{"name": "add", "start": 1000 * start, "end": 1000 * end} for start, end in device]
    return make_model(rows, work, metadata={"world_size": 2})


@pytest.fixture
def plugins_own() -> dict[str, TraceModel]:
    """Return the two workers that the plugin's own test of this view is about."""
    shapes = "[[53120]]", "[[2049000]]"
    return {
        "worker0": nccl_rank(
            [
                ("nccl:broadcast", 0, 75, 16, 32, shapes[0]),
                ("nccl:all_reduce", 160, 235, 162, 1718, shapes[1]),
            ],
            [(130, 291)],
        ),
        "worker1": nccl_rank(
            [
                ("nccl:broadcast", 0, 20, 8, 39, shapes[0]),
                ("nccl:all_reduce", 160, 235, 562, 1620, shapes[1]),
            ],
            [(30, 191)],
        ),
    }


def test_the_plugins_own_case(plugins_own: dict[str, TraceModel]) -> None:
    found = side_by_side(plugins_own)
    ops = {(row["worker"], row["name"]): row for row in found.ops.to_pylist()}
    broadcast, reduce = (ops["worker0", f"nccl:{name}"] for name in ("broadcast", "all_reduce"))
    # The plugin: 212480 bytes in 75 µs, 36 of them transfer, since it takes the host range for a
    # range of the call (kineto.md §13.6). The kernels took 16 and 31 µs.
    assert (broadcast["calls"], broadcast["total_bytes"]) == (1, 212_480)
    assert (broadcast["total_latency_us"], broadcast["data_transfer_us"]) == (16, 16)
    assert ops["worker1", "nccl:broadcast"]["data_transfer_us"] == 16
    # The plugin: 1558 and 1133, with 2 and 75 µs of the host range.
    assert (reduce["total_bytes"], reduce["total_latency_us"]) == (8_196_000, 1556)
    assert reduce["data_transfer_us"] == 1058
    assert reduce["algo_gbps"] == pytest.approx(8_196_000 / 1058e3)
    assert reduce["bus_gbps"] == pytest.approx(reduce["algo_gbps"])  # 2(n-1)/n of two ranks is 1
    # The plugin: [1169, 464] and [1169, 3].
    assert wait_of(found)[None, "worker0"] == (1074, 1572 - 1074)
    assert wait_of(found)[None, "worker1"] == (1074, 15)


def test_the_plugins_own_steps(plugins_own: dict[str, TraceModel]) -> None:
    """Without recorded steps: one, of all the host did, until the last kernel ends."""
    steps = {worker: rank_steps(model) for worker, model in plugins_own.items()}
    rows = {row["worker"]: row for row in overview(steps).to_pylist() if row["step"] is None}
    # The plugin ends the step where the host does, at 235, and counts host ranges of device
    # collectives as communication: [30, 75, 75, 55].
    own = rows["worker0"]
    assert own["computation_us"] == 161 - 129
    assert own["overlapping_us"] == 291 - 162
    assert own["communication_us"] == 16 + 1556 - 129
    assert own["other_us"] == 1718 - 16 - 1556 - 161 + 129


def test_a_call_without_time_has_no_latency() -> None:
    """A trace without device work holds calls that only enqueue."""
    row = {"name": "nccl:all_reduce", "kind": "annotation", "start": 0, "end": 9}
    found = side_by_side({"a": make_model([row]), "b": make_model([row])})
    assert [r["calls"] for r in found.ops.to_pylist()] == [1, 1]
    assert found.ops["total_latency_us"].null_count == found.ops["data_transfer_us"].null_count == 2
    assert found.wait.num_rows == 0


def test_kernels_without_a_call_are_calls_by_themselves() -> None:
    kernel = {"name": "ncclDevKernel_AllReduce(ncclDevComm*)", "start": 10, "end": 30}
    models = {"a": make_model(device=[kernel]), "b": make_model(device=[{**kernel, "end": 20}])}
    ops = side_by_side(models).ops.to_pylist()
    assert [row["name"] for row in ops] == ["ncclDevKernel_AllReduce"] * 2
    assert [row["data_transfer_us"] for row in ops] == [0.01, 0.01]


def test_memory_alone_tells_nothing_of_steps() -> None:
    record = {"time_ns": 5, "bytes": 64, "address": 1, "device": -1, "device_type": 0, "thread": -1}
    assert rank_steps(make_model(memory=[record])).num_rows == 0


def told_of(group_size: int, collective: str = "allreduce") -> TraceModel:
    """Return a trace of one kernel whose collective takes and gives four floats."""
    model = make_model(device=[{"name": "hcclKernel", "start": 10, "end": 30}])
    told: dict[str, Any] = {"side": "device", "row": 0, "collective": collective}
    told |= {"process_group": "g", "in_elements": 4, "out_elements": 4, "dtype": "Float"}
    told["group_size"] = group_size
    table = pa.Table.from_pylist([told], schema=schema.COLLECTIVES)
    return TraceModel({**model.tables, "collectives": table}, model.metadata, dialect=model.dialect)


def test_kernels_of_which_more_is_told_need_no_host() -> None:
    [call] = rank_calls(told_of(2)).to_pylist()
    assert (call["name"], call["process_group"]) == ("allreduce", "g")


@pytest.mark.parametrize("collective", ["allreduce", "allgather", "broadcast"])
def test_a_rank_sends_nothing_to_itself(collective: str) -> None:
    [alone] = rank_calls(told_of(1, collective)).to_pylist()
    [one_of_two] = rank_calls(told_of(2, collective)).to_pylist()
    assert (alone["bytes"], alone["bus_bytes"]) == (0, 0)
    assert alone["message_bytes"] == one_of_two["message_bytes"] == 16
    assert one_of_two["bytes"] == 16
    assert one_of_two["bus_bytes"] > 0


def test_a_recording_of_one_rank_sent_nothing(shared_data: Path) -> None:
    ops = nbprof.load(shared_data / "h200/fsdp_one_rank").distributed_ops().to_pylist()
    assert [(row["calls"], row["total_bytes"]) for row in ops] == [(2, 0)]


def test_a_rank_that_only_communicates_computes_nothing(shared_data: Path) -> None:
    overview = nbprof.load(shared_data / "reports/gpu_ann").distributed_overview().to_pylist()
    for row in overview:
        times = row["computation_us"], row["communication_us"], row["other_us"]
        assert times == (0, 300, 700)
    # The host computes only where no kernels were recorded at all.
    host = [{"name": "aten::mm", "start": 0, "end": 10}]
    kernel = {"name": "ncclDevKernel_AllReduce(ncclDevComm*)", "start": 10, "end": 30}
    alone = rank_steps(make_model(host)).to_pylist()
    beside = rank_steps(make_model(host, [kernel])).to_pylist()
    assert [row["computation_us"] for row in (*alone, *beside)] == [0.01, 0]


def test_senders_and_receivers_are_not_laid_side_by_side() -> None:
    send = {"name": "gloo:send", "kind": "annotation", "start": 0, "end": 10}
    reduce = {"name": "gloo:all_reduce", "kind": "annotation", "start": 20, "end": 40}
    late = {**reduce, "start": 30}
    models = {
        "a": make_model([send, reduce]),
        "b": make_model([{**send, "name": "gloo:recv"}, late]),
    }
    found = side_by_side(models)
    rows = {(row["worker"], row["name"]): row["data_transfer_us"] for row in found.ops.to_pylist()}
    assert rows["a", "gloo:send"] is rows["b", "gloo:recv"] is None
    assert rows["a", "gloo:all_reduce"] == rows["b", "gloo:all_reduce"] == 0.01
    assert found.unpaired == {}
    assert wait_of(found)[None, "a"] == (0.01, 0.01)


def test_a_rank_that_lost_calls_spoils_only_their_steps() -> None:
    def rank(names: list[str]) -> TraceModel:
        rows: list[dict[str, Any]] = []
        for step, name in enumerate(names):
            begin = 1000 * step
            mark = {"name": f"ProfilerStep#{step}", "kind": "step"}
            rows.append({**mark, "start": begin, "end": begin + 900})
            if name:
                rows.append(
                    {"name": name, "kind": "annotation", "start": begin + 10, "end": begin + 110}
                )
        return make_model(rows)

    reduce, gather = "gloo:all_reduce", "gloo:all_gather"
    found = side_by_side({"a": rank([reduce] * 4), "b": rank([reduce, "", gather, reduce])})
    assert {step for step, _ in wait_of(found)} == {None, 0, 3}
    assert found.unpaired == {"a": 2, "b": 1}
    rows = {(row["worker"], row["name"]): row for row in found.ops.to_pylist()}
    assert rows["a", reduce]["data_transfer_us"] is None
    assert rows["a", reduce]["total_latency_us"] == pytest.approx(0.4)
    assert rows["b", reduce]["data_transfer_us"] == pytest.approx(0.2)


def generated(seed: int) -> dict[str, TraceModel]:
    """Make ranks that make the same calls at times of their own, which may overlap."""
    random = np.random.default_rng(seed)
    ranks, calls, steps = int(random.integers(2, 6)), int(random.integers(1, 30)), 3
    names = random.choice(["gloo:all_reduce", "gloo:broadcast", "mpi:barrier"], calls)
    models = {}
    for rank in range(ranks):
        start = np.sort(random.integers(0, 3000, calls)) * 10 + np.arange(calls)
        end = start + random.integers(1, 900, calls)
        rows: list[dict[str, Any]] = [
            {
                "name": f"ProfilerStep#{n}",
                "kind": "step",
                "start": 10_000 * n,
                "end": 10_000 * n + 9_990,
            }
            for n in range(steps)
        ]
        rows += [
            {"name": name, "kind": "annotation", "start": low, "end": high, "tid": 2 + index}
            for index, (name, low, high) in enumerate(
                zip(names.tolist(), start.tolist(), end.tolist(), strict=True)
            )
        ]
        models[f"r{rank}"] = make_model(rows)
    return models


def plain_wait(models: dict[str, TraceModel], filter_: Filter) -> dict[Any, tuple[float, float]]:
    """Return transfer and waiting by (step, worker), and by (worker, name)."""
    made = {}
    for worker, model in models.items():
        rows = model.tables["host"].to_pylist()
        calls = [row for row in rows if row["kind"] == "annotation"]
        made[worker] = sorted(calls, key=lambda row: row["start_ns"])
    moments: dict[Any, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for worker, calls in made.items():
        for index, call in enumerate(calls):
            least = min(other[index]["duration_ns"] for other in made.values())
            start, end = call["start_ns"], call["start_ns"] + call["duration_ns"]
            step = start // 10_000 if start % 10_000 < 9_990 else None
            if filter_.steps and (step is None or not filter_.steps[0] <= step <= filter_.steps[1]):
                continue
            if filter_.name and filter_.name not in call["name"]:
                continue
            for key in ((step, worker), (worker, call["name"])):
                moments[key][0].update(range(start, end))
                moments[key][1].update(range(end - least, end))
    return {
        key: (len(moved) / 1000, (len(whole) - len(moved)) / 1000)
        for key, (whole, moved) in moments.items()
        if key[0] is not None
    }


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("filter_", [Filter(), Filter(steps=(1, 2)), Filter(name="reduce")])
def test_waiting_is_that_of_the_slow_way(seed: int, filter_: Filter) -> None:
    models = generated(seed)
    found = side_by_side(models, filter_)
    expected = plain_wait(models, filter_)
    ours = {key: pair for key, pair in wait_of(found).items() if key[0] is not None}
    by_name = {key: pair for key, pair in expected.items() if isinstance(key[0], str)}
    by_step = {key: pair for key, pair in expected.items() if not isinstance(key[0], str)}
    assert ours.keys() == by_step.keys()
    for key, pair in by_step.items():
        assert ours[key] == pytest.approx(pair)
    for row in found.ops.to_pylist():
        transfer, waited = by_name.pop((row["worker"], row["name"]))
        assert row["data_transfer_us"] == pytest.approx(transfer)
        assert row["total_latency_us"] == pytest.approx(transfer + waited)
    assert by_name == {}
    assert found.unpaired == {}


def test_calls_grow_with_the_collectives_and_not_with_their_square() -> None:
    def work(count: int) -> int:
        collectives = [
            {"name": "gloo:all_reduce", "kind": "annotation", "start": 10 * n, "end": 10 * n + 5}
            for n in range(count)
        ]
        models = {"a": make_model(collectives), "b": make_model(collectives)}
        assert side_by_side(models).ops["calls"].to_pylist() == [count, count]
        return calls(lambda: side_by_side(models))

    assert work(5000) < 12 * work(500)
