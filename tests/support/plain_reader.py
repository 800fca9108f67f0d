"""A second, slow reader: `json.loads`, `Decimal` and plain loops, for valid files only.

What the real reader gives is compared with it.
"""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace_model import TraceModel

HOST_KINDS = {
    "operator": "operator",
    "cpu_op": "operator",
    "python": "operator",
    "user_annotation": "annotation",
    "python_function": "python",
}
DEVICE_KINDS = {
    "kernel": "kernel",
    "memcpy": "memcpy",
    "gpu_memcpy": "memcpy",
    "memset": "memset",
    "gpu_memset": "memset",
    "cuda_sync": "sync",
    "gpu_user_annotation": "annotation",
}


def plain_events(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the events and the header of a file, numbers with a point as Decimal."""
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    content = json.loads(raw, parse_float=Decimal)
    if isinstance(content, list):
        return content, {}
    return content.pop("traceEvents"), content


def nanoseconds(microseconds: Any) -> int:
    """Return a time of a trace in whole nanoseconds."""
    return int((Decimal(str(microseconds)) * 1000).to_integral_value())


def host_kind(event: dict[str, Any]) -> str | None:
    """Return the kind of a host slice, None for everything else."""
    category = (event.get("cat") or "operator").lower()
    if event.get("ph") != "X" or event["name"] == "[memory]":
        return None
    if category.endswith(("runtime", "_driver")):
        return "runtime"
    kind = HOST_KINDS.get(category)
    if kind in ("operator", "annotation") and event["name"].startswith("ProfilerStep#"):
        return "step"
    if kind == "python" and "Python module id" in (event.get("args") or {}):
        return "module"
    return kind


def device_kind(event: dict[str, Any]) -> str | None:
    """Return the kind of a device event, None for everything else."""
    return DEVICE_KINDS.get((event.get("cat") or "").lower()) if event.get("ph") == "X" else None


def plain_model(path: Path) -> TraceModel:
    """Read a whole valid trace the slow way."""
    events, header = plain_events(path)
    host = [(kind, e) for e in events if (kind := host_kind(e))]
    device = [(kind, e) for e in events if (kind := device_kind(e))]
    memory = [e for e in events if e.get("name") == "[memory]"]
    first = min(nanoseconds(e["ts"]) for e in [e for _, e in host + device] + memory)

    def slice_of(kind: str, event: dict[str, Any]) -> dict[str, Any]:
        args = event.get("args") or {}
        start = nanoseconds(event["ts"]) - first
        return {
            "name": event["name"],
            "kind": kind,
            "start": start,
            "end": start + nanoseconds(event.get("dur", 0)),
            "external_id": args.get("External id", args.get("external id")),
            "correlation": args.get("correlation"),
        }

    hosts = []
    for kind, event in host:
        args = event.get("args") or {}
        shapes = args.get("Input Dims", args.get("Input dims"))
        hosts.append(
            {
                **slice_of(kind, event),
                "tid": int(event["tid"]),
                "input_shapes": None if shapes is None else json.dumps(shapes),
                "input_types": json.dumps(args["Input type"]) if "Input type" in args else None,
                "call_stack": args.get("Call stack"),
                "module_id": args.get("Python module id"),
                "sequence": args.get("Sequence number"),
            }
        )
    devices = []
    for kind, event in device:
        args = event.get("args") or {}
        devices.append(
            {
                **slice_of(kind, event),
                "device": int(args.get("device", event["pid"])),
                "stream": int(args.get("stream", event["tid"])),
                "grid": json.dumps(args["grid"]) if "grid" in args else None,
                "block": json.dumps(args["block"]) if "block" in args else None,
                "registers": args.get("registers per thread"),
                "shared_memory_bytes": args.get("shared memory"),
                "blocks_per_sm": _float(args.get("blocks per SM")),
                "occupancy_pct": _float(args.get("est. achieved occupancy %")),
                "bytes": args.get("bytes"),
            }
        )
    properties = [
        {
            "device": p["id"],
            "name": p["name"],
            "memory_bytes": p["totalGlobalMem"],
            "compute_major": p.get("computeMajor"),
            "compute_minor": p.get("computeMinor"),
            "multiprocessors": p.get("numSms"),
        }
        for p in header.get("deviceProperties", [])
    ]
    return make_model(hosts, devices, devices=properties)


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
