"""Loading a large trace and computing its tables, in several ways and beside other tools.

All take turns on the same recording, each time in a fresh process; ratios are of medians. The
floor is reading and decoding the file with nothing kept. The tables that others have, too, are
compared before, and a disagreement makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peers.agreement import with_hta, with_plugin
from peers.environments import PEERS, python_of
from report.measure import BenchmarkError, describe, emit, machine, run
from traces.build_large import DATA, DEFAULT_EVENTS, DEFAULT_SOURCE, HERE, build, find_source

if TYPE_CHECKING:
    from collections.abc import Callable

#: A recording whose ids all tools understand, where all tables have to agree.
PLAIN_SOURCE = "resnet50_num_workers_0"
#: 2 GB of JSON.
LARGE_EVENTS = 7_100_000
CACHE = DATA / "cache"


@dataclass(frozen=True)
class Way:
    """One way to load the trace.

    Attributes
    ----------
    command : list of str
        What is run.
    fresh : bool
        Whether the cache is emptied before.
    """

    command: list[str]
    fresh: bool = False


def main() -> int:
    """Run the benchmark and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trace", help="measure this file and build none")
    parser.add_argument("--source", default=DEFAULT_SOURCE, help="what to build the trace from")
    parser.add_argument("--events", type=int, default=DEFAULT_EVENTS, help="how large to build it")
    parser.add_argument("--large", action="store_true", help="2 GB of JSON, and nothing beside it")
    parser.add_argument("--repeat", type=int, default=3, help="turns (default: %(default)s)")
    parser.add_argument("--no-peers", action="store_true", help="without other tools")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    os.environ["NBPROF_CACHE_DIR"] = str(CACHE)
    if args.large:
        path = build(args.source, LARGE_EVENTS)
        ways = {"nbprof": Way(ours(path))}
    else:
        path = Path(args.trace).resolve() if args.trace else build(args.source, args.events)
        ways = _ways(path, None if args.trace else build(args.source, args.events, compress=True))
    agreements: list[dict[str, Any]] = []
    if not (args.no_peers or args.large):
        ways |= {name: Way(peer(path)(name)) for name in PEERS}
        agreements = check(path)
    facts = machine()
    json_bytes = path.stat().st_size
    if not args.json:
        print(f"{path.name}: {json_bytes / 1e6:.0f} MB of JSON\n{describe(facts)}\n")
    runs = take_turns(ways, args.repeat)
    summary = summarize(runs, json_bytes)
    if args.json:
        start = {"benchmark": "large" if args.large else "load", "trace": path.name}
        emit(
            {**start, "machine": facts, **summary, "agreements": agreements, "repeat": args.repeat}
        )
    else:
        print(report(summary))
        for agreement in agreements:
            if not agreement["holds"]:
                print("DOES NOT AGREE:", agreement)
    return 0 if all(agreement["holds"] for agreement in agreements) else 1


def _ways(path: Path, packed: Path | None) -> dict[str, Way]:
    floor = [sys.executable, str(HERE / "peers" / "worker_floor.py")]
    steps = _middle_steps(path)
    ways = {"floor": Way([*floor, str(path)]), "nbprof": Way(ours(path))}
    if packed is not None:
        ways["floor, gz"] = Way([*floor, str(packed)])
        ways["nbprof, gz"] = Way(ours(packed))
    ways["nbprof, filling the cache"] = Way(ours(path, "--cache"), fresh=True)
    ways["nbprof, from the cache"] = Way(ours(path, "--cache"))
    for name, options in (
        (f"nbprof, steps={steps}", {"steps": steps}),
        ('nbprof, kinds=("kernel",)', {"kinds": ["kernel"]}),
    ):
        ways[name] = Way(ours(path, "--options", json.dumps(options)))
    return ways


def peer(path: Path) -> Callable[[str], list[str]]:
    """Return what gives the command that measures a peer, by its name, on a file."""
    return lambda name: [python_of(name), str(HERE / "peers" / PEERS[name].worker), str(path)]


def ours(path: Path, *options: str) -> list[str]:
    """Return the command that measures us on a file."""
    return [sys.executable, str(HERE / "peers" / "worker_nbprof.py"), str(path), *options]


def _middle_steps(path: Path) -> tuple[int, int]:
    """Return a tenth of the steps of a trace, from its middle."""
    numbers = sorted(row["step"] for row in _figures(ours(path))["steps"])
    middle = len(numbers) // 2
    return numbers[middle], numbers[min(middle + max(len(numbers) // 10, 1), len(numbers)) - 1]


def check(path: Path) -> list[dict[str, Any]]:
    """Compare the tables of all tools, on the trace and on a small one whose ids are as usual."""
    found = _agreements(path, wrong_ids=DEFAULT_SOURCE in path.name)
    plain = find_source(PLAIN_SOURCE)
    if PLAIN_SOURCE in str(plain):  # else it is a sample, generated for other purposes
        found += _agreements(plain)
    return found


def _agreements(path: Path, *, wrong_ids: bool = False) -> list[dict[str, Any]]:
    mine, hta, plugin = (_figures(command) for command in (ours(path), *map(peer(path), PEERS)))
    found = [*with_hta(mine, hta), *with_plugin(mine, plugin, wrong_ids=wrong_ids)]
    name = path.parent.name if path.parent.name == PLAIN_SOURCE else path.name.split(".")[0]
    return [{"trace": name, **agreement.to_dict()} for agreement in found]


def _figures(command: list[str]) -> dict[str, Any]:
    """Run a worker and return the tables that it wrote."""
    out = DATA / "tables.json"
    _run([*command, "--tables", str(out)])
    found: dict[str, Any] = json.loads(out.read_text())
    out.unlink()
    return found


def _run(command: list[str]) -> dict[str, Any]:
    try:
        return run(command)
    except BenchmarkError as error:
        sys.exit(f"{' '.join(command)} failed:\n{error}")


def take_turns(ways: dict[str, Way], repeat: int) -> dict[str, list[dict[str, Any]]]:
    """Run every way so many times, one after the other."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in ways}
    for _ in range(repeat):
        for name, way in ways.items():
            if way.fresh:
                shutil.rmtree(CACHE, ignore_errors=True)
            runs[name].append(_run(way.command))
    return runs


def summarize(runs: dict[str, list[dict[str, Any]]], json_bytes: int) -> dict[str, Any]:
    """Return medians of every way, its highest memory, and the ratios that budgets are about."""
    ways = {}
    for name, found in runs.items():
        peaks, used = ([r[key] for r in found] for key in ("peak_pss_bytes", "cpu_s"))
        ways[name] = {
            "total_s": _median([r["total_s"] for r in found]),
            "spread_s": [min(r["total_s"] for r in found), max(r["total_s"] for r in found)],
            "seconds": {
                phase: _median([r["seconds"][phase] for r in found])
                for phase in found[0]["seconds"]
            },
            "cpu_seconds": {
                phase: _median([r["cpu_seconds"][phase] for r in found])
                for phase in found[0].get("cpu_seconds", {})
            },
            "cpu_s": None if None in used else _median(used),
            "wall_s": _median([r["wall_s"] for r in found]),
            "peak_pss_bytes": None if None in peaks else max(peaks),
            "version": found[0].get("version"),
        }
        if "open_s" in found[0]:
            ways[name]["open_s"] = _median([r["open_s"] for r in found])
    events = runs["nbprof"][0]["events"]
    return {"json_bytes": json_bytes, "events": events, "ways": ways, **_ratios(ways, json_bytes)}


def _ratios(ways: dict[str, Any], json_bytes: int) -> dict[str, float | None]:
    def times(one: str, other: str, what: str = "total_s") -> float | None:
        there = one in ways and other in ways and ways[one][what] is not None
        return ways[one][what] / ways[other][what] if there else None

    peak = ways["nbprof"]["peak_pss_bytes"]
    return {
        "times_faster_than_hta": times("hta", "nbprof", "wall_s"),
        "times_less_processor_time_than_hta": times("hta", "nbprof", "cpu_s"),
        "times_faster_than_plugin": times("plugin", "nbprof", "wall_s"),
        "times_less_processor_time_than_plugin": times("plugin", "nbprof", "cpu_s"),
        "times_floor": times("nbprof", "floor"),
        "times_floor_gz": times("nbprof, gz", "floor, gz"),
        "gz_times_plain": times("nbprof, gz", "nbprof"),
        "peak_bytes_per_json_byte": None if peak is None else peak / json_bytes,
    }


def report(summary: dict[str, Any]) -> str:
    """Return the summary as text."""
    lines = []
    for name, way in summary["ways"].items():
        low, high = way["spread_s"]
        lines.append(f"{name:<36}{way['total_s']:>9.3f} s  ({low:.3f} to {high:.3f})")
        used = way["cpu_seconds"]
        lines += [
            f"  {phase:<34}{value:>9.3f}"
            + (f"{used[phase]:>9.3f} of processors" if phase in used else "")
            for phase, value in way["seconds"].items()
        ]
        if way["cpu_s"] is not None:
            lines.append(f"  {'with imports':<34}{way['wall_s']:>9.3f}{way['cpu_s']:>9.3f}")
        if way["peak_pss_bytes"]:
            lines.append(f"  {'peak memory, MB':<34}{way['peak_pss_bytes'] / 1e6:>9,.0f}")
    ratios = {key: value for key, value in summary.items() if isinstance(value, float)}
    lines += [f"{key.replace('_', ' ')}: {value:.2f}" for key, value in ratios.items()]
    return "\n".join(lines)


def _median(values: list[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    sys.exit(main())
