"""A small file that unpacks to a large one is read up to a budget, which the error names."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.sources.files.bytesource import ByteSource
from tests.support.traces import op, read_trace, warning_counts

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes of content in a bomb, much more than the budget of these tests.
LARGE = 64 << 20
BUDGET = 1 << 20


@pytest.fixture(autouse=True)
def _budget() -> object:
    with nbprof.options.having(unpacked_bytes=BUDGET, unpacked_ratio=50):
        yield


def bomb(path: Path, start: bytes, filling: bytes, end: bytes) -> Path:
    """Write content of `LARGE` bytes, a piece at a time, in a small file."""
    packer = zlib.compressobj(9, wbits=31)
    piece = filling * ((1 << 16) // len(filling))
    with path.open("wb") as file:
        file.write(packer.compress(start))
        for _ in range(LARGE // len(piece)):
            file.write(packer.compress(piece))
        file.write(packer.compress(end) + packer.flush())
    assert path.stat().st_size * 200 < LARGE
    return path


def test_no_more_is_unpacked_than_the_budget(tmp_path: Path) -> None:
    path = bomb(tmp_path / "a.gz", b"", b" ", b"")
    budget = max(BUDGET, 50 * path.stat().st_size)
    with ByteSource(path) as source:
        taken = 0
        while piece := source.read(1 << 16):
            taken += len(piece)
    assert 0 < taken <= budget < LARGE
    assert "unpacked_bytes" in source.damage


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("w.pt.trace.json.gz", b'{"traceEvents": [', b"]}"),
        ("w.json.gz", b"[[1700000000000000,", b"1],[[0]]]"),
        ("w.raw.json.gz", b"[[-1, 3, 5, 0],", b"[5, 1, 5, 0]]"),
        ("w.paddle_trace.json.gz", b'{"schemaVersion": "1.0", "traceEvents": [', b"]}"),
    ],
)
def test_every_format_names_the_budget(tmp_path: Path, name: str, start: bytes, end: bytes) -> None:
    path = bomb(tmp_path / name, start, b" ", end)
    with pytest.raises(nbprof.TraceFormatError, match="unpacked_bytes"):
        nbprof.load(path, cache=False).trace().read()


def test_what_comes_before_the_limit_is_read_and_the_loss_counted(tmp_path: Path) -> None:
    start = b'{"traceEvents": [' + b",".join(json.dumps(op()).encode() for _ in range(3))
    model = read_trace(bomb(tmp_path / "w.pt.trace.json.gz", start + b",", b" ", b"]}"))
    assert model.tables["host"].num_rows == 3
    assert warning_counts(model)["damaged gzip"] == 1
    (told,) = [one.example for one in model.warnings if one.kind == "damaged gzip"]
    assert "nbprof.options.unpacked_bytes" in told


def test_options_raise_the_budget_and_ordinary_files_are_below(tmp_path: Path) -> None:
    text = json.dumps({"traceEvents": [op(ts=at) for at in range(20_000)]}).encode()
    path = tmp_path / "w.pt.trace.json.gz"
    path.write_bytes(gzip.compress(text))
    assert BUDGET < len(text) < 50 * path.stat().st_size
    assert not read_trace(path).warnings
    with nbprof.options.having(unpacked_ratio=1):
        assert "damaged gzip" in warning_counts(read_trace(path))
    with nbprof.options.having(unpacked_ratio=1, unpacked_bytes=len(text)):
        assert not read_trace(path).warnings
