"""Reading a job of many ranks: one after another, in processes, and on a Dask cluster.

Every way runs in a process of its own with nothing kept on disk. What is timed is `Profile.read`
and the first tables over all workers; starting the workers is not, as a cluster is there already.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from report.measure import BenchmarkError, describe, emit, machine, run
from traces.build_ranks import RANKS, TILES, build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

#: Ways to read, by the number of workers.
WAYS = {
    "one after another": ("none", 1),
    "process pool, 1 worker": ("processes", 1),
    "process pool, 2 workers": ("processes", 2),
    "Dask LocalCluster, 1 worker": ("dask", 1),
    "Dask LocalCluster, 2 workers": ("dask", 2),
}


def main() -> int:
    """Run the benchmark and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ranks", type=int, default=RANKS, help="how many (default: %(default)s)")
    parser.add_argument("--tiles", type=int, default=TILES, help="recordings in each file")
    parser.add_argument("--repeat", type=int, default=3, help="turns (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--worker", nargs=3, metavar=("WAY", "N", "DIR"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        way, workers, folder = args.worker
        print(json.dumps(measure(way, int(workers), folder)))
        return 0
    folder = build(None, args.ranks, args.tiles)
    facts = machine()
    if not args.json:
        print(f"{folder.name}\n{describe(facts)}\n")
    found: dict[str, list[dict[str, Any]]] = {}
    for _ in range(args.repeat):
        for name, (way, workers) in WAYS.items():
            command = [sys.executable, __file__, "--worker", way, str(workers), str(folder)]
            try:
                found.setdefault(name, []).append(run(command))
            except BenchmarkError as error:
                if way != "dask" or "distributed" not in str(error):
                    sys.exit(f"{name} failed:\n{error}")
                found.pop(name, None)  # an extra that is not installed here
    summary = summarize(found)
    if args.json:
        emit({"benchmark": "ranks", "machine": facts, **summary})
    else:
        print(report(summary))
    return 0


def measure(way: str, workers: int, folder: str) -> dict[str, Any]:
    """Read a directory one way and return what it took."""
    import nbprof

    begin = time.perf_counter()
    profile = nbprof.load(folder, cache=False, progress=False)
    discovered = time.perf_counter() - begin
    with executor(way, workers) as pool:
        begin = time.perf_counter()
        profile.read(pool)
        read = time.perf_counter() - begin
    begin = time.perf_counter()
    tables = [profile.steps(), profile.device_time(), profile.operators(), profile.kernels()]
    return {
        "ranks": len(profile),
        "json_bytes": sum(file.bytes for file in profile.files),
        "discover_s": discovered,
        "read_s": read,
        "tables_s": time.perf_counter() - begin,
        "rows": [table.num_rows for table in tables],
        "kept_bytes_per_rank": profile._ranks.nbytes // len(profile),  # noqa: SLF001 - no figure for users
    }


@contextlib.contextmanager
def executor(way: str, workers: int) -> Iterator[Executor | None]:
    """Give an executor whose workers have started and imported what they need."""
    if way == "none":
        yield None
    elif way == "processes":
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            list(pool.map(warm_up, range(workers)))
            yield pool
    else:
        from distributed import Client, LocalCluster

        with (
            LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            Client(cluster) as client,
        ):
            client.run(warm_up, 0)
            yield client.get_executor()


def warm_up(_: int) -> None:
    """Import what reading imports, and wait until the other workers have begun, too."""
    from nbprof.ranks.extract import extract_rank

    time.sleep(0.5 if extract_rank else 0)


def summarize(found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return medians and how much faster every way is than one after another."""
    ways = {}
    first = next(iter(found.values()))
    for name, turns in found.items():
        read = statistics.median(turn["read_s"] for turn in turns)
        ways[name] = {
            "read_s": read,
            "ranks_per_s": turns[0]["ranks"] / read,
            "mb_per_s": turns[0]["json_bytes"] / read / 1e6,
            "peak_pss_bytes": max(turn["peak_pss_bytes"] or 0 for turn in turns) or None,
        }
    for workers in ("process pool", "Dask LocalCluster"):
        one, two = (ways.get(f"{workers}, {n}") for n in ("1 worker", "2 workers"))
        if one and two:
            two["times_one_worker"] = one["read_s"] / two["read_s"]
    return {
        "ranks": first[0]["ranks"],
        "json_bytes": first[0]["json_bytes"],
        "discover_s": statistics.median(t["discover_s"] for turns in found.values() for t in turns),
        "tables_s": statistics.median(t["tables_s"] for turns in found.values() for t in turns),
        "kept_bytes_per_rank": first[0]["kept_bytes_per_rank"],
        "ways": ways,
    }


def report(summary: dict[str, Any]) -> str:
    """Return the summary as the table of docs/scaling.md."""
    size = summary["json_bytes"] / 1e6
    kept = summary["kept_bytes_per_rank"] / 1e3
    lines = [
        f"{summary['ranks']} ranks, {size:.0f} MB of JSON; found in {summary['discover_s']:.2f} s;",
        f"kept of each: {kept:.0f} kB; four tables over all: {summary['tables_s']:.2f} s",
        "",
        "| | seconds | ranks/s | MB/s | times one worker | peak memory, MB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, way in summary["ways"].items():
        times = f"{way['times_one_worker']:.2f}" if "times_one_worker" in way else ""
        peak = f"{way['peak_pss_bytes'] / 1e6:.0f}" if way["peak_pss_bytes"] else ""
        lines.append(
            f"| {name} | {way['read_s']:.1f} | {way['ranks_per_s']:.1f} | {way['mb_per_s']:.0f}"
            f" | {times} | {peak} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
