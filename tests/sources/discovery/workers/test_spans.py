"""Files of one rank in a folder are spans of one worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.sources import discover
from tests.sources.discovery.workers.jobs import listed, of_rank
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

SECOND = 10**6
T = 1_739_012_345 * SECOND


def spans(folder: Path) -> dict[str, list[str]]:
    """Return the names of the files of each worker, in the order of its spans."""
    found: dict[str, list[str]] = {}
    for _, worker, span, _, name in listed(folder):
        found.setdefault(worker, []).append(name)
        assert len(found[worker]) == span
    return found


def test_stages_are_spans_in_the_order_of_their_times(tmp_path: Path) -> None:
    stages = {"EXTEND": 1000, "DECODE": 9000, "DRAFT": 5000}
    for rank in (0, 1):
        for stage, ts in stages.items():
            of_rank(tmp_path / f"1739012345.678-TP-{rank}-{stage}.trace.json.gz", rank, 2, ts)
    names = [f"1739012345.678-TP-{{}}-{one}.trace.json.gz" for one in ("EXTEND", "DRAFT", "DECODE")]
    assert spans(tmp_path) == {
        f"1739012345.678-TP-{rank}": [name.format(rank) for name in names] for rank in (0, 1)
    }
    assert [file.rank for file in discover(tmp_path).files] == [0, 0, 0, 1, 1, 1]


def test_sessions_with_other_time_stamps_are_spans(tmp_path: Path) -> None:
    for rank in (0, 1):
        for stage, ts in {"EXTEND": 1000, "DECODE": 9000}.items():
            for session in ("1739012345.678", "1739012999.123"):
                name = f"{session}-TP-{rank}-{stage}.trace.json"
                of_rank(tmp_path / name, rank, 2, ts)
    order = [
        "1739012345.678-TP-{}-EXTEND", "1739012345.678-TP-{}-DECODE",
        "1739012999.123-TP-{}-EXTEND", "1739012999.123-TP-{}-DECODE",
    ]  # fmt: skip
    assert spans(tmp_path) == {
        f"TP-{rank}": [f"{name.format(rank)}.trace.json" for name in order] for rank in (0, 1)
    }


def test_restarts_under_other_process_ids_are_spans(tmp_path: Path) -> None:
    for rank in (0, 1):
        for pid, stamp in ((300, 1739012999000), (100, 1739012345000)):
            of_rank(tmp_path / f"host_{pid + rank}.{stamp}.pt.trace.json", rank, 2)
    assert spans(tmp_path) == {
        f"host_rank{rank}": [
            f"host_{100 + rank}.1739012345000.pt.trace.json",
            f"host_{300 + rank}.1739012999000.pt.trace.json",
        ]
        for rank in (0, 1)
    }


@pytest.mark.parametrize("base", [0, T * 1000])
def test_the_time_of_day_in_the_files_goes_before_their_names(tmp_path: Path, base: int) -> None:
    since = 0 if base else T
    of_rank(tmp_path / "rank0_a.json", 0, 2, since + 900, baseTimeNanoseconds=base)
    of_rank(tmp_path / "rank0_b.json", 0, 2, since + 500, baseTimeNanoseconds=base)
    assert spans(tmp_path) == {"rank0": ["rank0_b.json", "rank0_a.json"]}


def test_spans_that_overlap_are_ordered_by_their_beginnings(tmp_path: Path) -> None:
    of_rank(tmp_path / "rank0-a.json", 0, 2, T + 20, dur=30)
    of_rank(tmp_path / "rank0-b.json", 0, 2, T, dur=100)
    assert spans(tmp_path) == {"rank0": ["rank0-b.json", "rank0-a.json"]}


def test_stamps_of_handlers_count_more_than_first_times(tmp_path: Path) -> None:
    # A Python frame of the second span has begun in the first one.
    of_rank(tmp_path / "rank0.1700000000200.pt.trace.json", 0, 2, T, dur=100)
    of_rank(tmp_path / "rank0.1700000000100.pt.trace.json", 0, 2, T + 20, dur=30)
    assert spans(tmp_path) == {
        "rank0": ["rank0.1700000000100.pt.trace.json", "rank0.1700000000200.pt.trace.json"]
    }


def test_times_that_are_none_change_no_order(tmp_path: Path) -> None:
    """Records of names have time 0, and damaged ones any."""
    name = {"ph": "M", "name": "process_name", "pid": 1, "ts": 0, "args": {"name": "python"}}
    job = {"rank": 0, "world_size": 2}
    write(tmp_path / "rank0_a.json", [name, op(ts=70)], distributedInfo=job)
    write(tmp_path / "rank0_b.json", [name, op(ts=60)], distributedInfo=job)
    write(tmp_path / "rank0_c.json", [op(ts=int("9" * 400)), op(ts=-5)], distributedInfo=job)
    assert spans(tmp_path)["rank0"] == [f"rank0_{one}.json" for one in "bac"]


def test_names_without_a_common_word_give_way_to_the_rank(tmp_path: Path) -> None:
    of_rank(tmp_path / "warmup.json", 1, 2, 10)
    of_rank(tmp_path / "steady.json", 1, 2, 90)
    assert spans(tmp_path) == {"rank1": ["warmup.json", "steady.json"]}


def test_equal_names_of_several_ranks_are_several_workers(tmp_path: Path) -> None:
    for stamp, rank in ((1, 0), (2, 1), (3, 0), (4, 1)):
        of_rank(tmp_path / f"trace.{stamp}.pt.trace.json", rank, 2)
    assert spans(tmp_path) == {
        "trace_rank0": ["trace.1.pt.trace.json", "trace.3.pt.trace.json"],
        "trace_rank1": ["trace.2.pt.trace.json", "trace.4.pt.trace.json"],
    }


def test_files_that_state_no_rank_stay_workers(tmp_path: Path) -> None:
    for name in ("run1", "run2"):
        write(tmp_path / f"{name}.json", [op()])
    assert spans(tmp_path) == {"run1": ["run1.json"], "run2": ["run2.json"]}


@pytest.mark.parametrize(
    "names", [("dp0_tp0", "dp1_tp0"), ("rank0", "rank1"), ("node0-x", "node1-x"), ("DP-0", "DP-1")]
)
def test_processes_that_names_number_are_not_one(tmp_path: Path, names: tuple[str, str]) -> None:
    """Engines beside each other have jobs of their own, each with a rank 0."""
    for name in names:
        of_rank(tmp_path / f"{name}.json", 0, 1)
    assert spans(tmp_path) == {name: [f"{name}.json"] for name in names}


def test_jobs_of_other_hosts_and_sizes_are_not_one(tmp_path: Path) -> None:
    of_rank(tmp_path / "a-x.json", 0, 1, host_name="one")
    of_rank(tmp_path / "a-y.json", 0, 1, host_name="two")
    of_rank(tmp_path / "a-z.json", 0, 4, host_name="two")
    assert spans(tmp_path) == {name: [f"{name}.json"] for name in ("a-x", "a-y", "a-z")}


def test_a_snapshot_of_the_same_name_is_no_span(tmp_path: Path) -> None:
    for ending in ("json", "json.gz"):
        of_rank(tmp_path / f"rank0.{ending}", 0, 2)
    write(tmp_path / "elsewhere" / "rank0.json", [op()])
    (tmp_path / "rank0.pickle").write_bytes(_SNAPSHOT)
    own = {name for run, name, *_ in listed(tmp_path) if run == tmp_path.name}
    assert own == {"rank0", "rank0.pickle"}


_SNAPSHOT = (
    b"\x80\x04\x95\x24\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x08segments\x94]\x94"
    b"\x8c\x0ddevice_traces\x94]\x94u."
)
