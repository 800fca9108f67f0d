"""Traces with more categories and phases than any recorder writes lose none of their other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbprof
from nbprof.sources.kineto.categories import MOST_CATEGORIES, OTHERS
from nbprof.sources.paddle.chrome.rows import MOST_TYPES
from tests.fuzz.seeds import seed
from tests.support.traces import Event, kernel, op, table_rows, warning_counts

if TYPE_CHECKING:
    from pathlib import Path

MANY = 33_000  # more than int16 counts


def test_of_pytorch(model_of: Any) -> None:
    def odd(number: int, **keys: Any) -> Event:
        return {**op(ts=number), **keys}

    unknown = [odd(n, cat=f"cat{n}") for n in range(MANY)]
    phases = [{"ph": f"p{n}", "name": "a", "pid": 1, "tid": 1, "ts": n} for n in range(MANY)]
    calls = [odd(n, cat=f"v{n}_runtime", dur=0.5) for n in range(MOST_CATEGORIES + 5)]
    work = [odd(n, cat=f"w{n}", args={"stream": 7, "device": 0}) for n in range(MOST_CATEGORIES)]
    model = model_of(*unknown, *phases, *calls, *work, op("last"), kernel("k", 1, 2))
    assert "last" in {row["name"] for row in table_rows(model)}
    assert sum(row["kind"] == "runtime" for row in table_rows(model)) == len(calls)
    assert len(table_rows(model, "device")) == len(work) + 1
    counts = warning_counts(model)
    assert counts["unknown kind of event"] == MANY
    assert counts["unknown category of device work"] == len(work)
    assert sum(row["kind"] == "annotation" for row in table_rows(model)) == MANY
    for name in ("dropped", "other_categories"):
        found = model.metadata[name]
        assert sum(found.values()) == MANY
        assert len(found) <= MOST_CATEGORIES + 1
    assert model.metadata["other_categories"][OTHERS] > MANY // 2


def test_of_paddle(tmp_path: Path) -> None:
    [(path, content)] = seed("paddle_json").items()
    events = content.value["traceEvents"]
    model = next(event for event in events if event.get("cat") == "Operator")
    usual = read(tmp_path / "usual", path, content)
    events[:0] = [{**model, "cat": f"Type{n}"} for n in range(MANY)]
    trace = read(tmp_path / "many", path, content)
    assert trace.model.tables["host"].num_rows == usual.model.tables["host"].num_rows + MANY
    assert trace.model.tables["device"].num_rows == usual.model.tables["device"].num_rows
    kinds = set(trace.model.tables["host_types"]["event_type"].to_pylist())
    assert {"Type0", "OtherTypes", "Operator"} <= kinds
    assert len(kinds) < MOST_TYPES + 20


def read(folder: Path, path: str, content: Any) -> nbprof.Trace:
    (folder / path).parent.mkdir(parents=True)
    (folder / path).write_bytes(content.encode())
    return nbprof.load(folder, progress=False, cache=False).trace().read()
