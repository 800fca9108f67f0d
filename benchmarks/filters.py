"""Tables and charts of a large trace: at first, and under filters that the trace has not seen yet.

The trace is a recording repeated as tables until it has a million host rows and 200,000 kernels.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from report.measure import describe, emit, machine
from traces.tile_tables import tiled_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.trace.model import TraceModel
    from nbprof.trace import Trace

SOURCE = "diff_test"
HOST_ROWS = 1_000_000
KERNELS = 200_000

DERIVED_BUDGET_S = 1.5
TABLE_BUDGET_S = 0.15
FILTER_BUDGET_S = 0.1
#: A reply with charts, in processor time.
REPLY_BUDGET_S = 0.12

#: What each view asks for when the filter changes.
VIEWS = {
    "overview": ("steps", "overview", "device_summary", "device_time", "recommendations"),
    "operators": ("operators", "user_events"),
    "kernels": ("kernels",),
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", default=SOURCE, help="the recording (default: %(default)s)")
    parser.add_argument("--host", type=int, default=HOST_ROWS, help="at least so many host rows")
    parser.add_argument("--kernels", type=int, default=KERNELS, help="at least so many kernels")
    parser.add_argument("--repeat", type=int, default=5, help="filters of each sort")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    trace = tiled_trace(args.source, args.host, args.kernels)
    facts, size = machine(), _size(trace.model)
    derived = _derive(trace.model)
    first = _measure(trace, [{}])[0]
    if args.json:
        found = {"derived_s": derived, "first_s": first}
        emit({"benchmark": "filters", "machine": facts, **size, **found, "budgets": _budgets()})
    else:
        rows = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in size.items())
        parts = ", ".join(f"{name} {value:.2f} s" for name, value in derived.items())
        print(f"{describe(facts)}\n{args.source} repeated: {rows}\n{parts}\n")
        print(f"{'milliseconds':<14}" + "".join(f"{table:>16}" for table in first))
        _print_row("first", first)
    for sort, filters in filters_of(trace.model, args.repeat).items():
        found = _measure(trace, filters)
        replies = replies_of(trace, filters)
        median = {table: statistics.median(f[table] for f in found) for table in found[0]}
        views = {
            view: statistics.median(sum(f[t] for t in tables) for f in found)
            for view, tables in VIEWS.items()
        }
        if args.json:
            found = {"median_s": median, "views_s": views, "replies": replies}
            emit({"benchmark": "filters", "filter": sort, **found})
        else:
            _print_row(sort, median)
            for view, spent in replies.items():
                wall, cpu = spent["wall_s"] * 1000, spent["cpu_s"] * 1000
                print(f"  reply of {view}, with its charts: {wall:.1f} ms, {cpu:.1f} of processors")


def replies_of(trace: Trace, filters: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Time the replies with the charts of each view and all tables behind them, medians.

    One session answers, as that of a person who opens a view and then filters: every filter is new
    to it, and what it computed of the whole trace stays.
    """
    from nbprof.trace import Trace as Fresh
    from nbprof.widgets.requests.charts import charts
    from nbprof.widgets.session.session import Session

    new = [fields for at, fields in enumerate(filters) if fields not in filters[:at]]
    found = {}
    for view in VIEWS:
        spent = []
        model = _without_results(trace.model)
        session = Session(Fresh(trace.file, trace._content, lambda *_, m=model: m))
        for fields in ({}, *new):
            params = {"view": view, "state": {"filter": fields}, "theme": "light"}
            begin = time.perf_counter(), time.process_time()
            charts(session, params, lambda *_: None)
            spent.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
        wall, cpu = (statistics.median(column) for column in zip(*spent[1:], strict=True))
        found[view] = {"wall_s": wall, "cpu_s": cpu}
    return found


def _without_results(model: TraceModel) -> TraceModel:
    """Return the same model without what it keeps for filters."""
    from nbprof.model.trace.model import TraceModel as Fresh

    fresh = Fresh(model.tables, model.metadata, dialect=model.dialect)
    for key, value in model._cache.items():  # noqa: SLF001 - nothing else lists it
        if key[0] not in ("latest", "within"):
            fresh.put(key, value)
    return fresh


def _budgets() -> dict[str, float]:
    return {
        "derived": DERIVED_BUDGET_S,
        "table": TABLE_BUDGET_S,
        "view": FILTER_BUDGET_S,
        "reply": REPLY_BUDGET_S,
    }


def _size(model: TraceModel) -> dict[str, int]:
    from nbprof.model.trace import kinds

    kernels = int((model.column("device", "kind") == kinds.KERNEL).sum())
    return {"host_rows": model.tables["host"].num_rows, "kernels": kernels}


def _derive(model: TraceModel) -> dict[str, float]:
    """Time what all tables need of the trace; reading the columns out of Arrow is not that."""
    for name in ("host", "device", "flows", "threads"):
        for column in model.tables[name].column_names:
            model.column(name, column)
    from nbprof.analysis.operators.calls import operator_calls

    return {
        "nesting": _seconds(lambda: model.nesting),
        "links": _seconds(lambda: model.links),
        "step ranges": _seconds(lambda: model.steps),
        "operator calls": _seconds(lambda: operator_calls(model)),
    }


def _measure(trace: Trace, filters: list[dict[str, Any]]) -> list[dict[str, float]]:
    found = []
    for fields in filters:
        narrowed = trace.filter(**fields)
        tables = [table for view in VIEWS.values() for table in view]
        found.append({t: _seconds(lambda t=t, of=narrowed: of.table(t)) for t in tables})
    return found


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def filters_of(model: TraceModel, repeat: int) -> dict[str, list[dict[str, Any]]]:
    """Return filters of every sort that differ from each other and keep much of the trace."""
    numbers = model.steps.number
    first, last = int(numbers.min()), int(numbers.max())
    end_us = model.metadata["end_ns"] / 1000
    tid = model.column("threads", "tid").tolist()
    streams = sorted(set(model.column("device", "stream").tolist()))
    turns = range(repeat)
    return {
        "steps": [{"steps": (min(first + i, last), last)} for i in turns],
        "time": [{"time_us": (end_us * 0.01 * i, end_us * 0.9)} for i in turns],
        "name": [{"name": part} for part in ("conv", "add", "mm", "norm", "e", "a")[:repeat]],
        "pattern": [{"name": f"/^(aten|void).*{part}/"} for part in "abcdefgh"[:repeat]],
        "thread": [{"threads": (tid[i % len(tid)],)} for i in turns],
        "stream": [{"streams": (streams[i % len(streams)],)} for i in turns],
        "kinds": [{"kinds": ("operator", "kernel", "memcpy")[: 1 + i % 3]} for i in turns],
    }


def _print_row(label: str, seconds: dict[str, float]) -> None:
    print(f"{label:<14}" + "".join(f"{value * 1000:>16.1f}" for value in seconds.values()))


if __name__ == "__main__":
    main()
