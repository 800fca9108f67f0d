"""The next block is read while the last one is decoded, with equal results."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from nbprof.sources.chrome import windows
from nbprof.sources.files.read_ahead import ReadAhead
from tests.support.traces import op, read_trace, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.sources.files.bytesource import ByteSource


class Slow:
    """Stands for a source: every read takes a while."""

    done = 0
    damage = ""
    position = 0

    def __init__(self, content: bytes, fails_at: int = -1) -> None:
        self._rest = content
        self._fails_at = fails_at
        self.reads: list[float] = []

    def read(self, size: int) -> bytes:
        if len(self.reads) == self._fails_at:
            raise OSError(5, "the cable")
        self.reads.append(time.monotonic())
        time.sleep(0.05)
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


@pytest.mark.parametrize("length", [0, 3, 10, 11, 35, 40])
def test_reading_ahead_changes_nothing(length: int) -> None:
    content = bytes(range(length))
    found = []
    with ReadAhead(Slow(content), 10) as ahead:  # type: ignore[arg-type]
        for size in (10, 12, 10, 15, 10, 10):
            found.append(ahead.read(size))
            assert ahead.position == len(b"".join(found))
    assert b"".join(found) == content
    assert all(found[: length // 15])


def test_the_next_piece_is_read_meanwhile() -> None:
    source = Slow(bytes(100))
    with ReadAhead(source, 10) as ahead:  # type: ignore[arg-type]
        ahead.read(10)
        time.sleep(0.05)
        assert len(source.reads) == 2


def test_an_error_of_the_thread_reaches_who_reads() -> None:
    with ReadAhead(Slow(bytes(100), fails_at=2), 10) as ahead:  # type: ignore[arg-type]
        assert len(ahead.read(10) + ahead.read(10)) == 20
        with pytest.raises(OSError, match="the cable"):
            ahead.read(10)


def test_without_threads_it_is_read_when_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError

    path = write(tmp_path / "a.json.gz", [op(ts=i) for i in range(200)])
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert read_trace(path, window=500).tables["host"].num_rows == 200


@pytest.mark.parametrize(("suffix", "ahead"), [("json", 0), ("json.gz", 1)])
def test_packed_files_are_read_ahead_and_plain_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, ahead: int
) -> None:
    used: list[ReadAhead] = []

    class Seen(ReadAhead):
        def __init__(self, source: ByteSource, size: int) -> None:
            super().__init__(source, size)
            used.append(self)

    monkeypatch.setattr(windows, "ReadAhead", Seen)
    path = write(tmp_path / f"a.{suffix}", [op(ts=i) for i in range(200)])
    assert read_trace(path, window=500).tables["host"].num_rows == 200
    assert len(used) == ahead
    assert not any("read-ahead" in thread.name for thread in threading.enumerate())
