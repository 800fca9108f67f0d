"""The timeline of large traces: making its levels of detail, their memory, and asking for windows.

Windows are as the browser asks for them, with half a screen at both sides and a screen of rows
above and below, anywhere in the trace and as likely on every level of zoom.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from report.measure import describe, emit, machine
from traces.build_large import DEFAULT_SOURCE, build, find_source
from traces.tile_tables import tile

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.timeline import Timeline

EVENTS = (1_000_000, 10_000_000)
#: Traces above this are repeated as tables; as a file the largest would take 3 GB.
MOST_IN_A_FILE = 2_000_000

#: A canvas of 1,200 columns and 24 rows, with what the browser asks for around it.
COLUMNS = 2400
ROWS = 72
SHORTEST_NS = 1000

BUILD_BUDGET_S = 1.0
QUERY_BUDGET_S = 0.02
REPLY_BUDGET_BYTES = 1_000_000


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", default=DEFAULT_SOURCE, help="what to build the traces from")
    parser.add_argument(
        "--events", type=int, nargs="+", default=EVENTS, help="how large (default: 1 and 10 M)"
    )
    parser.add_argument("--windows", type=int, default=1000, help="windows for each trace")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    facts = machine()
    if not args.json:
        print(describe(facts))
    for events in args.events:
        model, how = _model(args.source, events)
        record = {"benchmark": "timeline", **how, "machine": facts}
        record |= _measure(model, args.windows)
        if args.json:
            emit(record)
        else:
            _print(record)
        del model


def _model(source: str, events: int) -> tuple[TraceModel, dict[str, Any]]:
    """Return a trace of about so many events, and where it comes from."""
    from nbprof.loading import load

    if events <= MOST_IN_A_FILE:
        path = build(source, events)
        return load(str(path), progress=False).trace().model, {"trace": path.name, "file": True}
    path = find_source(source)
    recording = load(str(path), progress=False).trace().model
    times = max(1, round(events / int(recording.metadata["events"])))
    return tile(recording, times), {"trace": f"{times} x {source}", "file": False}


def _measure(model: TraceModel, windows: int) -> dict[str, Any]:
    from nbprof.timeline.outline import outline
    from nbprof.timeline.timeline import Timeline

    events = int(model.metadata["events"])
    # What every table of the trace needs is not the timeline's.
    _, _ = model.nesting, model.links
    timeline = Timeline(model)
    used = time.process_time()
    lanes_s = _seconds(lambda: timeline.lanes)
    pyramid_s = _seconds(lambda: timeline.pyramid)
    build_s = lanes_s + pyramid_s
    build_cpu_s = time.process_time() - used
    slices, lanes, pyramid = timeline.slices, timeline.lanes, timeline.pyramid
    slices_bytes = sum(
        array.nbytes for array in (slices.start, slices.end, slices.name, slices.category)
    )
    lanes_bytes = sum(array.nbytes for array in (lanes.lane, lanes.depth, lanes.row))
    sizes = {
        "tables": model.tables["host"].nbytes + model.tables["device"].nbytes,
        "pyramid": pyramid.nbytes,
        "slices_and_lanes": slices_bytes + lanes_bytes,
    }
    per_million = build_s / events * 1e6
    found = _windows(timeline, windows)
    p95, largest = found["reply_s"]["p95"], found["reply_bytes"]["max"]
    return {
        "events": events,
        "slices": len(slices),
        "rows": lanes.rows,
        "moved": lanes.moved,
        "lanes_s": lanes_s,
        "pyramid_s": pyramid_s,
        "build_cpu_s": build_cpu_s,
        "build_s_per_million_events": per_million,
        "bytes": sizes,
        "minimap_s": _seconds(lambda: timeline.minimap),
        "outline_s": _seconds(lambda: outline(timeline.pyramid, timeline.lanes, 400_000)),
        "windows": windows,
        **found,
        "in_budget": {
            "build": per_million <= BUILD_BUDGET_S,
            "bytes": sizes["pyramid"] + sizes["slices_and_lanes"] <= sizes["tables"],
            "query": p95 <= QUERY_BUDGET_S,
            "reply": largest <= REPLY_BUDGET_BYTES,
        },
    }


def _windows(timeline: Timeline, windows: int) -> dict[str, dict[str, float]]:
    """Ask for windows; the reply is the Arrow stream with the names that go beside it."""
    from nbprof.timeline.wire import window_table
    from nbprof.widgets.requests.arrow import to_ipc

    random = np.random.default_rng(0)
    length = max(int(timeline.model.metadata["end_ns"]), SHORTEST_NS)
    seconds, query_seconds, sizes, items = [], [], [], []
    for _ in range(windows):
        span = round(SHORTEST_NS * (2 * length / SHORTEST_NS) ** random.uniform())
        start = round(random.uniform(-span / 4, length - 3 * span / 4))
        row = int(random.integers(0, max(timeline.lanes.rows - ROWS, 0) + 1))
        begin = time.perf_counter()
        window = timeline.window(start, start + span, COLUMNS, [(row, row + ROWS)])
        asked = time.perf_counter()
        table, names = window_table(window, timeline.slices.names)
        reply = to_ipc(table)
        seconds.append(time.perf_counter() - begin)
        query_seconds.append(asked - begin)
        sizes.append(len(reply) + len(json.dumps(names)))
        items.append(len(window))
    return {
        "query_s": _summary(query_seconds),
        "reply_s": _summary(seconds),
        "reply_bytes": _summary(sizes),
        "items": _summary(items),
    }


def _summary(values: list[float] | list[int]) -> dict[str, float]:
    median, p95 = np.percentile(values, (50, 95))
    return {"median": float(median), "p95": float(p95), "max": float(max(values))}


def _seconds(work: Any) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _print(record: dict[str, Any]) -> None:
    sizes, fits = record["bytes"], record["in_budget"]
    kind = "read from a file" if record["file"] else "repeated as tables"
    print(f"\n{record['trace']}: {record['events']:,} events, {kind}")
    print(f"  {record['slices']:,} slices in {record['rows']} rows, {record['moved']:,} moved")
    print(
        f"  build      {record['lanes_s']:.2f} s lanes + {record['pyramid_s']:.2f} s levels,"
        f" {record['build_cpu_s']:.2f} s of processor:"
        f" {record['build_s_per_million_events']:.2f} s a million events  {_verdict(fits['build'])}"
    )
    print(
        f"  memory     {sizes['pyramid'] / 1e6:.0f} MB levels +"
        f" {sizes['slices_and_lanes'] / 1e6:.0f} MB slices and lanes, beside"
        f" {sizes['tables'] / 1e6:.0f} MB of tables  {_verdict(fits['bytes'])}"
    )
    print(f"  minimap    {record['minimap_s']:.2f} s, saved state {record['outline_s']:.2f} s")
    print(f"  {record['windows']} windows     median      p95      max")
    for key, label, scale in (
        ("query_s", "query, ms", 1000),
        ("reply_s", "reply, ms", 1000),
        ("reply_bytes", "reply, kB", 0.001),
        ("items", "items", 1),
    ):
        cells = "".join(f"{record[key][part] * scale:>9,.1f}" for part in ("median", "p95", "max"))
        budget = {"reply_s": fits["query"], "reply_bytes": fits["reply"]}.get(key)
        print(f"  {label:<14}{cells}  {'' if budget is None else _verdict(budget)}".rstrip())


def _verdict(within: bool) -> str:
    return "within budget" if within else "OVER BUDGET"


if __name__ == "__main__":
    main()
