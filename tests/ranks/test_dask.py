"""A job of 64 ranks read on a Dask cluster of one and of two workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.support.recordings.jobs import build_ranks, small_job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

distributed = pytest.importorskip("distributed", reason="needs the extra nbprof[dask]")

RANKS = 64
SLOW = f"rank{build_ranks.slow_rank(RANKS)}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        yield cluster


# What Dask and tornado say of sockets that close while the cluster stops is none of ours.
pytestmark = [
    pytest.mark.filterwarnings("default::DeprecationWarning", "default::ResourceWarning"),
    pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning"),
]


def test_a_cluster_gives_the_same_tables_as_this_process(cluster: Any, tmp_path: Path) -> None:
    job = small_job(tmp_path / "job", 6)
    here = nbprof.load(job, progress=False)
    with distributed.Client(cluster) as client:
        there = nbprof.load(job, progress=False, executor=client.get_executor())
        for name in ("steps", "device_time", "operators", "kernels"):
            assert getattr(there, name)().equals(getattr(here, name)()), name
        assert len(client.who_has()) == 0, "nothing is left on the workers"


def test_sixty_four_ranks(cluster: Any, tmp_path: Path) -> None:
    folder = build_ranks.build(tmp_path / "job", RANKS, part=0.35)
    profile = nbprof.load(folder, progress=False)
    assert profile.runs()["world_size"].to_pylist() == [RANKS] * RANKS
    assert profile.runs()["rank"].to_pylist() == list(range(RANKS))
    with distributed.Client(cluster) as client:
        profile.read(client.get_executor())
        done = client.run(lambda dask_worker: dask_worker.state.log and len(dask_worker.state.log))
    assert all(done.values()), "both workers had something to do"
    assert profile.skipped().num_rows == 0
    assert profile._ranks.nbytes / RANKS < 100_000
    steps = profile.steps().to_pandas()
    mean = steps[steps["complete"]].groupby("worker")["total_us"].mean()
    others = mean.drop(SLOW)
    assert mean.idxmax() == SLOW
    assert mean[SLOW] / others.median() == pytest.approx(float(build_ranks.SLOWER), rel=1e-3)
    assert profile.device_time()["worker"].unique().to_pylist() == [
        f"rank{r}" for r in range(RANKS)
    ]
    looked_at = profile.trace(worker=SLOW)
    assert not looked_at.is_read
    expected = looked_at.operators()
    kept = profile.operators(workers=[SLOW]).drop(["run", "worker", "span"])
    assert kept.equals(expected)
