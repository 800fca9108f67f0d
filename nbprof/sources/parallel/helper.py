"""A process that reads a part of a file, seen from the one that started it."""

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
    from nbprof.sources.parallel.part import Part
    from nbprof.sources.parallel.worker import Job

#: Neither `multiprocessing` nor ``-m``: the user's own main module is never run again, nothing is
#: forked beside the threads of a kernel, and the folder one happens to be in is searched last.
_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from nbprof.sources.parallel.worker import main; main()"
)

#: Libraries that start threads of their own when they are loaded are asked not to.
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

#: Seconds between two ticks while a helper is waited for.
_PATIENCE_S: Final = 0.1


class Helper:
    """Starts a process; `close` ends it.

    Attributes
    ----------
    done : int
        How many bytes of the file it has read, as far as has been heard.

    Raises
    ------
    OSError
        No process can be started.
    """

    def __init__(self, job: Job) -> None:
        self.done = 0
        self._told = b""
        with ExitStack() as stack:
            self._output = stack.enter_context(_memory_file())
            descriptor = self._output.fileno()
            self._process = subprocess.Popen(  # noqa: S603 - our own code only
                [sys.executable, "-c", _BOOT, str(descriptor), *_search_path()],
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
            with suppress(BrokenPipeError):  # it ended at once; `result` will tell
                self._tell.write(msgspec.json.encode(job) + b"\n")
            self._open = stack.pop_all()

    def listen(self, patience_s: float = 0) -> bool:
        """Hear how far it has come, waiting so long for news; return whether it has ended."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._hear, selectors.EVENT_READ)
            if not selector.select(patience_s):
                return False
        told = self._hear.read(1 << 16)
        *lines, self._told = (self._told + told).split(b"\n")
        if lines and lines[-1].isdigit():
            self.done = int(lines[-1])
        return not told

    def result(self, tick: Callable[[], None]) -> tuple[Part, dict[str, list[Pieces]]] | None:
        """Wait for what it collected; None if it failed.

        Parameters
        ----------
        tick : callable
            Called now and then.
        """
        while not self.listen(_PATIENCE_S):
            tick()
        if self._process.wait():
            return None
        try:
            return read_part(mmap.mmap(self._output.fileno(), 0, access=mmap.ACCESS_READ))
        except ValueError:  # not what it should be, or nothing at all
            return None

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._open.close()

    def _end(self) -> None:
        self._process.kill()
        self._tell.close()
        self._hear.close()
        self._process.wait()


def _search_path() -> list[str]:
    """Return where the helper is to look for modules: where this process does, but here last.

    A kernel has the notebook's folder at the front, put there when all modules had been loaded: a
    ``queue.py`` beside the notebook is not what a helper wants.
    """
    here = {"", str(Path.cwd())}
    ours = str(Path(__file__).resolve().parents[3])
    return [*(place for place in sys.path if place not in here), ours, *(here & set(sys.path))]


def _memory_file() -> IO[bytes]:
    """Return a file without a name, in memory where the system has such."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("nbprof"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)
