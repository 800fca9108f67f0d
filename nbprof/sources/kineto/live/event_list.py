"""Writes the events of an `EventList` as a Chrome trace in the form that Kineto writes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Devices by the number of their type whose slices have other categories than those of a GPU.
_CPU_LIKE: Final = ("CPU", "MKLDNN", "IDEEP")

_FLOWS: Final = {1: "fwdbwd", 2: "ac2g"}


def trace_of_events(events: Iterable[Any]) -> bytes:
    """Return a trace with the events of a list.

    An `EventList` has no memory records, and lacks the slices that PyTorch removed as duplicates of
    the slice around them. Lists of older versions have fewer fields, which are left out.

    Parameters
    ----------
    events : iterable of torch.autograd.profiler_util.FunctionEvent
        Times are in microseconds since the start of the recording.
    """
    listed = list(events)
    rows = [row for event in listed for row in _rows(event)]
    # The recording starts at 0, which no event need do.
    rows.append({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans"})
    rows[-1] |= {"tid": "PyTorch Profiler", "ts": 0, "dur": _us(_last_end(listed))}
    trace = {"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": rows}
    return json.dumps(trace, default=str).encode("utf-8", "surrogatepass")


def _rows(event: Any) -> Iterator[dict[str, Any]]:
    name = getattr(event, "trace_name", None) or event.name
    if name.startswith("["):  # "[memory]" and "[OutOfMemory]", without size and address
        return
    start, end = event.time_range.start, event.time_range.end
    on_host = _device(event) in _CPU_LIKE
    pid = os.getpid() if on_host else event.device_index
    tid = getattr(event, "device_resource_id", event.thread)
    place = {"pid": pid, "tid": tid, "ts": _us(start)}
    yield {
        "ph": "X",
        "cat": _category(event, name, on_host),
        "name": name,
        **place,
        "dur": _us(end - start),
        "args": _arguments(event, on_host),
    }
    flow = getattr(event, "flow_id", 0)
    if flow:
        kind = _FLOWS.get(event.flow_type, "ac2g")
        end_of_flow = {"ph": "s"} if event.flow_start else {"ph": "f", "bp": "e"}
        yield {**end_of_flow, "id": flow, **place, "cat": kind, "name": kind}


def _last_end(events: list[Any]) -> float:
    return max((event.time_range.end for event in events), default=0.0)


def _us(time: float) -> float:
    """Return a time to the nanosecond, in which it was recorded."""
    return round(time, 3)


def _device(event: Any) -> str:
    return str(getattr(event.device_type, "name", event.device_type))


def _category(event: Any, name: str, on_host: bool) -> str:
    stated = getattr(event, "activity_type", None)
    if stated:
        return str(stated)
    if not on_host:
        kinds = {"Memcpy": "gpu_memcpy", "Memset": "gpu_memset"}
        return next((kinds[word] for word in kinds if name.startswith(word)), "kernel")
    if getattr(event, "is_user_annotation", False) or name.startswith("ProfilerStep#"):
        return "user_annotation"
    return "cuda_runtime" if name.startswith(("cuda", "hip")) else "cpu_op"


def _arguments(event: Any, on_host: bool) -> dict[str, Any]:
    linked = getattr(event, "linked_correlation_id", 0)
    arguments: dict[str, Any] = {"External id": linked or event.id}
    if not on_host:
        arguments |= {"device": event.device_index, "stream": event.device_resource_id}
    if event.sequence_nr >= 0:
        arguments |= {"Sequence number": event.sequence_nr, "Fwd thread id": event.fwd_thread}
    shapes = getattr(event, "structured_input_shapes", None) or event.input_shapes
    fields = {
        "Input Dims": shapes,
        "Input type": getattr(event, "input_dtypes", None),
        "Input Strides": getattr(event, "structured_input_strides", None),
        "Concrete Inputs": _values(getattr(event, "concrete_inputs", None)),
        "Call stack": ";".join(event.stack or ()),
    }
    arguments |= {key: value for key, value in fields.items() if value}
    arguments |= _of_python(event)
    return arguments | _stated(event)


def _values(inputs: Any) -> list[str]:
    """Return the inputs that are not tensors as Kineto writes them, "" for the others."""
    return ["" if one is None else str(one) for one in inputs or ()]


def _of_python(event: Any) -> dict[str, Any]:
    ids = {
        "Python id": getattr(event, "python_id", -1),
        "Python parent id": getattr(event, "python_parent_id", -1),
        "Python module id": getattr(event, "python_module_id", -1),
    }
    return {key: value for key, value in ids.items() if value >= 0}


def _stated(event: Any) -> dict[str, Any]:
    """Return the arguments that Kineto has for a slice, such as grid, bytes and collectives."""
    text = getattr(event, "_metadata_json", None)
    try:
        found = json.loads(f"{{{text}}}") if text else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
