"""Run the benchmarks one after the other and write what they found to RESULTS.md."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import subprocess
import sys
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from report.measure import cores_in_use, machine
from report.results import page
from traces.build_large import DATA, HERE

if TYPE_CHECKING:
    from report.results import Records

RESULTS = HERE / "RESULTS.md"
#: What the last run of each benchmark printed, so that each can be run alone.
KEPT = DATA / "results.json"

BENCHMARKS = {
    "load": ["load.py", "--repeat", "{repeat}"],
    "filters": ["filters.py"],
    "growth": ["growth.py"],
    "diff": ["differences.py", "--repeat", "{repeat}"],
    "costs": ["costs.py", "--repeat", "{repeat}"],
    "extremes": ["extremes.py"],
    "timeline": ["timeline.py"],
    "ranks": ["ranks.py", "--repeat", "1"],
    "import": ["import_time.py"],
    "first_picture": ["browser/first_picture.py"],
    "interaction": ["browser/interaction.py", "--large"],
    "draw": ["browser/timeline_draw.py"],
    "large": ["load.py", "--large", "--repeat", "1"],
}
#: Minutes of building 2 GB and then of reading them: only where asked for.
SLOW = {"large"}


def main() -> int:
    """Run what the command line asks for and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "only",
        nargs="*",
        metavar="NAME",
        help=f"some of {', '.join(BENCHMARKS)}; else all but the last",
    )
    parser.add_argument("--repeat", type=int, default=3, help="turns of loading (default: 3)")
    args = parser.parse_args()
    for name in args.only:
        if name not in BENCHMARKS:
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    facts = {
        **machine(),
        "load": cores_in_use(),
        "when": dt.datetime.now(tz=dt.timezone.utc).date().isoformat(),
        "version": _version(),
    }
    records: Records = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    failed = []
    for name in args.only or [name for name in BENCHMARKS if name not in SLOW]:
        begin = time.perf_counter()
        records[name], status = _run(name, args.repeat)
        if status:
            failed.append(name)
        sys.stderr.write(f"{name}: {time.perf_counter() - begin:.0f} s\n")
        DATA.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(records))
    RESULTS.write_text(page(records, facts))
    sys.stderr.write(f"Written: {RESULTS}\n")
    if failed:
        sys.stderr.write(f"Not well: {', '.join(failed)}\n")
    return 1 if failed else 0


def _run(name: str, repeat: int) -> tuple[list[dict[str, Any]], int]:
    """Run a benchmark and return what it printed and its exit status."""
    script, *options = (part.format(repeat=repeat) for part in BENCHMARKS[name])
    command = [sys.executable, str(HERE / script), *options, "--json"]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines], done.returncode


def _version() -> str:
    """Return the version that is installed, and the checkout's commit where that is known."""
    found = version("nbprof")
    command = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError:  # no git
        return found[1] if found else "?"
    commit = f" ({done.stdout.strip()})" if not done.returncode else ""
    return f"{found}{commit}"


if __name__ == "__main__":
    sys.exit(main())
