"""Runs cases in several processes at a time, and replaces those that die."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.cli.running import environment
from tests.conftest import ROOT
from tests.fuzz.checks import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Seconds that a case may take. Most take a fifth of one; a loaded machine is no failure.
SECONDS: Final = 60.0

#: Cases after which a process is replaced, so that what one leaves behind does not hide.
CASES_OF_ONE: Final = 400


@dataclass(frozen=True)
class Outcome:
    """What a case gave."""

    case: int
    seconds: float
    failures: list[Failure]


class Worker:
    """A process that runs cases, in a folder of its own."""

    def __init__(self, seed: int, home: Path) -> None:
        self._log = home.with_suffix(".log").open("w+b")
        home.mkdir()
        self.left = CASES_OF_ONE
        words = (sys.executable, "-m", "tests.fuzz.worker", home, str(seed), str(SECONDS))
        self._process = subprocess.Popen(
            [*map(str, words)],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def run(self, case: int) -> Outcome:
        """Run a case; if the process dies, that is its failure."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        started = time.monotonic()
        self.left -= 1
        line = ""
        try:
            self._process.stdin.write(f"{case}\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            self.left = 0
            return Outcome(case, time.monotonic() - started, [self._death()])
        found: dict[str, Any] = json.loads(line)
        return Outcome(case, found["seconds"], [Failure(**one) for one in found["failures"]])

    def _death(self) -> Failure:
        status = self._process.wait()
        self._log.seek(0)
        text = self._log.read().decode("utf-8", "replace")
        own = [line.strip() for line in text.splitlines() if "/nbprof/" in line]
        what = "too slow" if "Timeout (" in text else f"died with {status}"
        return Failure("case", f"{what}: {own[0] if own else ''}", text)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._log.close()


def run_cases(
    seed: int, cases: Iterable[int], jobs: int, tell: Callable[[Outcome], None]
) -> list[Outcome]:
    """Run cases and return those that failed.

    Parameters
    ----------
    seed : int
        With its number, the seed of a case.
    cases : iterable of int
        Numbers of cases.
    jobs : int
        Processes at a time.
    tell : callable
        Gets the outcome of every case.
    """
    waiting = iter(cases)
    failed: list[Outcome] = []
    lock = threading.Lock()
    top = Path(tempfile.mkdtemp(prefix="nbprof-fuzz-"))
    homes = iter(range(sys.maxsize))

    def run(numbers: Iterator[int]) -> None:
        worker: Worker | None = None
        try:
            while True:
                with lock:
                    case = next(numbers, None)
                    if case is None:
                        return
                    if worker is None:
                        worker = Worker(seed, top / f"worker{next(homes)}")
                outcome = worker.run(case)
                with lock:
                    tell(outcome)
                    if outcome.failures:
                        failed.append(outcome)
                if worker.left == 0:
                    worker.close()
                    worker = None
        finally:
            if worker is not None:
                worker.close()

    threads = [threading.Thread(target=run, args=(waiting,)) for _ in range(jobs)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        shutil.rmtree(top, ignore_errors=True)
    return sorted(failed, key=lambda one: one.case)


def described(seed: int, failed: Iterable[Outcome]) -> str:
    """Return failures by kind, each with the command that repeats one."""
    kinds: dict[str, list[tuple[int, Failure]]] = {}
    for outcome in failed:
        for failure in outcome.failures:
            kinds.setdefault(failure.kind, []).append((outcome.case, failure))
    lines = []
    for kind, found in sorted(kinds.items(), key=lambda one: -len(one[1])):
        case, first = found[0]
        cases = len({number for number, _ in found})
        lines += [
            f"=== {cases} case{'s' * (cases > 1)}: {kind}",
            f"    python -m tests.fuzz --seed {seed} --case {case}  ({first.use})",
            *(f"    {line}" for line in first.text.splitlines()[-14:]),
        ]
    return "\n".join(lines)
