"""Reading ranks in threads, processes, workers that die, and under interrupts."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.ranks import execution
from tests.support.recordings.jobs import die, hang, small_job
from tests.support.traces import write

if TYPE_CHECKING:
    from pathlib import Path

RANKS = 12
TABLES = ("steps", "device_time", "operators", "kernels")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_job(tmp_path_factory.mktemp("executors") / "job", RANKS)


def processes(workers: int = 2) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(3), processes])
def test_an_executor_gives_the_same_tables(job: Path, make: Any) -> None:
    here = nbprof.load(job, progress=False)
    there = nbprof.load(job, progress=False)
    done: list[tuple[int, int, str]] = []
    with make() as pool:
        there.read(pool, progress=lambda *told: done.append(told))
    assert len(there._ranks) == RANKS
    total = sum(file.bytes for file in there.files)
    assert done[0] == (0, total, "12 traces")
    assert done[-1] == (total, total, "12 traces")
    assert [told[0] for told in done] == sorted(told[0] for told in done)
    for name in TABLES:
        assert getattr(there, name)().equals(getattr(here, name)()), name
    del here
    gc.collect()  # profiles of other tests
    assert not any(trace.is_read for trace in there)


def test_the_executor_of_load_reads_for_tables(job: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2, "nbprof-test") as pool:
        profile = nbprof.load(job, progress=False, executor=pool)
        assert profile.device_time().num_rows == RANKS
        assert pool._threads


def test_bad_files_come_back_as_reasons(tmp_path: Path) -> None:
    small_job(tmp_path / "a", 3)
    write(tmp_path / "a" / "rank1.pt.trace.json", [])
    profile = nbprof.load(tmp_path, progress=False)
    with processes(1) as pool:
        profile.read(pool)
    [row] = profile.skipped().to_pylist()
    assert row["path"].endswith("rank1.pt.trace.json")
    assert "no operators" in row["reason"]
    assert len(profile._ranks) == 2


def test_workers_that_die_are_an_error_and_lose_no_others(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = nbprof.load(job, progress=False)
    profile.read(workers=["rank3"])
    monkeypatch.setattr(execution, "extract_rank", die)
    with processes(1) as pool, pytest.raises(BrokenProcessPool):
        profile.read(pool)
    assert len(profile._ranks) == 1
    assert profile.skipped().num_rows == 0, "nothing is wrong with the files"
    monkeypatch.undo()
    profile.read()
    assert len(profile._ranks) == RANKS


class Failing(ThreadPoolExecutor):
    """Refuses one rank."""

    def submit(self, call: Any, task: Any, /) -> Future[Any]:  # type: ignore[override]
        if task.file.rank == 5:
            future: Future[Any] = Future()
            future.set_exception(MemoryError("no worker has room for it"))
            return future
        return super().submit(call, task)


def test_one_rank_that_an_executor_gives_up_loses_no_others(job: Path) -> None:
    profile = nbprof.load(job, progress=False)
    with Failing(2) as pool, pytest.raises(MemoryError, match="no worker has room"):
        profile.read(pool)
    assert len(profile._ranks) == RANKS - 1
    profile.read()
    assert len(profile._ranks) == RANKS


def test_an_interrupt_keeps_what_is_done_and_cancels_the_rest(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "extract_rank", hang)
    profile = nbprof.load(job, progress=False)
    futures: list[Future[Any]] = []

    class Watched(ThreadPoolExecutor):
        def submit(self, *rest: Any) -> Future[Any]:  # type: ignore[override]
            futures.append(super().submit(*rest))
            return futures[-1]

    def interrupt(done: int, _total: int, _text: str) -> None:
        if done:
            raise KeyboardInterrupt

    with Watched(1) as pool, pytest.raises(KeyboardInterrupt):
        profile.read(pool, progress=interrupt)
    assert sum(future.cancelled() for future in futures) >= RANKS - 3
    assert len(profile._ranks) <= 2
    monkeypatch.undo()
    profile.read()
    assert len(profile._ranks) == RANKS


class Closing(ThreadPoolExecutor):
    """Is shut down by another thread once a number of ranks have been handed to it."""

    def __init__(self, after: int) -> None:
        super().__init__(1)
        self.after, self.given, self.free = after, 0, threading.Event()

    def submit(self, call: Any, task: Any, /) -> Future[Any]:  # type: ignore[override]
        future = super().submit(lambda: self.free.wait() and call(task))
        self.given += 1
        if self.given == self.after:
            closing = threading.Thread(target=self._close)
            closing.start()
            if self.after < RANKS:
                closing.join()
        return future

    def _close(self) -> None:
        self.shutdown(wait=False, cancel_futures=True)
        self.free.set()


@pytest.mark.parametrize("after", [3, RANKS])
def test_reading_ends_when_another_thread_shuts_the_executor_down(job: Path, after: int) -> None:
    profile = nbprof.load(job, progress=False)
    with pytest.raises(RuntimeError, match="shutdown" if after < RANKS else "was shut down"):
        profile.read(Closing(after))
    assert len(profile._ranks) <= 1
    profile.read()
    assert len(profile._ranks) == RANKS


def test_any_executor_will_do(job: Path) -> None:
    class AtOnce(Executor):
        def submit(self, call: Any, /, *rest: Any, **options: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_result(call(*rest, **options))
            return future

    profile = nbprof.load(job, progress=False)
    profile.read(AtOnce())
    assert len(profile._ranks) == RANKS
