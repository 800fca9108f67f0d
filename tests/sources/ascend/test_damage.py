"""Damaged files in an Ascend directory: losses are counted, or the error says what is wrong."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import pytest

from nbprof.model.errors import NbprofError
from nbprof.sources import discover, read
from nbprof.sources.ascend.file_names import CONTENT, TRACE_VIEW
from tests.support.recordings.ascend import warning_kinds

if TYPE_CHECKING:
    from pathlib import Path

TABLES = [name for name in CONTENT if name != TRACE_VIEW]
ROUNDS = 5

#: What may be counted of a file that ends too early.
LOSSES = {
    "bad numbers",
    "cut off",
    "file not read",
    "operator not in the trace",
    "rows of the wrong length",
    "rows without a time",
}


@pytest.fixture
def copy(samples: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    asked = request.node.name
    (holder, *_) = sorted((samples / "npu_convnet_synthetic").iterdir())
    # The trace, which takes longest, only where it is what the others are joined with.
    aside = shutil.ignore_patterns(TRACE_VIEW) if "operator_details.csv" not in asked else None
    shutil.copytree(holder, tmp_path / holder.name, ignore=aside)
    return tmp_path / holder.name / "ASCEND_PROFILER_OUTPUT"


def outcome(folder: Path) -> dict[str, int]:
    """Return what was counted in reading a directory, of which something must be left."""
    (file,) = discover(folder).files
    model = read(file, progress=False)
    assert model.metadata["end_ns"] >= 0
    for warning in model.warnings:
        assert warning.example
        assert warning.count > 0
    return warning_kinds(model)


def test_the_sample_is_whole(copy: Path) -> None:
    assert {path.name for path in copy.iterdir()} >= set(TABLES)
    assert outcome(copy) == {}


@pytest.mark.parametrize("name", TABLES)
def test_a_file_may_end_anywhere(copy: Path, name: str) -> None:
    whole = (copy / name).read_bytes()
    places = random.Random(7).sample(range(len(whole)), min(ROUNDS, len(whole)))
    for place in (0, 1, *places, len(whole) - 1):
        (copy / name).write_bytes(whole[:place])
        kinds = outcome(copy)
        assert set(kinds) <= LOSSES, (place, kinds)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("junk", [b'"', b"\xff", b"\0", b"\n", b",", b"9" * 400, b"-"])
def test_anything_may_stand_anywhere(copy: Path, name: str, junk: bytes) -> None:
    whole = (copy / name).read_bytes()
    dice = random.Random(junk)
    spoiled = whole
    for place in sorted(dice.sample(range(len(whole)), min(5, len(whole))), reverse=True):
        spoiled = spoiled[:place] + junk + spoiled[place + dice.randint(0, 1) :]
    (copy / name).write_bytes(spoiled)
    outcome(copy)


@pytest.mark.parametrize("name", TABLES)
def test_strict_reading_says_which_file(copy: Path, name: str) -> None:
    path = copy / name
    path.write_bytes(path.read_bytes()[: len(path.read_bytes()) // 2].rstrip(b"\n"))
    (file,) = discover(copy).files
    with pytest.raises(NbprofError, match=name):
        read(file, strict=True, progress=False)
