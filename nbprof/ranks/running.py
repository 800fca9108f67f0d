"""Running the same for many ranks, here or wherever an executor runs it."""

from __future__ import annotations

from concurrent.futures import as_completed
from typing import TYPE_CHECKING

from nbprof.ranks.summary import summarize
from nbprof.sources.progress import Reporter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor, Future

    from nbprof.ranks.summary import RankSummary, RankTask
    from nbprof.sources.progress import Progress


def summaries(
    tasks: Sequence[RankTask], executor: Executor | None, progress: Progress
) -> Iterator[tuple[RankTask, RankSummary]]:
    """Give what came of every task, in the order in which they are done.

    Parameters
    ----------
    tasks : sequence of RankTask
        The ranks.
    executor : Executor or None
        Where they run; here, one after another, if None.
    progress : "auto", False or callable
        As for `nbprof.load`; one bar for all ranks.

    Raises
    ------
    Exception
        Whatever the executor raises, such as that a worker has died: once all other ranks are
        done. What has not begun by the time of an interrupt is cancelled.
    """
    done = 0
    total = sum(task.file.bytes for task in tasks)
    with Reporter(progress, total, f"{len(tasks)} traces") as report:
        report.update(0)
        for task, summary in _run(tasks, executor):
            done += task.file.bytes
            report.update(done)
            yield task, summary


def _run(
    tasks: Sequence[RankTask], executor: Executor | None
) -> Iterator[tuple[RankTask, RankSummary]]:
    if executor is None:
        for task in tasks:
            yield task, summarize(task)
        return
    futures: dict[Future[RankSummary], RankTask] = {}
    failed: BaseException | None = None
    try:
        for task in tasks:
            futures[executor.submit(summarize, task)] = task
        for future in as_completed(list(futures)):
            task = futures.pop(future)  # what it holds goes as soon as it has been taken
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
