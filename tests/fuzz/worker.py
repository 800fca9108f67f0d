"""A process that runs cases: it limits itself, reads numbers of cases, and writes what it found."""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import resource
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

#: Seconds of the processor that a case may take where a million additions take `LOOP_SECONDS`, and
#: as much more as they take more: most take less than one, those of 100,000 threads up to six.
WORK_SECONDS, LOOP_SECONDS = 10.0, 0.11

#: Bytes that cases may add to the address space of the process.
MORE_MEMORY = 1 << 31


def _limit_memory() -> None:
    """Limit the address space to what is used now and `MORE_MEMORY`."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        used = int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MORE_MEMORY,) * 2)


def _slowness() -> float:
    """Return how many times `LOOP_SECONDS` a million additions take, at most of a few turns."""
    spent = []
    for _ in range(5):
        began, total = time.process_time(), 0
        for number in range(1_000_000):
            total += number
        spent.append(time.process_time() - began)
    return max(spent) / LOOP_SECONDS


def main(home: str, seed: int, seconds: float) -> None:
    """Run the cases whose numbers come on stdin, one a line; write one line of JSON for each.

    Parameters
    ----------
    home : str
        Folder for this process alone.
    seed : int
        Seed of all cases.
    seconds : float
        Limit of a case. The process ends with a traceback of all threads when one takes longer.
    """
    folder = Path(home)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    import comm

    from nbprof.sources.cache import cache
    from nbprof.widgets.saved import state_saver
    from tests.fuzz.case import Runner
    from tests.fuzz.checks import Failure
    from tests.fuzz.seeds import NAMES
    from tests.fuzz.seeds import seed as recording
    from tests.widgets.conftest import FakeComm

    os.environ.update(HOME=str(folder / "user"), NBPROF_CACHE_DIR=str(folder / "cache"))
    os.environ["TMPDIR"] = str(folder / "tmp")
    os.environ.pop("XDG_CACHE_HOME", None)
    tempfile.tempdir = None
    comm.create_comm = FakeComm  # type: ignore[assignment]
    state_saver.QUIET_SECONDS = 3600.0  # type: ignore[misc]
    cache.SMALLEST_EVENTS = 1  # type: ignore[misc] - small recordings are cached, too
    for name in NAMES:
        recording(name)
    runner = Runner(folder, seed)
    runner.prepare()
    os.chdir(folder / "cwd")
    gc.collect()
    gc.freeze()  # what stays is not looked through after each case
    _limit_memory()
    for line in sys.stdin:
        number = int(line)
        started, worked = time.monotonic(), time.process_time()
        faulthandler.dump_traceback_later(seconds, exit=True)
        failures = runner.run(number)
        faulthandler.cancel_dump_traceback_later()
        took, worked = time.monotonic() - started, time.process_time() - worked
        if worked > WORK_SECONDS and worked > WORK_SECONDS * _slowness():
            failures.append(Failure("case", "too slow", f"it took {worked:.0f} s of the processor"))
        found = {"case": number, "seconds": took, "failures": [asdict(one) for one in failures]}
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
