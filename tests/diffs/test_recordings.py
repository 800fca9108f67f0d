"""Every reference recording against itself, and against another of another kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.diffs.lookup import words

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("kineto", "ascend", "paddle", "torchcpu", "nsys", "nvprof")


def recordings(data: Path) -> list[Path]:
    """Return the folders of all recordings."""
    return [path for name in FORMATS for path in sorted((data / name).iterdir()) if path.is_dir()]


@pytest.mark.parametrize("format_", FORMATS)
def test_against_themselves(shared_data: Path, format_: str) -> None:
    for path in recordings(shared_data):
        if path.parent.name != format_:
            continue
        trace = nbprof.load(path, progress=False).trace()
        diff = nbprof.diff(trace, trace)
        for word in words():
            table = diff.table(word)
            for name in table.column_names:
                if name.startswith("delta_"):
                    assert set(table[name].to_pylist()) <= {0, None}, (path.name, word, name)
            if "change" in table.column_names:
                assert set(table["change"].to_pylist()) <= {"same", None}, (path.name, word)


def test_against_each_other(shared_data: Path) -> None:
    found = recordings(shared_data)
    for one, other in zip(found, reversed(found), strict=True):
        if one >= other:
            break
        sides = [nbprof.load(path, progress=False).trace() for path in (one, other)]
        diff = nbprof.diff(*sides)
        for word in words():
            diff.table(word)
        bars = diff.waterfall().to_pylist()
        assert bars[-2]["to_us"] == bars[-1]["to_us"]
