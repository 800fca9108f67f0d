"""What the benchmarks share: a process with its peak memory, the machine in words, output."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

PROC = Path("/proc")
#: Seconds between two looks at the memory of a process tree.
INTERVAL = 0.02


class BenchmarkError(Exception):
    """A measured process failed; the text is the end of what it said."""


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a measured process, in which Python keeps compiled modules.

    Installed packages are compiled; a checkout is on its first run. A variable that forbids this
    would have every process compile the checkout again, which no user waits for.
    """
    kept = {name: one for name, one in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **more}


def run(command: list[str]) -> dict[str, Any]:
    """Run a worker, which prints one JSON object last, and return that with its peak memory.

    The keys added are ``wall_s``, ``cpu_s`` and ``peak_pss_bytes``: the time of the process by the
    clock, the processor time of it and its descendants, and the highest sum of their
    proportional set sizes; the last two are None where the system does not tell.
    """
    used = _children_s()
    begin = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment(),
    )
    peak = Peak(process.pid)
    peak.start()
    out, err = process.communicate()
    wall = time.perf_counter() - begin
    peak.stop()
    if process.returncode:
        raise BenchmarkError("\n".join(err.splitlines()[-15:]))
    result = json.loads(out.splitlines()[-1])
    cpu = None if used is None else (_children_s() or 0) - used
    return {**result, "wall_s": wall, "cpu_s": cpu, "peak_pss_bytes": peak.bytes}


def _children_s() -> float | None:
    """Return the processor time of all children that have ended."""
    if resource is None:
        return None
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Peak(threading.Thread):
    """Watch the memory of a process tree."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._done = threading.Event()
        self.bytes: int | None = None

    def run(self) -> None:
        """Look until told to stop."""
        while not self._done.wait(INTERVAL):
            total = sum(filter(None, map(_pss, _tree(self._pid))))
            if total:
                self.bytes = max(self.bytes or 0, total)

    def stop(self) -> None:
        """Stop looking."""
        self._done.set()
        self.join()


def _tree(pid: int) -> list[int]:
    """Return a process and its descendants."""
    found = [pid]
    for parent in found:
        for thread in _entries(PROC / str(parent) / "task"):
            found += map(int, _text(thread / "children").split())
    return found


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # the process has ended meanwhile
        return []


def _pss(pid: int) -> int | None:
    lines = _text(PROC / str(pid) / "smaps_rollup").splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), None)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the process or thread has ended meanwhile
        return ""


def cores_in_use(seconds: float = 1.0) -> float:
    """Return how many cores others keep busy now; the run queue remembers what has ended."""
    begin = _busy_s()
    time.sleep(seconds)
    return (_busy_s() - begin) / seconds


def _busy_s() -> float:
    """Return the processor seconds since the start that were not idle, 0 where none are told."""
    first = _text(PROC / "stat").partition("\n")[0].split()[1:9]
    if not first:
        return 0.0
    user, nice, system, _, _, *others = map(int, first)
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


def machine() -> dict[str, Any]:
    """Describe the machine: processor, cores, memory, system and Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = PROC / "cpuinfo"
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next(
            (x.partition(":")[2].strip() for x in lines if x.startswith("model name")), model
        )
    memory = None
    meminfo = PROC / "meminfo"
    if meminfo.exists():
        memory = int(meminfo.read_text().split()[1]) * 1024
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_bytes": memory,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def describe(facts: dict[str, Any]) -> str:
    """Return the machine in one line."""
    memory = facts["memory_bytes"]
    size = f"{memory / 1024**3:.0f} GiB, " if memory else ""
    return (
        f"{facts['processor']}, {facts['cores']} cores, {size}{facts['system']},"
        f" Python {facts['python']}"
    )


def emit(record: dict[str, Any]) -> None:
    """Print one JSON object on a line of its own, at once."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()
