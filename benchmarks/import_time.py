"""The time of ``import nbprof`` beside that of ``import pyarrow``, in fresh interpreters."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from report.measure import describe, emit, environment, machine

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import time
begin = time.perf_counter()
import {module}
print(time.perf_counter() - begin)
"""
MODULES = ("pyarrow", "nbprof", "nbprof.profiles")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=11, help="turns (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    for module in MODULES:
        _seconds(module)  # so that no turn reads from a cold disk
    turns = [{module: _seconds(module) for module in MODULES} for _ in range(args.repeat)]
    median = {module: statistics.median(turn[module] for turn in turns) for module in MODULES}
    ratio = median["nbprof"] / median["pyarrow"]
    facts = machine()
    if args.json:
        found = {"machine": facts, "median_s": median, "times_pyarrow": ratio}
        emit({"benchmark": "import", **found})
        return
    print(describe(facts))
    for module in MODULES:
        share = median[module] / median["pyarrow"]
        print(f"import {module:<16}{median[module] * 1000:>8.1f} ms{share:>8.2f} of pyarrow")


def _seconds(module: str) -> float:
    code = PROGRAM.format(module=module)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=path),
    )
    return float(done.stdout)


if __name__ == "__main__":
    main()
