"""`Helper`: starts a process that reads a part of a file, and receives its result."""

from __future__ import annotations

import mmap
import os
import selectors
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

import msgspec

from nbprof.sources.parallel.part import read_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.parallel.helper_process import Job
    from nbprof.sources.parallel.part import Part

#: Instead of `multiprocessing` or ``-m``, so that the user's main module does not run again,
#: nothing is forked beside the threads of a kernel, and the current directory is searched last.
#: Nothing that is imported is garbage, so there is no search for any meanwhile.
_BOOT: Final = (
    "import gc, sys; gc.disable(); sys.path[:] = sys.argv[2:]; "
    "from nbprof.sources.parallel.helper_process import main; main()"
)

#: Prevents libraries from starting threads when they are loaded.
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

#: Seconds between two ticks while waiting for a helper.
_PATIENCE_S: Final = 0.1


class Helper:
    """Starts a helper process; `close` ends it.

    Attributes
    ----------
    done : int
        Number of bytes of the file it has reported as read.

    Raises
    ------
    OSError
        The process cannot be started.
    """

    def __init__(self, job: Job) -> None:
        self.done = 0
        self._told = b""
        with ExitStack() as stack:
            self._output = stack.enter_context(_memory_file())
            descriptor = self._output.fileno()
            self._process = subprocess.Popen(  # noqa: S603 - our own code only
                # -S: the search path is given, and nobody's start-up code is of use here.
                [sys.executable, "-S", "-c", _BOOT, str(descriptor), *_search_path()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(descriptor,),
                env={**os.environ, **_ONE_THREAD},
                bufsize=0,
            )
            stack.callback(self._end)
            self._tell = cast("IO[bytes]", self._process.stdin)
            self._hear = cast("IO[bytes]", self._process.stdout)
            with suppress(BrokenPipeError):  # it exited at once; `result` reports that
                self._tell.write(msgspec.json.encode(job) + b"\n")
            self._open = stack.pop_all()

    def listen(self, patience_s: float = 0) -> bool:
        """Receive progress, waiting at most some seconds; return whether the helper has ended."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._hear, selectors.EVENT_READ)
            if not selector.select(patience_s):
                return False
        facts = self._hear.read(1 << 16)
        *lines, self._told = (self._told + facts).split(b"\n")
        if lines and lines[-1].isdigit():
            self.done = int(lines[-1])
        return not facts

    def result(self, tick: Callable[[], None]) -> tuple[Part, dict[str, list[Pieces]]] | None:
        """Wait for the result; None if the helper failed.

        Parameters
        ----------
        tick : callable
            Called regularly while waiting.
        """
        while not self.listen(_PATIENCE_S):
            tick()
        if self._process.wait():
            return None
        try:
            return read_part(mmap.mmap(self._output.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError):  # no memory for it, an invalid result, or none
            return None

    def close(self) -> None:
        """Kill the process if it is still running."""
        self._open.close()

    def _end(self) -> None:
        self._process.kill()
        self._tell.close()
        self._hear.close()
        self._process.wait()


def _search_path() -> list[str]:
    """Return the module search path of the helper: that of this process, current directory last.

    A kernel inserts the notebook's directory at the front after its own modules are loaded. A
    helper with the same path would import a ``queue.py`` beside the notebook.
    """
    here = {"", str(Path.cwd())}
    ours = str(Path(__file__).resolve().parents[3])
    return [*(place for place in sys.path if place not in here), ours, *(here & set(sys.path))]


def _memory_file() -> IO[bytes]:
    """Return an anonymous file, in memory where the system supports it."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("nbprof"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)
