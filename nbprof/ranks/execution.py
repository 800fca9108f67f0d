"""Extracts many ranks, in this process or on an executor."""

from __future__ import annotations

from queue import SimpleQueue
from typing import TYPE_CHECKING

from nbprof.ranks.extract import extract_rank
from nbprof.sources.progress import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from nbprof.ranks.extract import RankExtract, RankTask
    from nbprof.sources.progress import Progress


def run_extracts(
    tasks: Sequence[RankTask],
    executor: Executor | None,
    progress: Progress,
    extract_here: Callable[[RankTask], RankExtract] = extract_rank,
) -> Iterator[tuple[RankTask, RankExtract]]:
    """Yield every task with its extract, in the order of completion.

    Parameters
    ----------
    tasks : sequence of RankTask
        The ranks.
    executor : Executor or None
        Runs the tasks; if None, they run in this process, one after another.
    progress : "auto", False or callable
        As for `nbprof.load`; one bar for all ranks.
    extract_here : callable
        Extracts a rank in this process.

    Raises
    ------
    Exception
        Whatever the executor raises, such as for a worker that died; raised when all other ranks
        are done. An interrupt cancels the tasks that have not begun.
    RuntimeError
        The executor was shut down before all ranks were read.
    """
    done = 0
    total = sum(task.file.bytes for task in tasks)
    with Reporter(progress, total, f"{len(tasks)} traces") as report:
        report.update(0)
        for task, extract in _run(tasks, executor, extract_here):
            done += task.file.bytes
            report.update(done)
            yield task, extract


def _run(
    tasks: Sequence[RankTask],
    executor: Executor | None,
    extract_here: Callable[[RankTask], RankExtract],
) -> Iterator[tuple[RankTask, RankExtract]]:
    if executor is None:
        for task in tasks:
            yield task, extract_here(task)
        return
    futures: dict[Future[RankExtract], RankTask] = {}
    failed: BaseException | None = None
    # `as_completed` waits for ever for futures that a shutdown of the executor cancels.
    done: SimpleQueue[Future[RankExtract]] = SimpleQueue()
    try:
        for task in tasks:
            future = executor.submit(extract_rank, task)
            futures[future] = task
            future.add_done_callback(done.put)
        while futures:
            future = done.get()
            task = futures.pop(future)  # releases each result as soon as it was used
            if future.cancelled():
                message = "The executor was shut down before all ranks were read."
                failed = failed or RuntimeError(message)
                continue
            error = future.exception()
            if error is None:
                yield task, future.result()
            else:
                failed = failed or error
    finally:
        for future in futures:
            future.cancel()
    if failed is not None:
        raise failed
