"""Read one trace and decode it with msgspec, keeping nothing: no reader that uses it is faster."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import msgspec
from isal import igzip


class Arguments(msgspec.Struct, gc=False):
    """The arguments that nearly every event has."""

    external_id: int | None = msgspec.field(default=None, name="External id")
    correlation: int | None = None


class Event(msgspec.Struct, gc=False):
    """The fields that every event has."""

    name: str = ""
    ph: str = ""
    cat: str | None = None
    ts: float = 0
    dur: float = 0
    args: Arguments | None = None


class Trace(msgspec.Struct, gc=False):
    """A whole file."""

    events: list[Event] = msgspec.field(default_factory=list, name="traceEvents")


def main(path: str) -> None:
    """Measure one file."""
    begin = time.perf_counter()
    data = Path(path).read_bytes()
    read = time.perf_counter()
    if data[:2] == b"\x1f\x8b":
        data = igzip.decompress(data)
    unpacked = time.perf_counter()
    events = len(msgspec.json.decode(data, type=Trace).events)
    end = time.perf_counter()
    seconds = {"read": read - begin, "gunzip": unpacked - read, "decode": end - unpacked}
    print(json.dumps({"seconds": seconds, "total_s": end - begin, "events": events}))


if __name__ == "__main__":
    main(sys.argv[1])
