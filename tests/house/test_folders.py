"""No folder holds more than about a dozen files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.house.test_house import GENERATED

if TYPE_CHECKING:
    from pathlib import Path

MOST = 15


def full_folders(top: Path) -> dict[str, int]:
    """Count the files of each folder that holds too many, generated files apart."""
    files = (path for path in top.rglob("*") if path.is_file() and path.name != GENERATED)
    counts = Counter(
        path.parent.relative_to(top).as_posix()
        for path in files
        if "__pycache__" not in path.parts and "static" not in path.parts
    )
    return {folder: count for folder, count in counts.items() if count > MOST}


@pytest.mark.parametrize("top", ["nbprof", "js/src", "js/tests", "tests", "docs", "notebooks"])
def test_folders_can_be_taken_in_at_a_glance(top: str) -> None:
    assert full_folders(ROOT / top) == {}


def test_the_rule_sees_a_full_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for number in range(MOST + 1):
        (tmp_path / "a" / f"{number}.py").touch()
    (tmp_path / "a" / GENERATED).touch()
    assert full_folders(tmp_path) == {"a": MOST + 1}
