"""Small files whose parts refer to one large or nested value many times: read within their size.

Pickles and marshalled files write a value once and refer to it from then on, so a file of a few
kilobytes may stand for more text than fits into any memory.
"""

from __future__ import annotations

import marshal
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.sources.limits import unpacking
from nbprof.sources.limits.texts import LONGEST_LIST
from nbprof.sources.python_profiles.stats import LONGEST
from tests.support.traces import warning_counts

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

TOO_LONG = "texts that are too long"


def nested() -> list[Any]:
    """Return a list of a few hundred objects that is 10²⁵ texts long when written out."""
    found: list[Any] = ["lol"]
    for _ in range(25):
        found = [found] * 10
    return found


def snapshot(folder: Path, *entries: dict[str, Any], **others: Any) -> Trace:
    usual = {"action": "alloc", "size": 512, "stream": 0}
    traces = [{**usual, "addr": at * 512, "time_us": at, **one} for at, one in enumerate(entries)]
    content = {"segments": [], "device_traces": [traces], **others}
    (folder / "a.pickle").write_bytes(pickle.dumps(content, 4))
    return nbprof.load(folder, progress=False, cache=False).trace().read()


@pytest.mark.parametrize(
    "entry",
    [
        {"frames": [nested()]},
        {"frames": [{"filename": nested(), "line": nested(), "name": nested()}]},
        {"frames": [{"filename": 10**5000, "line": 10**5000, "name": "f"}]},
        {"frames": nested()},
        {"action": nested()},
        {"size": nested(), "stream": nested()},
        {"user_metadata": {"a": nested()}, "compile_context": nested(), "category": nested()},
        {"segment_pool_id": (nested(), nested()), "history": nested(), "device": nested()},
    ],
    ids=["frame", "file", "number", "frames", "action", "size", "notes", "pool"],
)
def test_nested_lists_are_not_written_out(tmp_path: Path, entry: dict[str, Any]) -> None:
    trace = snapshot(tmp_path, {"frames": []}, entry)
    assert trace.model.tables["memory"].num_rows >= 1
    assert trace.memory_peak_holders().num_rows >= 0


def test_states_of_blocks_are_not_written_out(tmp_path: Path) -> None:
    block = {"address": 0, "size": 512, "requested_size": 512, "state": nested()}
    segment = {"device": 0, "address": 0, "total_size": 512, "blocks": [block]}
    assert snapshot(tmp_path, {}, segments=[segment]).model.tables["memory"].num_rows >= 1


def test_one_long_stack_is_cut(tmp_path: Path) -> None:
    frame = {"filename": "f" * 4000, "line": 1, "name": "g"}
    trace = snapshot(tmp_path, {"frames": [frame] * 100_000})
    [stack] = trace.model.tables["memory_stacks"]["call_stack"].to_pylist()
    assert len(stack) < LONGEST_LIST + 5000
    assert warning_counts(trace.model)[TOO_LONG] >= 1


def test_all_stacks_have_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Room for what the pickle itself unpacks to, but not for four megabytes of stacks.
    monkeypatch.setattr(nbprof.options, "unpacked_bytes", 2_000_000)
    monkeypatch.setattr(nbprof.options, "unpacked_ratio", 1)
    name = "f" * 4000
    entries = [{"frames": [{"filename": name, "line": line, "name": "g"}]} for line in range(1000)]
    trace = snapshot(tmp_path, *entries)
    size = (tmp_path / "a.pickle").stat().st_size
    room = unpacking.unpacking_budget(size)
    stacks = trace.model.tables["memory_stacks"]["call_stack"].to_pylist()
    known = [stack for stack in stacks if stack]
    assert sum(map(len, known)) <= room + 5000
    assert warning_counts(trace.model)["call stacks left out"] == 1000 - len(known) > 0


def test_functions_that_share_a_long_file(tmp_path: Path) -> None:
    file, name = "f" * 100_000, "g" * 100_000
    times = 1, 1, 0.1, 0.1
    content = {(file, line, name): (*times, {(file, 0, name): times}) for line in range(2000)}
    content[(file + "x", 1, "h")] = (*times, {})
    (tmp_path / "a.pstats").write_bytes(marshal.dumps(content))
    assert (tmp_path / "a.pstats").stat().st_size < 1_000_000
    trace = nbprof.load(tmp_path, progress=False, cache=False).trace().read()
    table = trace.functions()
    assert table.num_rows == 2001
    assert table.nbytes < 2001 * 6 * LONGEST
    files = set(table["file"].to_pylist())
    assert len(files) == 2
    assert all(len(one) <= LONGEST for one in files)
    assert warning_counts(trace.model)[TOO_LONG] == 3
