"""Bytes, progress and interruption of reading."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbprof.sources import progress as progress_module
from nbprof.sources.files.bytesource import ByteSource
from tests.support.examples import examples
from tests.support.traces import op, read_trace, write


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4), st.integers(1, 100))
def test_bytes_come_out_as_they_were(tmp_path: Path, parts: list[bytes], size: int) -> None:
    """Gzip may have several members, and zeros after the last."""
    expected = b"".join(parts)
    path = tmp_path / "a"
    for raw in (expected, b"".join(map(gzip.compress, parts)) + bytes(7)):
        path.write_bytes(raw)
        with ByteSource(path) as source:
            pieces = [source.read(size)]
            while len(pieces[-1]) == size:
                pieces.append(source.read(size))
            if raw is not expected or not source.packed:
                assert b"".join(pieces) == expected
                assert source.damage == ""


def test_bytes_up_to_the_damage_come_out(tmp_path: Path) -> None:
    content = json.dumps(list(range(200000))).encode()
    packed = bytearray(gzip.compress(content))
    packed[len(packed) // 2] ^= 0xFF
    path = write(tmp_path / "a.bin", bytes(packed))
    with ByteSource(path) as source:
        found = source.read(len(content))
        assert source.damage
    sound = len(content) * 2 // 5  # the flipped bit lies near the middle
    assert found[:sound] == content[:sound]


def events() -> list[Any]:
    return [op(ts=i) for i in range(3000)]


def test_progress_counts_bytes_up_to_all_of_them(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", events())
    calls: list[tuple[int, int, str]] = []
    read_trace(path, progress=lambda *call: calls.append(call), window=1 << 14)
    size = path.stat().st_size
    assert len(calls) > 5
    assert [done for done, _, _ in calls] == sorted(done for done, _, _ in calls)
    assert calls[-1] == (size, size, "a.json")


def test_a_bar_shows_only_when_reading_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "a.json", events())
    read_trace(path, progress="auto", window=1 << 14)
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr(progress_module, "PATIENCE_S", -1)
    read_trace(path, progress=False, window=1 << 14)
    assert capfd.readouterr() == ("", "")
    read_trace(path, progress="auto", window=1 << 14)
    out, err = capfd.readouterr()
    assert out == ""
    assert "a.json" in err


def test_an_interruption_leaves_no_file_open(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", events())

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_trace(path, progress=interrupt, window=1 << 14)
    assert path not in _open_files()


def _open_files() -> list[Path]:
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("no /proc here")
    # The descriptor of the listing itself is gone by the time it is looked at.
    return [link.readlink() for link in folder.iterdir() if link.is_symlink()]
