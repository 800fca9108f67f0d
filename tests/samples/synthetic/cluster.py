"""Ranks in lock step, and the files they write."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from tests.samples.synthetic.gpu import COMMUNICATION, COMPUTE, PROPERTIES
from tests.samples.synthetic.recorder import BASE_NS, Args, to_text
from tests.samples.synthetic.reducer import RANKS
from tests.samples.synthetic.training import Rank

if TYPE_CHECKING:
    from pathlib import Path

    from tests.samples.synthetic.gpu import Collective

#: The second GPU runs hotter and is clocked lower, and its images take longer to decode.
SLOWDOWN = {0: 1.0, 1: 1.07}
LOADING_US = {0: 3300.0, 1: 4300.0}


def write_profiles(folder: Path) -> list[Path]:
    """Simulate the training and write one profile a rank; return their paths."""
    ranks = [Rank(number, SLOWDOWN[number], LOADING_US[number]) for number in RANKS]
    _train(ranks)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for rank in ranks:
        end = BASE_NS + rank.window[1]
        path = folder / f"worker{rank.rank}.{end}.pt.trace.json.gz"
        text = to_text(_header(rank), _metadata(rank) + rank.recorder.events)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
        paths.append(path)
    return paths


def _train(ranks: list[Rank]) -> None:
    """Let every rank go on to its next collectives, run those, and so on to the end."""
    loops = [rank.train() for rank in ranks]
    for waiting in zip(*loops, strict=True):
        for group in zip(*waiting, strict=True):
            _meet(list(group))


def _meet(group: list[Collective]) -> None:
    """Run a collective: the first rank in it waits for the last, then the data goes round."""
    starts = [one.start() for one in group]
    end = max(starts) + round(1000 * group[0].gpu.recorder.vary(group[0].transfer_us, 0.03))
    for number, (one, start) in enumerate(zip(group, starts, strict=True)):
        one.run(start, end + 350 * number)


def _header(rank: Rank) -> Args:
    group: Args = {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl"}
    group |= {"pg_size": len(RANKS), "ranks": RANKS}
    return {
        "schemaVersion": 1,
        "synthetic": "simulated by samples/make_samples.py; nothing in this file was measured",
        "deviceProperties": [{"id": number, **PROPERTIES} for number in RANKS],
        "cupti_version": 26,
        "cuda_runtime_version": 12080,
        "cuda_driver_version": 12080,
        "record_shapes": 1,
        "profile_memory": 1,
        "with_stack": 1,
        "with_modules": 1,
        "distributedInfo": {
            "backend": "nccl",
            "rank": rank.rank,
            "world_size": len(RANKS),
            "pg_count": 1,
            "pg_config": [group],
            "nccl_version": "2.26.2",
        },
        "trace_id": f"{rank.rank:032X}",
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": BASE_NS,
        "traceName": f"worker{rank.rank}.pt.trace.json",
    }


def _metadata(rank: Rank) -> list[Args]:
    """Return the names of processes and threads, and the marks of the profiler's window."""
    recorder, (begin, end) = rank.recorder, rank.window
    events: list[Args] = []

    def name(what: str, key: str, value: str | int, pid: int | str, tid: int) -> None:
        event = {"name": what, "ph": "M", "ts": begin, "pid": pid, "tid": tid}
        events.append({**event, "args": {key: value}})

    name("process_name", "name", "python", recorder.pid, 0)
    name("process_labels", "labels", "CPU", recorder.pid, 0)
    name("process_name", "name", "python", rank.rank, 0)
    name("process_labels", "labels", f"GPU {rank.rank}", rank.rank, 0)
    for thread in recorder.threads:
        text = f"thread {thread.tid} ({thread.name})"
        name("thread_name", "name", text, recorder.pid, thread.tid)
    for stream in (COMPUTE, COMMUNICATION):
        name("thread_name", "name", f"stream {stream} ", rank.rank, stream)
    span: Args = {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans"}
    span |= {"tid": "PyTorch Profiler", "ts": begin, "dur": end - begin, "args": {"Op count": 0}}
    mark: Args = {"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces"}
    mark |= {"tid": "Trace PyTorch Profiler", "ts": begin}
    last = {
        "ph": "i",
        "s": "g",
        "name": "Record Window End",
        "pid": "",
        "tid": "",
        "ts": end + 1000,
    }
    return [*events, span, mark, last]
