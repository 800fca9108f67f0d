"""Whether the end of a file is there is known without reading its events."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from nbprof.sources.chrome.ending import is_whole
from nbprof.sources.discovery.head import PEEK
from tests.support.traces import write

if TYPE_CHECKING:
    from pathlib import Path

#: Values that look like the end of the array, inside of events.
ODD = ({"dims": []}, {"list": [[1], {}]}, {"text": '"}]}', "more": ["\\", "]}"]}, {})
EVENTS = [
    {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": at, "dur": 1, "args": odd}
    for at, odd in enumerate(ODD)
]
TEXTS = (
    json.dumps({"schemaVersion": 1, "traceEvents": EVENTS}),
    json.dumps({"traceEvents": EVENTS, "deviceProperties": [{"id": 0}, {"id": 1}], "note": "]}"}),
    json.dumps(EVENTS),
    json.dumps({"traceEvents": EVENTS}, indent=1),
)


@pytest.mark.parametrize("text", TEXTS)
def test_every_cut_is_found(tmp_path: Path, text: str) -> None:
    for length in range(len(text)):
        assert not is_whole(write(tmp_path / "a.json", text[:length]))
    for after in ("", "\n", " \n"):
        assert is_whole(write(tmp_path / "a.json", text + after))
    assert is_whole(write(tmp_path / "a.json", "\ufeff" + text))


@pytest.mark.parametrize("text", TEXTS)
def test_compressed(tmp_path: Path, text: str) -> None:
    packed = gzip.compress(text.encode())
    for length in range(len(packed)):
        assert not is_whole(write(tmp_path / "a.json", packed[:length]))
    assert is_whole(write(tmp_path / "a.json", packed))
    assert not is_whole(write(tmp_path / "a.json", gzip.compress(text[:-1].encode())))
    assert not is_whole(write(tmp_path / "a.json", packed[:-8] + b"\0" * 8))


def test_large_files_are_read_at_their_ends_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps({"traceEvents": EVENTS * 5000})
    path = write(tmp_path / "a.json", text)
    taken: list[int] = []
    monkeypatch.setattr("nbprof.sources.chrome.ending.ByteSource", _counting(taken))
    assert is_whole(path)
    assert sum(taken) <= 2 * PEEK < len(text)
    assert not is_whole(write(path, text[:-2]))


def test_what_cannot_be_told_is_no(tmp_path: Path) -> None:
    for text in ("", "{}", '{"traceEvents": []}', '{"other": [1, 2]}', TEXTS[0] + " more"):
        assert not is_whole(write(tmp_path / "a.json", text))
    assert not is_whole(tmp_path / "none.json")


def _counting(taken: list[int]) -> type:
    """Return a source of bytes that notes how many were read."""
    from nbprof.sources.files.bytesource import ByteSource

    class Counting(ByteSource):
        def read(self, size: int) -> bytes:
            piece = super().read(size)
            taken.append(len(piece))
            return piece

        def last(self, size: int) -> bytes:
            piece = super().last(size)
            taken.append(len(piece))
            return piece

    return Counting
