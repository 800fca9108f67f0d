"""Events larger than a window, and gaps between events that are larger than events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.sources.chrome import windows
from nbprof.sources.chrome.structure import is_beginning
from tests.support.traces import op, read_trace, warning_counts, write

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes of a window in these tests.
WINDOW = 4096

LARGE: dict[str, dict[str, Any]] = {
    "list of objects": {"args": {"x": [{"a": n} for n in range(9000)]}},
    "list of what looks like events": {
        "args": {"x": [{"name": "b", "ts": n} for n in range(4000)]}
    },
    "string": {"args": {"x": "y" * 90_000}},
    "string of objects": {"args": {"x": '{"name": 1},' * 9000}},
    "name": {"name": "y" * 90_000},
    "numbers": {"args": {"x": [1.5e-3] * 9000}},
    "quotes": {"args": {"x": '"' * 50_000}},
}


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "PATIENCE", 2 * WINDOW)


def read(tmp_path: Path, text: str) -> tuple[list[float], dict[str, int]]:
    """Return start times in microseconds, and counts of warnings by kind."""
    path = write(tmp_path / "large.pt.trace.json", text)
    model = read_trace(path, window=WINDOW)
    starts = model.column("host", "start_ns") / 1000
    return starts.tolist(), warning_counts(model)


def file_of(*events: str, gap: str = ",") -> str:
    return f'{{"schemaVersion": 1, "traceEvents": [{gap.join(events)}]}}'


@pytest.mark.parametrize("kind", LARGE)
def test_an_event_of_many_windows_is_read(tmp_path: Path, kind: str) -> None:
    small = [json.dumps(op("a", ts, 1)) for ts in (0, 10)]
    large = json.dumps({**op("a", 5, 1), **LARGE[kind]})
    # Names so long are cut, and counted.
    cut = {"texts that are too long": 1} if "name" in LARGE[kind] else {}
    assert read(tmp_path, file_of(small[0], large, small[1])) == ([0, 5, 10], cut)
    assert read(tmp_path, file_of(large, large)) == ([0, 0], cut)


@pytest.mark.parametrize("kind", ["list of objects", "string"])
def test_a_large_event_is_mended(tmp_path: Path, kind: str) -> None:
    large = json.dumps({**op("a\x01b", 5, 1), **LARGE[kind]}).replace("\\u0001", "\x01")
    starts, warned = read(tmp_path, file_of(json.dumps(op("a", 0, 1)), large))
    assert (starts, warned) == ([0, 5], {"control character": 1})


def test_events_after_a_string_that_does_not_end_are_found(tmp_path: Path) -> None:
    small = [json.dumps(op("a", ts, 1)) for ts in range(300)]
    broken = json.dumps(op("a", 300, 1)).replace('"name": "a"', '"name": "a')
    starts, warned = read(tmp_path, file_of(*small, broken, *small))
    assert len(starts) == 600
    assert warned


@pytest.mark.parametrize("many", [2, 3000, 100_000])
def test_commas_between_events_are_counted(tmp_path: Path, many: int) -> None:
    events = [json.dumps(op("a", ts, 1)) for ts in range(3)]
    starts, warned = read(tmp_path, file_of(*events, gap="," * many))
    assert (starts, warned) == ([0, 1, 2], {"spare comma": 2 * (many - 1)})


@pytest.mark.parametrize(
    "gap", [" " * 100_000 + ",", "," + "\n" * 100_000, " " * 9000 + "," + " " * 9000]
)
def test_blanks_between_events_are_no_damage(tmp_path: Path, gap: str) -> None:
    events = [json.dumps(op("a", ts, 1)) for ts in range(3)]
    assert read(tmp_path, file_of(*events, gap=gap)) == ([0, 1, 2], {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a": "b', True),
        (b'{"a": 1.', True),
        (b'{"a": -', True),
        (b'{"a": "b" c', False),
        (b'{"a": [{"b": {}}', True),
        (b'{"a": 1}]', False),
        (b'[{"a":' * 5000, False),
    ],
)
def test_beginnings_of_json_are_told_from_damage(text: bytes, expected: bool) -> None:
    assert is_beginning(text) is expected
