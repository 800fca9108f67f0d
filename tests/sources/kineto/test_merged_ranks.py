"""Traces of several ranks that were merged into one file: each rank is what its own file is."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.sources.kineto.merged_ranks import Processes
from tests.support.traces import Event, kernel, op, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RANKS = 3
TABLES = ("operators", "kernels", "kernel_launches", "steps", "memory_curve", "device_time")


def rank_of_job(rank: int, *, pid: int | None = None, device: int | None = None) -> list[Event]:
    """Return the events of a rank. Ids are the same in all ranks, times and names are not."""
    device = rank if device is None else device
    pid = 5000 + rank if pid is None else pid
    at = {"pid": pid, "tid": pid}
    events = [
        {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "thread_name", **at, "args": {"name": f"thread {pid}"}},
    ]
    for number in range(4):
        ts = 1000 + 100 * number + 3 * rank
        device_at = {"pid": device, "tid": 7}
        launch = {"correlation": number + 1, "External id": number + 1}
        events += [
            op(f"aten::op{(number + rank) % 4}", ts, 20, args={"External id": number + 1}, **at),
            op("cudaLaunchKernel", ts + 2, 3, cat="cuda_runtime", args=launch, **at),
            {**kernel(f"kernel{number}_of_{rank}", ts + 30, 10 + number + rank, device=device,
                      correlation=number + 1), **device_at},
            {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": number + 1, "ts": ts + 2, **at},
            {"ph": "f", "cat": "ac2g", "name": "ac2g", "id": number + 1, "ts": ts + 30, "bp": "e",
             **device_at},
            {"ph": "i", "name": "[memory]", "cat": "cpu_instant_event", "ts": ts + 1, **at,
             "args": {"Bytes": 512 * (rank + 1), "Addr": 64 * number, "Device Type": 1,
                      "Device Id": device, "Total Allocated": 512 * (rank + 1) * (number + 1)}},
        ]  # fmt: skip
    return events


def with_prefix(rank: int, pid: int) -> Any:
    return f"[TP{rank:02d}] {pid}"


def with_suffix(rank: int, pid: int) -> Any:
    return f"{pid} (rank {rank})"


def with_offset(rank: int, pid: int) -> Any:
    return pid + 1_000_000 * rank


def with_small_offset(rank: int, pid: int) -> Any:
    return pid + 2000 * rank


def merged(rename: Callable[[int, int], Any], *, mixed: bool = False) -> list[Event]:
    """Return all ranks with other processes, one after the other or in the order of time."""
    events = [
        {**event, "pid": rename(rank, event["pid"])}
        for rank in range(RANKS)
        for event in rank_of_job(rank)
    ]
    return sorted(events, key=lambda one: one.get("ts", 0)) if mixed else events


def assert_same(ours: nbprof.Trace, theirs: nbprof.Trace) -> None:
    for name in TABLES:
        mine, other = ours.table(name), theirs.table(name)
        kept = [column for column in mine.column_names if column not in ("worker", "thread")]
        assert mine.select(kept).to_pylist() == other.select(kept).to_pylist(), name


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(
    "rename",
    [with_prefix, with_suffix, with_offset, with_small_offset],
    ids=lambda one: one.__name__,
)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_each_rank_is_that_of_its_own_file(
    rename: Callable[[int, int], Any], mixed: bool, suffix: str, tmp_path: Path
) -> None:
    job = {"rank": 0, "world_size": RANKS, "backend": "nccl"}
    devices = [{"id": rank, "name": f"GPU {rank}"} for rank in range(RANKS)]
    path = tmp_path / f"merged.{suffix}"
    write(path, merged(rename, mixed=mixed), distributedInfo=job, deviceProperties=devices)
    profile = nbprof.load(path, progress=False)
    assert [file.rank for file in profile.files] == list(range(RANKS))
    assert len({file.worker for file in profile.files}) == RANKS
    for rank, trace in enumerate(profile):
        own = write(tmp_path / f"own{rank}" / "a.json", rank_of_job(rank))
        assert_same(trace, nbprof.load(own, progress=False).trace())
        assert trace.metadata["rank"] == rank
        assert [one["name"] for one in trace.model.tables["devices"].to_pylist()] == [f"GPU {rank}"]
        (note,) = [one for one in trace.warnings().to_pylist() if "several ranks" in one["kind"]]
        assert note["level"] == "note"
        assert (
            f"holds 3 ranks, told apart by their processes; this is rank {rank}" in note["example"]
        )
    names = profile.distributed_overview()["worker"].unique().to_pylist()
    assert names == [file.worker for file in profile.files]


def test_labels_name_the_workers(tmp_path: Path) -> None:
    write(tmp_path / "merged-1.trace.json", merged(with_prefix))
    files = nbprof.load(tmp_path, progress=False).files
    assert [file.worker for file in files] == [f"merged-1.trace TP0{rank}" for rank in range(RANKS)]


def test_a_label_with_a_number_states_the_rank(tmp_path: Path) -> None:
    def second_node(rank: int, pid: int) -> str:
        return f"[TP{rank + 8:02d}] {pid}"

    profile = nbprof.load(
        write(
            tmp_path / "a.json", merged(second_node), distributedInfo={"rank": 8, "world_size": 16}
        ),
        progress=False,
    )
    assert [file.rank for file in profile.files] == [8, 9, 10]
    assert [trace.metadata["rank"] for trace in profile] == [8, 9, 10]


def test_a_part_of_a_rank_is_a_filter_of_it(tmp_path: Path) -> None:
    path = write(tmp_path / "merged.json", merged(with_prefix))
    whole = nbprof.load(path, progress=False).trace(worker="merged TP01")
    part = nbprof.load(path, progress=False, time_us=(100.0, 250.0)).trace(worker="merged TP01")
    assert part.operators().num_rows == 2
    assert part.operators().equals(whole.filter(time_us=(100.0, 250.0)).operators())


def test_large_files_are_split_by_helpers_too(tmp_path: Path) -> None:
    events = [
        {**event, "ts": event["ts"] + 1000 * number} if "ts" in event else event
        for number in range(2000)
        for event in merged(with_prefix)
    ]
    path = write(tmp_path / "merged.json", events)
    calls = [trace.operators()["calls"].to_pylist() for trace in nbprof.load(path, progress=False)]
    assert calls == [[2000] * 4] * RANKS


@pytest.mark.parametrize("devices", ["equal", "own"])
def test_ranks_that_nothing_tells_apart_are_warned_of(devices: str, tmp_path: Path) -> None:
    events = [
        event
        for rank in range(2)
        for event in rank_of_job(rank, device=0 if devices == "equal" else rank)
    ]
    profile = nbprof.load(write(tmp_path / "a.json", events), progress=False)
    (warning,) = [
        one
        for one in profile.trace().warnings().to_pylist()
        if one["kind"] == "ids shared by processes"
    ]
    assert (warning["count"], warning["level"]) == (4, "warning")
    assert "2 processes" in warning["example"]
    assert "open the file of each rank" in warning["example"]


def test_one_process_is_one_worker(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", rank_of_job(0))
    (file,) = nbprof.load(path, progress=False).files
    assert (file.worker, file.process) == ("a", None)


def of(hosts: list[Any], devices: list[Any]) -> list[tuple[str, ...]]:
    found = Processes()
    for category, pids in (("cpu_op", hosts), ("kernel", devices)):
        for pid in pids:
            found.add(json.dumps({"cat": category, "name": "a", "pid": pid}).encode())
    return [one.pids for one in found.ranks()]


def test_which_processes_belong_together() -> None:
    assert of(["r0:77", "r1:78"], ["r0:0", "r1:0", "r1:1"]) == [
        ("r0:0", "r0:77"),
        ("r1:0", "r1:1", "r1:78"),
    ]
    assert of(["rank10/5", "rank2/5"], []) == [("rank2/5",), ("rank10/5",)]
    # The number is not of a rank where the host's processes are as far apart as any.
    assert of([5000, 5001], [0, 1]) == []
    assert of([123456, 223457], [0, 100000]) == [("123456", "0"), ("223457", "100000")]
    assert of([123456, 923457], [0, 100000]) == []
    # A damaged number is no rank.
    assert of([5000] * 20 + [900000000], [0] * 20) == []
    assert of([5000] * 20 + [900000000] * 15, [0] * 20) == []
    # Some processes have no label, or a label has devices only.
    assert of(["[0] 5", 6], ["[0] 0"]) == []
    assert of(["[0] 5", "[0] 6"], ["[1] 0"]) == []


def test_the_order_of_events_and_processes_does_not_matter() -> None:
    hosts, devices = [[rank * 100_000 + own for rank in range(8)] for own in (4321, 0)]
    random.Random(4).shuffle(hosts)
    expected = [(str(one), str(other)) for one, other in zip(sorted(hosts), devices, strict=True)]
    assert [tuple(sorted(pids, key=int, reverse=True)) for pids in of(hosts, devices)] == expected
