"""The distributed tables of Ascend and Paddle compared with their own tools."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.analysis.ranks.calls import rank_calls
from nbprof.analysis.ranks.steps import rank_steps
from nbprof.model.errors import FilterWarning
from nbprof.model.filters.filter import Filter
from nbprof.model.trace.model import TraceModel
from nbprof.ranks.distributed import measure

if TYPE_CHECKING:
    from pathlib import Path

#: Reference data, and the figures about them.
ASCEND = {
    "msinsight_text_level1": "ascend_msinsight_text_level1_run_level1",
    "msinsight_st_level2": "ascend_msinsight_st_level2_run_st",
    "msinsight_unit_rank": "ascend_msinsight_unit_rank_run_unit",
}
#: The step of each run; the plugin calls those of st_level2 by the devices (ascend.md §7).
STEPS = {"msinsight_text_level1": 50, "msinsight_st_level2": 13, "msinsight_unit_rank": 2}


@pytest.fixture(scope="module", params=ASCEND)
def ascend(request: pytest.FixtureRequest, shared_data: Path, shared_oracle: Path) -> Any:
    name = request.param
    figures = json.loads((shared_oracle / "ascend" / f"{ASCEND[name]}.json").read_text("utf-8"))
    run = nbprof.load(shared_data / "ascend" / name, progress=False)
    return run, figures["distributed"], STEPS[name]


def by_worker(table: pa.Table, step: int | None) -> dict[str, list[Any]]:
    bare = table.drop(["run", "span"])
    rows = [row for row in bare.to_pylist() if row.pop("step") == step]
    return {row.pop("worker"): list(row.values()) for row in rows}


def test_steps_are_the_plugins_by_the_step_column(ascend: Any) -> None:
    run, theirs, step = ascend
    ours = run.distributed_overview()
    data = theirs["overlap"]["data"]
    found = {worker: parts for one in data if one != "all" for worker, parts in data[one].items()}
    assert by_worker(ours, step).keys() == found.keys()
    for worker, parts in by_worker(ours, step).items():
        # It rounds to 3 decimals.
        assert parts == pytest.approx(found[worker], abs=5.1e-4)
    # ascend.md §7: its step is the first column, which is the device in files of 2025.
    assert set(ours["step"].to_pylist()) == {None, step}
    for worker, parts in by_worker(ours, None).items():
        assert [int(part) for part in parts] == data["all"][worker]


def test_waiting_is_the_plugins(ascend: Any) -> None:
    run, theirs, step = ascend
    ours = run.distributed_wait()
    for key, number in (("all", None), (str(step), step)):
        found = by_worker(ours.drop(["other_us"]), number)
        assert found.keys() == theirs["wait"]["data"][key].keys()
        for worker, parts in found.items():
            assert parts == pytest.approx(theirs["wait"]["data"][key][worker], abs=5.1e-4)


def test_operators_are_the_plugins_but_for_their_bytes(ascend: Any) -> None:
    run, theirs, _ = ascend
    ours = {(row["worker"], row["name"]): row for row in run.distributed_ops().to_pylist()}
    expected = {
        (worker, row[0]): row[1:]
        for worker, table in theirs["comm_ops"]["data"].items()
        for row in table["rows"]
    }
    assert ours.keys() == expected.keys()
    by_rdma: Counter[tuple[str, str]] = Counter()
    for trace in run:
        operators = trace.model.tables["communication"].to_pylist()
        for link in trace.model.tables["communication_links"].to_pylist():
            operator = operators[link["row"]]
            if link["link"] == "RDMA" and not operator["is_total"]:
                by_rdma[trace.worker, operator["name"].split("__")[0] + "__"] += link["bytes"]
    for key, (calls, size, _, elapse, mean, transit, mean_transit) in expected.items():
        row = ours[key]
        assert row["calls"] == calls
        assert row["total_latency_us"] == pytest.approx(elapse, abs=5.1e-4)
        assert round(row["avg_latency_us"]) == mean
        assert row["data_transfer_us"] == pytest.approx(transit, abs=5.1e-4)
        assert round(row["avg_data_transfer_us"]) == mean_transit
        # ascend.md §7: it counts what SDMA moved beside what the links below moved, and takes a
        # MB for 2**20 bytes. What RDMA moved is not counted twice.
        twice = 2 * row["total_bytes"] - by_rdma[key]
        assert twice * 2**20 / 1e6 == pytest.approx(size, abs=5.1e-3)
        assert row["avg_bytes"] == pytest.approx(row["total_bytes"] / calls)


def test_bytes_are_the_payload_in_decimal_megabytes(shared_data: Path) -> None:
    run = nbprof.load(shared_data / "ascend/msinsight_text_level1", progress=False)
    (row, _) = run.distributed_ops().to_pylist()
    # The plugin: 896 734 008.
    assert row["total_bytes"] == 427_596_096
    assert row["bus_gbps"] == pytest.approx(427_596_096 / 3683.3535e3)
    # Of links it says 15.7676 GB/s and so on for the four calls; this rank has seven.
    assert 12.9 < row["link_gbps"] < 17.4
    assert row["algo_gbps"] is None, "the recorder does not tell the size of the message"


def test_parts_of_communication_are_the_time_of_the_calls(ascend: Any) -> None:
    run, _, _ = ascend
    names = ("data_transfer_us", "synchronizing_us", "other_us")
    waits = {
        row["worker"]: [row[name] for name in names]
        for row in run.distributed_wait().to_pylist()
        if row["step"] is None
    }
    for worker, parts in waits.items():
        told = [row for row in run.distributed_ops().to_pylist() if row["worker"] == worker]
        assert sum(parts) == pytest.approx(sum(row["total_latency_us"] for row in told))
        assert parts[0] == pytest.approx(sum(row["data_transfer_us"] for row in told))


def test_bandwidth_needs_the_transit_of_every_call(shared_data: Path) -> None:
    """Some recordings tell the transit of a few calls of 8 bytes, and not of those of 600 MB."""
    run = nbprof.load(shared_data / "ascend/msinsight_st_level2", progress=False)
    rows = {(row["worker"], row["name"]): row for row in run.distributed_ops().to_pylist()}
    row = rows["rank1", "hcom_allReduce__"]
    assert (row["data_transfer_us"], row["bus_gbps"]) == (pytest.approx(6.58), None)
    assert row["link_gbps"] == pytest.approx(19.0, abs=0.5)


def test_filters_take_whole_steps_and_operators(shared_data: Path) -> None:
    run = nbprof.load(shared_data / "ascend/msinsight_unit_rank", progress=False)
    with pytest.warns(FilterWarning, match="distributed_overview: nothing is left .*step 3"):
        assert run.distributed_overview(filter_=Filter(steps=3)).num_rows == 0
    with pytest.warns(FilterWarning, match="distributed_ops: nothing is left .*step 3"):
        assert run.distributed_ops(filter_=Filter(steps=3)).num_rows == 0
    assert run.distributed_ops(filter_=Filter(steps=2)).equals(run.distributed_ops())
    some = run.distributed_ops(filter_=Filter(name="gather"), workers="rank1").to_pylist()
    assert [(row["worker"], row["name"]) for row in some] == [("rank1", "hcom_allGather__")]


@pytest.fixture(scope="module")
def paddle(shared_data: Path) -> nbprof.Profile:
    return nbprof.load(shared_data / "paddle/synthetic_gpu", progress=False)


@pytest.fixture(scope="module")
def visualdl(shared_oracle: Path) -> Any:
    path = shared_oracle / "visualdl/paddle_synthetic_gpu.json"
    return json.loads(path.read_text("utf-8"))["distributed"]["0"]


def test_steps_are_those_of_visualdl(paddle: nbprof.Profile, visualdl: Any) -> None:
    ours = paddle.distributed_overview()
    for step in (3, 4, 5):
        theirs = visualdl["histogram"][str(step)]
        columns = dict(zip(theirs["order"], theirs["data"], strict=True))
        for at, worker in enumerate(theirs["worker_name"]):
            alone, both, exposed, other = by_worker(ours, step)[worker]
            found = {name: values[at] for name, values in columns.items()}
            # It rounds to 2 decimals, and counts what overlaps in both of its columns.
            assert alone + both == pytest.approx(found["Computation"], abs=5.1e-3)
            assert exposed + both == pytest.approx(found["Communication"], abs=5.1e-3)
            assert both == pytest.approx(found["Overlap"], abs=5.1e-3)
            assert other == pytest.approx(found["Others"], abs=5.1e-3)
            assert alone + both + exposed + other == pytest.approx(found["ProfileStep"], abs=5.1e-3)


def test_the_mean_is_a_third_of_their_sum(paddle: nbprof.Profile, visualdl: Any) -> None:
    theirs = visualdl["histogram"]["All"]
    means = by_worker(paddle.distributed_overview(), None)
    for at, worker in enumerate(theirs["worker_name"]):
        others = theirs["data"][theirs["order"].index("Others")][at]
        assert 3 * means[worker][3] == pytest.approx(others, abs=5.1e-3)


def test_devices_are_those_of_the_cards(paddle: nbprof.Profile, visualdl: Any) -> None:
    devices = [
        row for row in paddle._distributed().devices.to_pylist() if row["device_type"] == "gpu"
    ]
    assert len(devices) == len(visualdl["info"])
    for row, card in zip(devices, visualdl["info"], strict=True):
        assert row["worker"] == card["worker_name"]
        assert f"GPU{row['device']}" == card["device_id"]
        assert row["name"] == card["name"]
        assert f"{row['memory_gb']:.2f} GB" == card["memory"]
        assert row["compute_capability"] == card["computeCapability"]
        # visualdl.md §4: kernels of two stages at the same time count twice there: 49.97 %.
        assert row["utilization_pct"] == pytest.approx(48.2, abs=0.05)


def test_calls_of_paddle_are_laid_side_by_side(paddle: nbprof.Profile) -> None:
    """VisualDL has no such table; the kernels of this run are as long on both workers."""
    rows = {(row["worker"], row["name"]): row for row in paddle.distributed_ops().to_pylist()}
    row = rows["host_bpid_4001", "ProcessGroupNCCL::AllReduce"]
    assert (row["calls"], row["total_latency_us"], row["data_transfer_us"]) == (3, 1200, 1200)
    assert paddle.distributed_wait()["synchronizing_us"].unique().to_pylist() == [0.0]


def test_hosts_compute_where_there_is_no_device(shared_data: Path) -> None:
    """VisualDL shows nothing of such runs; ours are those of the other formats."""
    run = nbprof.load(shared_data / "paddle/run_cpu_v262", progress=False)
    for row in run.distributed_overview().to_pylist():
        assert row["computation_us"] > row["other_us"] > 0
    [step] = run.distributed_overview(filter_=Filter(steps=(3, 3)), workers="worker0").to_pylist()[
        1:
    ]
    host = run.trace(worker="worker0").steps().to_pylist()[1]
    assert host["step"] == step["step"] == 3
    assert step["computation_us"] >= host["cpu_exec_us"]
    assert sum(v for k, v in step.items() if k.endswith("_us")) == pytest.approx(host["total_us"])


def test_bytes_that_a_link_does_not_tell_are_unknown(shared_data: Path) -> None:
    model = next(iter(nbprof.load(shared_data / "ascend/msinsight_text_level1"))).model
    links = model.tables["communication_links"].to_pylist()
    broken = {link["row"] for link in links if link["bytes"] > 0 and link["link"] == "HCCS"}
    assert broken
    changed = [one | {"bytes": -1} if one["row"] == min(broken) else one for one in links]
    table = pa.Table.from_pylist(changed, model.tables["communication_links"].schema)
    calls = rank_calls(
        TraceModel(
            {**model.tables, "communication_links": table}, model.metadata, dialect=model.dialect
        )
    )
    assert calls["bytes"].null_count == calls["bus_bytes"].null_count == 1
    assert measure({"a": calls}, {"a": rank_steps(model)}).ops["total_bytes"].null_count == 1
