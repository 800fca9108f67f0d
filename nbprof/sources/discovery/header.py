"""Parses the metadata outside the event array of a trace: known keys only, tolerant of damage.

Files may contain anything there, including environment variables, so unknown keys are dropped.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from nbprof.sources.chrome.columns import as_float, as_integer, as_small
from nbprof.sources.chrome.repair import repair_json
from nbprof.sources.chrome.times import decimal_number, whole_number
from nbprof.sources.limits.gpus import gpu_row
from nbprof.sources.limits.jobs import is_world_size
from nbprof.sources.parts.recording import KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.defects import DefectLog

#: Key in the file → key in the metadata, for plain texts and numbers.
PLAIN = {
    "schemaVersion": "schema_version",
    "host_name": "host_name",
    "cuda_runtime_version": "cuda_runtime_version",
    "cuda_driver_version": "cuda_driver_version",
    "cupti_version": "cupti_version",
    "hip_runtime_version": "hip_runtime_version",
    "hip_driver_version": "hip_driver_version",
}

#: Options of the profiler, by the same name in both.
FLAGS = ("record_shapes", "profile_memory", "with_stack", "with_modules", "with_flops")

#: The keys that are looked for.
KNOWN = (*PLAIN, *FLAGS, "distributedInfo", "deviceProperties", "baseTimeNanoseconds", KEY)

Header = dict[str, Any]


def _finite(text: str) -> float:
    return float(decimal_number(text))


_decoder = json.JSONDecoder(parse_float=_finite, parse_int=whole_number)


def parse(
    head: bytes, tail: bytes, defects: DefectLog, *, closed: bool, known: Sequence[str] = KNOWN
) -> Header:
    """Return the known top-level keys of a trace.

    Parameters
    ----------
    head : bytes
        The text before the array of events, from the opening brace on, the key included.
    tail : bytes
        The text after that array.
    defects : DefectLog
        Counts damage.
    closed : bool
        Whether the array was closed; if not, this has already been counted.
    known : sequence of str
        The keys to look for.
    """
    text = head.strip() + b"[]" + tail
    if not closed:
        text += b"}"
    for attempt in (text, text + b"}"):
        mended, repairs = (
            (attempt, []) if attempt is text and _is_json(text) else repair_json(attempt)
        )
        try:
            found, end = _decoder.raw_decode(mended.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if not isinstance(found, dict):  # the opening brace is damaged
            continue
        for repair in repairs:
            defects.note(repair.kind, repair.count, repair.example)
        if attempt is not text:
            defects.note("cut off", 1, "the file ends before its outermost brace is closed")
        after = mended.decode("utf-8", "replace")[end:].strip()
        if after:
            defects.note("text after the end", 1, after)
        return {key: found[key] for key in known if key in found}
    if closed:
        defects.note("unreadable header", 1, "its known keys were searched for one by one")
    return find_keys(text.decode("utf-8", "replace"), known)


def _is_json(text: bytes) -> bool:
    try:
        _decoder.raw_decode(text.decode())
    except (ValueError, RecursionError):
        return False
    return True


def find_keys(text: str, known: Sequence[str] = KNOWN) -> Header:
    """Return the known keys that can be decoded in text that is not valid JSON as a whole."""
    header: Header = {}
    for key in known:
        if f'"{key}"' not in text:  # many times as fast as the expression
            continue
        match = re.search(rf'"{key}"\s*:\s*', text)
        if match:
            try:
                header[key] = _decoder.raw_decode(text, match.end())[0]
            except (ValueError, RecursionError):
                continue
    return header


def base_ns(header: Header) -> int:
    """Return the absolute nanoseconds that time stamps count from."""
    return as_integer(header.get("baseTimeNanoseconds", KEY), missing=0)


def metadata(header: Header) -> dict[str, Any]:
    """Return the metadata of a trace."""
    found: dict[str, Any] = {}
    for key, name in PLAIN.items():
        if isinstance(header.get(key), (str, int, float)):
            found[name] = header[key]
    for flag in FLAGS:
        if flag in header:
            found[flag] = _is_true(header[flag])
    job = distributed(header)
    rank, world_size = (as_integer(job.get(key)) for key in ("rank", "world_size"))
    if rank >= 0:
        found["rank"] = rank
    if is_world_size(world_size):
        found["world_size"] = world_size
    if isinstance(job.get("backend"), str):
        found["backend"] = job["backend"]
    return found


def distributed(header: Header) -> dict[str, Any]:
    """Return the metadata about the job that the process was part of."""
    job = header.get("distributedInfo")
    return job if isinstance(job, dict) else {}


def devices(
    header: Header, defects: DefectLog | None = None, multiprocessors: str = "numSms"
) -> list[dict[str, Any]]:
    """Return rows of the devices table, by their ids; positions count only without ids.

    Parameters
    ----------
    header : mapping
        The top-level keys of the file.
    defects : DefectLog, optional
        Counts figures that are left out.
    multiprocessors : str
        The key of their number.
    """
    listed = header.get("deviceProperties")
    rows: dict[int, dict[str, Any]] = {}
    for position, one in enumerate(listed if isinstance(listed, list) else []):
        if not isinstance(one, dict):
            continue
        device = as_small(one.get("id"), missing=position)
        rows[device] = gpu_row(
            device,
            one.get("name"),
            defects,
            memory_bytes=one.get("totalGlobalMem"),
            compute_major=one.get("computeMajor"),
            compute_minor=one.get("computeMinor"),
            multiprocessors=one.get(multiprocessors),
        )
    return [rows[device] for device in sorted(rows)]


def _is_true(value: Any) -> bool:
    return value is True or as_float(value) > 0 or str(value).lower() == "true"
