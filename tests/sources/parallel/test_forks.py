"""A process forked while other threads work does not wait for them."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof import content
from nbprof.sources.cache.writer import Writer
from nbprof.sources.parallel import cpus as parallel_cpus
from tests.support.traces import op, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked on this system"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),
]

#: A child that takes longer than this hangs.
_PATIENCE_S = 20


def succeeds_in_child(work: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = work()
        finally:
            os._exit(0 if good else 1)
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


class Busy:
    """Another thread that holds locks, in a `with`."""

    def __init__(self, *locks: object) -> None:
        self._locks = locks
        self._held = threading.Event()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._hold, daemon=True)

    def _hold(self) -> None:
        for lock in self._locks:
            lock.acquire()  # type: ignore[attr-defined]
        self._held.set()
        self._end.wait()
        for lock in self._locks:
            lock.release()  # type: ignore[attr-defined]

    def __enter__(self) -> None:
        self._thread.start()
        self._held.wait()

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


def test_a_file_that_is_being_read_is_read_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [op()])
    trace = nbprof.load(path, progress=False).trace()

    def read_it() -> bool:
        return nbprof.load(path, progress=False).trace().operators().num_rows == 1

    with Busy(trace._content._lock, content._lock):
        assert succeeds_in_child(read_it)
    assert read_it()


def test_processors_that_others_use_are_not_claimed_there() -> None:
    def claim() -> bool:
        with parallel_cpus.claimed(1, force=True) as granted:
            return bool(granted == 1 == parallel_cpus._claimed)

    with parallel_cpus.claimed(3, force=True), Busy(parallel_cpus._lock):
        assert succeeds_in_child(claim)


def test_what_another_thread_was_to_write_is_left_to_it_and_new_work_is_done() -> None:
    writer = Writer()
    block = threading.Event()
    writer.add(block.wait)  # type: ignore[arg-type]

    def write_more() -> bool:
        done: list[int] = []
        for number in range(3):
            writer.add(lambda number=number: done.append(number))  # type: ignore[misc]
        writer.finish()
        return sorted(done) == [0, 1, 2]

    with Busy(writer._lock):
        assert succeeds_in_child(write_more)
    block.set()
    writer.finish()
