"""Build the log directory of a job of many ranks by repeating a recording.

Every rank holds the same events in headers of its own, repeated as `build_large` does; one of them
is slower, so that there is something to find. The result is the same in every run.
"""

from __future__ import annotations

import argparse
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from traces.build_large import DATA, SAMPLES, Event, pieces, read_trace

RANKS = 64
#: A simulated training on two GPUs, with collectives.
SIMULATED = SAMPLES.parent / "tests" / "samples" / "gpu_resnet_synthetic"
#: Recordings in every file; one of them is some 6 MB of JSON.
TILES = 1
#: By so much everything on the slow rank takes longer.
SLOWER = Decimal("1.25")


def main() -> None:
    """Build what the command line describes and print where it is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ranks", type=int, default=RANKS, help="how many (default: %(default)s)")
    parser.add_argument("--tiles", type=int, default=TILES, help="recordings in each file")
    parser.add_argument("--part", type=float, default=1.0, help="take so much of the recording")
    parser.add_argument("--output", type=Path, help="where to (default: beside the benchmarks)")
    args = parser.parse_args()
    print(build(args.output, args.ranks, args.tiles, args.part))


def build(
    folder: Path | None = None, ranks: int = RANKS, tiles: int = TILES, part: float = 1.0
) -> Path:
    """Build the directory, if it is not there yet, and return its path.

    Parameters
    ----------
    folder : Path, optional
        Where the files go; beside the benchmarks if None.
    ranks : int
        How many files.
    tiles : int
        How often each repeats the recording.
    part : float
        So much of the recording's time is taken, from its start.
    """
    folder = folder or DATA / f"ranks-{ranks}-{tiles}-{part:g}"
    if len(list(folder.glob("*.pt.trace.json"))) == ranks:
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    head, tile = read_trace(min(SIMULATED.glob("*.json*")))
    tile = _beginning(tile, part)
    slow = slow_rank(ranks)
    usual = _events(head, tile, tiles)
    slower = _events(head, [_scaled(event) for event in tile], tiles)
    for rank in range(ranks):
        path = folder / f"rank{rank}.1700000000000000000.pt.trace.json"
        partial = path.with_suffix(".part")
        partial.write_bytes(_opening(rank, ranks) + (slower if rank == slow else usual))
        partial.replace(path)
    return folder


def slow_rank(ranks: int) -> int:
    """Return which rank is the slow one."""
    return ranks * 2 // 3


def _beginning(tile: list[Event], part: float) -> list[Event]:
    times = [event["ts"] for event in tile if event.get("ph") == "X"]
    end = min(times) + (max(times) - min(times)) * Decimal(part)
    return [event for event in tile if event.get("ph") == "M" or event.get("ts", end) <= end]


def _events(head: Event, tile: list[Event], tiles: int) -> bytes:
    """Return the text of a trace without its first brace and with nothing that tells its rank."""
    told = {
        key: value for key, value in head.items() if key not in {"distributedInfo", "host_name"}
    }
    return b"".join(pieces(told, tile, tiles)).lstrip()[1:]


def _opening(rank: int, ranks: int) -> bytes:
    job = f'{{"backend": "nccl", "rank": {rank}, "world_size": {ranks}}}'
    return f'{{"host_name": "node{rank // 8:02d}", "distributedInfo": {job}, '.encode()


def _scaled(event: Event) -> Event:
    slower: dict[str, Any] = {
        key: event[key] * SLOWER
        for key in ("ts", "dur")
        if isinstance(event.get(key), (int, Decimal))
    }
    return {**event, **slower}


if __name__ == "__main__":
    main()
