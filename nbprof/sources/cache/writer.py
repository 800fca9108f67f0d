"""Writes cache entries one after another in a background thread."""

from __future__ import annotations

import atexit
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from nbprof.sources.parallel.forks import in_children

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds between reading and writing, so that writing does not delay the reader.
DELAY_S: Final = 1.0

#: Seconds that the end of the process waits for writing.
PATIENCE_S: Final = 20.0

#: Maximum number of pending entries, which are held in memory; further ones are written at once.
AHEAD: Final = 1


class Writer:
    """Runs tasks in a thread that ends when none is left.

    The thread is a daemon, so that it never blocks a process that fails; a normal exit waits for
    it.
    """

    def __init__(self) -> None:
        self._reset_after_fork()
        in_children(self._reset_after_fork)

    def _reset_after_fork(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._hurry = threading.Event()
        self._waits_at_exit = False

    def add(self, work: Callable[[], None]) -> None:
        """Run a task in the background, or at once if too many are pending."""
        with self._lock:
            full = len(self._waiting) > AHEAD
            if not full:
                self._waiting.append(work)
                if self._thread is None:
                    full = not self._start()
        if full:
            work()

    def _start(self) -> bool:
        """Start the thread; if no thread can be started, drop the tasks."""
        self._wait_at_exit()
        thread = threading.Thread(target=self._run, name="nbprof", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self._waiting.clear()
            return False
        self._thread = thread
        return True

    def finish(self, timeout_s: float = PATIENCE_S) -> None:
        """Wait until all tasks are done; Ctrl-C ends the waiting."""
        with self._lock:
            thread = self._thread
        if thread is None or thread is threading.current_thread():
            return
        self._hurry.set()
        try:
            thread.join(timeout_s)
        except KeyboardInterrupt:
            pass
        finally:
            self._hurry.clear()

    def _run(self) -> None:
        self._hurry.wait(DELAY_S)
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                work = self._waiting.popleft()
            work()
            del work  # releases the model that it holds

    def _wait_at_exit(self) -> None:
        if self._waits_at_exit:
            return
        self._waits_at_exit = True
        atexit.register(self.finish)
        multiprocessing = sys.modules.get("multiprocessing.util")
        if multiprocessing is not None:
            # Workers of a process pool exit without running `atexit` handlers.
            multiprocessing.Finalize(None, self.finish, exitpriority=10)
