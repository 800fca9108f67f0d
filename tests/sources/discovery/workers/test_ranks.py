"""Files beside the workers of a job have no rank: memory, and front ends."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.sources import discover
from tests.sources.discovery.workers.jobs import of_memory, of_rank
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path


def ranks(source: object) -> dict[str, int | None]:
    """Return the rank of every worker, in their order."""
    return {file.worker: file.rank for file in discover(source).files}  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["api_server_77", "myhost_4242.async_llm", "router_1", "worker_9"])
def test_a_front_end_beside_all_ranks_has_no_rank(tmp_path: Path, name: str) -> None:
    for rank in (0, 1):
        of_rank(tmp_path / f"tp{rank}.17.pt.trace.json", rank, 2)
    write(tmp_path / f"{name}.18.pt.trace.json", [op()])
    assert ranks(tmp_path) == {"tp0": 0, "tp1": 1, name: None}
    assert [*ranks(tmp_path)][-1] == name, "it comes after the workers of the job"


def test_a_front_end_is_known_by_its_name(tmp_path: Path) -> None:
    of_rank(tmp_path / "rank1.json", 1, 2)
    write(tmp_path / "a_1.async_llm.18.pt.trace.json", [op()])
    assert ranks(tmp_path) == {"rank1": 1, "a_1.async_llm": None}
    assert ranks(tmp_path / "a_1.async_llm.18.pt.trace.json") == {"a_1.async_llm": 0}


def test_without_evidence_a_process_has_a_rank(tmp_path: Path) -> None:
    of_rank(tmp_path / "some" / "a.json", 0, 4)
    of_rank(tmp_path / "one" / "a.json", 0, 1)
    for rank in (0, 1):
        of_rank(tmp_path / "named" / f"tp{rank}.json", rank, 2)
        of_rank(tmp_path / "lost" / f"tp{rank}.json", rank, 2)
    for folder, name in (("some", "b"), ("one", "b"), ("named", "x_rank1")):
        write(tmp_path / folder / f"{name}.json", [op()])
    write(tmp_path / "lost" / "b.json", [])
    assert ranks(tmp_path / "some") == {"a": 0, "b": 1}
    assert ranks(tmp_path / "one") == {"a": 0, "b": 1}
    assert ranks(tmp_path / "named") == {"tp0": 0, "tp1": 1, "x_rank1": 1}
    assert ranks(tmp_path / "lost") == {"b": 2, "tp0": 0, "tp1": 1}


def test_a_rank_that_the_caller_gives_is_one(tmp_path: Path) -> None:
    paths = [of_rank(tmp_path / f"tp{rank}.json", rank, 2) for rank in (0, 1)]
    more = [write(tmp_path / "router.json", [op()]), of_memory(tmp_path / "memory.json")]
    assert ranks(dict(enumerate(paths + more))) == {"router": 2, "tp0": 0, "tp1": 1, "memory": 3}


def test_memory_has_no_rank_and_no_step(tmp_path: Path) -> None:
    for rank in range(4):
        of_rank(tmp_path / f"w{rank}.json", rank, 4)
    (tmp_path / "a_snapshot.pickle").write_bytes(
        pickle.dumps({"segments": [], "device_traces": [[]]})
    )
    of_memory(tmp_path / "b_timeline_2.json")
    profile = nbprof.load(tmp_path, progress=False)
    runs = profile.runs().to_pylist()
    assert {row["run"] for row in runs} == {tmp_path.name}
    assert [row["rank"] for row in runs] == [0, 1, 2, 3, None, None]
    assert [row["worker"] for row in runs][4:] == ["a_snapshot", "b_timeline_2"]
    assert repr(profile).endswith("1 run, 4 workers, 6 traces>")
    timeline = profile.trace(worker="b_timeline_2")
    assert timeline.memory_categories().num_rows > 0
    assert timeline.steps().num_rows == 0
    assert nbprof.load(tmp_path / "b_timeline_2.json").steps().num_rows == 0
    assert set(profile.steps()["worker"].to_pylist()) == {f"w{rank}" for rank in range(4)}
