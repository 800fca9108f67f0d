"""Folders whose ranks complete each other are one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.sources import discover
from tests.sources.discovery.workers.jobs import listed, of_memory, of_rank
from tests.support.traces import op, write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DAY = 86_400 * 10**6
T = 1_739_012_345 * 10**6


def write_nodes(folder: Path, nodes: Mapping[str, tuple[int, ...]], world: int = 4) -> Path:
    for node, ranks in nodes.items():
        for local, rank in enumerate(ranks):
            of_rank(folder / node / f"rank{local}.pt.trace.json", rank, world)
    return folder


def workers(source: object) -> list[tuple[str, str, int | None]]:
    return [(run, worker, rank) for run, worker, _, rank, _ in listed(source)]


def runs(source: object) -> set[str]:
    return {run for run, *_ in workers(source)}


def test_folders_per_node_are_one_run(tmp_path: Path) -> None:
    job = write_nodes(tmp_path / "job", {"nodeA": (0, 1), "nodeB": (2, 3)})
    expected = [
        ("job", "nodeA/rank0", 0),
        ("job", "nodeA/rank1", 1),
        ("job", "nodeB/rank0", 2),
        ("job", "nodeB/rank1", 3),
    ]
    assert workers(job) == expected
    assert workers([job / "nodeA", job / "nodeB"]) == expected
    assert workers(f"{job}/*/*.json") == expected
    assert workers(job / "nodeB") == [("nodeB", "rank0", 2), ("nodeB", "rank1", 3)]


def test_several_jobs_are_several_runs(tmp_path: Path) -> None:
    for job in ("exp1", "exp2"):
        write_nodes(tmp_path / job, {"nodeA/profile": (0, 1), "nodeB/profile": (2, 3)})
    of_rank(tmp_path / "alone" / "a.json", 0, 1)
    assert [place[:2] for place in workers(tmp_path)][:3] == [
        ("alone", "a"),
        ("exp1", "nodeA/profile/rank0"),
        ("exp1", "nodeA/profile/rank1"),
    ]
    assert runs(tmp_path) == {"alone", "exp1", "exp2"}


def test_a_folder_of_every_rank_and_its_spans(tmp_path: Path) -> None:
    for rank in (0, 1):
        for at in (1, 2):
            of_rank(tmp_path / f"rank{rank}" / f"trace.{at}.pt.trace.json", rank, 2, T + at)
    assert [(worker, span) for _, worker, span, *_ in listed(tmp_path)] == [
        ("rank0/trace", 1),
        ("rank0/trace", 2),
        ("rank1/trace", 1),
        ("rank1/trace", 2),
    ]


def test_what_lies_beside_the_ranks_comes_along(tmp_path: Path) -> None:
    job = write_nodes(tmp_path / "job", {"nodeA": (0, 1), "nodeB": (2, 3)})
    of_memory(job / "nodeA" / "memory.json")
    write(job / "router.json", [op()])
    assert workers(job)[4:] == [("job", "router", None), ("job", "nodeA/memory", None)]


@pytest.mark.parametrize(
    "nodes",
    [
        {"a": (0, 1), "b": (2,)},
        {"a": (0, 1), "b": (1, 2, 3)},
        {"a": (0, 1), "b": (2, 3), "c": (0, 1)},
        {"a": (0, 1, 2, 3), "b": (0, 1, 2, 3)},
        {"a": (0, 1), "b": (2, 5)},
    ],
)
def test_ranks_that_do_not_complete_each_other(
    tmp_path: Path, nodes: dict[str, tuple[int, ...]]
) -> None:
    write_nodes(tmp_path, nodes)
    assert runs(tmp_path) == set(nodes)
    assert {worker for _, worker, _ in workers(tmp_path)} <= {f"rank{at}" for at in range(4)}


def test_other_jobs_are_not_joined(tmp_path: Path) -> None:
    sizes = write_nodes(tmp_path / "sizes", {"a": (0, 1)})
    of_rank(sizes / "b" / "rank0.json", 2, 3)
    assert runs(sizes) == {"a", "b"}
    days = tmp_path / "days"
    for rank in (0, 1):
        of_rank(days / f"day{rank}" / "trace.json", rank, 2, T + rank * DAY)
    assert runs(days) == {"day0", "day1"}
    lost = write_nodes(tmp_path / "lost", {"a": (0, 1), "b": (2, 3)})
    write(lost / "a" / "rank2.pt.trace.json", "")
    assert runs(lost) == {"a", "b"}
    above = write_nodes(tmp_path / "above", {"a": (0, 1), "b": (2, 3)})
    of_rank(above / "one.json", 0, 1)
    assert runs(above) == {"above", "a", "b"}


def test_the_caller_says_what_is_one_run(tmp_path: Path) -> None:
    job = write_nodes(tmp_path / "job", {"nodeA": (0,), "nodeB": (1,)}, world=2)
    found = discover({5: job / "nodeA", 7: job / "nodeB"}).files
    assert [(file.run, file.worker, file.rank) for file in found] == [
        ("job", "rank5", 5),
        ("job", "rank7", 7),
    ]
