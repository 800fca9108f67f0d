"""Time every table of traces with very many devices, streams, threads, frames, steps or names.

Each trace is generated in two sizes, of which one is four times the other, and every table of every
grouping is timed in both. What grows as n log n takes up to 5 times as long: see the column
`times`. Tables that take less than 50 ms are left out, as they say nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from report.measure import describe, emit, machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.trace.model import TraceModel

Columns = dict[str, Any]

#: How many times the larger trace is the smaller one.
GROWTH = 4
#: More than this is more than n log n, with some room for caches that overflow.
BUDGET = 6.0
LEAST_S = 0.05


def repeated(count: int, *, devices: int = 1, streams: int = 1, threads: int = 1) -> Columns:
    """Return operators that launch kernels on devices, streams and threads in turn."""
    at, start = np.arange(count), np.arange(count) * 1000
    thread = at % threads
    host = {
        "name": ["aten::mm", "cudaLaunchKernel"] * count,
        "kind": ["operator", "runtime"] * count,
        "thread": np.repeat(thread, 2),
        "start_ns": np.stack([start, start + 100], 1).ravel(),
        "duration_ns": np.tile([900, 100], count),
        "correlation": np.stack([np.full(count, -1), at + 1], 1).ravel(),
    }
    device = {
        "name": ["gemm"] * count,
        "device": at % devices,
        "stream": at % streams,
        "start_ns": start + 300,
        "duration_ns": np.full(count, 500),
        "correlation": at + 1,
    }
    return {"host": host, "device": device}


def memory_of(count: int, devices: int) -> Columns:
    """Return allocations and frees on devices in turn."""
    at = np.arange(count)
    return {
        "time_ns": at * 1000 + 200,
        "address": at // 2 + 1,
        "bytes": np.where(at % 2, -512, 512),
        "total_allocated": np.where(at % 2, 0, 512),
        "total_reserved": np.full(count, 1024),
        "device_type": np.ones(count, np.int32),
        "device": at // 2 % devices,
    }


def with_steps(count: int) -> Columns:
    """Return one step for every operator."""
    tables = repeated(count)
    host = tables["host"]
    start = np.arange(count) * 1000
    names = [f"ProfilerStep#{number}" for number in range(count)]
    for key, values in {
        "name": names,
        "kind": ["step"] * count,
        "thread": np.zeros(count, np.int64),
        "start_ns": start,
        "duration_ns": np.full(count, 950),
        "correlation": np.full(count, -1),
    }.items():
        both = [*host[key], *values]
        host[key] = both if isinstance(values, list) else np.array(both)
    return tables


def with_names(count: int) -> Columns:
    """Return operators and kernels that all have other names."""
    tables = repeated(count)
    tables["host"]["name"][::2] = [f"aten::op_{number}" for number in range(count)]
    tables["device"]["name"] = [f"void kernel_{number}<float>(int)" for number in range(count)]
    return tables


def deep(count: int, kind: str = "python") -> Columns:
    """Return frames inside each other, an operator in the middle and one at the bottom."""
    length = 10 * count
    at = np.arange(count)
    start, duration = at * 2, 2 * length - 4 * at
    names = [f"model.py({number % 100}): layer_{number % 100}" for number in range(count)]
    operators = np.array([count // 2, count - 1]) * 2 + 1
    host = {
        "name": [*names, "aten::mm", "aten::add"],
        "kind": [kind] * count + ["operator"] * 2,
        "thread": np.zeros(count + 2, np.int64),
        "start_ns": np.concatenate([start, operators]),
        "duration_ns": np.concatenate([duration, [1, 1]]),
    }
    device = {"name": ["k"], "start_ns": [length], "duration_ns": [10]}
    return {"host": host, "device": device}


def deep_operators(count: int) -> Columns:
    """Return frames inside each other with an operator in each."""
    tables = deep(count)
    host = tables["host"]
    start = np.arange(count) * 2 + 1
    host["name"] = [*host["name"], *["aten::relu"] * count]
    host["kind"] = [*host["kind"], *["operator"] * count]
    host["thread"] = np.zeros(2 * count + 2, np.int64)
    host["start_ns"] = np.concatenate([host["start_ns"], start])
    host["duration_ns"] = np.concatenate([host["duration_ns"], np.ones(count, np.int64)])
    return tables


def with_memory(count: int, devices: int) -> Columns:
    """Return memory records of many devices, and kernels on them."""
    return repeated(count, devices=devices, streams=devices) | {"memory": memory_of(count, devices)}


#: What is generated, and the larger size.
EXTREMES: dict[str, tuple[Callable[[int], Columns], int]] = {
    "devices": (lambda n: with_memory(4 * n, n), 10_000),
    "streams": (lambda n: repeated(2 * n, streams=n), 100_000),
    "threads": (lambda n: repeated(2 * n, threads=n), 100_000),
    "frames deep": (deep, 10_000),
    # A quarter is past the 1,000 frames that a stack keeps, where its text grows with the depth.
    "frames deep, operators in each": (deep_operators, 8_000),
    "modules deep": (lambda n: deep(n, "module"), 10_000),
    "steps": (with_steps, 100_000),
    "names": (with_names, 100_000),
    "kernels of a stream": (repeated, 1_000_000),
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", action="append", choices=EXTREMES, help="some of the traces")
    parser.add_argument("--part", type=float, default=1.0, help="of the sizes (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # filters that leave nothing
    facts = machine()
    if not args.json:
        print(f"{describe(facts)}\n")
    for name in args.only or EXTREMES:
        make, largest = EXTREMES[name]
        size = int(largest * args.part)
        small = timed(make(size // GROWTH))
        rows = []
        for table, seconds in timed(make(size)).items():
            if seconds < LEAST_S:
                continue
            less, more = small[table], seconds
            if more > BUDGET * less:
                # One of the two may have found what an earlier table computed: compare them alone.
                less, more = (timed(make(n), only=table)[table] for n in (size // GROWTH, size))
            rows.append({"table": table, "s": more, "times": more / max(less, 1e-4)})
        if args.json:
            start = {"benchmark": "extremes", "machine": facts, "trace": name, "size": size}
            emit({**start, "budget": BUDGET, "tables": rows})
        else:
            print(f"{name}: {size:,}")
            for row in rows:
                mark = "  <-- grows" if row["times"] > BUDGET else ""
                print(f"  {row['table']:<44}{row['s']:>9.3f} s{row['times']:>7.1f}{mark}")
            sys.stdout.flush()


def timed(tables: Columns, *, only: str = "") -> dict[str, float]:
    """Return the processor seconds of every table of every grouping, whole and under filters.

    With `only`, that table alone is computed, after nesting, links and steps.
    """
    import nbprof
    from nbprof.model.filters.filter import Filter
    from nbprof.tables import TABLES

    model: TraceModel = nbprof.build_model(**tables)
    found = {}

    def lap(name: str, work: Callable[[], object]) -> None:
        begin = time.process_time()
        work()
        found[name] = time.process_time() - begin

    lap("nesting", lambda: model.nesting)  # these three each time: tables build on them
    lap("links", lambda: model.links)
    lap("step ranges", lambda: model.steps)
    end = model.metadata["end_ns"] / 1000
    filters = {"": Filter(), "time": Filter(time_us=(end / 4, end / 2)), "name": Filter(name="e")}
    filters["within"] = Filter(within="m")
    for spec in TABLES.specs():
        if spec.scope == "profile" or spec.trace_arguments:
            continue
        for group_by in spec.groupings or [""]:
            options = {"group_by": group_by} if group_by else {}
            for label, filter_ in filters.items():
                key = " ".join(part for part in (spec.name, group_by, label) if part)
                if only in ("", key):
                    lap(key, lambda s=spec, f=filter_, o=options: s.make(model, f, **o))
    return found


if __name__ == "__main__":
    main()
