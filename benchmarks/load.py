"""Loading a large trace and computing its tables, beside Holistic Trace Analysis doing its own.

The two take turns on the same file, each time in a fresh process; ratios are of medians. The
floor is reading and decoding the file with nothing kept.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from build_large import DATA, DEFAULT_EVENTS, DEFAULT_SOURCE, HERE, build
from measure import BenchmarkError, describe, emit, machine, run

HTA_VENV = DATA / "venv-hta"
HTA_REQUIREMENT = "HolisticTraceAnalysis==0.5.0"


def main() -> int:
    """Run the benchmark and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trace", help="measure this file and build none")
    parser.add_argument("--source", default=DEFAULT_SOURCE, help="what to build the trace from")
    parser.add_argument("--events", type=int, default=DEFAULT_EVENTS, help="how large to build it")
    parser.add_argument("--gzip", action="store_true", help="build it compressed")
    parser.add_argument("--repeat", type=int, default=3, help="turns (default: %(default)s)")
    parser.add_argument("--hta-python", help="an interpreter that has Holistic Trace Analysis")
    parser.add_argument("--no-hta", action="store_true", help="without the other tool")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    if args.trace:
        path = Path(args.trace).resolve()
    else:
        path = build(args.source, args.events, compress=args.gzip)
    workers = {
        "floor": [sys.executable, str(HERE / "worker_floor.py"), str(path)],
        "nbprof": [sys.executable, str(HERE / "worker_nbprof.py"), str(path)],
    }
    if not args.no_hta:
        hta = args.hta_python or _hta_python()
        workers["hta"] = [hta, str(HERE / "worker_hta.py"), str(path)]
    facts = machine()
    json_bytes = _json_bytes(path)
    start = {"benchmark": "load", "trace": path.name, "json_bytes": json_bytes, "machine": facts}
    if args.json:
        emit(start)
    else:
        print(f"{path.name}: {json_bytes / 1e6:.0f} MB of JSON\n{describe(facts)}\n")
    runs = _take_turns(workers, args.repeat, as_json=args.json)
    summary = _summary(runs, json_bytes)
    if args.json:
        emit({"benchmark": "load", **summary})
    else:
        print(_report(runs, summary))
    return 0


def _take_turns(
    workers: dict[str, list[str]], repeat: int, *, as_json: bool
) -> dict[str, list[dict[str, Any]]]:
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in workers}
    for turn in range(repeat):
        for name, command in workers.items():
            try:
                result = run(command)
            except BenchmarkError as error:
                sys.exit(f"{name} failed:\n{error}")
            runs[name].append(result)
            if as_json:
                emit({"benchmark": "load", "tool": name, "turn": turn, **result})
    return runs


def _summary(runs: dict[str, list[dict[str, Any]]], json_bytes: int) -> dict[str, Any]:
    total = {name: _median([r["total_s"] for r in found]) for name, found in runs.items()}
    used = {name: [r["cpu_s"] for r in found] for name, found in runs.items()}
    cpu = {name: None if None in found else _median(found) for name, found in used.items()}
    peaks = {name: [r["peak_pss_bytes"] for r in found] for name, found in runs.items()}
    peak = {name: None if None in found else max(found) for name, found in peaks.items()}
    ours = peak["nbprof"]
    return {
        "median_s": total,
        "median_cpu_s": cpu,
        "peak_pss_bytes": peak,
        "events": runs["nbprof"][0]["events"],
        "times_faster_than_hta": total["hta"] / total["nbprof"] if "hta" in total else None,
        "times_less_cpu_than_hta": cpu["hta"] / cpu["nbprof"] if cpu.get("hta") else None,
        "times_floor": total["nbprof"] / total["floor"],
        "peak_bytes_per_json_byte": None if ours is None else ours / json_bytes,
    }


def _report(runs: dict[str, list[dict[str, Any]]], summary: dict[str, Any]) -> str:
    lines = []
    for name, found in runs.items():
        lines.append(f"{name:<28}{'median s':>10}{'min':>9}{'max':>9}")
        for phase in found[0]["seconds"]:
            values = [r["seconds"][phase] for r in found]
            lines.append(f"  {phase:<26}{_spread(values)}")
        lines.append(f"  {'total, import apart':<26}{_spread([r['total_s'] for r in found])}")
        if summary["median_cpu_s"][name] is not None:
            values = [r["cpu_s"] for r in found]
            lines.append(f"  {'processor time, whole':<26}{_spread(values)}")
        peak = summary["peak_pss_bytes"][name]
        if peak:
            lines.append(f"  {'peak memory':<26}{peak / 1e6:>10,.0f} MB")
        lines.append("")
    if summary["times_faster_than_hta"]:
        version = runs["hta"][0]["version"]
        lines.append(f"{summary['times_faster_than_hta']:.1f} times as fast as HTA {version}")
    if summary["times_less_cpu_than_hta"]:
        less = summary["times_less_cpu_than_hta"]
        lines.append(f"{less:.1f} times less processor time, imports included")
    lines.append(f"{summary['times_floor']:.1f} times the floor")
    if summary["peak_bytes_per_json_byte"]:
        per_byte = summary["peak_bytes_per_json_byte"]
        lines.append(f"{per_byte:.2f} bytes of memory at the peak per byte of JSON")
    return "\n".join(lines)


def _spread(values: list[float]) -> str:
    return f"{_median(values):>10.3f}{min(values):>9.3f}{max(values):>9.3f}"


def _median(values: list[float]) -> float:
    return statistics.median(values)


def _json_bytes(path: Path) -> int:
    """Return the size of a trace without compression."""
    with path.open("rb") as stream:
        if stream.read(2) != b"\x1f\x8b":
            return path.stat().st_size
    from isal import igzip

    with igzip.open(path) as stream:
        return sum(map(len, iter(lambda: stream.read(1 << 22), b"")))


def _hta_python() -> str:
    """Return an interpreter with Holistic Trace Analysis, made on first use."""
    python = HTA_VENV / "bin" / "python"
    probe = [str(python), "-c", "import hta"]
    if not python.exists() or subprocess.run(probe, check=False, capture_output=True).returncode:
        subprocess.run([sys.executable, "-m", "venv", str(HTA_VENV)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", HTA_REQUIREMENT],
            check=True,
            stdout=sys.stderr,
        )
    return str(python)


if __name__ == "__main__":
    sys.exit(main())
