"""The distributed tables of eight DLRM ranks compared with a plain recomputation.

The recomputation reads the JSON files by itself, and lists every microsecond.
"""

from __future__ import annotations

import gzip
import json
from math import prod
from typing import TYPE_CHECKING, Any

import pytest

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

Event = dict[str, Any]
RANKS = 8
SIZES = {"float": 4, "long int": 8, "int": 4, "unsigned char": 1}


class Call:
    """A call of NCCL on one rank: its host range, and its only kernel."""

    def __init__(self, event: Event, kernel: Event) -> None:
        self.name: str = event["name"]
        self.start: int = event["ts"]
        self.kernel = range(kernel["ts"], kernel["ts"] + kernel["dur"])
        shapes, types = event["args"]["Input Dims"], event["args"]["Input type"]
        self.bytes = sum(
            prod(shape) * SIZES[type_] for shape, type_ in zip(shapes, types, strict=True) if shape
        )
        self.transfer = 0


class Rank:
    """What the file of a rank says, in plain lists."""

    def __init__(self, path: Path) -> None:
        events = [
            event
            for event in json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
            if event.get("ph") == "X"
        ]
        of = {
            cat: [event for event in events if event.get("cat") == cat]
            for cat in ("kernel", "gpu_memcpy", "gpu_memset", "user_annotation", "cuda_runtime")
        }
        self.kernels = of["kernel"]
        launches = {event["args"]["correlation"]: event for event in of["cuda_runtime"]}
        (step,) = [e for e in of["user_annotation"] if e["name"].startswith("ProfilerStep#")]
        self.number = int(step["name"].split("#")[1])
        self.begin, self.end = step["ts"], step["ts"] + step["dur"]
        # The step lasts until its device work ends, and begins after that of the step before.
        work = [*of["kernel"], *of["gpu_memcpy"], *of["gpu_memset"]]
        own = [
            event
            for event in work
            if self._launched_in(launches.get(event["args"]["correlation"]), step)
        ]
        first = min(event["ts"] for event in own)
        ends = [event["ts"] + event["dur"] for event in work if event not in own]
        self.begin = max([self.begin, *(end for end in ends if end <= first)])
        self.end = max([self.end, *(event["ts"] + event["dur"] for event in own)])
        self.calls = []
        for event in of["user_annotation"]:
            if event["name"].startswith("nccl:"):
                (kernel,) = [
                    kernel
                    for kernel in self.kernels
                    if self._launched_in(launches.get(kernel["args"]["correlation"]), event)
                ]
                assert "nccl" in kernel["name"]
                self.calls.append(Call(event, kernel))
        self.calls.sort(key=lambda call: call.start)

    @staticmethod
    def _launched_in(launch: Event | None, event: Event) -> bool:
        """Whether a call was made in a range; steps hold those of all threads."""
        if launch is None:
            return False
        inside = event["ts"] <= launch["ts"] < event["ts"] + event["dur"]
        return inside and (event["name"].startswith("Profiler") or launch["tid"] == event["tid"])

    def busy(self, *, communicates: bool) -> set[int]:
        """Return the microseconds of the step in which a kernel of one sort runs."""
        return {
            moment
            for kernel in self.kernels
            if ("nccl" in kernel["name"]) == communicates
            for moment in range(kernel["ts"], kernel["ts"] + kernel["dur"])
            if self.begin <= moment < self.end
        }


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "kineto/dlrm_8ranks"


@pytest.fixture(scope="module")
def profile(folder: Path) -> nbprof.Profile:
    return nbprof.load(folder, progress=False)


@pytest.fixture(scope="module")
def ranks(folder: Path) -> dict[str, Rank]:
    found = {path.name.split(".")[0]: Rank(path) for path in sorted(folder.glob("*.json.gz"))}
    assert len(found) == RANKS
    # The k-th call of one rank and those of the others are one collective: the shortest of them
    # waited for nobody.
    for calls in zip(*(rank.calls for rank in found.values()), strict=True):
        assert len({(call.name, call.bytes) for call in calls}) == 1
        for call in calls:
            call.transfer = min(len(other.kernel) for other in calls)
    return found


#: Where the rows are from, and what only Ascend's recorder tells.
_ELSEWHERE = {"run", "span", "link_gbps"}


def rows(table: pa.Table, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    found = table.drop_columns(list(_ELSEWHERE & set(table.column_names))).to_pylist()
    return {tuple(row.pop(key) for key in keys): row for row in found}


def test_steps(profile: nbprof.Profile, ranks: dict[str, Rank]) -> None:
    plain: dict[tuple[Any, ...], dict[str, float]] = {}
    for worker, rank in ranks.items():
        computes, communicates = (rank.busy(communicates=which) for which in (False, True))
        times = {
            "computation_us": len(computes - communicates),
            "overlapping_us": len(computes & communicates),
            "communication_us": len(communicates - computes),
            "other_us": rank.end - rank.begin - len(computes | communicates),
        }
        # One step is its own mean.
        plain[None, worker] = plain[rank.number, worker] = times
    assert rows(profile.distributed_overview(), "step", "worker") == plain


def test_waits(profile: nbprof.Profile, ranks: dict[str, Rank]) -> None:
    plain: dict[tuple[Any, ...], dict[str, float]] = {}
    for worker, rank in ranks.items():
        whole = {moment for call in rank.calls for moment in call.kernel}
        moved = {moment for call in rank.calls for moment in call.kernel[-call.transfer :]}
        times = {"data_transfer_us": len(moved), "synchronizing_us": len(whole - moved)}
        times["other_us"] = 0  # kernels transfer or wait
        plain[None, worker] = plain[rank.number, worker] = times
    assert rows(profile.distributed_wait(), "step", "worker") == plain


def test_operators(profile: nbprof.Profile, ranks: dict[str, Rank]) -> None:
    table = rows(profile.distributed_ops(), "worker", "name")
    seen = set()
    for worker, rank in ranks.items():
        for name in {call.name for call in rank.calls}:
            seen.add((worker, name))
            calls = [call for call in rank.calls if call.name == name]
            latency = len({moment for call in calls for moment in call.kernel})
            moved = len({moment for call in calls for moment in call.kernel[-call.transfer :]})
            size = sum(call.bytes for call in calls)
            algo = size / moved / 1000  # bytes per microsecond to GB/s
            bus = algo * (RANKS - 1) / RANKS * (2 if name == "nccl:all_reduce" else 1)
            assert table[worker, name] == pytest.approx(
                {
                    "calls": len(calls),
                    "total_bytes": size,
                    "avg_bytes": size / len(calls),
                    "total_latency_us": latency,
                    "avg_latency_us": latency / len(calls),
                    "data_transfer_us": moved,
                    "avg_data_transfer_us": moved / len(calls),
                    "algo_gbps": algo,
                    "bus_gbps": bus,
                }
            )
    assert seen == table.keys()
    assert sum(len(rank.calls) for rank in ranks.values()) == 64
