"""The distributed tables of PyTorch compared with the TensorBoard plugin."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

#: What the plugin calls the workers of the run.
WORKERS = {"worker0": "host_0", "worker1": "host_1"}
#: Its times are float64 microseconds since 1970, which are 0.25 apart.
STEP_US = 0.25


@pytest.fixture(scope="module")
def run(shared_data: Path) -> nbprof.Profile:
    return nbprof.load(shared_data / "torchcpu/ddp_gloo", progress=False)


@pytest.fixture(scope="module")
def theirs(shared_oracle: Path) -> Any:
    path = shared_oracle / "kineto_plugin/dist_torchcpu_ddp_gloo.json"
    return json.loads(path.read_text(encoding="utf-8"))["distributed_view"]


@pytest.fixture(scope="module")
def barriers(run: nbprof.Profile) -> dict[tuple[str, int], float]:
    """Time of the barrier in each step of each worker; the plugin does not know barriers."""
    found = {}
    for trace in run:
        steps = trace.model.steps
        for row in trace.filter(name="gloo:barrier", kinds=["annotation"]).slices().to_pylist():
            at = row["start_us"] * 1000
            (number,) = steps.number[(steps.host_start_ns <= at) & (at < steps.host_end_ns)]
            found[trace.worker, int(number)] = row["duration_us"]
    assert len(found) == 6
    return found


def rows(table: pa.Table) -> dict[tuple[int | None, str], list[float]]:
    bare = table.drop(["run", "span"])
    return {(row.pop("step"), row.pop("worker")): list(row.values()) for row in bare.to_pylist()}


def test_steps_are_the_plugins(
    run: nbprof.Profile, theirs: Any, barriers: dict[tuple[str, int], float]
) -> None:
    ours = rows(run.distributed_overview())
    for step in (2, 3, 4):
        for worker, name in WORKERS.items():
            parts = theirs["overlap"]["data"][str(step)][name]
            computation, overlapping, communication, other = parts
            found = ours[step, worker]
            # kineto.md §13.6: a barrier is communication to us, and work of the host to the plugin,
            # which it is only as long as nothing else was: in all, the steps are as long.
            assert sum(found) == pytest.approx(sum(parts), abs=8 * STEP_US)
            assert found[3] == pytest.approx(other, abs=8 * STEP_US)
            moved = found[1] + found[2] - overlapping - communication
            assert moved == pytest.approx(barriers[worker, step], abs=8 * STEP_US)
            # What of it ran beside other work of the host stays computation.
            lost = computation + overlapping - found[0] - found[1]
            assert -8 * STEP_US < lost < barriers[worker, step] + 8 * STEP_US


def test_means_are_those_of_the_steps(run: nbprof.Profile) -> None:
    for table in (run.distributed_overview(), run.distributed_wait()):
        ours = rows(table)
        for worker in WORKERS:
            steps = [ours[step, worker] for step in (2, 3, 4)]
            means = [sum(column) / 3 for column in zip(*steps, strict=True)]
            assert ours[None, worker] == pytest.approx(means, rel=1e-12)


def test_waiting_is_the_plugins_but_for_barriers(
    run: nbprof.Profile, theirs: Any, barriers: dict[tuple[str, int], float]
) -> None:
    waits = run.distributed_wait()
    assert waits["other_us"].unique().to_pylist() == [0.0]
    ours = rows(waits.drop(["other_us"]))
    for step in (2, 3, 4):
        shortest = min(barriers[worker, step] for worker in WORKERS)
        for worker, name in WORKERS.items():
            transfer, waited = theirs["wait"]["data"][str(step)][name]
            # The barriers of this run overlap no other call.
            transfer += shortest
            waited += barriers[worker, step] - shortest
            assert ours[step, worker] == pytest.approx([transfer, waited], abs=12 * STEP_US)


def test_operators_are_the_plugins(run: nbprof.Profile, theirs: Any) -> None:
    ours = {(row["worker"], row["name"]): row for row in run.distributed_ops().to_pylist()}
    for worker, name in WORKERS.items():
        table = theirs["comm_ops"]["data"][name]["rows"]
        # kineto.md §13.6: barriers are not among its names.
        assert {key for key in ours if key[0] == worker} == {
            (worker, label) for label in [row[0] for row in table] + ["gloo:barrier"]
        }
        for label, calls, size, mean_size, latency, _, transfer, _ in table:
            row = ours[worker, label]
            assert row["calls"] == calls
            assert row["total_bytes"] == size
            assert round(row["avg_bytes"]) == mean_size
            assert row["total_latency_us"] == pytest.approx(latency, abs=2 * calls * STEP_US)
            assert row["data_transfer_us"] == pytest.approx(transfer, abs=2 * calls * STEP_US)
            assert row["avg_latency_us"] == pytest.approx(row["total_latency_us"] / calls)
            assert row["avg_data_transfer_us"] == pytest.approx(row["data_transfer_us"] / calls)


def test_bandwidth_is_of_the_message(run: nbprof.Profile) -> None:
    for row in run.distributed_ops().to_pylist():
        if row["name"] == "gloo:barrier":
            assert row["algo_gbps"] is None
            continue
        # Two ranks: a gather brings twice what a rank gives, and half of that over the link.
        gathers = row["name"] == "gloo:all_gather"
        message = row["total_bytes"] * (2 if gathers else 1)
        assert row["algo_gbps"] == pytest.approx(message / row["data_transfer_us"] / 1000)
        assert row["bus_gbps"] == pytest.approx(row["algo_gbps"] * (0.5 if gathers else 1))


def test_calls_that_differ_between_ranks_are_not_laid_side_by_side(shared_data: Path) -> None:
    """The two ranks of this run were sampled: their calls do not belong together."""
    run = nbprof.load(shared_data / "kineto/a100_two_ranks", progress=False)
    found = run._distributed()
    assert found.unpaired == {"rank0": 10, "rank1": 10}
    assert found.wait.num_rows == 0
    assert set(found.ops["data_transfer_us"].to_pylist()) == {None}
    assert found.calls == 20
    assert found.missing == tuple(range(2, 128))
    # The operators still say what they took by themselves.
    assert all(found.ops["total_latency_us"].to_pylist())


def test_one_rank_cannot_know_how_long_it_waited(shared_data: Path) -> None:
    found = nbprof.load(shared_data / "kineto/a100_nccl", progress=False)._distributed()
    assert found.single_rank
    assert (found.calls, found.missing) == (21, (1,))
    assert found.wait.num_rows == 0
    ops = {row["name"]: row for row in found.ops.to_pylist()}
    assert ops["nccl:all_reduce"]["calls"] == 15
    assert ops["nccl:all_reduce"]["total_bytes"] == 306_684_384
    assert ops["nccl:all_reduce"]["data_transfer_us"] is None
