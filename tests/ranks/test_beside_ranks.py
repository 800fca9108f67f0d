"""Tables over workers: spans of ranks side by side, and what is beside the ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.session.session import Session
from nbprof.widgets.session.state import State
from tests.sources.discovery.workers.jobs import of_memory
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

#: When the kernel of a collective ends on each rank, by stage; it begins at 100 everywhere.
LASTS = {"EXTEND": (390, 90), "DECODE": (240, 180)}


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """Two ranks with a file of each stage, a front end, and a file of memory."""
    for at, (stage, lasts) in enumerate(LASTS.items()):
        for rank, last in enumerate(lasts):
            launch: dict[str, Any] = {"args": {"correlation": 1}, "cat": "cuda_runtime"}
            ts = 1000 * (at + 1)
            events = [
                op(ts=ts, dur=900),
                op("cudaLaunchKernel", ts + 1, 2, **launch),
                kernel("ncclDevKernel_AllReduce_Sum_f32(ncclDevComm*)", ts + 100, last),
            ]
            job = {"backend": "nccl", "rank": rank, "world_size": 2}
            write(tmp_path / f"s-TP-{rank}-{stage}.json", events, distributedInfo=job)
    write(tmp_path / "api.json", [op("aten::empty"), op("aten::mm")])
    of_memory(tmp_path / "memory.json")
    return tmp_path


def waits(profile: nbprof.Profile, span: int | None) -> list[tuple[str, int, float, float]]:
    names = ("worker", "span", "data_transfer_us", "synchronizing_us")
    rows = profile.distributed_wait(span=span).to_pylist()
    return [tuple(row[name] for name in names) for row in rows if row["step"] is None]  # type: ignore[misc]


def test_a_span_of_a_rank_is_laid_beside_that_of_the_others(server: Path) -> None:
    profile = nbprof.load(server, progress=False)
    extend = [("s-TP-0", 1, 90, 300), ("s-TP-1", 1, 90, 0)]
    assert waits(profile, None) == waits(profile, 1) == extend
    assert waits(profile, 2) == [("s-TP-0", 2, 180, 60), ("s-TP-1", 2, 180, 0)]
    assert profile.distributed_overview()["worker"].unique().to_pylist() == ["s-TP-0", "s-TP-1"]
    assert repr(profile).endswith("1 run, 2 workers, 6 traces>")


@pytest.mark.parametrize("name", ["steps", "operators", "kernels", "device_time", "device_summary"])
def test_what_is_beside_the_ranks_is_in_no_table_over_them(server: Path, name: str) -> None:
    profile = nbprof.load(server, progress=False)
    assert set(profile.table(name)["worker"].to_pylist()) == {"s-TP-0", "s-TP-1"}
    own = profile.table(name, workers="api")
    assert set(own["worker"].to_pylist()) <= {"api"}
    assert profile.trace(worker="api").operators().num_rows == 2


def test_warnings_are_those_of_all_files(server: Path) -> None:
    """They tell of files and not of ranks."""
    (server / "api.json").write_text((server / "api.json").read_text()[:-2])
    profile = nbprof.load(server, progress=False)
    assert set(profile.warnings()["worker"].to_pylist()) == {"api"}


def test_no_rank_is_missing(server: Path) -> None:
    compared = nbprof.load(server, progress=False)._distributed()
    assert (compared.workers, compared.missing) == (("s-TP-0", "s-TP-1"), ())


@pytest.mark.parametrize(("worker", "span"), [("s-TP-1", 1), ("s-TP-1", 2), ("api", 1)])
def test_every_view_compares_the_ranks_of_its_span(server: Path, worker: str, span: int) -> None:
    compared = Session(server).distributed(State(worker=worker, span=span))
    assert compared.spans == {"s-TP-0": span, "s-TP-1": span}


REPORTS = {
    "dist_stage": [("TP-0", 0), ("TP-0", 0), ("TP-1", 1), ("TP-1", 1)],
    "dist_vllm": [("rank0", 0), ("rank1", 1), ("async_llm", None)],
    "twonodes": [("nodeA/rank0", 0), ("nodeA/rank1", 1), ("nodeB/rank0", 2), ("nodeB/rank1", 3)],
    "h200_small/with_timeline": [("worker0", 0), ("memory_timeline", None)],
}


@pytest.mark.parametrize("name", REPORTS)
def test_files_as_people_reported_them(shared_data: Path, name: str) -> None:
    if not (shared_data / "reports" / name).is_dir():
        pytest.skip(f"reports/{name} is not there")
    profile = nbprof.load(shared_data / "reports" / name, progress=False)
    rows = profile.runs().to_pylist()
    assert {row["run"] for row in rows} == {name.rpartition("/")[2]}
    assert [row["rank"] for row in rows] == [rank for _, rank in REPORTS[name]]
    for row, (words, _) in zip(rows, REPORTS[name], strict=True):
        assert words in row["worker"]
    shown = {row["worker"] for row in rows if row["rank"] is not None}
    assert set(profile.steps()["worker"].to_pylist()) == shown
    if name == "dist_stage":
        found = [[one[2:] for one in waits(profile, span)] for span in (1, 2)]
        assert found == [[(90, 300), (90, 0)], [(180, 60), (180, 0)]]
