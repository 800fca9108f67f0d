"""Tables of other packages on the command line: one that fails is named, with its package."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pytest

from nbprof.tables import TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call

MODULE: Final = """
import pyarrow as pa
from nbprof import Column, TableSpec
COLUMNS = (Column("n", pa.int64(), "", "A number."),)
def fails(*_, **__):
    raise {error}
def nonsense(*_, **__):
    return 7
def names(*_, **__):
    raise RuntimeError("no")
FAILS = TableSpec("fails", "nothing", COLUMNS, fails, scope="both")
NONSENSE = TableSpec("nonsense", "nothing", COLUMNS, nonsense, scope="both")
NO_COLUMNS = TableSpec("no_columns", "nothing", COLUMNS, nonsense, columns_for=names)
GOOD = TableSpec("good", "one", COLUMNS, lambda *_: pa.table({{"n": [7]}}), scope="both")
"""
POINTS: Final = """
[nbprof.tables]
fails = other_package:FAILS
nonsense = other_package:NONSENSE
no_columns = other_package:NO_COLUMNS
good = other_package:GOOD
"""


@pytest.fixture
def error() -> str:
    return 'RuntimeError("no \\x1b[31m")'


@pytest.fixture(autouse=True)
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str) -> None:
    """Install a package with tables, some of which fail."""
    info = tmp_path / "packages" / "other_package-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (info.parent / "other_package.py").write_text(MODULE.format(error=error))
    monkeypatch.syspath_prepend(str(info.parent))
    monkeypatch.delitem(sys.modules, "other_package", raising=False)
    monkeypatch.setattr(TABLES, "_entry_points", None)
    monkeypatch.setattr(TABLES, "_loaded", dict(TABLES._loaded))


@pytest.mark.parametrize("words", [("fails",), ("fails", "--all"), ("nonsense",), ("no_columns",)])
def test_a_table_that_fails_is_named_with_its_package(
    nbprof: Call, logdir: Path, words: tuple[str, ...]
) -> None:
    result = nbprof("table", logdir, *words)
    assert (result.status, result.out) == (1, b"")
    assert f"The table {words[0]!r} of the package 'other-package' could not be" in result.err
    assert "no bug in nbprof" in result.err
    assert "\x1b" not in result.err


@pytest.mark.parametrize("error", ['OSError(5, "worn out")', "MemoryError()"])
def test_no_error_of_it_is_taken_for_one_of_the_output(nbprof: Call, logdir: Path) -> None:
    result = nbprof("table", logdir, "fails")
    assert result.status == 1
    assert "The table 'fails' of the package 'other-package' could not be" in result.err
    assert "stdout" not in result.err


def test_its_other_tables_are_written(nbprof: Call, logdir: Path) -> None:
    result = nbprof("table", logdir, "good", "--format", "csv")
    assert (result.status, result.out) == (0, b"n\r\n7\r\n"), result.err
