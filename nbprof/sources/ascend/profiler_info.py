"""Reads `profiler_info_*.json` and the metadata file: how the trace was recorded.

`profiler_metadata.json` holds environment variables of the process; they are not read.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from nbprof.sources.discovery.naming import LARGEST_BARE_RANK, LONGEST_RANK
from nbprof.sources.limits.jobs import is_world_size

#: Names of these files, and the rank in them.
INFO_KIND: Final = "profiler_info.json"
INFO: Final = re.compile(r"profiler_info(?:_(\d{1,9}))?\.json")
METADATA: Final = "profiler_metadata.json"

#: Key in the file → key in the metadata.
_FLAGS: Final = {
    name: name
    for name in ("record_shapes", "profile_memory", "with_stack", "with_modules", "with_flops")
}
_TEXTS: Final = {"_profiler_level": "profiler_level", "_aic_metrics": "aic_metrics"}
_VERSIONS: Final = ("torch_npu_version", "cann_version")
_LONGEST_TEXT: Final = 200
_WORKER: Final = re.compile(r"(.+)_(\d+)", re.DOTALL)


def rank_in_info_name(name: str) -> int | None:
    """Return the rank in the name of a `profiler_info_<rank>.json`."""
    match = INFO.fullmatch(name)
    return int(match.group(1)) if match and match.group(1) else None


def host_of(worker: str) -> str:
    """Return the host in a worker name ``<host>_<process>``, else an empty text."""
    match = _WORKER.fullmatch(worker)
    number = match.group(2) if match else "0"
    is_process = len(number) > LONGEST_RANK or int(number) > LARGEST_BARE_RANK
    return match.group(1) if match and is_process else ""


def of_info(data: bytes | bytearray) -> dict[str, Any]:
    """Return the metadata in a `profiler_info_<rank>.json`; empty if it cannot be read."""
    content = _object(data)
    config = _part(content, "config")
    common = _part(config, "common_config")
    experimental = _part(config, "experimental_config")
    found: dict[str, Any] = {
        name: common[key] for key, name in _FLAGS.items() if isinstance(common.get(key), bool)
    }
    for key, name in _TEXTS.items():
        if isinstance(experimental.get(key), str):
            found[name] = experimental[key][:_LONGEST_TEXT]
    for key in _VERSIONS:
        if isinstance(content.get(key), str):
            found[key] = content[key][:_LONGEST_TEXT]
    rank = _number(content.get("rank_id"))
    if rank is not None:
        found["rank"] = rank
    worker = _part(common, "on_trace_ready").get("_worker_name")
    if isinstance(worker, str) and host_of(worker):
        found["host_name"] = host_of(worker)[:_LONGEST_TEXT]
    return found


def of_metadata(data: bytes | bytearray) -> dict[str, Any]:
    """Return the job's metadata in a `profiler_metadata.json`; empty if it is broken."""
    job = _part(_object(data), "distributed_args")
    rank, world_size = _number(job.get("rank")), _number(job.get("world_size"))
    found = {} if rank is None else {"rank": rank}
    if world_size is not None and is_world_size(world_size):
        found["world_size"] = world_size
    return found


def _object(data: bytes | bytearray) -> dict[str, Any]:
    try:
        content = json.loads(data, parse_int=_whole)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _whole(text: str) -> int:
    return int(text) if len(text) <= LONGEST_RANK else -1


def _part(content: dict[str, Any], key: str) -> dict[str, Any]:
    part = content.get(key)
    return part if isinstance(part, dict) else {}


def _number(value: Any) -> int | None:
    """Return a number >= 0, which newer versions write as text; -1 if there is none."""
    text = str(value)
    is_rank = text.isascii() and text.isdecimal() and len(text) <= LONGEST_RANK
    return int(text) if is_rank and not isinstance(value, bool) else None
