"""Traces as plain objects: writes them, reads them slowly, and gives rows to compare."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from nbprof.sources import TraceFile, discover, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

Event = dict[str, Any]

DEVICE_KINDS = {
    "kernel": "kernel",
    "gpu_memcpy": "memcpy",
    "memcpy": "memcpy",
    "gpu_memset": "memset",
    "memset": "memset",
    "cuda_sync": "sync",
    "gpu_user_annotation": "annotation",
}


def write(path: Path, content: Any, **header: Any) -> Path:
    """Write a trace: a list of events with a header, or text as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list):
        content = json.dumps({"schemaVersion": 1, **header, "traceEvents": content})
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def open_trace(path: Path) -> TraceFile:
    """Discover one file."""
    return discover(path).files[0]


def read_trace(path: Path, **options: Any) -> TraceModel:
    """Discover and read one file, silently."""
    return read(open_trace(path), **{"progress": False, **options})


def table_rows(model: TraceModel, table: str = "host") -> list[Event]:
    """Return the rows of a table as dicts."""
    found: list[Event] = model.tables[table].to_pylist()
    return found


def warning_counts(model: TraceModel) -> dict[str, int]:
    """Return how often each kind of warning was counted."""
    return {warning.kind: warning.count for warning in model.warnings}


def op(name: str = "aten::mm", ts: Any = 10, dur: Any = 5, **more: Any) -> Event:
    """Return an operator event."""
    event = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur}
    return {**event, **more}


def kernel(name: str = "gemm", ts: Any = 12, dur: Any = 3, **args: Any) -> Event:
    """Return a kernel event."""
    args = {"device": 0, "stream": 7, "correlation": 1, **args}
    return op(name, ts, dur, cat="kernel", pid=0, tid=7, args=args)


def plain_events(path: Path) -> list[Event]:
    """Read all events with the standard library, decimals exact."""
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    content = json.loads(raw, parse_float=Decimal)
    events: list[Event] = content if isinstance(content, list) else content["traceEvents"]
    return events


def to_ns(value: Any) -> int:
    """Return microseconds as nanoseconds."""
    return int((Decimal(str(value)) * 1000).to_integral_value())


def host_kind(event: Event) -> str | None:
    """Return the kind of a host slice, None of any other event."""
    category = (event.get("cat") or "").lower()
    name = event.get("name") or ""
    if event.get("ph") != "X" or name == "[memory]":
        return None
    if category in {"cpu_op", "operator", "user_annotation", ""}:
        if name.startswith("ProfilerStep#"):
            return "step"
        return "annotation" if category == "user_annotation" else "operator"
    if category == "python_function":
        return "module" if "Python module id" in (event.get("args") or {}) else "python"
    if category == "overhead":
        return "overhead"
    is_call = category == "runtime" or category.endswith(("_runtime", "_driver"))
    return "runtime" if is_call else None


def device_kind(event: Event) -> str | None:
    """Return the kind of a device slice, None of any other event."""
    if event.get("ph") == "X" and event.get("cat") == "mtia_ccp_events":
        return {"event_wait": "sync", "dma_request": "memcpy"}.get(event["name"], "kernel")
    return DEVICE_KINDS.get((event.get("cat") or "").lower()) if event.get("ph") == "X" else None


def is_memory(event: Event) -> bool:
    """Return whether an event is a memory record."""
    return event.get("name") == "[memory]" and event.get("ph") != "M"


def plain_rows(events: Sequence[Event]) -> dict[str, list[tuple[Any, ...]]]:
    """Return rows of host, device, memory and flows, the slow and plain way, unsorted."""
    slices = [e for e in events if host_kind(e) or device_kind(e) or is_memory(e)]
    slices += [e for e in events if e.get("ph") == "C"]
    first = min(to_ns(event["ts"]) for event in slices)
    rows: dict[str, list[tuple[Any, ...]]] = {"host": [], "device": [], "memory": [], "flows": []}
    for event in events:
        args = event.get("args") or {}
        if (kind := host_kind(event)) is not None:
            rows["host"].append(
                (
                    event["name"],
                    kind,
                    int(event["tid"]),
                    to_ns(event["ts"]) - first,
                    to_ns(event["dur"]),
                    args.get("External id", args.get("external id", -1)),
                    args.get("correlation", -1),
                    args.get("Sequence number", -1),
                    _text(args.get("Input Dims", args.get("Input dims"))),
                    (args.get("Call stack") or "").rstrip("; ") or None,
                )
            )
        elif (kind := device_kind(event)) is not None:
            rows["device"].append(
                (
                    event["name"],
                    kind,
                    args.get("device", event["pid"]),
                    args.get("stream", event["tid"]),
                    to_ns(event["ts"]) - first,
                    to_ns(event["dur"]),
                    args.get("correlation", -1),
                    args.get("External id", args.get("external id", -1)),
                    _text(args.get("grid")),
                    args.get("registers per thread", -1),
                )
            )
        elif is_memory(event):
            rows["memory"].append(
                (to_ns(event["ts"]) - first, args["Bytes"], args["Device Id"], args.get("Addr", -1))
            )
        elif event.get("ph") in {"s", "f"}:
            category = "fwdbwd" if event["cat"] == "fwdbwd" else "launch"
            rows["flows"].append((event["id"], category, event["ph"], to_ns(event["ts"]) - first))
    return rows


def model_rows(model: TraceModel) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of a model in the form of `plain_rows`, in the order of its tables."""
    tid = model.tables["threads"].column("tid").to_pylist()
    host = _columns(model, "host", "name kind thread start_ns duration_ns external_id correlation "
                    "sequence input_shapes call_stack")  # fmt: skip
    device = _columns(model, "device", "name kind device stream start_ns duration_ns correlation "
                      "external_id grid registers")  # fmt: skip
    return {
        "host": [(name, kind, tid[thread], *rest) for name, kind, thread, *rest in host],
        "device": list(device),
        "memory": list(_columns(model, "memory", "time_ns bytes device address")),
        "flows": list(_columns(model, "flows", "id category phase time_ns")),
    }


def _columns(model: TraceModel, table: str, names: str) -> Iterable[tuple[Any, ...]]:
    columns = (model.tables[table].column(name).to_pylist() for name in names.split())
    return zip(*columns, strict=True)


def _text(array: Any) -> str | None:
    return json.dumps(array) if isinstance(array, list) else None


def in_order(rows: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Return rows in an order that does not depend on where they came from."""
    return {table: sorted(found, key=repr) for table, found in rows.items()}
