"""Build a large trace by repeating a real one.

Every tile is the whole recording, later by the length of the recording, its ids (External id,
correlation, flow ids, sequence numbers, python ids, event numbers) and its step numbers moved on,
so that no tile can be confused with another. The result is the same in every run, byte for byte.
"""

from __future__ import annotations

import argparse
import gzip
import math
import re
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

HERE = Path(__file__).resolve().parents[1]
DATA = HERE / ".data"
SHARED = HERE.parent.parent / "shared" / "data" / "kineto"
SAMPLES = HERE.parent / "samples"

#: 654,738 events of 275 bytes: the trace that the budgets speak of.
DEFAULT_SOURCE = "diff_control"
DEFAULT_EVENTS = 660_000

Event = dict[str, Any]

#: Arguments that tie events to each other, in any case. What is not positive means none, but for
#: ``Ev Idx``, which counts from 0.
ID_ARGUMENTS = frozenset(
    {
        "external id",
        "correlation",
        "sequence number",
        "ev idx",
        "python id",
        "python parent id",
        "wait_on_cuda_event_record_corr_id",
    }
)
STEP = re.compile(r"(ProfilerStep#)(\d+)")
GAP_US = 1000


def main() -> None:
    """Build the trace that the command line describes and print its path."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--source",
        default=DEFAULT_SOURCE,
        help="a trace file, or the name of one of the real traces (default: %(default)s)",
    )
    parser.add_argument("--events", type=int, default=DEFAULT_EVENTS, help="about so many events")
    parser.add_argument("--gzip", action="store_true", help="compress the result")
    args = parser.parse_args()
    print(build(args.source, args.events, compress=args.gzip))


def build(
    source: str = DEFAULT_SOURCE, events: int = DEFAULT_EVENTS, *, compress: bool = False
) -> Path:
    """Build a trace of about so many events, if it is not there yet, and return its path."""
    trace = find_source(source)
    stem = trace.name.split(".")[0] if trace.parent in (DATA, SAMPLES) else trace.parent.name
    suffix = ".pt.trace.json.gz" if compress else ".pt.trace.json"
    path = DATA / f"{stem}-{events}{suffix}"
    if path.exists():
        return path
    DATA.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    head, tile = read_trace(trace)
    tiles = max(1, round(events / len(tile)))
    with _open(part, compress=compress) as stream:
        for piece in pieces(head, tile, tiles):
            stream.write(piece)
    part.replace(path)
    return path


def find_source(source: str) -> Path:
    """Find a trace by its path, or by its name among the real ones; else the largest sample.

    Raises
    ------
    FileNotFoundError
        There is neither.
    """
    if Path(source).is_file():
        return Path(source)
    for folder in (SHARED / source, SAMPLES):
        found = sorted(folder.rglob("*.json*"), key=lambda path: path.stat().st_size)
        if found:
            return found[-1]
    message = f"{source} is no file, and neither {SHARED / source} nor {SAMPLES} holds a trace"
    raise FileNotFoundError(message)


def read_trace(path: Path) -> tuple[Event, list[Event]]:
    """Return all of a trace but its events, and its events; decimals keep every digit."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    # Some recorders write what is no JSON.
    data = re.sub(rb"(?<=[:\s])(NaN|-?Infinity|N/A)(?=\s*[,}\]])", b"0", data)
    decoded = msgspec.json.Decoder(float_hook=Decimal).decode(data)
    events = decoded.pop("traceEvents")
    # Other tools ask for the rank before they read anything else.
    decoded.setdefault("distributedInfo", {"backend": "nccl", "rank": 0, "world_size": 1})
    return decoded, events


def pieces(head: Event, tile: list[Event], tiles: int) -> Iterator[bytes]:
    """Give the trace piece by piece, one event a line."""
    encoder = msgspec.json.Encoder(decimal_format="number")
    opening = msgspec.json.format(encoder.encode(head), indent=0)
    yield opening[:-1] + b', "traceEvents": [\n'
    period, ids, steps = strides(tile)
    separator = b""
    for number in range(tiles):
        for event in tile:
            if number and event.get("ph") == "M":
                continue  # names of processes and threads are said once
            moved = move(event, number * period, number * ids, number * steps)
            yield separator + msgspec.json.format(encoder.encode(moved), indent=0)
            separator = b",\n"
    yield b"\n]}\n"


def strides(tile: list[Event]) -> tuple[int, int, int]:
    """Return by how much a tile is later than the one before, in µs, ids and step numbers."""
    times = [event["ts"] for event in tile if _is_timed(event)]
    ends = [event["ts"] + event.get("dur", 0) for event in tile if _is_timed(event)]
    period = math.ceil((max(ends) - min(times)) / GAP_US + 1) * GAP_US
    ids = [1]
    steps = {0}
    for event in tile:
        ids += [value for _, value in _ids(event)]
        if match := STEP.fullmatch(event.get("name", "")):
            steps.add(int(match[2]))
    numbers = sorted(steps)[1:] or [0]
    return period, max(ids) + 1, numbers[-1] - numbers[0] + 1


def move(event: Event, later: int, ids: int, steps: int) -> Event:
    """Return an event moved in time, ids and step numbers."""
    moved = dict(event)
    if _is_timed(event):
        moved["ts"] = event["ts"] + later
    if steps and "ProfilerStep#" in event.get("name", ""):
        moved["name"] = STEP.sub(lambda m: f"{m[1]}{int(m[2]) + steps}", event["name"])
    for key, value in _ids(event):
        if key == "id":
            moved["id"] = value + ids
        else:
            if moved.get("args") is event.get("args"):
                moved["args"] = dict(event["args"])
            moved["args"][key] = value + ids
    return moved


def _ids(event: Event) -> Iterator[tuple[str, int]]:
    if isinstance(event.get("id"), int):
        yield "id", event["id"]
    for key, value in (event.get("args") or {}).items():
        numbered = key.lower() in ID_ARGUMENTS and isinstance(value, int)
        if numbered and (value > 0 or (value == 0 and key == "Ev Idx")):
            yield key, value


def _is_timed(event: Event) -> bool:
    return event.get("ph") != "M" and isinstance(event.get("ts"), (int, Decimal))


@contextmanager
def _open(path: Path, *, compress: bool) -> Iterator[BinaryIO | gzip.GzipFile]:
    with path.open("wb") as stream:
        if not compress:
            yield stream
            return
        # No name and no time in the header: the same bytes whenever it is built.
        with gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
            yield packed


if __name__ == "__main__":
    main()
